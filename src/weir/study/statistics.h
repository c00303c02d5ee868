// Statistics of a study: one number of many values, and how sure a mean over seeds is.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "weir/result/no_value.h"

namespace weir::study {

using result::kNoValue;

// "mean", "geomean", "median", "p99.9", "min", "max", "count", "sum", "std".
struct Statistic {
  enum class Kind { mean, geomean, percentile, min, max, count, sum, std };
  Kind kind = Kind::mean;
  unsigned thousandths = 0;  // of a percentile
};
inline constexpr std::string_view kStatistics = "mean, geomean, median, p50 or p99.9, min, max, count, sum, std";

// Nothing if the text is none.
std::optional<Statistic> parse_statistic(std::string_view text);
// The same of a key of summary.json, where "p999" stands for p99.9.
std::optional<Statistic> statistic_of_key(std::string_view key);

// A value that occurs several times over.
struct Counted {
  double value = 0;
  double times = 1;
};

// Sorts `values`. Percentiles by the rule of all results: place floor(n * p) in ascending order, counted from 0; `std`
// is the standard deviation of all of a population; `geomean` has no value unless all are above 0. NaN if there are no
// values, but count and sum are 0 then.
double statistic_of(std::vector<Counted>& values, const Statistic& statistic);

// The range in which values of a kind, and hence their mean, must lie.
struct Bounds {
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
};

struct Interval {
  double mean = 0;
  double low = 0;  // low and high are NaN with fewer than two values
  double high = 0;
  std::size_t count = 0;  // of values
};
// The mean of values, at least one, and its two-sided 95 % confidence interval, which stays within `bounds`.
//
// Without bounds it is Student's t interval. With one bound a, the t interval is taken on the scale of ln(mean - a),
// with two bounds on that of the log odds, where the standard error follows by the delta method; transformed back, the
// interval contains the mean, and none of it is beyond a bound. Values that all lie at a bound give that point.
// docs/concepts/statistics.md says how often these intervals contain the true mean.
Interval confidence(std::span<const double> values, const Bounds& bounds = {});
// Whether the ends of an interval are worth telling. With two or three values that lie far apart, the factor of an
// interval on a scale of logarithms is astronomical: where one end is more than 100 times as far from the mean as the
// other, the values do not tell the order of magnitude of the mean.
bool is_informative(const Interval& interval);
// The geometric mean of values above 0, at least one, and its two-sided 95 % confidence interval: Student's t interval
// of their logarithms.
Interval geometric_confidence(std::span<const double> values);

}  // namespace weir::study
