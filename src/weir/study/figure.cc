#include "weir/study/figure.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "weir/base/suggestion.h"
#include "weir/study/figure_source.h"
#include "weir/study/measure.h"

namespace weir::study {
namespace {

using scenario::TableReader;
using scenario::Value;

const std::vector<FigureKind>& kinds() {
  static const auto flows_and = [](std::vector<std::string> keys) {
    const auto filters = params_of<FlowFilter>().names();
    keys.insert(keys.end(), filters.begin(), filters.end());
    return keys;
  };
  static const std::vector<FigureKind> list{
      {"bars", "a measure by the labels of an axis", {"measure", "x"}, {}, draw_over_axis, true},
      {"lines", "a measure over an axis of numbers", {"measure", "x"}, {}, draw_over_axis, true},
      {"slowdown-by-size",
       "slowdown of flows by their size",
       {"statistic"},
       flows_and({"buckets", "seed"}),
       draw_by_size},
      {"cdf", "the distribution of flows or queues", {"of"}, flows_and({"column", "tier", "seed"}), draw_distribution},
      {"series", "a column over time", {"file", "column"}, {"seed", "from", "until"}, draw_over_time, false, true},
      {"scatter",
       "a column over another, a dot per row",
       {"file", "column", "x_column"},
       {"seed", "from", "until"},
       draw_scatter},
      {"stack",
       "the rates of one run's flows, one upon another",
       {},
       {"seed", "from", "until"},
       draw_stack,
       false,
       true},
      {"radar",
       "several measures around a centre, the best at the rim",
       {},
       {"measures", "best", "worst"},
       draw_radar,
       false,
       false,
       true},
      {"start-finish", "when flows start and finish", {}, flows_and({"seed"}), draw_start_finish},
  };
  return list;
}

const scenario::List& list_at(const TableReader& table, std::string_view key) {
  const Value* value = table.find(key);
  if (value == nullptr) throw table.error_at(key, "missing; write a list");
  const auto* list = value->as<scenario::List>();
  if (list == nullptr) throw table.error_at(key, fmt::format("it is {}; write a list", value->type_name()));
  return *list;
}

// Numbers by the names of measures, for spokes that have these names.
void read_ends(const TableReader& table, std::string_view key, std::optional<double> Spoke::*end,
               std::vector<Spoke>& spokes) {
  const TableReader ends = table.table(key);
  for (const std::string& name : ends.keys()) {
    const auto spoke = std::find_if(spokes.begin(), spokes.end(), [&](const Spoke& s) { return s.measure == name; });
    if (spoke == spokes.end()) throw ends.error_at(name, "it is not in measures; remove it, or add it there");
    const Value& value = *ends.find(name);
    const auto* whole = value.as<std::int64_t>();
    const auto* number = value.as<double>();
    if (whole == nullptr && (number == nullptr || !std::isfinite(*number)))
      throw ends.error_at(name, fmt::format("it is {}; write a number, in the unit of the measure", value.type_name()));
    (*spoke).*end = whole != nullptr ? static_cast<double>(*whole) : *number;
  }
}

std::vector<Spoke> read_spokes(const TableReader& table) {
  std::vector<Spoke> out;
  for (const std::string& name : table.texts("measures")) {
    for (const Spoke& other : out)
      if (other.measure == name) throw table.error_at("measures", fmt::format("'{}' is there twice; remove one", name));
    out.push_back({name, {}, {}});
  }
  if (out.size() < 3) throw table.error_at("measures", "write the names of three measures at least");
  read_ends(table, "worst", &Spoke::worst, out);
  read_ends(table, "best", &Spoke::best, out);
  return out;
}

Printed read_printed(const TableReader& table) {
  table.allow_only({"series", "x", "y"});
  Printed out;
  out.where = table.where();
  out.series = table.required_text("series", "the name of the printed series");
  for (const Value& value : list_at(table, "x")) out.x.push_back(read_label(table, "x", value));
  for (const Value& value : list_at(table, "y")) {
    const auto* whole = value.as<std::int64_t>();
    const auto* number = value.as<double>();
    if (whole == nullptr && number == nullptr)
      throw table.error_at("y", fmt::format("there is {} in it; write numbers, nan for none", value.type_name()));
    out.y.push_back(whole != nullptr ? static_cast<double>(*whole) : *number);
  }
  if (out.x.size() != out.y.size())
    throw table.error_at("y", fmt::format("{} values for {} in x; write as many", out.y.size(), out.x.size()));
  return out;
}

void check_words(const TableReader& table, const char* key, const std::string& word,
                 const std::vector<std::string>& valid) {
  if (!word.empty() && std::find(valid.begin(), valid.end(), word) == valid.end())
    throw table.error_at(
        key, fmt::format("unknown '{}'{}; valid is {}", word, did_you_mean(word, valid), fmt::join(valid, ", ")));
}

// What the kind takes its values from is there.
void check_source(const TableReader& table, FigureSpec& out) {
  FigureParams& p = out.params;
  check_words(table, "x_scale", p.x_scale, {"linear", "log"});
  check_words(table, "y_scale", p.y_scale, {"linear", "log"});
  check_words(table, "buckets", p.buckets, {"size", "equal-count"});
  check_words(table, "of", p.of, {"flows", "queues"});
  if (out.kind->name == "slowdown-by-size")
    check_words(table, "statistic", p.statistic, {"mean", "p50", "p95", "p99", "p999", "max"});
  if (out.kind->name == "series" || out.kind->name == "scatter") check_series_file(table, p.file);
  if (out.kind->name == "cdf") {
    if (p.of == "queues") p.column = "queue_bytes";
    if (p.column.empty()) throw table.error_at("column", "missing; write a column of flows.csv, like slowdown");
  }
  if (!p.column.empty()) check_column(table, "column", out.file(), p.column);
  if (!p.x_column.empty()) check_column(table, "x_column", out.file(), p.x_column);
}

}  // namespace

void FigureParams::describe(ParamList<FigureParams>& p) {
  p.text("id", &FigureParams::id, "short name, unique in the study").required = true;
  p.text("title", &FigureParams::title, "heading");
  p.text("caption", &FigureParams::caption, "a sentence or two below");
  p.text("kind", &FigureParams::kind, "what is drawn").required = true;
  p.text("measure", &FigureParams::measure, "the measure on the y axis");
  p.text("x", &FigureParams::x, "the study's axis that is drawn as x axis");
  p.text("series", &FigureParams::series, "one series per label of this axis");
  p.text("statistic", &FigureParams::statistic, "of the slowdowns of a bucket: mean, p50, p95, p99, p999 or max");
  p.text("buckets", &FigureParams::buckets, "by size, or groups of equal counts (probes.flows.equal_count_buckets)");
  p.text("of", &FigureParams::of, "flows or queues");
  p.text("column", &FigureParams::column, "column of numbers");
  p.text("x_column", &FigureParams::x_column, "column of numbers for the x axis");
  p.text("file", &FigureParams::file, "a CSV of the result with a column time_ps");
  p.text("tier", &FigureParams::tier, "ports of this tier");
  p.integer("seed", &FigureParams::seed, -1, scenario::kMaxSeed,
            "the run of this seed; -1 = all together, or the first");
  p.part("", &FigureParams::filter);
  p.text("x_label", &FigureParams::x_label, "instead of the label that follows from the rest");
  p.text("y_label", &FigureParams::y_label, "instead of the label that follows from the rest");
  p.text("x_scale", &FigureParams::x_scale, "linear or log");
  p.text("y_scale", &FigureParams::y_scale, "linear or log");
}

std::vector<std::string> figure_kinds() {
  std::vector<std::string> out;
  for (const auto& kind : kinds()) out.emplace_back(kind.name);
  return out;
}

std::string FigureSpec::file() const {
  if (of_measures()) return "";
  if (kind->name == "slowdown-by-size") return params.filter == FlowFilter{} ? "summary.json" : "flows.csv";
  if (kind->name == "series" || kind->name == "scatter") return params.file;
  if (kind->name == "stack") return "rates.csv";
  return kind->name == "cdf" && params.of == "queues" ? "queue_cdf.csv" : "flows.csv";
}

bool FigureSpec::of_flows() const { return kind->name == "slowdown-by-size" || file() == "flows.csv"; }

FigureSpec read_figure(const TableReader& table) {
  FigureSpec out;
  out.where = table.where();
  const auto names = figure_kinds();
  const auto name = table.required_text("kind", fmt::format("one of {}", fmt::join(names, ", ")));
  for (const auto& kind : kinds())
    if (kind.name == name) out.kind = &kind;
  if (out.kind == nullptr)
    throw table.error_at("kind", fmt::format("unknown figure '{}'{}; valid is {}", name, did_you_mean(name, names),
                                             fmt::join(names, ", ")));
  std::vector<std::string> keys{"id", "title", "caption", "kind", "series", "where", "printed"};
  if (!out.kind->spokes)
    for (const char* key : {"x_label", "y_label", "x_scale", "y_scale"}) keys.emplace_back(key);
  keys.insert(keys.end(), out.kind->required.begin(), out.kind->required.end());
  keys.insert(keys.end(), out.kind->optional.begin(), out.kind->optional.end());
  table.allow_only(keys);
  for (const auto& key : out.kind->required)
    table.required_text(key, std::string(params_of<FigureParams>().find(key)->meaning));
  table.read(params_of<FigureParams>(), &out.params, {"where", "printed", "measures", "best", "worst"});
  check_filter(table, out.params.filter);
  if (out.params.id.empty()) throw table.error_at("id", "it is empty; write a short name");
  check_source(table, out);
  if (out.kind->spokes) out.spokes = read_spokes(table);

  out.only = read_labels(table.table("where"));
  for (const auto& row : table.tables("printed")) {
    Printed printed = read_printed(row);
    for (const Printed& other : out.printed)
      if (other.series == printed.series)
        throw row.error_at(
            "series",
            fmt::format("there is a printed series '{}' already; write all of its values in one", other.series));
    out.printed.push_back(std::move(printed));
  }
  return out;
}

}  // namespace weir::study
