#include "weir/figure/document.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string_view>

#include "weir/base/error.h"
#include "weir/base/version.h"
#include "weir/result/directory.h"
#include "weir/result/no_value.h"

namespace weir::figure {
namespace {

// As text first: the same digits on each machine.
double rounded(double v, int digits) { return std::strtod(fmt::format("{:.{}g}", v, digits).c_str(), nullptr); }

Json number(double v, Form form) {
  if (!std::isfinite(v)) return nullptr;
  if (form == Form::file) return rounded(v, 10);
  const double shown = rounded(v, 9);
  if (std::abs(shown) < 9e15 && shown == std::floor(shown)) return static_cast<std::int64_t>(shown);
  return shown;
}

Json numbers(const std::vector<double>& values, Form form) {
  Json out = Json::array();
  for (const double v : values) out.push_back(number(v, form));
  return out;
}

Json to_json(const Axis& axis, Form form) {
  Json out{{"label", axis.label}, {"unit", axis.unit}, {"scale", axis.scale}};
  if (!axis.categories.empty()) out["categories"] = axis.categories;
  for (const Axis::Name& name : axis.named)
    out["named"].push_back({{"at", number(name.at, form)}, {"text", name.text}});
  if (!axis.units.empty()) out["units"] = axis.units;
  if (axis.centre) out["centre"] = number(*axis.centre, form);
  return out;
}

Json to_json(const Series& series, Form form) {
  Json out{{"name", series.name}, {"x", numbers(series.x, form)}, {"y", numbers(series.y, form)}};
  if (!series.low.empty()) out["low"] = numbers(series.low, form);
  if (!series.high.empty()) out["high"] = numbers(series.high, form);
  if (series.printed) out["printed"] = true;
  const auto known = [](double count) { return !std::isnan(count); };
  if (std::any_of(series.count.begin(), series.count.end(), known)) out["count"] = numbers(series.count, form);
  if (!series.few.empty()) out["few"] = series.few;
  if (!series.z.empty()) out["z"] = numbers(series.z, form);
  if (!series.values.empty()) out["values"] = numbers(series.values, form);
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
    const Kind& kind = kind_of(from);
    out.kind = kind.name;
    out.x = axis(from, "x");
    out.y = axis(from, "y");
    if (out.y.scale == "category" && !kind.cells) throw error("y.scale", "linear or log");
    if (kind.cells) out.z = axis(from, "z");
    if (out.z.scale == "category") throw error("z.scale", "linear or log");
    if (kind.spokes && out.x.categories.size() < kLeastSpokes)
      throw error("x.categories", "a list of three names at least");
    const Json& series = member(from, "series", "a list of series");
    if (!series.is_array()) throw error("series", "a list of series");
    for (const Json& s : series) {
      add(read_series(s, out), out);
      pair_up(out.series);
    }
    check_series(out, kind);
    return out;
  }

 private:
  static constexpr std::size_t kLeastSpokes = 3;

  const Kind& kind_of(const Json& figure) const {
    const Kind* kind = find_kind(text(figure, "kind"));
    if (kind != nullptr) return *kind;
    std::vector<std::string_view> names;
    for (const Kind& known : kinds()) names.push_back(known.name);
    throw error("kind", fmt::format("{}", fmt::join(names, ", ")));
  }
  // What its kind asks of the series of a figure.
  void check_series(const Figure& figure, const Kind& kind) const {
    const auto has_cells = [](const Series& s) { return !s.z.empty(); };
    const auto cells = std::count_if(figure.series.begin(), figure.series.end(), has_cells);
    const bool is_empty =
        std::all_of(figure.series.begin(), figure.series.end(), [](const Series& s) { return s.x.empty(); });
    if (cells > (kind.cells ? 1 : 0) || (kind.cells && cells == 0 && !is_empty))
      throw error("series", kind.cells ? "a list in which exactly one has z" : "a list of series without z");
    if (!kind.spokes) return;
    for (const Series& s : figure.series)
      for (std::size_t i = 0; i < s.x.size(); ++i) {
        const FigureReader within(fmt::format("{}: series '{}'", place_, s.name));
        if (std::find(s.x.begin(), s.x.begin() + static_cast<std::ptrdiff_t>(i), s.x[i]) !=
            s.x.begin() + static_cast<std::ptrdiff_t>(i))
          throw within.error("x", "each spoke once");
        if (!std::isnan(s.y[i]) && !(s.y[i] >= 0 && s.y[i] <= 1))
          throw within.error("y", "numbers from 0 to 1, or null");
      }
  }
  InputError error(const std::string& key, const std::string& valid) const {
    return InputError(fmt::format("{}: {}: valid is {}", place_, key, valid));
  }
  const Json& member(const Json& of, const std::string& key, const std::string& valid) const {
    if (!of.is_object() || !of.contains(key)) throw error(key, valid);
    return of.at(key);
  }
  std::string text(const Json& of, const std::string& key) const {
    const Json& value = member(of, key, "a text");
    if (!value.is_string()) throw error(key, "a text");
    return value.get<std::string>();
  }
  std::string one_of(std::string value, const std::string& key, const std::vector<std::string>& valid) const {
    if (std::find(valid.begin(), valid.end(), value) == valid.end())
      throw error(key, fmt::format("{}", fmt::join(valid, ", ")));
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
    if (out.scale == "category" && out.categories.empty()) throw error(key + ".categories", "a list of names");
    if (of.contains("units")) out.units = of.at("units").get<std::vector<std::string>>();
    if (!out.units.empty() && out.units.size() != out.categories.size())
      throw error(key + ".units", "a list as long as categories");
    if (of.contains("centre")) out.centre = of.at("centre").get<double>();
    if (out.centre && out.scale == "log" && !(*out.centre > 0)) throw error(key + ".centre", "above 0 on a log scale");
    return out;
  }
  std::vector<double> values(const Json& of, const std::string& key, std::size_t count) const {
    const Json& list = member(of, key, "a list of numbers");
    if (!list.is_array() || (count != kAny && list.size() != count)) throw error(key, "a list as long as x");
    std::vector<double> out;
    for (const Json& v : list) {
      if (!v.is_number() && !v.is_null()) throw error(key, "numbers, or null for no value");
      out.push_back(v.is_null() ? result::kNoValue : v.get<double>());
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
          throw within.error("few", "places of points, from 0");
        out.few.push_back(at.get<std::size_t>());
      }
    if (from.contains("z")) out.z = within.values(from, "z", out.x.size());
    if (from.contains("values")) out.values = within.values(from, "values", out.x.size());
    within.check_places(out.x, figure.x, "x");
    if (!out.z.empty() || figure.y.scale == "category") within.check_places(out.y, figure.y, "y");
    return out;
  }
  void check_places(const std::vector<double>& values, const Axis& axis, const std::string& key) const {
    for (const double v : values) {
      if (std::isnan(v))
        throw error(key, key == "x" ? "numbers; only y, low and high may be null" : "numbers, as z has cells");
      if (axis.scale == "category" && !(v >= 0 && v < static_cast<double>(axis.categories.size())))
        throw error(key, fmt::format("indices into {}.categories, from 0", key));
    }
  }
  void add(Series series, Figure& to) const {
    if (series.printed) return add_printed(to, std::move(series));
    for (const Series& other : to.series)
      if (other.name == series.name)
        throw error(fmt::format("series '{}': name", series.name), "a name that no other series of it has");
    to.series.push_back(std::move(series));
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

}  // namespace

Json to_json(const Figure& figure, Form form) {
  Json series = Json::array();
  for (const Series& s : figure.series) series.push_back(to_json(s, form));
  Json out{{"id", figure.id},
           {"title", figure.title},
           {"caption", figure.caption},
           {"kind", figure.kind},
           {"x", to_json(figure.x, form)},
           {"y", to_json(figure.y, form)},
           {"series", std::move(series)}};
  if (const Kind* kind = find_kind(figure.kind); kind != nullptr && kind->cells) out["z"] = to_json(figure.z, form);
  if (!figure.legend.empty()) out["legend"] = figure.legend;
  if (!figure.group.empty()) out["group"] = figure.group;
  if (!figure.whiskers.empty()) out["whiskers"] = figure.whiskers;
  if (!figure.setting.empty()) out["setting"] = figure.setting;
  if (!figure.left_out.empty()) out["left_out"] = figure.left_out;
  if (form == Form::drawn) return out;
  if (!figure.runs.empty()) out["runs"] = figure.runs;
  if (figure.of_flows) out["of_flows"] = true;
  return out;
}

std::string to_text(const Document& document) {
  Json out{{"weir", version()}, {"format", 1}};
  if (!document.title.empty()) out["title"] = document.title;
  out["figures"] = Json::array();
  for (const Figure& figure : document.figures) out["figures"].push_back(to_json(figure, Form::file));
  return out.dump(1) + "\n";
}

Document parse(const std::string& text, const std::string& file) {
  const Json document = result::parse_json(text, file);
  result::check_made_by(document, "weir", file);
  if (!document.contains("figures") || !document.at("figures").is_array())
    throw InputError(fmt::format("{}: figures: valid is a list of figures", file));
  Document out;
  if (document.contains("title")) {
    if (!document.at("title").is_string()) throw InputError(fmt::format("{}: title: valid is a text", file));
    out.title = document.at("title").get<std::string>();
  }
  for (const Json& figure : document.at("figures")) {
    const std::string place = fmt::format("{}: figure {}", file, out.figures.size() + 1);
    try {
      out.figures.push_back(FigureReader(place).read(figure));
    } catch (const Json::exception&) {  // of a key that may be missing, but not be of another type
      throw InputError(fmt::format("{}: a value is of the wrong type; see docs/guides/reports.md", place));
    }
  }
  return out;
}

}  // namespace weir::figure
