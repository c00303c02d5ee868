// What a study file says.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "weir/base/suggestion.h"
#include "weir/base/text.h"
#include "weir/study/axis_reader.h"
#include "weir/study/figure_source.h"
#include "weir/study/nccl_table.h"
#include "weir/toml/parser.h"

namespace weir::study {
namespace {

using scenario::join;
using scenario::key_error;
using scenario::List;
using scenario::TableReader;
using scenario::Value;

std::vector<std::uint64_t> read_seeds(const TableReader& table) {
  const Value* value = table.find("seeds");
  std::vector<std::uint64_t> out;
  if (value == nullptr) return out;
  if (const auto* count = value->as<std::int64_t>()) {
    if (*count < 1 || *count > 10'000) throw table.error_at("seeds", "write a number of seeds, 1 to 10000, or a list");
    for (std::int64_t seed = 1; seed <= *count; ++seed) out.push_back(static_cast<std::uint64_t>(seed));
    return out;
  }
  const auto* list = value->as<List>();
  if (list == nullptr)
    throw table.error_at("seeds", fmt::format("it is {}; write a number or a list", value->type_name()));
  for (const Value& item : *list) {
    const auto* seed = item.as<std::int64_t>();
    if (seed == nullptr || *seed < 0 || *seed > scenario::kMaxSeed)
      throw table.error_at("seeds", fmt::format("a seed is a whole number, 0 to {}", scenario::kMaxSeed));
    if (std::find(out.begin(), out.end(), static_cast<std::uint64_t>(*seed)) != out.end())
      throw table.error_at("seeds", fmt::format("{} comes twice", *seed));
    out.push_back(static_cast<std::uint64_t>(*seed));
  }
  if (out.empty()) throw table.error_at("seeds", "it is empty; write at least one");
  return out;
}

bool read_perturbed(const TableReader& table) {
  const Value* value = table.find("perturbed");
  if (value == nullptr) return false;
  const bool* on = value->as<bool>();
  if (on == nullptr)
    throw table.error_at("perturbed", fmt::format("it is {}; write true or false", value->type_name()));
  if (*on && table.find("seeds") != nullptr)
    throw table.error_at("perturbed", "a study has either seeds, of what is random, or this; remove one of the two");
  return *on;
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
    if (!out.keep_all) throw table.error_at("keep", "write \"all\", or a list of files like [\"flows.csv\"]");
    return;
  }
  out.keep.emplace();
  for (const Value& item : *list) {
    const auto* name = item.as<std::string>();
    if (name == nullptr || std::find(kFiles.begin(), kFiles.end(), *name) == kFiles.end())
      throw table.error_at("keep", fmt::format("'{}' is no file of a result that need not be kept; valid is {}",
                                               name == nullptr ? "" : *name, fmt::join(kFiles, ", ")));
    out.keep->push_back(*name);
  }
}

bool read_nccl_table(const TableReader& table) {
  if (table.find("table") == nullptr) return false;
  if (const std::string name = table.text("table"); name != "nccl-tests")
    throw table.error_at("table", fmt::format("it is '{}'; valid is nccl-tests", one_line(name)));
  return true;
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
    throw table.error_at(
        key, fmt::format("no axis '{}'{}; {}", name, did_you_mean(name, names), valid_names(names, "axes")));
  return study.axes[at];
}

// A measure that is a single value.
const Measure& known_measure(const TableReader& table, std::string_view key, const Study& study,
                             const std::string& name) {
  const Measure* m = study.measure(name);
  const auto names = measure_names(study);
  if (m == nullptr)
    throw table.error_at(
        key, fmt::format("no measure '{}'{}; {}", name, did_you_mean(name, names), valid_names(names, "measures")));
  if (m->is_list()) throw table.error_at(key, fmt::format("'{}' is a list; take a single value", name));
  return *m;
}

void check_label(const TableReader& table, std::string_view key, const Axis& axis, const std::string& label) {
  if (axis.find(label)) return;
  std::vector<std::string> labels;
  for (const auto& point : axis.points) labels.push_back(point.label);
  throw table.error_at(key, fmt::format("the axis '{}' has no label '{}'{}; valid is {}", axis.name, label,
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
  for (const Spoke& spoke : f.spokes) {
    const Measure& m = known_measure(table, "measures", study, spoke.measure);
    if (!ends_of(spoke, m))
      throw table.error_at(
          "measures", fmt::format("the scale of '{}' has no two ends; write worst = {{ {} = ... }} and best = {{ {} = "
                                  "... }}, in {}, with different values",
                                  m.name(), m.name(), m.name(), m.unit() == "1" ? "its unit" : m.unit()));
  }
  if (f.kind->over_axis) {
    known_measure(table, "measure", study, p.measure);
    const Axis& x = known_axis(table, "x", study, p.x);
    fixed.insert(study.axis(p.x));
    if (f.kind->name == "lines" && !x.is_numeric())
      throw table.error_at("x", fmt::format("the axis '{}' has no numbers; give its points x, or draw bars", p.x));
  }
  for (const Printed& printed : f.printed)
    for (const auto& text : printed.x)
      if (!study.printed_x(f, text))
        throw key_error(printed.where, join(table.path(), "printed.x"),
                        f.kind->spokes
                            ? fmt::format("'{}' is not in measures", one_line(text))
                            : fmt::format("'{}' is neither a label of the axis nor a number{}", one_line(text),
                                          study.x_unit(f) == "1" ? "" : fmt::format(" in {}", study.x_unit(f))));
  if (f.kind->name == "stack" && !p.series.empty()) throw table.error_at("series", "its series are flows; remove this");
  for (std::size_t i = 0; i < study.axes.size(); ++i) {
    const Axis& axis = study.axes[i];
    const bool in_step = std::any_of(fixed.begin(), fixed.end(), [&](std::size_t at) {
      return !axis.pair.empty() && study.axes[at].pair == axis.pair;
    });
    if (axis.points.size() > 1 && fixed.count(i) == 0 && !in_step)
      throw table.error_at("where", fmt::format("the axis '{}' is left open; write where = {{ {} = \"{}\" }}",
                                                axis.name, axis.name, axis.points.front().label));
  }
}

void read_scenario_source(const TableReader& root, const TableReader& table, Study& out) {
  const bool is_file = table.find("scenario") != nullptr;
  const Value* inlined = root.find("scenario");
  if (is_file && inlined != nullptr) throw table.error_at("scenario", "there is a table [scenario] already; keep one");
  if (!is_file && inlined == nullptr)
    throw table.error_at("scenario", "missing; write the name of a scenario file, or a table [scenario]");
  if (is_file) {
    out.scenario = table.required_text("scenario", "the name of a scenario file");
    out.scenario_where = table.place("scenario");
    if (out.scenario.empty()) throw table.error_at("scenario", "it is empty; write the name of a scenario file");
    return;
  }
  if (inlined->as<scenario::Table>() == nullptr) throw root.error_at("scenario", "write a table [scenario]");
  out.inlined = *inlined;
  out.inlined->where = {out.file, inlined->where.line};
}

}  // namespace

Study parse_study(std::string_view text, const std::string& file) {
  return read_study(scenario::parse_toml(text, file), text, file);
}

Study read_study(const Value& document, std::string_view text, const std::string& file) {
  const TableReader root(document, "");
  if (root.find("study") == nullptr && root.find("topology") != nullptr)
    throw root.error_at("topology", "this is a scenario, which 'weir run' runs; a study has a table [study]");
  root.allow_only({"study", "scenario", "axis", "measure", "figure", "paper", "claim"});
  if (root.find("study") == nullptr) throw root.error_at("study", "missing; a study needs [study]");
  const TableReader table = root.table("study");
  table.allow_only({"title", "scenario", "seeds", "perturbed", "set", "keep", "table"});

  Study out;
  out.file = file;
  out.folder = std::filesystem::path(file).parent_path().string();
  out.text = std::string(text);
  out.title = table.text("title");
  out.where = table.where();
  read_scenario_source(root, table, out);
  out.seeds = read_seeds(table);
  out.perturbed = read_perturbed(table);
  out.set = read_overrides(table, "set");
  out.nccl_table = read_nccl_table(table);
  read_keep(table, out);
  for (const auto& row : root.tables("axis")) out.axes.push_back(read_axis(row, out));
  out.points();  // are not too many

  std::map<std::string, std::string> columns;  // of the results, and the axis or measure that gives them
  for (const auto& name : reserved_columns()) columns.emplace(name, "");
  for (const Axis& axis : out.axes) columns.emplace(axis.name, axis.name);
  std::vector<TableReader> measures = root.tables("measure");
  const Value of_nccl = scenario::parse_toml(nccl_measures(), file);
  if (out.nccl_table)
    for (const auto& row : TableReader(of_nccl, "").tables("measure")) measures.push_back(row);
  for (const auto& row : measures) {
    Measure m = read_measure(row);
    for (const std::string& column : columns_of(m))
      if (const auto [known, is_new] = columns.emplace(column, m.name()); !is_new)
        throw row.error_at(
            "name",
            known->second.empty()
                ? fmt::format("'{}' is another column of the results; write another name", column)
                : fmt::format("there is a column '{}' already, of '{}'; write another name", column, known->second));
    for (const auto& [axis, label] : m.against)
      check_label(row, "against", known_axis(row, "against", out, axis), label);
    out.measures.push_back(std::move(m));
  }
  for (const auto& row : root.tables("figure")) {
    FigureSpec figure = read_figure(row);
    for (const auto& other : out.figures)
      if (other.params.id == figure.params.id)
        throw row.error_at("id", fmt::format("there is a figure '{}' already; write another id", figure.params.id));
    check_figure(row, figure, out);
    out.figures.push_back(std::move(figure));
  }
  return out;
}

}  // namespace weir::study
