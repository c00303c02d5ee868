#include "weir/study/selection.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>

#include "weir/base/error.h"
#include "weir/base/text.h"

namespace weir::study {
namespace {

constexpr std::size_t kFewPoints = 3;  // that are told one by one

std::string point_text(const std::vector<AxisLabels>& axes, const std::vector<std::string>& labels) {
  std::string out;
  for (std::size_t i = 0; i < axes.size(); ++i)
    out += fmt::format("{}{}={}", i == 0 ? "" : ", ", axes[i].name, labels[i]);
  return out;
}

// An item ends at a comma that is not between double quotes.
std::size_t end_of_item(std::string_view text) {
  bool is_quoted = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') is_quoted = !is_quoted;
    if (text[i] == ',' && !is_quoted) return i;
  }
  return text.size();
}

std::string_view unquoted(std::string_view label) {
  const bool is_quoted = label.size() >= 2 && label.front() == '"' && label.back() == '"';
  return is_quoted ? label.substr(1, label.size() - 2) : label;
}

// Labels as --only takes them.
std::vector<std::string> as_written(std::vector<std::string> labels) {
  for (std::string& label : labels)
    if (label.find(',') != std::string::npos) label = fmt::format("\"{}\"", label);
  return labels;
}

}  // namespace

WantedLabels parse_only(const std::string& only, const std::vector<AxisLabels>& axes) {
  WantedLabels out;
  for (std::string_view rest = only; !rest.empty();) {
    const std::string_view item = rest.substr(0, end_of_item(rest));
    rest = rest.substr(std::min(rest.size(), item.size() + 1));
    const auto equals = item.find('=');
    const auto axis =
        std::find_if(axes.begin(), axes.end(), [&](const AxisLabels& a) { return a.name == item.substr(0, equals); });
    if (equals == std::string_view::npos || axis == axes.end()) {
      std::vector<std::string> names;
      for (const AxisLabels& a : axes) names.push_back(a.name);
      throw InputError(
          fmt::format("--only: '{}' is no axis=label; axes are {}", one_line(item, kQuoted), fmt::join(names, ", ")));
    }
    const std::string label(unquoted(item.substr(equals + 1)));
    if (std::find(axis->labels.begin(), axis->labels.end(), label) == axis->labels.end())
      throw InputError(fmt::format("--only: the axis '{}' has no label '{}'; valid is {}", axis->name,
                                   one_line(label, kQuoted), fmt::join(as_written(axis->labels), ", ")));
    out[static_cast<std::size_t>(axis - axes.begin())].insert(label);
  }
  return out;
}

bool passes(const WantedLabels& wanted, const std::vector<std::string>& labels) {
  return std::all_of(wanted.begin(), wanted.end(),
                     [&](const auto& axis) { return axis.second.count(labels[axis.first]) > 0; });
}

std::string describe_points(const std::vector<AxisLabels>& axes, const std::vector<std::vector<std::string>>& points,
                            const std::set<std::size_t>& chosen) {
  if (chosen.size() == points.size()) return "all points";
  // the labels that they have of each axis, where these are not all that there are
  WantedLabels labels;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    std::set<std::string> all;
    for (const auto& point : points) all.insert(point[i]);
    std::set<std::string> some;
    for (const std::size_t p : chosen) some.insert(points[p][i]);
    if (some.size() < all.size()) labels[i] = std::move(some);
  }
  const auto passing = std::count_if(points.begin(), points.end(), [&](const auto& p) { return passes(labels, p); });
  std::vector<std::string> out;
  if (static_cast<std::size_t>(passing) == chosen.size()) {
    for (const auto& [axis, some] : labels) {
      std::vector<std::string> in_order;
      for (const std::string& label : axes[axis].labels)
        if (some.count(label) > 0) in_order.push_back(label);
      out.push_back(fmt::format("{}={}", axes[axis].name, fmt::join(in_order, " or ")));
    }
    return fmt::format("{}", fmt::join(out, ", "));
  }
  for (const std::size_t p : chosen)
    if (out.size() < kFewPoints) out.push_back(point_text(axes, points[p]));
  return fmt::format("{}{}", fmt::join(out, "; "),
                     chosen.size() > kFewPoints ? fmt::format("; and {} more", chosen.size() - kFewPoints) : "");
}

}  // namespace weir::study
