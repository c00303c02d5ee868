// How a run was made and what it did: the document manifest.json.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/units.h"
#include "weir/engine/counters.h"
#include "weir/engine/fast_forward_report.h"
#include "weir/engine/regime.h"
#include "weir/engine/stall.h"
#include "weir/result/contents.h"

namespace weir::probe {

// A plug-in of which the run used an algorithm.
struct UsedPlugin {
  std::string file;      // as it was named
  std::string checksum;  // XXH3 with 128 bits
};

struct Manifest {
  std::string title;              // of the scenario
  std::string fidelity;           // its run.fidelity
  std::optional<Time> forked_at;  // up to this instant another scenario held (weir fork)
  std::uint64_t changes = 0;      // that were made while it ran (steering.toml); 0 = it is what its scenario says
  std::vector<UsedPlugin> plugins;
  std::vector<std::string> notices;  // what has been chosen for the scenario, and why; sentences
  std::uint64_t seed = 0;
  std::uint32_t threads = 1;
  std::optional<engine::Regime> regime;  // how the engine took its events; its results do not depend on it
  bool interrupted = false;              // ended by a signal, before all flows were done or the stop time came
  std::string reason;                    // why it ended early otherwise; "" = it did not
  std::optional<engine::Stall> stall;    // it could not go on, for this reason
  double wall_s = 0;
  double cpu_s = 0;
  std::uint64_t max_rss_bytes = 0;
  Time sim_time;
  engine::Counters counters;
  std::optional<engine::FastForwardReport> fast_forward;  // what was skipped, if the scenario asks for that
  std::uint64_t digest = 0;  // over all flow records and the final state; equal for equal runs
};

// The text of manifest.json, with the result's other files; ends in a line end.
std::string to_json(const Manifest&, const result::Contents&);
// The same of a run that is not kept.
std::string to_json(const Manifest&);

// Wall and processor time since it was made; of the whole process, all threads.
class RunClock {
 public:
  // With what earlier parts of the run took.
  explicit RunClock(double wall_s_before = 0, double cpu_s_before = 0);
  double wall_s() const;
  double cpu_s() const;

 private:
  std::chrono::steady_clock::time_point wall_;
  double cpu_ = 0;
  double wall_before_ = 0;
  double cpu_before_ = 0;
};

// The largest resident set of the process so far.
std::uint64_t max_rss_bytes();

}  // namespace weir::probe
