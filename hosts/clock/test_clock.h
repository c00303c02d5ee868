// A clock that runs wrong by a known amount: hosts that are namespaces of one machine all have the same clock, and
// tests of their synchronisation would have nothing to find.
#pragma once

#include <cstdint>

#include "hosts/clock/line.h"

namespace weir::hosts::clock {

// It shows t + offset + drift (t - start) / 2^30 at CLOCK_MONOTONIC t; all zero: it is right.
struct TestClock {
  std::int64_t offset = 0;  // ns
  std::int64_t drift = 0;   // ns per 2^30 ns
  std::int64_t start = 0;   // CLOCK_MONOTONIC, ns

  std::int64_t read(std::int64_t monotonic) const { return monotonic + offset + drifted(drift, monotonic - start); }
};

}  // namespace weir::hosts::clock
