// The statistics that summaries report: percentiles, distributions and Jain's fairness index.
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

// A percentile of values in ascending order, at least one, by the rule of result/percentile.h; 990 = p99.
template <class T>
T percentile(std::span<const T> ascending, unsigned thousandths) {
  assert(!ascending.empty());
  return ascending[percentile_place(ascending.size(), thousandths)];
}

// What a summary reports of a set of values; all 0 if there are none.
struct Distribution {
  std::uint64_t count = 0;
  double mean = 0;
  double p50 = 0;
  double p95 = 0;
  double p99 = 0;
  double p999 = 0;
  double max = 0;
};

// The distribution of one value, for places at which a summary may have values (ProbeKind::add_possible).
inline constexpr Distribution kSomeValue{.count = 1};

// The distribution of `values`, which it sorts.
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

// Jain's fairness index (sum x)^2 / (n * sum x^2) of values >= 0: 1 = all are equal, 1/n = one has all.
// It is -1 where the index is not defined: without values, or if all of them are 0.
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
