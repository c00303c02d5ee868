// weir compare BASE DIR...: the same flows in several results, flow by flow.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "weir/base/csv.h"
#include "weir/base/params.h"
#include "weir/base/text_file.h"
#include "weir/commands.h"
#include "weir/output.h"
#include "weir/study/compare.h"
#include "weir/study/kept.h"

namespace weir::app {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  std::vector<std::string> dirs;
  std::string axis;
  std::string base;
  bool json = false;
};

// A run of a sweep, or a result that stands alone.
struct Run {
  std::string dir;
  std::string label;  // of the axis that is compared
  std::string point;  // the other labels
  std::string seed;
};

// What is compared: runs with the same point and seed have the same flows.
struct Side {
  std::string name;
  std::vector<Run> runs;
};

// The runs of a sweep that are done, in the study's order. Throws InputError.
std::vector<Run> runs_of_sweep(const std::string& dir, const std::string& axis) {
  const std::string file = dir + "/runs.csv";
  const std::string text = read_text_file(file, "the list of a sweep's runs");
  CsvReader reader(text, file);
  std::vector<std::string> names;
  std::vector<std::string> fields;
  reader.next(names);
  const auto column = [&](const char* name) {
    const auto at = static_cast<std::size_t>(std::find(names.begin(), names.end(), name) - names.begin());
    if (at == names.size()) throw InputError(fmt::format("{} has no column '{}'; it is of no sweep", file, name));
    return at;
  };
  const std::size_t run = column("run");
  const std::size_t seed = column("seed");
  const std::size_t status = column("status");
  const std::vector<std::string> axes(names.begin() + static_cast<std::ptrdiff_t>(run) + 1,
                                      names.begin() + static_cast<std::ptrdiff_t>(seed));
  if (!axis.empty() && std::find(axes.begin(), axes.end(), axis) == axes.end())
    throw InputError(fmt::format("--axis: the study has no axis '{}'; valid is {}", axis, fmt::join(axes, ", ")));
  std::vector<Run> out;
  while (reader.next(fields)) {
    if (fields.size() != names.size() || fields[status] != "done") continue;
    Run& r = out.emplace_back();
    r.dir = study::result_of(dir, fields[run]);
    r.seed = fields[seed];
    for (std::size_t i = run + 1; i < seed; ++i) {
      if (names[i] == axis)
        r.label = fields[i];
      else
        r.point += fmt::format("{}{}={}", r.point.empty() ? "" : ", ", names[i], fields[i]);
    }
  }
  if (out.empty()) throw InputError(fmt::format("{}: no run is done there", dir));
  return out;
}

Side side_of(const std::string& dir) {
  if (std::filesystem::exists(dir + "/runs.csv")) return {dir, runs_of_sweep(dir, "")};
  if (!study::is_result(dir))
    throw InputError(fmt::format("{}: it is neither a result of weir run nor of weir sweep", dir));
  return {dir, {{dir, "", "", ""}}};
}

// The labels of an axis, that of the base first.
std::vector<Side> sides_of_axis(const Options& o) {
  if (o.dirs.size() != 1)
    throw InputError("--axis: it is for the points of one sweep; name one directory, or leave --axis away");
  std::vector<Side> out;
  for (Run& run : runs_of_sweep(o.dirs.front(), o.axis)) {
    auto side = std::find_if(out.begin(), out.end(), [&](const Side& s) { return s.name == run.label; });
    if (side == out.end()) side = out.insert(out.end(), Side{run.label, {}});
    side->runs.push_back(std::move(run));
  }
  if (!o.base.empty()) {
    std::vector<std::string> labels;
    for (const Side& side : out) labels.push_back(side.name);
    const auto base = std::find(labels.begin(), labels.end(), o.base);
    if (base == labels.end())
      throw InputError(fmt::format("--base: the axis '{}' has no label '{}' with a run that is done; valid is {}",
                                   o.axis, o.base, fmt::join(labels, ", ")));
    std::rotate(out.begin(), out.begin() + (base - labels.begin()), out.begin() + (base - labels.begin()) + 1);
  }
  return out;
}

// A row of a table: some flows of all pairs of runs at one point.
struct Row {
  std::string group;  // "all", "by tag", "by size"
  std::string name;
  std::vector<study::Ratios> seeds;
  study::Ratios all;
};

struct Comparison {
  std::string base;
  std::string other;
  std::string point;
  std::size_t runs = 0;
  std::size_t only_base = 0;
  std::size_t only_other = 0;
  std::vector<Row> rows;
};

// Upper edges of the sizes by which the base's summary tells slowdowns; the last one is open.
std::vector<double> size_edges(const study::RunFiles& base) {
  std::vector<double> out;
  const Json summary = base.document("summary.json");
  if (const auto list = summary.value("slowdown", Json::object()).value("by_size", Json::array()); list.is_array())
    for (const Json& bucket : list)
      if (const auto edge = bucket.find("up_to_bytes"); edge != bucket.end() && edge->is_number())
        out.push_back(edge->get<double>());
  return out;
}

std::string size_text(double bytes) { return format_value(Bytes{static_cast<std::int64_t>(bytes)}); }

void add(std::vector<Row>& rows, const std::string& group, const std::string& name,
         const std::vector<const study::FlowPair*>& flows) {
  if (flows.empty()) return;
  auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.group == group && r.name == name; });
  if (row == rows.end()) row = rows.insert(rows.end(), Row{group, name, {}, {}});
  row->seeds.push_back(study::compare(flows));
}

void add_run(Comparison& out, const Run& base, const Run& other) {
  const study::RunFiles base_files(base.dir);
  const study::RunFiles other_files(other.dir);
  const auto paired = study::pair_flows(base_files, other_files);
  ++out.runs;
  out.only_base += paired.only_base;
  out.only_other += paired.only_other;
  std::vector<const study::FlowPair*> all;
  for (const auto& pair : paired.flows) all.push_back(&pair);
  std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->row.start < b->row.start; });
  const auto some = [&](const auto& wanted) {
    std::vector<const study::FlowPair*> flows;
    std::copy_if(all.begin(), all.end(), std::back_inserter(flows), wanted);
    return flows;
  };
  add(out.rows, "all", "all", all);
  if (paired.tags.size() > 1)
    for (const auto& tag : paired.tags)
      add(out.rows, "by tag", tag, some([&](const auto* p) { return p->row.tag == tag; }));
  double above = 0;
  for (const double edge : size_edges(base_files)) {
    add(out.rows, "by size", "<= " + size_text(edge),
        some([&](const auto* p) { return p->row.size > above && p->row.size <= edge; }));
    above = edge;
  }
  add(out.rows, "by size", "> " + size_text(above), some([&](const auto* p) { return p->row.size > above; }));
}

// One comparison per point; runs that only one side has are told of.
std::vector<Comparison> compare(const Side& base, const Side& other) {
  std::vector<Comparison> out;
  std::size_t alone = 0;
  for (const Run& run : other.runs) {
    const auto same = std::find_if(base.runs.begin(), base.runs.end(),
                                   [&](const Run& b) { return b.point == run.point && b.seed == run.seed; });
    if (same == base.runs.end()) {
      ++alone;
      continue;
    }
    auto at = std::find_if(out.begin(), out.end(), [&](const Comparison& c) { return c.point == run.point; });
    if (at == out.end()) at = out.insert(out.end(), Comparison{base.name, other.name, run.point, 0, 0, 0, {}});
    add_run(*at, *same, run);
  }
  if (out.empty())
    throw InputError(fmt::format("{} and {} have no run of the same point and seed", base.name, other.name));
  if (alone > 0)
    notice("weir: {} runs of {} have no counterpart in {}, and are left out", alone, other.name, base.name);
  for (Comparison& c : out)
    for (Row& row : c.rows) row.all = c.runs == 1 ? row.seeds.front() : study::over_seeds(row.seeds);
  return out;
}

std::string number(double v) { return std::isnan(v) ? "-" : fmt::format("{:.4f}", v); }
std::string percent(double v) { return std::isnan(v) ? "-" : fmt::format("{:.1f} %", 100 * v); }

std::string to_text(const Comparison& c) {
  std::string out = fmt::format("{} / {}{}{}\n", c.other, c.base, c.point.empty() ? "" : ", ", c.point);
  out += fmt::format("{:<20} {:>9} {:>9} {:>9}  {:<19} {:>9} {:>9}\n", "ratio of FCTs", "n", "median", "geomean",
                     "95 % interval", "slower", "faster");
  std::string group = "all";
  for (const Row& row : c.rows) {
    if (row.group != group) out += fmt::format(" {}\n", row.group);
    group = row.group;
    const study::Ratios& r = row.all;
    out += fmt::format("  {:<18} {:>9} {:>9} {:>9}  {:<19} {:>9} {:>9}\n", row.name, r.n, number(r.median),
                       number(r.geomean), std::isnan(r.low) ? "-" : number(r.low) + " - " + number(r.high),
                       percent(r.slower), percent(r.faster));
  }
  const study::Ratios& all = c.rows.front().all;
  if (all.unfinished_base + all.unfinished_other + all.unfinished_both > 0)
    out += fmt::format("unfinished, and so without a ratio: {} only in {}, {} only in {}, {} in both\n",
                       all.unfinished_base, c.base, all.unfinished_other, c.other, all.unfinished_both);
  if (c.only_base + c.only_other > 0)
    out += fmt::format("started in one run alone: {} in {}, {} in {}\n", c.only_base, c.base, c.only_other, c.other);
  out += c.runs == 1
             ? "interval: of other flows of this kind, by resampling this run in blocks; not from seed to seed\n"
             : fmt::format("interval: from seed to seed, of {} seeds\n", c.runs);
  return out;
}

Json to_json(const Comparison& c) {
  const auto number = [](double v) { return std::isnan(v) ? Json(nullptr) : Json(v); };
  Json rows = Json::array();
  for (const Row& row : c.rows) {
    const study::Ratios& r = row.all;
    rows.push_back({{"group", row.group},
                    {"name", row.name},
                    {"n", r.n},
                    {"median", number(r.median)},
                    {"geomean", number(r.geomean)},
                    {"low", number(r.low)},
                    {"high", number(r.high)},
                    {"slower", number(r.slower)},
                    {"faster", number(r.faster)},
                    {"unfinished_base", r.unfinished_base},
                    {"unfinished_other", r.unfinished_other},
                    {"unfinished_both", r.unfinished_both}});
  }
  return {{"base", c.base},
          {"other", c.other},
          {"point", c.point},
          {"runs", c.runs},
          {"interval", c.runs == 1 ? "flows" : "seeds"},
          {"only_base", c.only_base},
          {"only_other", c.only_other},
          {"ratios", std::move(rows)}};
}

int compare_all(const Options& o) {
  std::vector<Side> sides;
  if (!o.axis.empty()) {
    sides = sides_of_axis(o);
  } else {
    if (!o.base.empty()) throw InputError("--base: it is a label of the axis that --axis names; write that, too");
    for (const auto& dir : o.dirs) sides.push_back(side_of(dir));
  }
  if (sides.size() < 2)
    throw InputError("there is nothing to compare with; name two directories, or one sweep and an --axis of it");
  Json json = Json::array();
  std::string text;
  for (std::size_t i = 1; i < sides.size(); ++i)
    for (const Comparison& c : compare(sides.front(), sides[i])) {
      json.push_back(to_json(c));
      if (!text.empty()) text += '\n';
      text += to_text(c);
    }
  show_text(o.json ? json.dump(2) + "\n" : text);
  return 0;
}

}  // namespace

void add_compare(CLI::App& app, int& status) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("compare", "Compare results with the same traffic, flow by flow");
  command->add_option("DIR", o->dirs, "results of weir run or weir sweep; the first is the base")->required();
  command->add_option("--axis", o->axis, "compare the points of one sweep along this axis")->check(not_empty());
  command->add_option("--base", o->base, "the label of the axis that is the base; without it, the first")
      ->check(not_empty());
  command->add_flag("--json", o->json, "print the ratios as JSON");
  command->callback([o, &status] { status = compare_all(*o); });
}

}  // namespace weir::app
