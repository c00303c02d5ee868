// The rule by which all results of Weir compute percentiles, and when a percentile of few values says nothing.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>
#include <utility>

namespace weir::result {

// The place of percentile p among n >= 1 values in ascending order: floor(n * p), counted from 0 and at most n - 1,
// without interpolation (the rule of the HPCC artifact's fct_analysis.py). p is given in
// thousandths, from 0 to 1000, because the binary value of 0.999 is not exact.
inline constexpr std::size_t percentile_place(std::size_t n, unsigned thousandths) {
  const auto place = static_cast<std::size_t>(static_cast<unsigned __int128>(n) * thousandths / 1000);
  return std::min(place, n - 1);
}

// Whether this percentile of n values is the largest of them, and so says no more than the maximum: p99 of up to 100
// values, p99.9 of up to 1000. For the maximum itself, 1000 thousandths, the answer is no. Tables and figures for
// people leave out such a percentile of one run, and mark one that is a mean over runs.
inline constexpr bool is_the_largest(std::size_t n, unsigned thousandths) {
  return n > 0 && thousandths < 1000 && percentile_place(n, thousandths) == n - 1;
}

// The percentiles of a distribution in summary.json: their keys, and p in thousandths.
inline constexpr std::array<std::pair<std::string_view, unsigned>, 4> kPercentileKeys{
    {{"p50", 500}, {"p95", 950}, {"p99", 990}, {"p999", 999}}};

}  // namespace weir::result
