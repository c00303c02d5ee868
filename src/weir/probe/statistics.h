// The few statistics that results are told in.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace weir::probe {

// Of n values in ascending order, the one at place floor(n * p), counted from 0 and at most n-1:
// no interpolation (the rule of the HPCC artifact's fct_analysis.py). `p` is given in
// thousandths, because 0.999 * n rounds differently in binary.
inline constexpr std::size_t percentile_place(std::size_t n, unsigned thousandths) {
  const auto place = static_cast<std::size_t>(static_cast<unsigned __int128>(n) * thousandths / 1000);
  return std::min(place, n - 1);
}

// Whether this percentile of n values is the largest of them, and so tells nothing that the maximum does not: p99 of up
// to 100 values, p99.9 of up to 1000. The maximum itself, 1000 thousandths, is asked for as such.
inline constexpr bool is_the_largest(std::size_t n, unsigned thousandths) {
  return n > 0 && thousandths < 1000 && percentile_place(n, thousandths) == n - 1;
}

template <class T>
T percentile(std::span<const T> ascending, unsigned thousandths) {
  assert(!ascending.empty());
  return ascending[percentile_place(ascending.size(), thousandths)];
}

// What is told of a set of values; all 0 if there are none.
struct Distribution {
  std::uint64_t count = 0;
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double p999 = 0;
  double max = 0;
};

// Sorts `values`.
template <class T>
Distribution distribution_of(std::vector<T>& values) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  double sum = 0;
  for (const T v : values) sum += static_cast<double>(v);
  const std::span<const T> all(values);
  return {.count = values.size(),
          .mean = sum / static_cast<double>(values.size()),
          .p50 = static_cast<double>(percentile(all, 500)),
          .p95 = static_cast<double>(percentile(all, 950)),
          .p99 = static_cast<double>(percentile(all, 990)),
          .p999 = static_cast<double>(percentile(all, 999)),
          .max = static_cast<double>(values.back())};
}

// Jain's fairness index (sum x)^2 / (n * sum x^2): 1 = all alike, 1/n = one has all. Values >= 0.
// Negative if it is not defined: no values, or all of them 0.
inline double jain(std::span<const double> x) {
  double sum = 0;
  double squares = 0;
  for (const double v : x) {
    sum += v;
    squares += v * v;
  }
  if (squares == 0) return -1;
  return sum * sum / (static_cast<double>(x.size()) * squares);
}

}  // namespace weir::probe
