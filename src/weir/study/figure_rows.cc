// Figures of the rows of result files: distributions, curves over time, dots, stacked rates.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "weir/figure/thin.h"
#include "weir/study/figure_source.h"
#include "weir/study/figure_texts.h"

namespace weir::study {
namespace {

constexpr std::size_t kMaxRows = 2000;  // of a curve: more than a screen shows
constexpr std::size_t kMaxCurves = 32;  // of flows or ports of one run

// One step per value, or so many that they are 1 / kMaxRows high at least.
figure::Series cumulative(const std::string& name, std::vector<Counted>& all) {
  const double total = statistic_of(all, {Statistic::Kind::count});  // sorts
  figure::Series out;
  out.name = name;
  double before = 0;
  double shown = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    before += all[i].times;
    const bool last = i + 1 == all.size();
    if (!last && all[i + 1].value == all[i].value) continue;
    if (!last && before - shown < total / static_cast<double>(kMaxRows)) continue;
    out.x.push_back(all[i].value);
    out.y.push_back(before / total);
    shown = before;
  }
  return out;
}

// Of one run: one for each port or flow that its file has; the first ones, if they are more than people can tell
// apart.
std::map<std::string, figure::Series> curves(const FigureSource& source, const RunFiles& files) {
  const FigureParams& p = source.spec.params;
  const std::string of(result::find_table(p.file)->of);
  std::map<std::string, figure::Series> out;
  result::Rows rows = files.rows(p.file, {"time_ps", p.column, of.empty() ? "time_ps" : of});
  while (rows.next()) {
    if (!source.in_span(rows.number(0))) continue;
    const std::string name = of.empty() ? "" : fmt::format("{} {}", of.substr(0, of.find('_')), rows.text(2));
    if (out.size() == kMaxCurves && out.count(name) == 0) continue;
    out[name].x.push_back(rows.number(0));
    out[name].y.push_back(rows.number(1));
  }
  return out;
}

}  // namespace

void draw_distribution(const FigureSource& source, figure::Figure& out) {
  const FigureParams& p = source.spec.params;
  out.kind = "steps";
  out.x = {quantity_of_column(p.column), unit_of_column(p.column), "linear", {}};
  out.y = {p.of == "queues" ? "share of samples" : "share of flows", "1", "linear", {}};
  for (const Group& group : source.groups()) {
    std::vector<Counted> all;
    for (const auto& dir : source.run_dirs(group)) {
      const RunFiles files(dir);
      if (p.of == "queues") {
        const auto lengths = queue_lengths(files, p.tier);
        all.insert(all.end(), lengths.begin(), lengths.end());
      } else {
        for_each_flow(files, p.filter, p.column, [&](const FlowRow& row) {
          if (!std::isnan(row.value)) all.push_back({row.value});
        });
      }
    }
    if (!all.empty()) out.series.push_back(cumulative(group.name, all));
  }
}

void draw_over_time(const FigureSource& source, figure::Figure& out) {
  const FigureParams& p = source.spec.params;
  out.kind = "lines";
  out.x = {"time", "ps", "linear", {}};
  out.y = {quantity_of_column(p.column), unit_of_column(p.column), "linear", {}};
  for (const Group& group : source.groups()) {
    const auto dirs = source.run_dirs(group);
    if (dirs.empty()) continue;
    auto all = curves(source, RunFiles(dirs.front()));
    for (auto& [of, series] : all) {
      series.name = all.size() == 1 ? group.name : p.series.empty() ? of : fmt::format("{}, {}", group.name, of);
      thin(series, kMaxRows, figure::Keep::every_kth);
      out.series.push_back(std::move(series));
    }
  }
}

void draw_stack(const FigureSource& source, figure::Figure& out) {
  out.kind = "stack";
  out.x = {"time", "ps", "linear", {}};
  out.y = {"rate", "bit/s", "linear", {}};
  const auto all = source.groups();
  const auto dirs = source.run_dirs(all.front());
  if (dirs.empty()) return;
  const RunFiles files(dirs.front());
  std::map<double, std::map<std::int64_t, double>> rates;  // by time and flow
  std::set<std::int64_t> flows;
  result::Rows rows = files.rows("rates.csv", {"time_ps", "flow_id", "rate_bps"});
  while (rows.next()) {
    if (!source.in_span(rows.number(0))) continue;
    const auto flow = static_cast<std::int64_t>(rows.number(1));
    flows.insert(flow);
    rates[rows.number(0)][flow] = rows.number(2);
  }
  std::size_t i = 0;
  for (const std::int64_t flow : flows) {
    const bool own = flows.size() <= kMaxCurves || i + 1 < kMaxCurves;
    if (own || i + 1 == kMaxCurves) out.series.push_back({own ? fmt::format("flow {}", flow) : "other flows"});
    figure::Series& series = out.series.back();
    series.x.resize(rates.size());
    series.y.resize(rates.size());
    std::size_t row = 0;
    for (const auto& [time, by_flow] : rates) {
      const auto rate = by_flow.find(flow);
      series.x[row] = time;
      series.y[row++] += rate == by_flow.end() ? 0 : rate->second;
    }
    ++i;
  }
  thin(out, kMaxRows);
}

void draw_scatter(const FigureSource& source, figure::Figure& out) {
  const FigureParams& p = source.spec.params;
  out.kind = "scatter";
  out.x = {quantity_of_column(p.x_column), unit_of_column(p.x_column), "linear", {}};
  out.y = {quantity_of_column(p.column), unit_of_column(p.column), "linear", {}};
  for (const Group& group : source.groups()) {
    figure::Series series;
    series.name = group.name;
    for (const auto& dir : source.run_dirs(group)) {
      const RunFiles files(dir);
      result::Rows rows = files.rows(p.file, {"time_ps", p.x_column, p.column});
      while (rows.next()) {
        if (!source.in_span(rows.number(0)) || std::isnan(rows.number(1)) || std::isnan(rows.number(2))) continue;
        series.x.push_back(rows.number(1));
        series.y.push_back(rows.number(2));
      }
    }
    thin(series, kMaxRows, figure::Keep::every_kth);
    if (!series.x.empty()) out.series.push_back(std::move(series));
  }
}

void draw_start_finish(const FigureSource& source, figure::Figure& out) {
  const FigureParams& p = source.spec.params;
  out.kind = "scatter";
  out.x = {"start", "ps", "linear", {}};
  out.y = {"finish", "ps", "linear", {}};
  for (const Group& group : source.groups()) {
    figure::Series series;
    series.name = group.name;
    for (const auto& dir : source.run_dirs(group))
      for_each_flow(RunFiles(dir), p.filter, "finish_ps", [&](const FlowRow& row) {
        if (std::isnan(row.value)) return;
        series.x.push_back(row.start);
        series.y.push_back(row.value);
      });
    thin(series, kMaxRows, figure::Keep::every_kth);
    if (!series.x.empty()) out.series.push_back(std::move(series));
  }
}

}  // namespace weir::study
