// Whole nanoseconds, the clock of ns-3.17.
#pragma once

#include <cmath>
#include <cstdint>

namespace weir::replica {

// Bytes * 8 / rate in ns, as `Seconds(double)` makes it: a double, cut to 64 binary places, times 10^9, cut to whole
// nanoseconds. rate in bit/s, > 0.
inline std::int64_t transmission_ns(std::int64_t bytes, std::int64_t rate) {
  const double seconds = static_cast<double>(bytes) * 8 / static_cast<double>(rate);
  constexpr double kShift = 0x1.0p64;
  const auto fraction = static_cast<unsigned __int128>(seconds * kShift);
  return static_cast<std::int64_t>(fraction * 1'000'000'000 >> 64);
}

}  // namespace weir::replica
