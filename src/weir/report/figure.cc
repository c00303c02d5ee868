#include "weir/report/figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <optional>
#include <string_view>

#include "weir/base/error.h"
#include "weir/report/read.h"

namespace weir::report {
namespace {

Json number(double v) {
  if (!std::isfinite(v)) return nullptr;
  const double rounded = std::strtod(fmt::format("{:.9g}", v).c_str(), nullptr);
  // whole numbers without a fraction: a third of the file otherwise
  if (std::abs(rounded) < 9e15 && rounded == std::floor(rounded)) return static_cast<std::int64_t>(rounded);
  return rounded;
}

Json numbers(const std::vector<double>& values) {
  Json out = Json::array();
  for (const double v : values) out.push_back(number(v));
  return out;
}

Json to_json(const Axis& axis) {
  Json out{{"label", axis.label}, {"unit", axis.unit}, {"scale", axis.scale}};
  if (!axis.categories.empty()) out["categories"] = axis.categories;
  for (const Axis::Name& name : axis.named) out["named"].push_back({{"at", number(name.at)}, {"text", name.text}});
  return out;
}

// Reads what a figure says of itself; each function names the key in its complaint.
class FigureReader {
 public:
  explicit FigureReader(std::string place) : place_(std::move(place)) {}

  Figure read(const Json& from) const {
    Figure out;
    out.id = text(from, "id");
    out.title = text(from, "title");
    out.caption = from.value("caption", "");
    out.legend = from.value("legend", "");
    out.whiskers = from.value("whiskers", "");
    if (from.contains("runs")) out.runs = from.at("runs").get<std::vector<std::string>>();
    out.of_flows = from.value("of_flows", false);
    out.kind = one_of(text(from, "kind"), "kind", {"lines", "steps", "bars", "scatter", "stack"});
    out.x = axis(from, "x");
    out.y = axis(from, "y");
    if (out.y.scale == "category") complain("y.scale", "linear or log");
    const Json& series = member(from, "series", "a list of series");
    if (!series.is_array()) complain("series", "a list of series");
    for (const Json& s : series) {
      out.series.push_back(read_series(s, out));
      make_name_unique(out);
      pair_up(out.series);
    }
    return out;
  }

 private:
  [[noreturn]] void complain(const std::string& key, const std::string& valid) const {
    throw InputError(fmt::format("{}: {}: valid is {}", place_, key, valid));
  }
  const Json& member(const Json& of, const std::string& key, const std::string& valid) const {
    if (!of.is_object() || !of.contains(key)) complain(key, valid);
    return of.at(key);
  }
  std::string text(const Json& of, const std::string& key) const {
    const Json& value = member(of, key, "a text");
    if (!value.is_string()) complain(key, "a text");
    return value.get<std::string>();
  }
  std::string one_of(std::string value, const std::string& key, const std::vector<std::string>& valid) const {
    if (std::find(valid.begin(), valid.end(), value) == valid.end())
      complain(key, fmt::format("{}", fmt::join(valid, ", ")));
    return value;
  }
  Axis axis(const Json& from, const std::string& key) const {
    const Json& of = member(from, key, "an axis: an object with label, unit and scale");
    Axis out;
    out.label = text(of, "label");
    out.unit = of.value("unit", "1");
    out.scale = one_of(of.value("scale", "linear"), key + ".scale", {"linear", "log", "category"});
    if (of.contains("categories")) out.categories = of.at("categories").get<std::vector<std::string>>();
    if (of.contains("named"))
      for (const Json& name : of.at("named"))
        out.named.push_back({name.at("at").get<double>(), name.at("text").get<std::string>()});
    if (out.scale == "category" && out.categories.empty()) complain(key + ".categories", "a list of names");
    return out;
  }
  std::vector<double> values(const Json& of, const std::string& key, std::size_t count) const {
    const Json& list = member(of, key, "a list of numbers");
    if (!list.is_array() || (count != kAny && list.size() != count)) complain(key, "a list as long as x");
    std::vector<double> out;
    for (const Json& v : list) {
      if (!v.is_number() && !v.is_null()) complain(key, "numbers, or null for no value");
      out.push_back(v.is_null() ? kNothing : v.get<double>());
    }
    return out;
  }
  Series read_series(const Json& from, const Figure& figure) const {
    Series out;
    out.name = text(from, "name");
    const FigureReader within(fmt::format("{}: series '{}'", place_, out.name));
    out.x = within.values(from, "x", kAny);
    out.y = within.values(from, "y", out.x.size());
    if (from.contains("low") && from.contains("high")) {
      out.low = within.values(from, "low", out.x.size());
      out.high = within.values(from, "high", out.x.size());
    }
    out.printed = from.value("printed", false);
    if (from.contains("count")) out.count = within.values(from, "count", out.x.size());
    if (from.contains("few"))
      for (const Json& at : from.at("few")) {
        if (!at.is_number_unsigned() || at.get<std::size_t>() >= out.x.size())
          within.complain("few", "places of points, from 0");
        out.few.push_back(at.get<std::size_t>());
      }
    for (const double x : out.x) {
      if (std::isnan(x)) within.complain("x", "numbers; only y, low and high may be null");
      if (figure.x.scale == "category" && !(x >= 0 && x < static_cast<double>(figure.x.categories.size())))
        within.complain("x", "indices into x.categories, from 0");
    }
    return out;
  }
  // The page tells series apart by name. The authors' values may have the name of ours.
  void make_name_unique(Figure& figure) const {
    Series& last = figure.series.back();
    const auto taken = [&] {
      return std::any_of(figure.series.begin(), figure.series.end() - 1,
                         [&](const Series& s) { return s.name == last.name; });
    };
    while (last.printed && taken()) last.name += ", printed";
    if (taken()) complain(fmt::format("series '{}': name", last.name), "a name that no other series of it has");
  }
  // The last series, if it is printed, behind the one it is printed of: they are seen as a pair, above all in bars.
  static void pair_up(std::vector<Series>& series) {
    constexpr std::string_view kPrinted = ", printed";
    std::string_view name = series.back().name;
    while (series.back().printed && name.ends_with(kPrinted)) name.remove_suffix(kPrinted.size());
    const auto measured =
        std::find_if(series.begin(), series.end() - 1, [&](const Series& s) { return s.name == name; });
    if (measured < series.end() - 1) std::rotate(measured + 1, series.end() - 1, series.end());
  }

  static constexpr std::size_t kAny = std::numeric_limits<std::size_t>::max();
  std::string place_;
};

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
  const std::size_t every = (places.size() + points - 1) / points;
  const bool alike =
      std::all_of(figure.series.begin(), figure.series.end(), [&](const Series& s) { return s.x == places; });
  if (every < 2 || !alike) return "";
  for (Series& s : figure.series)
    for (auto* values : {&s.x, &s.y, &s.low, &s.high}) average(*values, every);
  return fmt::format("Means of {} intervals.", every);
}

}  // namespace

bool thin(Series& series, std::size_t points) {
  const std::size_t n = series.x.size();
  if (n <= points) return false;
  const auto nothing = [](double y) { return std::isnan(y); };
  const bool gaps = std::any_of(series.y.begin(), series.y.end(), nothing);
  const std::size_t bins = std::max<std::size_t>(1, points / (gaps ? 3 : 2));
  std::vector<std::size_t> kept{0};
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
    const std::size_t before = kept.size();
    for (const auto& at : {low, high, gap})
      if (at) kept.push_back(*at);
    std::sort(kept.begin() + static_cast<std::ptrdiff_t>(before), kept.end());
  }
  kept.push_back(n - 1);
  kept.erase(std::unique(kept.begin(), kept.end()), kept.end());
  std::vector<std::size_t> few;
  for (std::size_t i = 0; i < kept.size(); ++i)
    if (std::binary_search(series.few.begin(), series.few.end(), kept[i])) few.push_back(i);
  series.few = std::move(few);
  for (auto* values : {&series.x, &series.y, &series.low, &series.high, &series.count}) {
    if (values->empty()) continue;
    for (std::size_t i = 0; i < kept.size(); ++i) (*values)[i] = (*values)[kept[i]];
    values->resize(kept.size());
  }
  return true;
}

void thin(Figure& figure, std::size_t points) {
  std::string done;
  if (figure.kind == "stack") {
    done = average(figure, points);
  } else if (figure.kind != "bars") {
    for (Series& s : figure.series)
      if (thin(s, points))
        done = fmt::format("Thinned to {} points a series: the lowest and the highest of each bin.", points);
  }
  if (!done.empty()) figure.caption += (figure.caption.empty() ? "" : " ") + done;
}

Json to_json(const Figure& figure) {
  Json out{{"id", figure.id},        {"title", figure.title},  {"caption", figure.caption}, {"kind", figure.kind},
           {"x", to_json(figure.x)}, {"y", to_json(figure.y)}, {"series", Json::array()}};
  if (!figure.legend.empty()) out["legend"] = figure.legend;
  if (!figure.group.empty()) out["group"] = figure.group;
  if (!figure.whiskers.empty()) out["whiskers"] = figure.whiskers;
  if (!figure.setting.empty()) out["setting"] = figure.setting;
  if (!figure.left_out.empty()) out["left_out"] = figure.left_out;
  for (const Series& s : figure.series) {
    Json item{{"name", s.name}, {"x", numbers(s.x)}, {"y", numbers(s.y)}};
    if (!s.low.empty()) item["low"] = numbers(s.low);
    if (!s.high.empty()) item["high"] = numbers(s.high);
    if (s.printed) item["printed"] = true;
    if (!s.count.empty()) item["count"] = numbers(s.count);
    if (!s.few.empty()) item["few"] = s.few;
    out["series"].push_back(std::move(item));
  }
  return out;
}

FigureFile parse_figures(const std::string& text, const std::string& file) {
  const Json document = parse_json(text, file);
  check_made_by(document, "weir", file);
  if (!document.contains("figures") || !document.at("figures").is_array())
    throw InputError(fmt::format("{}: figures: valid is a list of figures", file));
  FigureFile out;
  if (document.contains("title")) {
    if (!document.at("title").is_string()) throw InputError(fmt::format("{}: title: valid is a text", file));
    out.title = document.at("title").get<std::string>();
  }
  for (const Json& figure : document.at("figures")) {
    const std::string place = fmt::format("{}: figure {}", file, out.figures.size() + 1);
    try {
      out.figures.push_back(FigureReader(place).read(figure));
    } catch (const Json::exception&) {  // of a key that may be missing, but not be of another type
      throw InputError(fmt::format("{}: a value is of the wrong type; see docs/report.md", place));
    }
  }
  return out;
}

}  // namespace weir::report
