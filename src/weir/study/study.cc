#include "weir/study/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <numeric>

namespace weir::study {

using scenario::key_error;

std::string file_name(std::string_view label) {
  std::string out;
  for (const char c : label) {
    const bool plain = std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '.' || c == '-' || c == '_';
    out += plain ? c : '_';
  }
  return out;
}

bool Axis::is_numeric() const {
  return std::all_of(points.begin(), points.end(), [](const AxisPoint& p) { return p.x.has_value(); });
}

std::optional<std::size_t> Axis::find(std::string_view label) const {
  for (std::size_t i = 0; i < points.size(); ++i)
    if (points[i].label == label) return i;
  return std::nullopt;
}

void Study::take_seeds(std::size_t count) {
  perturbed = false;
  seeds.resize(count);
  std::iota(seeds.begin(), seeds.end(), std::uint64_t{1});
}

std::size_t Study::axis(std::string_view name) const {
  std::size_t i = 0;
  while (i < axes.size() && axes[i].name != name) ++i;
  return i;
}

const Measure* Study::measure(std::string_view name) const {
  for (const Measure& m : measures)
    if (m.name() == name) return &m;
  return nullptr;
}

std::vector<Point> Study::points() const {
  std::vector<Point> out{Point(axes.size(), 0)};
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto first = std::find_if(axes.begin(), axes.end(),
                                    [&](const Axis& a) { return !a.pair.empty() && a.pair == axes[i].pair; });
    const auto leader = static_cast<std::size_t>(first - axes.begin());
    if (first != axes.end() && leader < i) {
      for (Point& point : out) point[i] = point[leader];
      continue;
    }
    if (out.size() * axes[i].points.size() * std::max<std::size_t>(seeds.size(), 1) > kMaxRuns)
      throw key_error(axes[i].where, "axis", fmt::format("the axes have over {} runs together", kMaxRuns));
    std::vector<Point> crossed;
    for (const Point& point : out)
      for (std::size_t j = 0; j < axes[i].points.size(); ++j) {
        crossed.push_back(point);
        crossed.back()[i] = j;
      }
    out = std::move(crossed);
  }
  return out;
}

Point Study::moved(Point point, const Labels& labels) const {
  for (const auto& [name, label] : labels) {
    const Axis& named = axes[axis(name)];
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (axes[i].name == name || (!named.pair.empty() && axes[i].pair == named.pair)) point[i] = *named.find(label);
  }
  return point;
}

std::string Study::x_unit(const FigureSpec& figure) const {
  const std::string_view kind = figure.kind->name;
  if (kind == "bars" || figure.kind->spokes) return "1";
  if (kind == "lines") return axes[axis(figure.params.x)].unit;
  if (kind == "slowdown-by-size") return "B";
  if (kind == "scatter") return unit_of_column(figure.params.x_column);
  return kind == "cdf" ? unit_of_column(figure.params.column) : "ps";
}

std::optional<double> Study::printed_x(const FigureSpec& figure, const std::string& at) const {
  const bool bars = figure.kind->name == "bars";
  if (figure.kind->spokes) {
    for (std::size_t i = 0; i < figure.spokes.size(); ++i)
      if (figure.spokes[i].measure == at) return static_cast<double>(i);
    return std::nullopt;
  }
  if (figure.kind->over_axis) {
    const Axis& x = axes[axis(figure.params.x)];
    if (const auto i = x.find(at)) return bars ? static_cast<double>(*i) : *x.points[*i].x;
  }
  if (bars) return std::nullopt;
  char* end = nullptr;
  const double number = std::strtod(at.c_str(), &end);
  if (!at.empty() && *end == '\0') return number;
  const std::string unit = x_unit(figure);
  try {
    if (unit == "ps") return static_cast<double>(parse_time(at).ps);
    if (unit == "B") return static_cast<double>(parse_bytes(at).count);
    if (unit == "bit/s") return static_cast<double>(parse_rate(at).bits_per_second);
  } catch (const InputError&) {
  }
  return std::nullopt;
}

std::vector<AxisLabels> Study::axis_labels() const {
  std::vector<AxisLabels> out;
  for (const Axis& a : axes) {
    AxisLabels& labels = out.emplace_back(AxisLabels{a.name, {}});
    for (const AxisPoint& p : a.points) labels.labels.push_back(p.label);
  }
  return out;
}

std::vector<std::string> Study::labels_of(const Point& point) const {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < point.size(); ++i) out.push_back(axes[i].points[point[i]].label);
  return out;
}

std::string Study::describe(const Point& point) const {
  std::string out;
  for (std::size_t i = 0; i < axes.size(); ++i)
    out += fmt::format("{}{}={}", i == 0 ? "" : ", ", axes[i].name, axes[i].points[point[i]].label);
  return out;
}

InputError Study::error_at(const Point& point, const InputError& error) const {
  const std::string at = axes.empty() ? "" : fmt::format("point {}", describe(point));
  if (error.where().file == file)
    throw InputError(error.where(), at.empty() ? error.reason() : fmt::format("{} (at {})", error.reason(), at));
  const Where place = axes.empty() ? where : axes.front().points[point.front()].where;
  throw InputError(place, at.empty() ? std::string(error.what()) : fmt::format("{}: {}", at, error.what()));
}

}  // namespace weir::study
