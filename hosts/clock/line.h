// Arithmetic with lines that tell how another clock runs (ClockLine of path/data_path.h), in whole nanoseconds.
//
// A line of A's about B gives B's clock minus A's at a time of A's. Offsets may be of any size, since clocks that count
// from when a host was started are days apart; drifts are those of clocks that somebody would use.
#pragma once

#include <cstdint>

#include "hosts/path/data_path.h"

namespace weir::hosts::clock {

// The unit of ClockLine::drift, 1 ns per 2^30 ns.
inline constexpr int kDriftBits = 30;
inline constexpr double kDriftUnit = 1.0 / (std::int64_t{1} << kDriftBits);
// What is taken for a clock. Times and offsets are below 2^61 ns (73 years), so that sums of two fit; a clock that runs
// wrong by more than 1 ms/s is broken (the kernel slews by 0.5 ms/s at most).
inline constexpr std::int64_t kTimeLimit = std::int64_t{1} << 61;
inline constexpr double kDriftLimit = 1e-3;

// drift * span in ns, rounded down; saturated, so that any two numbers will do.
std::int64_t drifted(std::int64_t drift, std::int64_t span);

// The sum, saturated at the limits of int64.
std::int64_t sum(std::int64_t a, std::int64_t b);

// The offset at our time t.
std::int64_t offset_at(const ClockLine& line, std::int64_t t);
// Their time at our time t.
std::int64_t to_theirs(const ClockLine& line, std::int64_t t);
// Our time when theirs is `theirs`, within 1 ns and the rounding of the drift.
std::int64_t to_ours(const ClockLine& line, std::int64_t theirs);

// The same line told by another time of ours.
ClockLine moved(const ClockLine& line, std::int64_t at);
// What B's clock knows about ours, from what we know about B's.
ClockLine reversed(const ClockLine& line);
// Ours about C, from ours about B and B's about C. The errors add.
ClockLine chained(const ClockLine& ab, const ClockLine& bc);

}  // namespace weir::hosts::clock
