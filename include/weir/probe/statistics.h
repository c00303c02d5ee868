// The few statistics that results are told in.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "weir/result/percentile.h"

namespace weir::probe {

using result::is_the_largest;
using result::percentile_place;

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

// Of one value, whatever it is: where a summary may have values (ProbeKind::add_possible).
inline constexpr Distribution kSomeValue{.count = 1};

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
