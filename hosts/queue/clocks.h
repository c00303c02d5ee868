// From one host's clock to another's.
#pragma once

#include <cstdint>

#include "hosts/path/data_path.h"

namespace weir::hosts {

// Drift of `drift` ns per 2^30 ns over `span` ns.
inline std::int64_t drifted(std::int64_t drift, std::int64_t span) {
  return static_cast<std::int64_t>(static_cast<__int128>(drift) * span >> 30);
}

// Our time at the instant at which the peer's clock shows `theirs`. Drifts of clocks are some 1e-5, so that taking the
// line's value at theirs - offset instead of at our time is an error of drift^2 times the age of the line: 0.1 ns in 1
// s.
inline std::int64_t ours(const ClockLine& line, std::int64_t theirs) {
  const std::int64_t near = theirs - line.offset;
  return near - drifted(line.drift, near - line.at);
}

// The clock that this host shows to others: CLOCK_MONOTONIC, but for tests.
struct ShownClock {
  std::int64_t start = 0;
  std::int64_t offset = 0;
  std::int64_t drift = 0;

  std::int64_t at(std::int64_t now) const { return now + offset + drifted(drift, now - start); }
};

}  // namespace weir::hosts
