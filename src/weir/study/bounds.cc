// In what range the values of measures must lie, whatever is drawn, and which end of it is the better one.
#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <vector>

#include "weir/study/measure.h"

namespace weir::study {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr Bounds kNotNegative{0, kInfinity};

// Keys of summary.json and manifest.json (docs/reference/results.md) by the first and the last part of their paths. All
// other values there are times, sizes, rates and counts.
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

// What is asked of networks: parts of the names of columns and keys.
constexpr std::array<std::string_view, 9> kBetterLower{"slowdown", "fct",     "completion",    "queue",     "drop",
                                                       "lost",     "timeout", "retransmitted", "unfinished"};
constexpr std::array<std::string_view, 3> kBetterHigher{"jain", "min_over_max", "utilisation"};

}  // namespace

std::string_view name_of(Better better) {
  return better == Better::lower ? "lower" : better == Better::higher ? "higher" : "";
}

Better Measure::better() const {
  if (!params.better.empty()) return params.better == name_of(Better::lower) ? Better::lower : Better::higher;
  if (params.scale < 0 || statistic.kind == Statistic::Kind::count) return Better::unknown;
  if (is_of_pairs() || kind->name == "queues" || kind->name == "recovery") return Better::lower;
  const std::string_view of = params.key.empty() ? params.column : params.key;
  const auto has = [&](std::string_view part) { return of.find(part) != std::string_view::npos; };
  if (std::any_of(kBetterHigher.begin(), kBetterHigher.end(), has)) return Better::higher;
  return std::any_of(kBetterLower.begin(), kBetterLower.end(), has) ? Better::lower : Better::unknown;
}

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
