// One run from a checked scenario to its results.
#pragma once

#include <cstdint>
#include <functional>
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
  probe::Manifest manifest;
  int signal = 0;  // that ended the run early
};

// Builds and runs; results go to `directory`, which is left to be committed, or nowhere if it is null. `look`
// is called several times a second. Stops early when a signal is pending. With `own_thread`,
// processor time is that of the calling thread alone, and the run has no other.
Outcome execute(const scenario::Scenario& s, probe::ResultDirectory* directory,
                const std::function<void(const Pace&)>& look, bool own_thread = false);

// The exit status of a run that a signal may have ended, or that could not go on.
inline int status_of(const Outcome& o) { return o.signal != 0 ? 128 + o.signal : o.manifest.stall ? 1 : 0; }

// {"manifest": ..., "summary": ...}
std::string to_json(const Outcome& o);
// What the engine did and how fast, for people.
std::string engine_text(const probe::Manifest& m);

}  // namespace weir::app
