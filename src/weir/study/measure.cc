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

namespace weir::study {
namespace {

using Json = nlohmann::ordered_json;
using scenario::TableReader;

const std::vector<std::string> kFlowFilters{"tag", "algorithm", "src", "dst", "above", "up_to", "from", "until"};

double number_of(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  return value.is_number() ? value.get<double>() : kNoValue;
}

// Follows a dotted path; `*` stands for all entries of a list. A name may have dots itself: the shortest that fits.
void follow(const Json& at, std::string_view path, Values& out) {
  if (path.empty()) {
    out.push_back(number_of(at));
    return;
  }
  for (auto dot = path.find('.');; dot = path.find('.', dot + 1)) {
    const std::string part(path.substr(0, dot));
    const auto rest = dot == std::string_view::npos ? std::string_view() : path.substr(dot + 1);
    if (at.is_array()) {
      if (part == "*") {
        for (const Json& item : at) follow(item, rest, out);
        return;
      }
      const bool is_index = !part.empty() && part.size() < 9 && std::all_of(part.begin(), part.end(), [](char c) {
        return std::isdigit(static_cast<unsigned char>(c)) != 0;
      });
      if (is_index && std::stoul(part) < at.size()) follow(at[std::stoul(part)], rest, out);
      return;
    }
    if (at.is_object() && at.contains(part)) return follow(at.at(part), rest, out);
    if (dot == std::string_view::npos) return;
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
  p.number("scale", &MeasureParams::scale, -1e18, 1e18, "the value is multiplied by this");
  p.text("unit", &MeasureParams::unit, "of the scaled value, to be shown");
}

std::span<const MeasureKind> measure_kinds() {
  static const auto with_filters = [](std::vector<std::string> keys) {
    keys.insert(keys.end(), kFlowFilters.begin(), kFlowFilters.end());
    return keys;
  };
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
       with_filters({}),
       [](const MeasureParams&) { return std::string("flows.csv"); },
       of_flows},
      {"requests",
       "the same of requests: flows of one tag to one receiver with the same start, the largest of whose "
       "values counts",
       {"column", "statistic"},
       with_filters({}),
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
  };
  return list;
}

bool Measure::is_list() const {
  return params.key == "*" || params.key.starts_with("*.") || params.key.ends_with(".*") ||
         params.key.find(".*.") != std::string::npos;
}

std::string Measure::unit() const {
  if (!params.unit.empty()) return params.unit;
  if (params.scale != 1 || statistic.kind == Statistic::Kind::count) return "1";
  if (kind->name == "queues") return "B";
  return unit_of_column(params.column.empty() ? params.key : params.column);
}

std::string Measure::definition() const {
  std::string out;
  for (const Param& p : params_of<MeasureParams>().params())
    if (p.name != "name" && p.name != "unit" && p.get(&params) != p.fallback)
      out += fmt::format("{}{}={}", out.empty() ? "" : ", ", p.name, format_value(p.get(&params)));
  return out;
}

Values Measure::values(const RunFiles& files) const {
  Values out = kind->values(*this, files);
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
    table.fail_at("of", fmt::format("unknown source '{}'{}; valid is {}", of, scenario::did_you_mean(of, kinds),
                                    fmt::join(kinds, ", ")));
  std::vector<std::string> keys{"name", "of"};
  keys.insert(keys.end(), out.kind->required.begin(), out.kind->required.end());
  keys.insert(keys.end(), out.kind->optional.begin(), out.kind->optional.end());
  for (const char* key : {"scale", "unit"}) keys.emplace_back(key);
  table.allow_only(keys);
  for (const auto& key : out.kind->required)
    table.required_text(key, std::string(params_of<MeasureParams>().find(key)->meaning));
  table.read(params_of<MeasureParams>(), &out.params);

  if (!is_identifier(out.params.name))
    table.fail_at("name",
                  fmt::format("'{}' is no name; write letters, digits and '_', no digit first", out.params.name));
  if (!out.params.statistic.empty()) out.statistic = read_statistic(table, out.params.statistic);
  if (!out.params.file.empty()) check_series_file(table, out.params.file);
  if (!out.params.column.empty()) check_column(table, "column", out.file(), out.params.column);
  return out;
}

void check_series_file(const TableReader& table, const std::string& file) {
  const auto files = series_files();
  if (std::find(files.begin(), files.end(), file) == files.end())
    table.fail_at("file", fmt::format("no series '{}'{}; valid is {}", file, scenario::did_you_mean(file, files),
                                      fmt::join(files, ", ")));
}

void check_column(const TableReader& table, std::string_view key, std::string_view file, const std::string& column) {
  const auto columns = measured_columns(*result_file(file));
  if (std::find(columns.begin(), columns.end(), column) == columns.end())
    table.fail_at(key, fmt::format("{} has no column of numbers '{}'{}; valid is {}", file, column,
                                   scenario::did_you_mean(column, columns), fmt::join(columns, ", ")));
}

Statistic read_statistic(const TableReader& table, const std::string& text) {
  const auto statistic = parse_statistic(text);
  if (!statistic) table.fail_at("statistic", fmt::format("unknown statistic '{}'; valid is {}", text, kStatistics));
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
