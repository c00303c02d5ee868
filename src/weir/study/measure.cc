#include "weir/study/measure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "weir/base/suggestion.h"
#include "weir/base/text.h"
#include "weir/result/percentile.h"
#include "weir/study/compare.h"
#include "weir/study/recovery.h"

namespace weir::study {
namespace {

using Json = nlohmann::ordered_json;
using scenario::TableReader;

double number_of(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  return value.is_number() ? value.get<double>() : kNoValue;
}

// The entry of an object or a list that has this name or place; null if there is none.
const Json* entry_of(const Json& at, const std::string& name) {
  if (at.is_object()) {
    const auto found = at.find(name);
    return found == at.end() ? nullptr : &*found;
  }
  const bool is_index =
      at.is_array() && !name.empty() && name.size() < 9 &&
      std::all_of(name.begin(), name.end(), [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; });
  return is_index && std::stoul(name) < at.size() ? &at[std::stoul(name)] : nullptr;
}

struct Step {
  const Json* entry;
  std::string_view rest;  // of the path
};

// Where a dotted path goes from here; nothing if nowhere. A name may have dots itself: the shortest that fits.
std::optional<Step> step(const Json& at, std::string_view path) {
  for (auto dot = path.find('.');; dot = path.find('.', dot + 1)) {
    if (const Json* entry = entry_of(at, std::string(path.substr(0, dot))))
      return Step{entry, dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1)};
    if (dot == std::string_view::npos) return std::nullopt;
  }
}

// Whether the path goes to all entries of a list, and how it goes on in each of them.
std::optional<std::string_view> rest_of_all(const Json& at, std::string_view path) {
  if (!at.is_array() || (path != "*" && !path.starts_with("*."))) return std::nullopt;
  return path.substr(std::min<std::size_t>(2, path.size()));
}

void follow(const Json& at, std::string_view path, Values& out) {
  if (path.empty()) {
    out.push_back(number_of(at));
  } else if (const auto rest = rest_of_all(at, path)) {
    for (const Json& item : at) follow(item, *rest, out);
  } else if (const auto next = step(at, path)) {
    follow(*next->entry, next->rest, out);
  }
}

// The path in one of the JSON documents.
Values of_document(const Measure& m, const RunFiles& files) {
  Values out;
  follow(files.document(m.file()), m.params.key, out);
  if (out.empty() && !m.is_list()) out.push_back(kNoValue);
  return out;
}

Values of_flows(const Measure& m, const RunFiles& files) {
  std::vector<Counted> values;
  for_each_flow(files, m.params.filter, m.params.column, [&](const FlowRow& row) {
    if (!std::isnan(row.value)) values.push_back({row.value});
  });
  return {statistic_of(values, m.statistic)};
}

// The flows that one receiver asked for at one instant count as one, with the largest of their values; as none if one
// of them has no value.
Values of_requests(const Measure& m, const RunFiles& files) {
  std::map<std::tuple<std::string, double, std::int64_t>, double> requests;
  for_each_flow(files, m.params.filter, m.params.column, [&](const FlowRow& row) {
    const auto [entry, is_new] = requests.try_emplace({std::string(row.tag), row.start, row.dst}, row.value);
    if (!is_new && !(entry->second >= row.value)) entry->second = std::isnan(entry->second) ? entry->second : row.value;
  });
  std::vector<Counted> values;
  for (const auto& [request, value] : requests)
    if (!std::isnan(value)) values.push_back({value});
  return {statistic_of(values, m.statistic)};
}

// Of the other run's completion time in the share of this one, flow by flow.
Values of_ratios(const Measure& m, const RunFiles& run, const RunFiles& base) {
  std::vector<Counted> values;
  for (const FlowPair& pair : pair_flows(base, run).flows)
    if (m.params.filter.passes(pair.row) && pair.finished()) values.push_back({pair.ratio()});
  return {statistic_of(values, m.statistic)};
}

Values of_queues(const Measure& m, const RunFiles& files) {
  auto values = queue_lengths(files, m.params.tier);
  return {statistic_of(values, m.statistic)};
}

Values of_series(const Measure& m, const RunFiles& files) {
  std::vector<Counted> values;
  const auto& f = m.params.filter;
  result::Rows rows = files.rows(m.params.file, {"time_ps", m.params.column});
  while (rows.next()) {
    const double time = rows.number(0);
    if (time < static_cast<double>(f.from.ps) || (f.until > Time{} && time >= static_cast<double>(f.until.ps)))
      continue;
    if (const double value = rows.number(1); !std::isnan(value)) values.push_back({value});
  }
  return {statistic_of(values, m.statistic)};
}

std::vector<std::string> names_of_kinds() {
  std::vector<std::string> out;
  for (const auto& kind : measure_kinds()) out.emplace_back(kind.name);
  return out;
}

}  // namespace

void MeasureParams::describe(ParamList<MeasureParams>& p) {
  p.text("name", &MeasureParams::name, "what the value is called").required = true;
  p.text("of", &MeasureParams::of, "what it is taken from").required = true;
  p.text("key", &MeasureParams::key, "dotted path in the document, like slowdown.all.p99");
  p.text("file", &MeasureParams::file, "a CSV of the result with a column time_ps");
  p.text("column", &MeasureParams::column, "column of numbers");
  p.text("statistic", &MeasureParams::statistic, "what is taken of all values");
  p.text("tier", &MeasureParams::tier, "ports of this tier");
  p.part("", &MeasureParams::filter);
  p.number("share", &MeasureParams::share, 0, 1e6,
           "what the column comes back to, of its median before the disturbance");
  p.number("level", &MeasureParams::level, 0, 1e18, "instead of share: what it comes back to; 0 = by share");
  p.time("hold", &MeasureParams::hold, "for how long it has to stay there");
  p.time("never", &MeasureParams::never, "the value if it does not come back; 0 = it has none");
  p.number("scale", &MeasureParams::scale, -1e18, 1e18, "the value is multiplied by this");
  p.text("unit", &MeasureParams::unit, "of the scaled value, to be shown");
  p.text("better", &MeasureParams::better, "which value is the better one, lower or higher: the best point is marked");
}

std::span<const MeasureKind> measure_kinds() {
  static const std::vector<std::string> filters = params_of<FlowFilter>().names();
  static const std::vector<MeasureKind> list{
      {"summary",
       "a value of summary.json",
       {"key"},
       {},
       [](const MeasureParams&) { return std::string("summary.json"); },
       of_document},
      {"manifest",
       "a value of manifest.json",
       {"key"},
       {},
       [](const MeasureParams&) { return std::string("manifest.json"); },
       of_document},
      {"flows",
       "a statistic of a column of flows.csv",
       {"column", "statistic"},
       filters,
       [](const MeasureParams&) { return std::string("flows.csv"); },
       of_flows},
      {"requests",
       "the same of requests: flows of one tag to one receiver with the same start, the largest of whose "
       "values counts",
       {"column", "statistic"},
       filters,
       [](const MeasureParams&) { return std::string("flows.csv"); },
       of_requests},
      {"queues",
       "a statistic of sampled queue lengths, in bytes",
       {"statistic"},
       {"tier"},
       [](const MeasureParams&) { return std::string("queue_cdf.csv"); },
       of_queues},
      {"series",
       "a statistic of a column over time",
       {"file", "column", "statistic"},
       {"from", "until"},
       [](const MeasureParams& p) { return p.file; },
       of_series},
      {"recovery",
       "the time that a column over time takes to come back after a disturbance at `from`",
       {"file", "column", "from"},
       {"until", "share", "level", "hold", "never"},
       [](const MeasureParams& p) { return p.file; },
       of_recovery},
      {"ratio",
       "a statistic of the flows' completion times over those of the same flows at another point",
       {"against", "statistic"},
       filters,
       [](const MeasureParams&) { return std::string("flows.csv"); },
       nullptr,
       of_ratios},
  };
  return list;
}

bool Measure::is_of_document() const { return kind->values == of_document; }

bool Measure::is_geometric() const {
  return is_of_pairs() && statistic.kind == Statistic::Kind::geomean && params.scale > 0;
}

bool Measure::is_of_flows() const { return file() == "flows.csv"; }

std::optional<unsigned> Measure::percentile() const {
  if (statistic.kind == Statistic::Kind::percentile && !is_of_document()) return statistic.thousandths;
  const std::string_view key = std::string_view(params.key).substr(params.key.rfind('.') + 1);
  for (const auto& [name, thousandths] : result::kPercentileKeys)
    if (is_of_document() && key == name) return thousandths;
  return std::nullopt;
}

std::optional<Measure> Measure::counter() const {
  if (!percentile()) return std::nullopt;
  Measure out = *this;
  out.params.scale = 1;
  if (is_of_document()) {
    out.params.key.replace(params.key.rfind('.') + 1, std::string::npos, "count");
  } else {
    out.params.statistic = "count";
    out.statistic = {Statistic::Kind::count};
  }
  return out;
}

bool Measure::is_list() const {
  return params.key == "*" || params.key.starts_with("*.") || params.key.ends_with(".*") ||
         params.key.find(".*.") != std::string::npos;
}

std::string Measure::unit() const {
  if (!params.unit.empty()) return params.unit;
  if (params.scale != 1 || statistic.kind == Statistic::Kind::count) return "1";
  if (kind->name == "queues") return "B";
  if (kind->name == "recovery") return "ps";
  return unit_of_column(params.column.empty() ? params.key : params.column);
}

std::string Measure::definition() const {
  std::string out;
  for (const Param& p : params_of<MeasureParams>().params())
    if (p.name != "name" && p.name != "unit" && p.get(&params) != p.fallback)
      out += fmt::format("{}{}={}", out.empty() ? "" : ", ", p.name, format_value(p.get(&params)));
  for (const auto& [axis, label] : against) out += fmt::format(", against {}={}", axis, label);
  return out;
}

Values Measure::values(const RunFiles& files) const {
  Values out = kind->values(*this, files);
  for (double& v : out) v *= params.scale;
  return out;
}

Values Measure::values(const RunFiles& run, const RunFiles& base) const {
  Values out = kind->of_pair(*this, run, base);
  for (double& v : out) v *= params.scale;
  return out;
}

Measure read_measure(const TableReader& table) {
  Measure out;
  out.where = table.where();
  const auto kinds = names_of_kinds();
  const auto of = table.required_text("of", fmt::format("one of {}", fmt::join(kinds, ", ")));
  for (const auto& kind : measure_kinds())
    if (kind.name == of) out.kind = &kind;
  if (out.kind == nullptr)
    throw table.error_at(
        "of", fmt::format("unknown source '{}'{}; valid is {}", of, did_you_mean(of, kinds), fmt::join(kinds, ", ")));
  std::vector<std::string> keys{"name", "of"};
  keys.insert(keys.end(), out.kind->required.begin(), out.kind->required.end());
  keys.insert(keys.end(), out.kind->optional.begin(), out.kind->optional.end());
  for (const char* key : {"scale", "unit", "better"}) keys.emplace_back(key);
  table.allow_only(keys);
  for (const auto& key : out.kind->required)
    if (const Param* param = params_of<MeasureParams>().find(key); param != nullptr)
      table.required_text(key, std::string(param->meaning));
  table.read(params_of<MeasureParams>(), &out.params, {"against"});
  if (out.is_of_pairs()) out.against = read_labels(table.table("against"));
  if (out.is_of_pairs() && out.against.empty())
    throw table.error_at("against", "missing; write the point to compare with, like { algorithm = \"HPCC\" }");
  check_filter(table, out.params.filter);

  if (!is_identifier(out.params.name))
    throw table.error_at(
        "name", fmt::format("'{}' is no name; write letters, digits and '_', no digit first", out.params.name));
  const std::string& better = out.params.better;
  if (!better.empty() && better != name_of(Better::lower) && better != name_of(Better::higher))
    throw table.error_at("better", fmt::format("'{}'; valid is lower, higher", better));
  if (!out.params.statistic.empty()) out.statistic = read_statistic(table, out.params.statistic);
  if (!out.params.file.empty()) check_series_file(table, out.params.file);
  if (!out.params.column.empty()) check_column(table, "column", out.file(), out.params.column);
  return out;
}

void check_filter(const TableReader& table, const FlowFilter& filter) {
  if (filter.up_to > Bytes{} && filter.above >= filter.up_to)
    throw table.error_at("up_to", fmt::format("{} is not above {}, which 'above' says: no size is between them",
                                              format_value(filter.up_to), format_value(filter.above)));
  if (filter.until > Time{} && filter.from >= filter.until)
    throw table.error_at("until", fmt::format("{} is not after {}, which 'from' says: no time is between them",
                                              format_value(filter.until), format_value(filter.from)));
}

std::string read_label(const TableReader& table, const std::string& key, const scenario::Value& value) {
  if (const auto text = scenario::text_of(value)) return *text;
  throw scenario::key_error(value.where, scenario::join(table.path(), key),
                            fmt::format("it is {}; write text or a number", value.type_name()));
}

Labels read_labels(const TableReader& table) {
  Labels out;
  for (const auto& axis : table.keys()) out.emplace_back(axis, read_label(table, axis, *table.find(axis)));
  return out;
}

std::string missing_key(const Json& document, const std::string& path) {
  Values found;
  follow(document, path, found);
  if (std::any_of(found.begin(), found.end(), [](double v) { return !std::isnan(v); })) return "";
  // as far as the path leads, in a list by way of its first entry
  const Json* at = &document;
  std::string_view rest = path;
  while (!rest.empty()) {
    if (const auto within = rest_of_all(*at, rest); within && !at->empty()) {
      at = &at->front();
      rest = *within;
    } else if (const auto next = step(*at, rest)) {
      at = next->entry;
      rest = next->rest;
    } else {
      break;
    }
  }
  std::string reached = path.substr(0, path.size() - rest.size());
  if (reached.ends_with('.')) reached.pop_back();
  const std::string here = reached.empty() ? "it" : fmt::format("'{}'", reached);
  if (at->is_array() && !at->empty())
    return fmt::format("{} is a list; valid is 0 to {}, or * for all", here, at->size() - 1);
  if (!at->is_object()) return fmt::format("{} {}", here, rest.empty() ? "is no number" : "has no parts");
  std::vector<std::string> names;
  for (const auto& entry : at->items()) names.push_back(entry.key());
  const std::string name(rest.substr(0, rest.find('.')));
  return rest.empty() ? fmt::format("{} is no number; go on with {}", here, fmt::join(names, ", "))
                      : fmt::format("{} has no '{}'{}; valid is {}", here, one_line(name), did_you_mean(name, names),
                                    fmt::join(names, ", "));
}

void check_series_file(const TableReader& table, const std::string& file) {
  const auto files = series_files();
  if (std::find(files.begin(), files.end(), file) == files.end())
    throw table.error_at(
        "file", fmt::format("no series '{}'{}; valid is {}", file, did_you_mean(file, files), fmt::join(files, ", ")));
}

void check_column(const TableReader& table, std::string_view key, std::string_view file, const std::string& column) {
  const auto columns = measured_columns(*result::find_table(file));
  if (std::find(columns.begin(), columns.end(), column) == columns.end())
    throw table.error_at(key, fmt::format("{} has no column of numbers '{}'{}; valid is {}", file, column,
                                          did_you_mean(column, columns), fmt::join(columns, ", ")));
}

Statistic read_statistic(const TableReader& table, const std::string& text) {
  const auto statistic = parse_statistic(text);
  if (!statistic)
    throw table.error_at("statistic", fmt::format("unknown statistic '{}'; valid is {}", text, kStatistics));
  return *statistic;
}

bool is_identifier(std::string_view text) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) == 0 &&
         std::all_of(text.begin(), text.end(), fits);
}

std::vector<Counted> queue_lengths(const RunFiles& files, const std::string& tier) {
  std::vector<Counted> out;
  result::Rows rows = files.rows("queue_cdf.csv", {"tier", "queue_bytes", "samples"});
  while (rows.next())
    if (rows.text(0) == tier) out.push_back({rows.number(1), rows.number(2)});
  return out;
}

}  // namespace weir::study
