// One run from a checked scenario to its results.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "weir/probe/manifest.h"
#include "weir/probe/results.h"
#include "weir/probe/summary.h"
#include "weir/scenario/run.h"

namespace weir::app {

// How far a run is, between epochs.
struct Pace {
  Time now;
  engine::Counters counters;
};

struct Outcome {
  probe::Summary summary;
  probe::Manifest manifest;  // its `reason` tells what else ended the run early
  int signal = 0;            // that ended the run early
};

struct ExecuteOptions {
  std::function<void(const Pace&)> look;  // called several times a second
  bool own_thread = false;                // processor time is that of the calling thread; the run has no other
  std::uint64_t memory = 0;  // bytes: the run ends early when the process takes more; 0 = it may take what there is
  probe::RunClock clock;     // what the run takes is counted from when this was made
};

// Builds and runs; results go to `directory`, which is left to be committed, or nowhere if it is null. Stops early when
// a signal is pending, when memory is used up, or when the run cannot go on.
Outcome execute(const scenario::Scenario& s, probe::ResultDirectory* directory, const ExecuteOptions& options = {});
// The same with the model that scenario::build_model() has made of this scenario.
Outcome execute(const scenario::Scenario& s, std::unique_ptr<engine::Model> model, probe::ResultDirectory* directory,
                const ExecuteOptions& options);

// The exit status of a run that may have ended early.
inline int status_of(const Outcome& o) { return o.signal != 0 ? 128 + o.signal : o.manifest.reason.empty() ? 0 : 1; }

// {"manifest": ..., "summary": ...}
std::string to_json(const Outcome& o);
// What the engine did and how fast, for people.
std::string engine_text(const probe::Manifest& m);

}  // namespace weir::app
