// The ECN thresholds of the links of one rate, as a scenario's [network.ecn] and its rows network.ecn.rate have them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>

#include "weir/base/units.h"

namespace weir {

// RED marking of a queue: nothing up to k_min, with a probability that rises to p_max at k_max, everything above.
struct RedMarking {
  Bytes k_min;
  Bytes k_max;
  double p_max = 0;

  friend bool operator==(const RedMarking&, const RedMarking&) = default;
};

struct RedMarkingOfRate {
  Rate rate;
  RedMarking marking;
};

// Thresholds that would be larger are this: no queue gets there.
inline constexpr Bytes kLargestThreshold{0xfffffffe};

// What holds at links of `rate`: the first row that names it, or else `given`, whose thresholds are for links of
// `at_rate` and grow in proportion to the rate; at_rate 0 = they are the same on all links.
inline RedMarking marking_at(Rate rate, const RedMarking& given, Rate at_rate, std::span<const RedMarkingOfRate> rows) {
  const auto bounded = [](__int128 k) {
    return Bytes{static_cast<std::int64_t>(std::min<__int128>(k, kLargestThreshold.count))};
  };
  for (const RedMarkingOfRate& row : rows)
    if (row.rate == rate)
      return {bounded(row.marking.k_min.count), bounded(row.marking.k_max.count), row.marking.p_max};
  const auto scaled = [&](Bytes k) {
    const bool alike = at_rate.bits_per_second == 0;
    return bounded(alike ? k.count : static_cast<__int128>(k.count) * rate.bits_per_second / at_rate.bits_per_second);
  };
  return {scaled(given.k_min), scaled(given.k_max), given.p_max};
}

}  // namespace weir
