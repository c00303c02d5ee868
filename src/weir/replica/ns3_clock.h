// Whole nanoseconds, the clock of ns-3.17.
#pragma once

#include <cstdint>

namespace weir::replica {

// `Seconds(double)` in ns: a double, cut to 64 binary places, times 10^9, cut to whole nanoseconds. 0 <= seconds <
// 2^33.
inline std::int64_t seconds_to_ns(double seconds) {
  constexpr double kShift = 0x1.0p64;
  const auto fraction = static_cast<unsigned __int128>(seconds * kShift);
  return static_cast<std::int64_t>(fraction * 1'000'000'000 >> 64);
}

// Bytes * 8 / rate. rate in bit/s, > 0.
inline std::int64_t transmission_ns(std::int64_t bytes, std::int64_t rate) {
  return seconds_to_ns(static_cast<double>(bytes) * 8 / static_cast<double>(rate));
}

}  // namespace weir::replica
