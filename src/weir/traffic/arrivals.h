// Poisson processes on the integer clock.
#pragma once

#include <cstdint>
#include <optional>

#include "weir/base/random.h"
#include "weir/base/units.h"

namespace weir::traffic {

inline constexpr double kLeastLoad = 1e-9;

// The mean time between events of `bytes` each that load `capacity` by the share `load`, in
// picoseconds. Payload bytes alone count (the convention of HPCC's traffic generator).
inline double mean_gap_ps(double bytes, double load, double capacity_bits_per_second) {
  return bytes * 8e12 / (load * capacity_bits_per_second);
}

// Returns the event that follows `last` after gap number `index` of the stream, or nothing if it would not be before
// `stop`. Each gap is rounded to the nearest picosecond by itself, so times are exact sums of integers; the rounding is
// unbiased and far below any mean gap.
inline std::optional<Time> next_arrival(Time last, Time stop, const RandomStream& stream, std::uint64_t index,
                                        double mean_ps) {
  const double gap = stream.exponential(index) * mean_ps + 0.5;
  // compared as a double first: an overlong gap does not fit the clock
  if (!(gap < static_cast<double>((stop - last).ps))) return std::nullopt;
  const Time next = last + Time{static_cast<std::int64_t>(gap)};
  return next < stop ? std::optional(next) : std::nullopt;
}

}  // namespace weir::traffic
