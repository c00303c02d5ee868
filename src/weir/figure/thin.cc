#include "weir/figure/thin.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <vector>

namespace weir::figure {
namespace {

// Places of points, in ascending order.
using Places = std::vector<std::size_t>;

Places extremes(const Series& series, std::size_t points) {
  const std::size_t n = series.x.size();
  const auto nothing = [](double y) { return std::isnan(y); };
  const bool gaps = std::any_of(series.y.begin(), series.y.end(), nothing);
  const std::size_t bins = std::max<std::size_t>(1, points / (gaps ? 3 : 2));
  Places out{0};
  for (std::size_t bin = 0; bin < bins; ++bin) {
    const std::size_t begin = n * bin / bins;
    const std::size_t end = n * (bin + 1) / bins;
    std::optional<std::size_t> low, high, gap;
    for (std::size_t i = begin; i < end; ++i) {
      if (nothing(series.y[i])) {
        if (!gap) gap = i;
        continue;
      }
      if (!low || series.y[i] < series.y[*low]) low = i;
      if (!high || series.y[i] > series.y[*high]) high = i;
    }
    const std::size_t before = out.size();
    for (const auto& at : {low, high, gap})
      if (at) out.push_back(*at);
    std::sort(out.begin() + static_cast<std::ptrdiff_t>(before), out.end());
  }
  out.push_back(n - 1);
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

// How many neighbours stand for each point that is left.
std::size_t stride(std::size_t n, std::size_t points) { return (n + points - 1) / points; }

Places every_kth(std::size_t n, std::size_t points) {
  Places out;
  for (std::size_t i = 0; i < n; i += stride(n, points)) out.push_back(i);
  return out;
}

void keep_only(Series& series, const Places& places) {
  std::vector<std::size_t> few;
  for (std::size_t i = 0; i < places.size(); ++i)
    if (std::binary_search(series.few.begin(), series.few.end(), places[i])) few.push_back(i);
  series.few = std::move(few);
  for (auto* values : {&series.x, &series.y, &series.low, &series.high, &series.count}) {
    if (values->empty()) continue;
    for (std::size_t i = 0; i < places.size(); ++i) (*values)[i] = (*values)[places[i]];
    values->resize(places.size());
  }
}

// Means of each `every` neighbouring values, of those that are there.
void average(std::vector<double>& values, std::size_t every) {
  std::size_t kept = 0;
  for (std::size_t begin = 0; begin < values.size(); begin += every) {
    double sum = 0;
    double count = 0;
    for (std::size_t i = begin; i < std::min(values.size(), begin + every); ++i) {
      if (std::isnan(values[i])) continue;
      sum += values[i];
      ++count;
    }
    values[kept++] = sum / count;  // 0 / 0 of none
  }
  values.resize(kept);
}

// Says what it has done; nothing if series have no more than `points`, or are not of the same places.
std::string average(Figure& figure, std::size_t points) {
  if (figure.series.empty()) return "";
  const std::vector<double>& places = figure.series.front().x;
  const std::size_t every = stride(places.size(), points);
  const bool alike =
      std::all_of(figure.series.begin(), figure.series.end(), [&](const Series& s) { return s.x == places; });
  if (every < 2 || !alike) return "";
  for (Series& s : figure.series)
    for (auto* values : {&s.x, &s.y, &s.low, &s.high}) average(*values, every);
  return fmt::format("Means of {} intervals.", every);
}

}  // namespace

bool thin(Series& series, std::size_t points, Keep keep) {
  if (series.x.size() <= points) return false;
  keep_only(series, keep == Keep::extremes ? extremes(series, points) : every_kth(series.x.size(), points));
  return true;
}

void thin(Figure& figure, std::size_t points) {
  std::string done;
  const Kind* kind = find_kind(figure.kind);
  const Shorter shorter = kind != nullptr ? kind->shorter : Shorter::never;
  if (shorter == Shorter::means) {
    done = average(figure, points);
  } else if (shorter == Shorter::extremes) {
    for (Series& s : figure.series)
      if (thin(s, points))
        done = fmt::format("Thinned to {} points a series: the lowest and the highest of each bin.", points);
  }
  if (!done.empty()) figure.caption += (figure.caption.empty() ? "" : " ") + done;
}

}  // namespace weir::figure
