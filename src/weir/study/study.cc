#include "weir/study/study.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <set>

#include "weir/base/text.h"
#include "weir/scenario/toml_parser.h"

namespace weir::study {
namespace {

using scenario::did_you_mean;
using scenario::fail_key;
using scenario::join;
using scenario::List;
using scenario::TableReader;
using scenario::Value;

constexpr std::size_t kMaxPoints = 10'000;  // of one axis

// A value as a label; nothing if it is a list or a table.
std::optional<std::string> text_of(const Value& value) {
  if (const auto* text = value.as<std::string>()) return *text;
  if (const auto* whole = value.as<std::int64_t>()) return fmt::format("{}", *whole);
  if (const auto* number = value.as<double>()) return fmt::format("{}", *number);
  if (const auto* flag = value.as<bool>()) return *flag ? "true" : "false";
  return std::nullopt;
}

std::optional<double> number_of(const Value& value) {
  if (const auto* whole = value.as<std::int64_t>()) return static_cast<double>(*whole);
  if (const auto* number = value.as<double>()) return *number;
  return std::nullopt;
}

struct Quantity {
  double value = 0;
  std::string unit;
};
// A number, or a text with a unit of time, size or rate.
std::optional<Quantity> quantity_of(const Value& value) {
  if (const auto number = number_of(value)) return Quantity{*number, "1"};
  const auto* text = value.as<std::string>();
  if (text == nullptr) return std::nullopt;
  const auto attempt = [&](auto parse) -> std::optional<double> {
    try {
      return static_cast<double>(parse(*text));
    } catch (const InputError&) {
      return std::nullopt;
    }
  };
  if (const auto v = attempt([](const auto& t) { return parse_time(t).ps; })) return Quantity{*v, "ps"};
  if (const auto v = attempt([](const auto& t) { return parse_bytes(t).count; })) return Quantity{*v, "B"};
  if (const auto v = attempt([](const auto& t) { return parse_rate(t).bits_per_second; })) return Quantity{*v, "bit/s"};
  return std::nullopt;
}

void check_key(const Where& where, const std::string& path, const std::string& key) {
  if (!scenario::is_dotted_key(key))
    fail_key(where, path, fmt::format("'{}' is no key of a scenario; write one like traffic.0.load", key));
}

std::vector<Override> read_overrides(const TableReader& table, std::string_view key) {
  std::vector<Override> out;
  const Value* value = table.find(key);
  if (value == nullptr) return out;
  const auto* entries = value->as<scenario::Table>();
  if (entries == nullptr)
    table.fail_at(key, fmt::format("it is {}; write a table, {{ \"run.stop\" = \"1 ms\" }}", value->type_name()));
  for (const auto& [name, item] : entries->entries) {
    check_key(item.where, join(table.path(), key), name);
    out.push_back({name, item});
  }
  return out;
}

// `key`: one, or a list of keys that all get the value.
std::vector<std::string> read_keys(const TableReader& table) {
  const Value* value = table.find("key");
  if (value == nullptr) table.fail_at("key", "missing; write the scenario's key that the values are for");
  std::vector<std::string> out;
  if (const auto* list = value->as<List>()) {
    for (const Value& item : *list) {
      const auto* text = item.as<std::string>();
      if (text == nullptr) table.fail_at("key", fmt::format("there is {} in it; write texts", item.type_name()));
      out.push_back(*text);
    }
  } else {
    out.push_back(table.text("key"));
  }
  if (out.empty()) table.fail_at("key", "it is empty; write a key of the scenario");
  for (const auto& key : out) check_key(table.place("key"), join(table.path(), "key"), key);
  return out;
}

double required_number(const TableReader& table, std::string_view key) {
  const Value* value = table.find(key);
  if (value == nullptr) table.fail_at(key, "missing; write a number");
  const auto number = number_of(*value);
  if (!number || !std::isfinite(*number)) table.fail_at(key, "it is no finite number; write one");
  return *number;
}

// The values of range = { from, to, step or factor, unit }, each where the range stands.
std::vector<Value> read_range(const TableReader& range) {
  range.allow_only({"from", "to", "step", "factor", "unit"});
  const double from = required_number(range, "from");
  const double to = required_number(range, "to");
  const bool by_factor = range.find("factor") != nullptr;
  if (by_factor == (range.find("step") != nullptr)) range.fail_at("step", "write either step or factor");
  const double by = required_number(range, by_factor ? "factor" : "step");
  if (by_factor ? !(by > 1 && from > 0) : !(by > 0))
    range.fail_at(by_factor ? "factor" : "step",
                  by_factor ? "write a factor above 1, and from above 0" : "write a step above 0");
  if (to < from) range.fail_at("to", "below from; the range is empty");
  const auto unit = range.text("unit");
  const double slack = 1e-9 * (by_factor ? to : by);  // 0.1 three times over is more than 0.3
  std::vector<Value> out;
  for (std::size_t i = 0;; ++i) {
    const auto n = static_cast<double>(i);
    double v = by_factor ? from * std::pow(by, n) : from + by * n;
    if (v > to + slack) break;
    if (out.size() == kMaxPoints) range.fail_at("to", fmt::format("over {} values; take a larger step", kMaxPoints));
    v = std::abs(v) < slack ? 0 : std::stod(fmt::format("{:.12g}", v));  // 0.1 * 3 is 0.3
    const bool whole = v == std::floor(v) && std::abs(v) < 9e15;
    if (!unit.empty()) {
      out.push_back({range.where(), fmt::format("{} {}", v, unit)});
    } else if (whole) {
      out.push_back({range.where(), static_cast<std::int64_t>(v)});
    } else {
      out.push_back({range.where(), v});
    }
  }
  return out;
}

std::vector<Value> read_values(const TableReader& table) {
  const Value* values = table.find("values");
  if (values == nullptr) {
    if (table.find("range") == nullptr)
      table.fail_at("values", "missing; write values = [...], range = {...}, or [[axis.point]]");
    return read_range(table.table("range"));
  }
  if (table.find("range") != nullptr) table.fail_at("range", "there are values already; keep one of the two");
  const auto* list = values->as<List>();
  if (list == nullptr) table.fail_at("values", fmt::format("it is {}; write a list", values->type_name()));
  return *list;
}

void short_form(const TableReader& table, Axis& axis) {
  table.allow_only({"name", "pair", "key", "values", "range"});
  const auto keys = read_keys(table);
  std::set<std::string> units;
  for (const Value& value : read_values(table)) {
    AxisPoint& point = axis.points.emplace_back();
    point.where = value.where;
    const auto label = text_of(value);
    if (!label)
      fail_key(value.where, join(table.path(), "values"),
               fmt::format("there is {} in it; write numbers or texts, or [[axis.point]]", value.type_name()));
    point.label = *label;
    for (const auto& key : keys) point.set.push_back({key, value});
    const auto quantity = quantity_of(value);
    if (quantity) point.x = quantity->value;
    units.insert(quantity ? quantity->unit : "");
  }
  // values of several kinds are labels
  if (units.size() == 1) axis.unit = *units.begin();
  if (units.size() != 1 || axis.unit.empty()) {
    axis.unit = "1";
    for (AxisPoint& point : axis.points) point.x.reset();
  }
}

void long_form(const TableReader& table, Axis& axis) {
  table.allow_only({"name", "pair", "unit", "point"});
  if (table.find("unit") != nullptr) axis.unit = table.text("unit");
  for (const auto& row : table.tables("point")) {
    row.allow_only({"label", "set", "scenario", "x"});
    AxisPoint& point = axis.points.emplace_back();
    point.where = row.where();
    point.label = row.required_text("label", "what the point is called");
    point.set = read_overrides(row, "set");
    point.scenario = row.text("scenario");
    if (row.find("x") != nullptr) point.x = required_number(row, "x");
    if (row.find("set") == nullptr && point.scenario.empty())
      row.fail_at("set", "missing; write overrides, { \"algorithm.name\" = \"hpcc\" }, or a scenario");
  }
}

void check_labels(const TableReader& table, const Axis& axis) {
  if (axis.points.empty()) table.fail_at("values", "the axis is empty; write at least one value");
  if (axis.points.size() > kMaxPoints) table.fail_at("values", fmt::format("over {} points", kMaxPoints));
  std::map<std::string, std::string> names;  // of directories, with their labels
  std::set<std::string> labels;
  for (const AxisPoint& point : axis.points) {
    if (point.label.empty()) fail_key(point.where, table.path(), "a label is empty; write one");
    if (!labels.insert(point.label).second)
      fail_key(point.where, table.path(), fmt::format("the label '{}' comes twice; write another", point.label));
    const auto [other, is_new] = names.emplace(file_name(point.label), point.label);
    if (!is_new)
      fail_key(point.where, table.path(),
               fmt::format("the label '{}' gives a directory the same name as '{}'; write another", point.label,
                           other->second));
  }
}

const std::set<std::string>& reserved_columns() {
  static const std::set<std::string> names{"run",     "seed",   "seeds", "status",
                                           "message", "wall_s", "cpu_s", "max_rss_bytes"};
  return names;
}

Axis read_axis(const TableReader& table, const Study& study) {
  Axis axis;
  axis.where = table.where();
  axis.name = table.required_text("name", "what the axis is called");
  if (!is_identifier(axis.name))
    table.fail_at("name", fmt::format("'{}' is no name; write letters, digits and '_', no digit first", axis.name));
  if (reserved_columns().count(axis.name) > 0)
    table.fail_at("name", fmt::format("'{}' is a column of the results; write another name", axis.name));
  if (study.axis(axis.name) != study.axes.size())
    table.fail_at("name", fmt::format("there is an axis '{}' already; write another name", axis.name));
  axis.pair = table.text("pair");
  if (table.find("point") != nullptr) {
    long_form(table, axis);
  } else {
    short_form(table, axis);
  }
  check_labels(table, axis);
  for (const Axis& other : study.axes)
    if (!axis.pair.empty() && other.pair == axis.pair && other.points.size() != axis.points.size())
      table.fail_at("pair", fmt::format("'{}' has {} points and '{}' {}; axes of a pair go in step", other.name,
                                        other.points.size(), axis.name, axis.points.size()));
  return axis;
}

std::vector<std::uint64_t> read_seeds(const TableReader& table) {
  const Value* value = table.find("seeds");
  std::vector<std::uint64_t> out;
  if (value == nullptr) return out;
  if (const auto* count = value->as<std::int64_t>()) {
    if (*count < 1 || *count > 10'000) table.fail_at("seeds", "write a number of seeds, 1 to 10000, or a list");
    for (std::int64_t seed = 1; seed <= *count; ++seed) out.push_back(static_cast<std::uint64_t>(seed));
    return out;
  }
  const auto* list = value->as<List>();
  if (list == nullptr) table.fail_at("seeds", fmt::format("it is {}; write a number or a list", value->type_name()));
  for (const Value& item : *list) {
    const auto* seed = item.as<std::int64_t>();
    if (seed == nullptr || *seed < 0 || *seed > scenario::kMaxSeed)
      table.fail_at("seeds", fmt::format("a seed is a whole number, 0 to {}", scenario::kMaxSeed));
    if (std::find(out.begin(), out.end(), static_cast<std::uint64_t>(*seed)) != out.end())
      table.fail_at("seeds", fmt::format("{} comes twice", *seed));
    out.push_back(static_cast<std::uint64_t>(*seed));
  }
  if (out.empty()) table.fail_at("seeds", "it is empty; write at least one");
  return out;
}

// What else may be kept: scenario.toml, manifest.json and summary.json always are.
void read_keep(const TableReader& table, Study& out) {
  static const std::vector<std::string> kFiles = [] {
    std::vector<std::string> all;
    for (const auto& kind : result::table_kinds()) all.emplace_back(kind.file);
    return all;
  }();
  const Value* value = table.find("keep");
  if (value == nullptr) return;
  const auto* list = value->as<List>();
  if (list == nullptr) {
    out.keep_all = table.text("keep") == "all";
    if (!out.keep_all) table.fail_at("keep", "write \"all\", or a list of files like [\"flows.csv\"]");
    return;
  }
  out.keep.emplace();
  for (const Value& item : *list) {
    const auto* name = item.as<std::string>();
    if (name == nullptr || std::find(kFiles.begin(), kFiles.end(), *name) == kFiles.end())
      table.fail_at("keep", fmt::format("'{}' is no file of a result that need not be kept; valid is {}",
                                        name == nullptr ? "" : *name, fmt::join(kFiles, ", ")));
    out.keep->push_back(*name);
  }
}

// That it gives runs.csv and points.csv.
std::vector<std::string> columns_of(const Measure& m) { return {m.name(), m.name() + "_low", m.name() + "_high"}; }

std::vector<std::string> axis_names(const Study& study) {
  std::vector<std::string> out;
  for (const Axis& axis : study.axes) out.push_back(axis.name);
  return out;
}

std::vector<std::string> measure_names(const Study& study) {
  std::vector<std::string> out;
  for (const Measure& m : study.measures) out.push_back(m.name());
  return out;
}

// "valid is a, b", or that there is nothing to name.
std::string valid_names(const std::vector<std::string>& names, std::string_view of) {
  return names.empty() ? fmt::format("the study has no {}", of) : fmt::format("valid is {}", fmt::join(names, ", "));
}

const Axis& known_axis(const TableReader& table, std::string_view key, const Study& study, const std::string& name) {
  const auto at = study.axis(name);
  const auto names = axis_names(study);
  if (at == study.axes.size())
    table.fail_at(key, fmt::format("no axis '{}'{}; {}", name, did_you_mean(name, names), valid_names(names, "axes")));
  return study.axes[at];
}

void check_label(const TableReader& table, std::string_view key, const Axis& axis, const std::string& label) {
  if (axis.find(label)) return;
  std::vector<std::string> labels;
  for (const auto& point : axis.points) labels.push_back(point.label);
  table.fail_at(key, fmt::format("the axis '{}' has no label '{}'{}; valid is {}", axis.name, label,
                                 did_you_mean(label, labels), fmt::join(labels, ", ")));
}

// What a figure names exists, and each of its places is one point of the study.
void check_figure(const TableReader& table, const FigureSpec& f, const Study& study) {
  const FigureParams& p = f.params;
  std::set<std::size_t> fixed;
  for (const auto& [name, label] : f.only) {
    const Axis& axis = known_axis(table, "where", study, name);
    check_label(table, "where", axis, label);
    fixed.insert(study.axis(name));
  }
  if (!p.series.empty()) known_axis(table, "series", study, p.series);
  if (!p.series.empty()) fixed.insert(study.axis(p.series));
  if (f.kind->over_axis) {
    const Measure* m = study.measure(p.measure);
    const auto names = measure_names(study);
    if (m == nullptr)
      table.fail_at("measure", fmt::format("no measure '{}'{}; {}", p.measure, did_you_mean(p.measure, names),
                                           valid_names(names, "measures")));
    if (m->is_list()) table.fail_at("measure", fmt::format("'{}' is a list; take a single value", p.measure));
    const Axis& x = known_axis(table, "x", study, p.x);
    fixed.insert(study.axis(p.x));
    if (f.kind->name == "lines" && !x.is_numeric())
      table.fail_at("x", fmt::format("the axis '{}' has no numbers; give its points x, or draw bars", p.x));
  }
  for (const Printed& printed : f.printed)
    for (const auto& text : printed.x)
      if (!study.printed_x(f, text))
        fail_key(printed.where, join(table.path(), "printed.x"),
                 fmt::format("'{}' is neither a label of the axis nor a number{}", one_line(text),
                             study.x_unit(f) == "1" ? "" : fmt::format(" in {}", study.x_unit(f))));
  if (f.kind->name == "stack" && !p.series.empty()) table.fail_at("series", "its series are flows; remove this");
  for (std::size_t i = 0; i < study.axes.size(); ++i) {
    const Axis& axis = study.axes[i];
    const bool in_step = std::any_of(fixed.begin(), fixed.end(), [&](std::size_t at) {
      return !axis.pair.empty() && study.axes[at].pair == axis.pair;
    });
    if (axis.points.size() > 1 && fixed.count(i) == 0 && !in_step)
      table.fail_at("where", fmt::format("the axis '{}' is left open; write where = {{ {} = \"{}\" }}", axis.name,
                                         axis.name, axis.points.front().label));
  }
}

void read_scenario_source(const TableReader& root, const TableReader& table, Study& out) {
  const bool is_file = table.find("scenario") != nullptr;
  const Value* inlined = root.find("scenario");
  if (is_file && inlined != nullptr) table.fail_at("scenario", "there is a table [scenario] already; keep one");
  if (!is_file && inlined == nullptr)
    table.fail_at("scenario", "missing; write the name of a scenario file, or a table [scenario]");
  if (is_file) {
    out.scenario = table.required_text("scenario", "the name of a scenario file");
    out.scenario_where = table.place("scenario");
    if (out.scenario.empty()) table.fail_at("scenario", "it is empty; write the name of a scenario file");
    return;
  }
  if (inlined->as<scenario::Table>() == nullptr) root.fail_at("scenario", "write a table [scenario]");
  out.inlined = *inlined;
  out.inlined->where = {out.file, inlined->where.line};
}

}  // namespace

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
      fail_key(axes[i].where, "axis", fmt::format("the axes have over {} runs together", kMaxRuns));
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
  if (kind == "bars") return "1";
  if (kind == "lines") return axes[axis(figure.params.x)].unit;
  if (kind == "slowdown-by-size") return "B";
  if (kind == "scatter") return unit_of_column(figure.params.x_column);
  return kind == "cdf" ? unit_of_column(figure.params.column) : "ps";
}

std::optional<double> Study::printed_x(const FigureSpec& figure, const std::string& at) const {
  const bool bars = figure.kind->name == "bars";
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

std::string Study::describe(const Point& point) const {
  std::string out;
  for (std::size_t i = 0; i < axes.size(); ++i)
    out += fmt::format("{}{}={}", i == 0 ? "" : ", ", axes[i].name, axes[i].points[point[i]].label);
  return out;
}

void Study::blame(const Point& point, std::string_view complaint) const {
  const std::string at = axes.empty() ? "" : fmt::format("point {}", describe(point));
  if (complaint.starts_with(file + ":"))
    throw InputError(at.empty() ? std::string(complaint) : fmt::format("{} (at {})", complaint, at));
  const Where place = axes.empty() ? where : axes.front().points[point.front()].where;
  fail(place, at.empty() ? std::string(complaint) : fmt::format("{}: {}", at, complaint));
}

Study parse_study(std::string_view text, const std::string& file) {
  return read_study(scenario::parse_toml(text, file), text, file);
}

Study read_study(const Value& document, std::string_view text, const std::string& file) {
  const TableReader root(document, "");
  if (root.find("study") == nullptr && root.find("topology") != nullptr)
    root.fail_at("topology", "this is a scenario, which 'weir run' runs; a study has a table [study]");
  root.allow_only({"study", "scenario", "axis", "measure", "figure", "paper", "claim"});
  if (root.find("study") == nullptr) root.fail_at("study", "missing; a study needs [study]");
  const TableReader table = root.table("study");
  table.allow_only({"title", "scenario", "seeds", "set", "keep"});

  Study out;
  out.file = file;
  out.folder = std::filesystem::path(file).parent_path().string();
  out.text = std::string(text);
  out.title = table.text("title");
  out.where = table.where();
  read_scenario_source(root, table, out);
  out.seeds = read_seeds(table);
  out.set = read_overrides(table, "set");
  read_keep(table, out);
  for (const auto& row : root.tables("axis")) out.axes.push_back(read_axis(row, out));
  out.points();  // are not too many

  std::map<std::string, std::string> columns;  // of the results, and the axis or measure that gives them
  for (const auto& name : reserved_columns()) columns.emplace(name, "");
  for (const Axis& axis : out.axes) columns.emplace(axis.name, axis.name);
  for (const auto& row : root.tables("measure")) {
    Measure m = read_measure(row);
    for (const std::string& column : columns_of(m))
      if (const auto [known, is_new] = columns.emplace(column, m.name()); !is_new)
        row.fail_at("name", known->second.empty()
                                ? fmt::format("'{}' is another column of the results; write another name", column)
                                : fmt::format("there is a column '{}' already, of '{}'; write another name", column,
                                              known->second));
    for (const auto& [axis, label] : m.against)
      check_label(row, "against", known_axis(row, "against", out, axis), label);
    out.measures.push_back(std::move(m));
  }
  for (const auto& row : root.tables("figure")) {
    FigureSpec figure = read_figure(row);
    for (const auto& other : out.figures)
      if (other.params.id == figure.params.id)
        row.fail_at("id", fmt::format("there is a figure '{}' already; write another id", figure.params.id));
    check_figure(row, figure, out);
    out.figures.push_back(std::move(figure));
  }
  return out;
}

}  // namespace weir::study
