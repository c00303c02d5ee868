// Notes how much wall time a run spends in which phase. While nobody asks for it, each call is one branch, and there
// are a few calls in an epoch.
#pragma once

#include <chrono>
#include <cstdint>
#include <utility>
#include <vector>

#include "weir/engine/phase_time.h"

namespace weir::engine {

inline std::int64_t passing_ns() {
  using namespace std::chrono;
  return duration_cast<nanoseconds>(steady_clock::now().time_since_epoch()).count();
}

class PhaseLog {
 public:
  void start(PhaseTimesVisit visit) { visit_ = std::move(visit); }
  bool is_on() const { return static_cast<bool>(visit_); }

  // Called when an epoch begins, at the simulated time `from`.
  void begin(Time from) {
    if (!is_on()) return;
    from_ = from;
    times_.clear();
    since_ = passing_ns();
  }
  // Notes that the phase which began with the last call has ended, and which one it was.
  void done(Phase phase) {
    if (!is_on()) return;
    const std::int64_t now = passing_ns();
    times_.push_back({.phase = phase, .begin_ns = since_, .end_ns = now});
    since_ = now;
  }
  void add(const PhaseTime& time) { times_.push_back(time); }
  void end(Time until) {
    if (is_on()) visit_(from_, until, times_);
  }

 private:
  PhaseTimesVisit visit_;
  Time from_;
  std::int64_t since_ = 0;
  std::vector<PhaseTime> times_;
};

}  // namespace weir::engine
