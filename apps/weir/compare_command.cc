// weir compare BASE DIR...: the same flows in several results, flow by flow.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "weir/base/params.h"
#include "weir/commands.h"
#include "weir/compare_collectives.h"
#include "weir/compare_sides.h"
#include "weir/output.h"
#include "weir/study/compare.h"
#include "weir/study/run_differences.h"
#include "weir/study/statistics.h"

namespace weir::app {
namespace {

using Json = nlohmann::ordered_json;

struct CompareOptions {
  SideOptions sides;
  bool json = false;
};

// A row of a table: some flows of all pairs of runs at one point.
struct Row {
  std::string group;  // "all", "by tag", "by size"
  std::string name;
  std::vector<study::Ratios> seeds;
  study::Ratios all;
};

// By whose rules the two sides are simulated, and the processor time and the events that all their runs took.
struct Fidelities {
  std::string base;
  std::string other;
  std::uint64_t base_events = 0;
  std::uint64_t other_events = 0;
  double base_cpu_s = 0;
  double other_cpu_s = 0;
  bool differ() const { return base != other; }
};

struct Comparison {
  std::string base;
  std::string other;
  std::string point;
  std::size_t runs = 0;
  std::size_t only_base = 0;
  std::size_t only_other = 0;
  std::vector<Row> rows;
  std::vector<ComparedTime> times;
  Fidelities fidelity;
  std::set<std::string> load_keys;  // in which the two sides differ, and which change the load or the duration
  std::string load_example;         // of the first two runs that do
};

constexpr std::string_view kFastForward = "run.fast_forward";

// "exact" of run.fidelity, or the table by which an exact run skips messages.
std::string fidelity_of(const Json& manifest) {
  return manifest.contains("fast_forward") ? std::string(kFastForward) : manifest.value("fidelity", "exact");
}

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
  auto row = std::find_if(rows.begin(), rows.end(), [&](const Row& r) { return r.group == group && r.name == name; });
  if (row == rows.end()) row = rows.insert(rows.end(), Row{group, name, {}, {}});
  row->seeds.push_back(study::compare(flows));
}

void add_run(Comparison& out, const ComparedRun& base, const ComparedRun& other, bool along_axis) {
  const study::RunFiles base_files(base.dir);
  const study::RunFiles other_files(other.dir);
  const auto differences = study::differences(base_files, other_files);
  const auto paired = study::pair_flows(base_files, other_files);
  const Json of_base = base_files.document("manifest.json");
  const Json of_other = other_files.document("manifest.json");
  out.fidelity.base = fidelity_of(of_base);
  out.fidelity.other = fidelity_of(of_other);
  out.fidelity.base_events += of_base.value("events", std::uint64_t{0});
  out.fidelity.other_events += of_other.value("events", std::uint64_t{0});
  out.fidelity.base_cpu_s += of_base.value("cpu_s", 0.0);
  out.fidelity.other_cpu_s += of_other.value("cpu_s", 0.0);
  add_times(out.times, base_files.document("summary.json"), other_files.document("summary.json"));
  const auto is_of_load = [](const study::Difference& d) { return d.of_load; };
  // an axis along which nothing else differs is one of loads: that is what is compared
  const bool is_axis = along_axis && std::all_of(differences.begin(), differences.end(), is_of_load);
  for (const auto& d : differences)
    if (d.of_load && !is_axis && out.load_keys.insert(d.key).second && out.load_keys.size() == 1)
      out.load_example = fmt::format("{} and {} differ in {}", base.dir, other.dir, study::load_text(differences));
  ++out.runs;
  out.only_base += paired.only_base;
  out.only_other += paired.only_other;
  std::vector<const study::FlowPair*> all;
  for (const auto& pair : paired.flows) all.push_back(&pair);
  std::stable_sort(all.begin(), all.end(), [](const auto* a, const auto* b) { return a->row.start < b->row.start; });
  const auto add_some = [&](const std::string& group, const std::string& name, const auto& wanted) {
    std::vector<const study::FlowPair*> flows;
    std::copy_if(all.begin(), all.end(), std::back_inserter(flows), wanted);
    if (!flows.empty()) add(out.rows, group, name, flows);
  };
  add(out.rows, "all", "all", all);
  if (paired.tags.size() > 1)
    for (const auto& tag : paired.tags) add_some("by tag", tag, [&](const auto* p) { return p->row.tag == tag; });
  double above = 0;
  for (const double edge : size_edges(base_files)) {
    add_some("by size", "<= " + size_text(edge),
             [&](const auto* p) { return p->row.size > above && p->row.size <= edge; });
    above = edge;
  }
  add_some("by size", "> " + size_text(above), [&](const auto* p) { return p->row.size > above; });
}

constexpr std::size_t kShownSeeds = 20;

// Tells of runs that one side has, or should have, and this one has not: with their points and seeds, in one line.
void tell_of_lacking(const ComparedSide& side, const ComparedSide& other) {
  const auto find = [](const std::vector<ComparedRun>& runs, const ComparedRun& wanted) {
    return std::any_of(runs.begin(), runs.end(),
                       [&](const ComparedRun& r) { return r.point == wanted.point && r.seed == wanted.seed; });
  };
  std::vector<std::pair<std::string, std::vector<const ComparedRun*>>> points;
  std::vector<const ComparedRun*> lacking;
  for (const auto* runs : {&other.runs, &other.failed, &side.failed})
    for (const ComparedRun& run : *runs) {
      if (find(side.runs, run) || std::any_of(lacking.begin(), lacking.end(), [&](const auto* known) {
            return known->point == run.point && known->seed == run.seed;
          }))
        continue;
      lacking.push_back(&run);
      auto at = std::find_if(points.begin(), points.end(), [&](const auto& p) { return p.first == run.point; });
      if (at == points.end()) at = points.insert(points.end(), {run.point, {}});
      at->second.push_back(&run);
    }
  if (lacking.empty()) return;
  std::string text;
  std::size_t shown = 0;
  for (const auto& [point, runs] : points) {
    if (shown == kShownSeeds) break;
    text += fmt::format("{}{}{}seed{} ", text.empty() ? "" : "; ", point, point.empty() ? "" : ": ",
                        runs.size() == 1 ? "" : "s");
    for (std::size_t i = 0; i < runs.size() && shown < kShownSeeds; ++i, ++shown)
      text += fmt::format("{}{}{}", i == 0 ? "" : ", ", runs[i]->seed, find(side.failed, *runs[i]) ? " (failed)" : "");
  }
  notice("weir: {} lacks {} run{}, left out of the comparison with {}: {}{}", side.name, lacking.size(),
         lacking.size() == 1 ? "" : "s", other.name, text, shown < lacking.size() ? "; ..." : "");
}

// One comparison per point; runs that one side lacks are told of.
std::vector<Comparison> compare(const ComparedSide& base, const ComparedSide& other, bool along_axis) {
  std::vector<Comparison> out;
  for (const ComparedRun& run : other.runs) {
    const auto same = std::find_if(base.runs.begin(), base.runs.end(),
                                   [&](const ComparedRun& b) { return b.point == run.point && b.seed == run.seed; });
    if (same == base.runs.end()) continue;
    auto at = std::find_if(out.begin(), out.end(), [&](const Comparison& c) { return c.point == run.point; });
    if (at == out.end())
      at = out.insert(out.end(), Comparison{.base = base.name, .other = other.name, .point = run.point});
    add_run(*at, *same, run, along_axis);
  }
  if (out.empty())
    throw InputError(fmt::format("{} and {} have no run of the same point and seed", base.name, other.name));
  tell_of_lacking(base, other);
  tell_of_lacking(other, base);
  for (Comparison& c : out)
    for (Row& row : c.rows) row.all = c.runs == 1 ? row.seeds.front() : study::over_seeds(row.seeds);
  return out;
}

std::string number(double v) { return std::isnan(v) ? "-" : fmt::format("{:.4f}", v); }
// "n/a (2 seeds)" where the ends say nothing.
std::string interval_text(const Row& row) {
  const study::Ratios& r = row.all;
  if (std::isnan(r.low)) return "-";
  if (study::is_informative({r.geomean, r.low, r.high})) return number(r.low) + " - " + number(r.high);
  const auto with_ratio = std::count_if(row.seeds.begin(), row.seeds.end(),
                                        [](const study::Ratios& seed) { return !std::isnan(seed.geomean); });
  return with_ratio > 1 ? fmt::format("n/a ({} seeds)", with_ratio) : fmt::format("n/a ({} flows)", r.n);
}
std::string percent(double v) { return std::isnan(v) ? "-" : fmt::format("{:.1f} %", 100 * v); }

std::string fidelity_text(const Fidelities& f) {
  const auto quoted = [](const std::string& name) { return name == kFastForward ? name : fmt::format("\"{}\"", name); };
  return fmt::format(
      "errors: of {}{} if {} is true, |ratio - 1|; processor time {:.4g} s and {:.4g} s{}; events {} and {}\n",
      f.other == kFastForward ? "" : "run.fidelity = ", quoted(f.other), quoted(f.base), f.other_cpu_s, f.base_cpu_s,
      f.other_cpu_s > 0 ? fmt::format(", {:.4g} times as much", f.base_cpu_s / f.other_cpu_s) : "", f.other_events,
      f.base_events);
}

// Of flows, of which there are none in runs of messages that have no rows.
std::string ratios_text(const Comparison& c) {
  const bool errors = c.fidelity.differ();
  std::string out = fmt::format("{:<20} {:>9} {:>9} {:>9}  {:<19} {:>9} {:>9}{}\n", "ratio of FCTs", "n", "median",
                                "geomean", "95 % interval", "slower", "faster",
                                errors ? fmt::format(" {:>10} {:>9}", "mean error", "worst") : "");
  std::string group = "all";
  for (const Row& row : c.rows) {
    if (row.group != group) out += fmt::format(" {}\n", row.group);
    group = row.group;
    const study::Ratios& r = row.all;
    out += fmt::format("  {:<18} {:>9} {:>9} {:>9}  {:<19} {:>9} {:>9}{}\n", row.name, r.n, number(r.median),
                       number(r.geomean), interval_text(row), percent(r.slower), percent(r.faster),
                       errors ? fmt::format(" {:>10} {:>9}", percent(r.mean_error), percent(r.worst_error)) : "");
  }
  if (errors) out += fidelity_text(c.fidelity);
  const study::Ratios& all = c.rows.front().all;
  if (all.unfinished_base + all.unfinished_other + all.unfinished_both > 0)
    out += fmt::format("unfinished, and so without a ratio: {} only in {}, {} only in {}, {} in both\n",
                       all.unfinished_base, c.base, all.unfinished_other, c.other, all.unfinished_both);
  if (c.only_base + c.only_other > 0)
    out += fmt::format("started in one run alone: {} in {}, {} in {}\n", c.only_base, c.base, c.only_other, c.other);
  out += c.runs == 1
             ? "interval: of other flows of this kind, by resampling this run in blocks; not from seed to seed\n"
             : fmt::format(
                   "interval: from seed to seed, of {} seeds; geomean: the geometric mean of the seeds'; median, "
                   "slower, faster: means of the seeds'\n",
                   c.runs);
  return out;
}

std::string to_text(const Comparison& c) {
  const study::Ratios& all = c.rows.front().all;
  const bool has_flows =
      all.n + all.unfinished_base + all.unfinished_other + all.unfinished_both + c.only_base + c.only_other > 0;
  const std::string title = fmt::format("{} / {}{}{}\n", c.other, c.base, c.point.empty() ? "" : ", ", c.point);
  if (!has_flows && c.times.empty())
    return title + "nothing can be compared: neither flows.csv has flows, and no two collectives have the same tag\n";
  return title + (has_flows ? ratios_text(c) : "") + to_text(c.times);
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
                    {"mean_error", number(r.mean_error)},
                    {"worst_error", number(r.worst_error)},
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
          {"load_differs_in", c.load_keys},
          {"fidelity",
           {{"base", c.fidelity.base},
            {"other", c.fidelity.other},
            {"base_cpu_s", c.fidelity.base_cpu_s},
            {"other_cpu_s", c.fidelity.other_cpu_s},
            {"base_events", c.fidelity.base_events},
            {"other_events", c.fidelity.other_events}}},
          {"ratios", std::move(rows)},
          {"collectives", to_json(c.times)}};
}

// Once for all comparisons.
void warn_of_loads(const std::vector<Comparison>& all) {
  const auto differs = [](const Comparison& c) { return !c.load_keys.empty(); };
  const auto first = std::find_if(all.begin(), all.end(), differs);
  if (first == all.end()) return;
  const auto more = std::count_if(first + 1, all.end(), differs);
  notice(
      "weir: {}{}; completion times differ for that reason too, so the ratios are not those of the other "
      "differences alone",
      first->load_example,
      more == 0 ? "" : fmt::format(" (and {} more comparison{} like that)", more, more == 1 ? "" : "s"));
}

int compare_all(const CompareOptions& o) {
  const auto [sides, notices] = sides_of(o.sides);
  for (const std::string& text : notices) notice("weir: {}", text);
  const bool along_axis = o.sides.dirs.size() == 1;
  std::vector<Comparison> all;
  for (std::size_t i = 1; i < sides.size(); ++i)
    for (Comparison& c : compare(sides.front(), sides[i], along_axis)) all.push_back(std::move(c));
  warn_of_loads(all);
  Json json = Json::array();
  std::string text;
  for (const Comparison& c : all) {
    json.push_back(to_json(c));
    if (!text.empty()) text += '\n';
    text += to_text(c);
  }
  show_text(o.json ? json.dump(2) + "\n" : text);
  return 0;
}

}  // namespace

void add_compare(CLI::App& app, int& status) {
  auto o = std::make_shared<CompareOptions>();
  CLI::App* command = app.add_subcommand("compare", "Compare results with the same traffic, flow by flow");
  command->add_option("DIR", o->sides.dirs, "results of weir run or weir sweep; the first is the base")->required();
  command
      ->add_option("--axis", o->sides.axis, "compare the points of one sweep along this axis; without it, the only one")
      ->check(not_empty());
  command->add_option("--base", o->sides.base, "the label of the axis that is the base; without it, the first")
      ->check(not_empty());
  command->add_option("--only", o->sides.only, "axis=label[,axis=label...]: only these points of sweeps")
      ->check(not_empty());
  command->add_flag("--json", o->json, "print the ratios as JSON");
  command->callback([o, &status] { status = compare_all(*o); });
}

}  // namespace weir::app
