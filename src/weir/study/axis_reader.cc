#include "weir/study/axis_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <optional>

namespace weir::study {
namespace {

using scenario::join;
using scenario::key_error;
using scenario::List;
using scenario::TableReader;
using scenario::Value;

constexpr std::size_t kMaxPoints = 10'000;  // of one axis

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
    throw key_error(where, path, fmt::format("'{}' is no key of a scenario; write one like traffic.0.load", key));
}

// `key`: one, or a list of keys that all get the value.
std::vector<std::string> read_keys(const TableReader& table) {
  const Value* value = table.find("key");
  if (value == nullptr) throw table.error_at("key", "missing; write the scenario's key that the values are for");
  std::vector<std::string> out;
  if (const auto* list = value->as<List>()) {
    for (const Value& item : *list) {
      const auto* text = item.as<std::string>();
      if (text == nullptr) throw table.error_at("key", fmt::format("there is {} in it; write texts", item.type_name()));
      out.push_back(*text);
    }
  } else {
    out.push_back(table.text("key"));
  }
  if (out.empty()) throw table.error_at("key", "it is empty; write a key of the scenario");
  for (const auto& key : out) check_key(table.place("key"), join(table.path(), "key"), key);
  return out;
}

double required_number(const TableReader& table, std::string_view key) {
  const Value* value = table.find(key);
  if (value == nullptr) throw table.error_at(key, "missing; write a number");
  const auto number = number_of(*value);
  if (!number || !std::isfinite(*number)) throw table.error_at(key, "it is no finite number; write one");
  return *number;
}

// The values of range = { from, to, step or factor, unit }, each where the range stands.
std::vector<Value> read_range(const TableReader& range) {
  range.allow_only({"from", "to", "step", "factor", "unit"});
  const double from = required_number(range, "from");
  const double to = required_number(range, "to");
  const bool by_factor = range.find("factor") != nullptr;
  if (by_factor == (range.find("step") != nullptr)) throw range.error_at("step", "write either step or factor");
  const double by = required_number(range, by_factor ? "factor" : "step");
  if (by_factor ? !(by > 1 && from > 0) : !(by > 0))
    throw range.error_at(by_factor ? "factor" : "step",
                         by_factor ? "write a factor above 1, and from above 0" : "write a step above 0");
  if (to < from) throw range.error_at("to", "below from; the range is empty");
  const auto unit = range.text("unit");
  const double slack = 1e-9 * (by_factor ? to : by);  // 0.1 three times over is more than 0.3
  std::vector<Value> out;
  for (std::size_t i = 0;; ++i) {
    const auto n = static_cast<double>(i);
    double v = by_factor ? from * std::pow(by, n) : from + by * n;
    if (v > to + slack) break;
    if (out.size() == kMaxPoints)
      throw range.error_at("to", fmt::format("over {} values; take a larger step", kMaxPoints));
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
      throw table.error_at("values", "missing; write values = [...], range = {...}, or [[axis.point]]");
    return read_range(table.table("range"));
  }
  if (table.find("range") != nullptr) throw table.error_at("range", "there are values already; keep one of the two");
  const auto* list = values->as<List>();
  if (list == nullptr) throw table.error_at("values", fmt::format("it is {}; write a list", values->type_name()));
  return *list;
}

void short_form(const TableReader& table, Axis& axis) {
  table.allow_only({"name", "pair", "key", "values", "range"});
  const auto keys = read_keys(table);
  std::set<std::string> units;
  for (const Value& value : read_values(table)) {
    AxisPoint& point = axis.points.emplace_back();
    point.where = value.where;
    const auto label = scenario::text_of(value);
    if (!label)
      throw key_error(value.where, join(table.path(), "values"),
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
      throw row.error_at("set", "missing; write overrides, { \"algorithm.name\" = \"hpcc\" }, or a scenario");
  }
}

void check_labels(const TableReader& table, const Axis& axis) {
  if (axis.points.empty()) throw table.error_at("values", "the axis is empty; write at least one value");
  if (axis.points.size() > kMaxPoints) throw table.error_at("values", fmt::format("over {} points", kMaxPoints));
  std::map<std::string, std::string> names;  // of directories, with their labels
  std::set<std::string> labels;
  for (const AxisPoint& point : axis.points) {
    if (point.label.empty()) throw key_error(point.where, table.path(), "a label is empty; write one");
    if (!labels.insert(point.label).second)
      throw key_error(point.where, table.path(), fmt::format("the label '{}' comes twice; write another", point.label));
    const auto [other, is_new] = names.emplace(file_name(point.label), point.label);
    if (!is_new)
      throw key_error(point.where, table.path(),
                      fmt::format("the label '{}' gives a directory the same name as '{}'; write another", point.label,
                                  other->second));
  }
}

}  // namespace

std::vector<Override> read_overrides(const TableReader& table, std::string_view key) {
  std::vector<Override> out;
  const Value* value = table.find(key);
  if (value == nullptr) return out;
  const auto* entries = value->as<scenario::Table>();
  if (entries == nullptr)
    throw table.error_at(key,
                         fmt::format("it is {}; write a table, {{ \"run.stop\" = \"1 ms\" }}", value->type_name()));
  for (const auto& [name, item] : entries->entries) {
    check_key(item.where, join(table.path(), key), name);
    out.push_back({name, item});
  }
  return out;
}

const std::set<std::string>& reserved_columns() {
  static const std::set<std::string> names{"run",    "seed",  "seeds",         "status",    "message",
                                           "wall_s", "cpu_s", "max_rss_bytes", "unfinished"};
  return names;
}

Axis read_axis(const TableReader& table, const Study& study) {
  Axis axis;
  axis.where = table.where();
  axis.name = table.required_text("name", "what the axis is called");
  if (!is_identifier(axis.name))
    throw table.error_at("name",
                         fmt::format("'{}' is no name; write letters, digits and '_', no digit first", axis.name));
  if (reserved_columns().count(axis.name) > 0)
    throw table.error_at("name", fmt::format("'{}' is a column of the results; write another name", axis.name));
  if (study.axis(axis.name) != study.axes.size())
    throw table.error_at("name", fmt::format("there is an axis '{}' already; write another name", axis.name));
  axis.pair = table.text("pair");
  if (table.find("point") != nullptr) {
    long_form(table, axis);
  } else {
    short_form(table, axis);
  }
  check_labels(table, axis);
  for (const Axis& other : study.axes)
    if (!axis.pair.empty() && other.pair == axis.pair && other.points.size() != axis.points.size())
      throw table.error_at("pair", fmt::format("'{}' has {} points and '{}' {}; axes of a pair go in step", other.name,
                                               other.points.size(), axis.name, axis.points.size()));
  return axis;
}

}  // namespace weir::study
