// The rule of percentiles of a result, and where one says nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace weir::result {

// Of n values in ascending order, n at least 1, the one at place floor(n * p), counted from 0 and at most n-1:
// no interpolation (the rule of the HPCC artifact's fct_analysis.py). `p` is given in
// thousandths, because 0.999 * n rounds differently in binary.
inline constexpr std::size_t percentile_place(std::size_t n, unsigned thousandths) {
  const auto place = static_cast<std::size_t>(static_cast<unsigned __int128>(n) * thousandths / 1000);
  return std::min(place, n - 1);
}

// Whether this percentile of n values is the largest of them, and so tells nothing that the maximum does not: p99 of up
// to 100 values, p99.9 of up to 1000. The maximum itself, 1000 thousandths, is asked for as such. Tables and figures
// for people leave such a percentile of one run away, and mark one that is a mean over runs.
inline constexpr bool is_the_largest(std::size_t n, unsigned thousandths) {
  return n > 0 && thousandths < 1000 && percentile_place(n, thousandths) == n - 1;
}

// Those of a distribution in summary.json, by their keys, in thousandths.
inline constexpr std::array<std::pair<std::string_view, unsigned>, 4> kPercentileKeys{
    {{"p50", 500}, {"p95", 950}, {"p99", 990}, {"p999", 999}}};

}  // namespace weir::result
