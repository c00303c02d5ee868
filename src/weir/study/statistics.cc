#include "weir/study/statistics.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>

#include "weir/result/percentile.h"

namespace weir::study {
namespace {

// The 0.975 quantile of Student's t.
double t_quantile(std::size_t degrees) {
  static constexpr std::array<double, 30> kTable{12.7062, 4.3027, 3.1824, 2.7764, 2.5706, 2.4469, 2.3646, 2.3060,
                                                 2.2622,  2.2281, 2.2010, 2.1788, 2.1604, 2.1448, 2.1314, 2.1199,
                                                 2.1098,  2.1009, 2.0930, 2.0860, 2.0796, 2.0739, 2.0687, 2.0639,
                                                 2.0595,  2.0555, 2.0518, 2.0484, 2.0452, 2.0423};
  if (degrees <= kTable.size()) return kTable[degrees - 1];
  // expansion in 1 / degrees about the normal quantile (Abramowitz and Stegun 26.7.5)
  constexpr double z = 1.959964;
  const auto n = static_cast<double>(degrees);
  return z + (z * z * z + z) / (4 * n) + (5 * std::pow(z, 5) + 16 * z * z * z + 3 * z) / (96 * n * n);
}

double percentile(const std::vector<Counted>& ascending, double total, unsigned thousandths) {
  const auto place = static_cast<double>(result::percentile_place(static_cast<std::size_t>(total), thousandths));
  double before = 0;
  for (const auto& [value, times] : ascending) {
    before += times;
    if (before > place) return value;
  }
  return ascending.back().value;
}

}  // namespace

std::optional<Statistic> parse_statistic(std::string_view text) {
  using Kind = Statistic::Kind;
  static constexpr std::pair<std::string_view, Kind> kWords[] = {
      {"mean", Kind::mean},   {"geomean", Kind::geomean}, {"min", Kind::min}, {"max", Kind::max},
      {"count", Kind::count}, {"sum", Kind::sum},         {"std", Kind::std}};
  for (const auto& [word, kind] : kWords)
    if (text == word) return Statistic{kind};
  if (text == "median") return Statistic{Kind::percentile, 500};
  if (!text.starts_with('p')) return std::nullopt;
  double percent = 0;
  const auto* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data() + 1, end, percent, std::chars_format::fixed);
  const double thousandths = std::round(percent * 10);
  if (error != std::errc{} || stop != end || !(percent >= 0 && percent <= 100) ||
      std::abs(thousandths - percent * 10) > 1e-9)
    return std::nullopt;
  return Statistic{Kind::percentile, static_cast<unsigned>(thousandths)};
}

std::optional<Statistic> statistic_of_key(std::string_view key) {
  for (const auto& [name, thousandths] : result::kPercentileKeys)
    if (key == name) return Statistic{Statistic::Kind::percentile, thousandths};
  return parse_statistic(key);
}

double statistic_of(std::vector<Counted>& values, const Statistic& statistic) {
  using Kind = Statistic::Kind;
  std::sort(values.begin(), values.end(), [](const Counted& a, const Counted& b) { return a.value < b.value; });
  double total = 0;
  double sum = 0;
  for (const auto& [value, times] : values) {
    total += times;
    sum += value * times;
  }
  if (statistic.kind == Kind::count) return total;
  if (statistic.kind == Kind::sum) return sum;
  if (!(total > 0)) return kNoValue;
  const double mean = sum / total;
  switch (statistic.kind) {
    case Kind::percentile: return percentile(values, total, statistic.thousandths);
    case Kind::geomean: {
      if (!(values.front().value > 0)) return kNoValue;
      double logs = 0;
      for (const auto& [value, times] : values) logs += times * std::log(value);
      return std::exp(logs / total);
    }
    case Kind::min: return values.front().value;
    case Kind::max: return values.back().value;
    case Kind::std: {
      double squares = 0;
      for (const auto& [value, times] : values) squares += times * (value - mean) * (value - mean);
      return std::sqrt(squares / total);
    }
    default: return mean;
  }
}

Interval confidence(std::span<const double> values, const Bounds& bounds) {
  const auto n = static_cast<double>(values.size());
  // by differences: the mean of equal values is that value
  double beyond = 0;
  for (const double v : values) beyond += v - values.front();
  const double mean = values.front() + beyond / n;
  if (values.size() < 2) return {mean, kNoValue, kNoValue, values.size()};
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  const double half = t_quantile(values.size() - 1) * std::sqrt(squares / (n - 1) / n);
  const double above = mean - bounds.least;
  const double below = bounds.most - mean;
  // equal values; or some are beyond a bound, which is then no bound of theirs
  if (half == 0 || !(above > 0) || !(below > 0)) return {mean, mean - half, mean + half, values.size()};
  if (std::isfinite(above) && std::isfinite(below)) {
    const double width = above + below;
    const double odds = std::exp(half * width / (above * below));
    return {mean, bounds.least + width * above / (above + below * odds),
            bounds.least + width * above / (above + below / odds), values.size()};
  }
  if (std::isfinite(above)) {
    const double factor = std::exp(half / above);
    return {mean, bounds.least + above / factor, bounds.least + above * factor, values.size()};
  }
  if (std::isfinite(below)) {
    const double factor = std::exp(half / below);
    return {mean, bounds.most - below * factor, bounds.most - below / factor, values.size()};
  }
  return {mean, mean - half, mean + half, values.size()};
}

bool is_informative(const Interval& interval) {
  constexpr double kFactor = 100;
  const double below = interval.mean - interval.low;
  const double above = interval.high - interval.mean;
  return above <= kFactor * below && below <= kFactor * above;
}

Interval geometric_confidence(std::span<const double> values) {
  std::vector<double> logs;
  logs.reserve(values.size());
  for (const double v : values) logs.push_back(std::log(v));
  const Interval interval = confidence(logs);
  return {std::exp(interval.mean), std::exp(interval.low), std::exp(interval.high), interval.count};
}

}  // namespace weir::study
