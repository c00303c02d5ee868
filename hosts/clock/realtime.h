// The kernel stamps packets by CLOCK_REALTIME; On-Ramp and everything here counts in CLOCK_MONOTONIC. The kernel keeps
// both as one clock and a difference, which changes only when somebody sets the time of day: slewing moves both. So the
// difference is a constant that is narrowed down by reading, and a reading that contradicts it tells that time was set.
#pragma once

#include <cstdint>
#include <functional>

namespace weir::hosts::clock {

// CLOCK_REALTIME between two readings of CLOCK_MONOTONIC, ns.
struct ClockReading {
  std::int64_t before = 0;
  std::int64_t realtime = 0;
  std::int64_t after = 0;
};
ClockReading read_clocks();

class Realtime {
 public:
  explicit Realtime(std::function<ClockReading()> read = read_clocks) : read_(std::move(read)) { check(); }

  // Reads the clocks. False if time was set since it was last called: stamps of in between may be of either side.
  bool check();

  std::int64_t to_monotonic(std::int64_t realtime) const { return realtime - ahead(); }
  // CLOCK_REALTIME minus CLOCK_MONOTONIC as of the last check, ns.
  std::int64_t ahead() const { return low_ + (high_ - low_) / 2; }
  // Reads the clocks and changes nothing. False if time was set since the last check.
  bool still_holds() const;
  // to_monotonic and ahead are within this, ns.
  std::int64_t error() const { return (high_ - low_ + 1) / 2; }

 private:
  std::function<ClockReading()> read_;
  std::int64_t low_ = INT64_MIN / 2;  // bounds of realtime - monotonic
  std::int64_t high_ = INT64_MAX / 2;
};

}  // namespace weir::hosts::clock
