// In what range the values of measures must lie, whatever is drawn.
#include <algorithm>
#include <limits>
#include <string_view>
#include <vector>

#include "weir/study/measure.h"

namespace weir::study {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Bounds kNotNegative{0, kInfinity};

// Keys of summary.json and manifest.json (docs/results.md) by the first and the last part of their paths. All other
// values there are times, sizes, rates and counts.
struct Keys {
  std::string_view first;
  std::vector<std::string_view> last;
  Bounds bounds;
};
const std::vector<Keys>& bounded_keys() {
  static const std::vector<Keys> list{
      {"slowdown", {"mean", "p50", "p95", "p99", "p999", "max"}, {1, kInfinity}},
      {"fairness", {"mean_jain", "min_jain", "jain", "min_over_max"}, {0, 1}},
      {"pfc", {"share", "capacity_share"}, {0, 1}},
  };
  return list;
}

Bounds bounds_of_key(std::string_view key) {
  const auto first = key.substr(0, key.find('.'));
  const auto last = key.substr(key.rfind('.') + 1);
  for (const Keys& keys : bounded_keys())
    if (keys.first == first && std::find(keys.last.begin(), keys.last.end(), last) != keys.last.end())
      return keys.bounds;
  return kNotNegative;
}

}  // namespace

Bounds bounds_of_statistic(const Statistic& statistic, const Bounds& values) {
  using Kind = Statistic::Kind;
  switch (statistic.kind) {
    case Kind::count:
    case Kind::std: return kNotNegative;
    case Kind::sum: return values.least >= 0 ? kNotNegative : Bounds{};
    default: return values;
  }
}

Bounds Measure::bounds() const {
  const auto of_values = [this] {
    return is_of_pairs() ? kNotNegative
                         : bounds_of_column(file(), params.column.empty() ? "queue_bytes" : params.column);
  };
  const Bounds plain = params.key.empty() ? bounds_of_statistic(statistic, of_values()) : bounds_of_key(params.key);
  const double a = plain.least * params.scale;
  const double b = plain.most * params.scale;
  return params.scale == 0 ? Bounds{} : Bounds{std::min(a, b), std::max(a, b)};
}

}  // namespace weir::study
