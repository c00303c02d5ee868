// How a run is getting on, on standard error: one line that is rewritten on a terminal, a line
// every ten seconds elsewhere.
#pragma once

#include <chrono>
#include <string>

#include "weir/execute.h"

namespace weir::app {

class Progress {
 public:
  // `expected` is what the traffic amounts to, `stop` the end of the run in simulated time.
  Progress(const scenario::Expected& expected, Time stop);
  ~Progress();
  Progress(const Progress&) = delete;

  void look(const Pace& pace);

  // The share of the work that is done, by packets sent and by simulated time; below 0 = unknown.
  static double share(const Pace& pace, const scenario::Expected& expected, Time stop);

 private:
  void show(const std::string& line);

  using Clock = std::chrono::steady_clock;
  const scenario::Expected expected_;
  const Time stop_;
  const bool terminal_;
  const Clock::time_point begin_;
  Clock::time_point last_;
  std::uint64_t last_hops_ = 0;
  bool shown_ = false;
};

// "12 s", "3 min 20 s"
std::string duration_text(double seconds);

}  // namespace weir::app
