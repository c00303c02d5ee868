#include "hosts/clock/line.h"

#include <algorithm>
#include <limits>

namespace weir::hosts::clock {
namespace {

std::int64_t saturated(__int128 value) {
  constexpr __int128 least = std::numeric_limits<std::int64_t>::min();
  constexpr __int128 most = std::numeric_limits<std::int64_t>::max();
  return static_cast<std::int64_t>(std::clamp(value, least, most));
}

}  // namespace

std::int64_t drifted(std::int64_t drift, std::int64_t span) {
  return saturated((static_cast<__int128>(drift) * span) >> kDriftBits);
}

std::int64_t sum(std::int64_t a, std::int64_t b) { return saturated(static_cast<__int128>(a) + b); }

std::int64_t offset_at(const ClockLine& line, std::int64_t t) {
  const __int128 span = static_cast<__int128>(t) - line.at;
  return sum(line.offset, saturated((line.drift * span) >> kDriftBits));
}

std::int64_t to_theirs(const ClockLine& line, std::int64_t t) { return sum(t, offset_at(line, t)); }

std::int64_t to_ours(const ClockLine& line, std::int64_t theirs) {
  // each step brings the error down by the drift: from 2^61 ns by 1e-3 below 1 ns in seven
  std::int64_t ours = saturated(static_cast<__int128>(theirs) - line.offset);
  for (int i = 0; i < 7; ++i) ours = saturated(static_cast<__int128>(theirs) - offset_at(line, ours));
  return ours;
}

ClockLine moved(const ClockLine& line, std::int64_t at) { return {at, offset_at(line, at), line.drift, line.sigma}; }

ClockLine reversed(const ClockLine& line) {
  // of d = drift: 1 / (1 + d) - 1 = -d / (1 + d)
  const __int128 one = __int128{1} << kDriftBits;
  const __int128 drift = -static_cast<__int128>(line.drift) * one / (one + line.drift);
  return {to_theirs(line, line.at), saturated(-static_cast<__int128>(line.offset)), saturated(drift), line.sigma};
}

ClockLine chained(const ClockLine& ab, const ClockLine& bc) {
  const std::int64_t theirs = to_theirs(ab, ab.at);
  const std::int64_t drift = sum(sum(ab.drift, bc.drift), drifted(ab.drift, bc.drift));
  return {ab.at, sum(ab.offset, offset_at(bc, theirs)), drift, sum(ab.sigma, bc.sigma)};
}

}  // namespace weir::hosts::clock
