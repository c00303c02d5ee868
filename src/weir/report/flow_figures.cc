// Figures of flows.csv: slowdown by size, completion times, start and finish.
#include <algorithm>
#include <limits>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "weir/figure/thin.h"
#include "weir/report/figure_parts.h"
#include "weir/report/flows.h"
#include "weir/report/slowdown_figures.h"

namespace weir::report {
namespace {

constexpr std::size_t kMaxScatter = 5'000;  // flows of a run of which every single one is shown

// Start and finish of each flow, a series for each algorithm, or for each tag if there is one algorithm. Empty if there
// are too many flows.
std::vector<Series> starts_and_finishes(const Flows& flows) {
  std::vector<Series> out;
  if (flows.size.size() > kMaxScatter) return out;
  const bool by_algorithm = flows.algorithms.size() > 1;
  const auto& kinds = by_algorithm ? flows.algorithms : flows.tags;
  out.resize(kinds.size());
  for (std::size_t k = 0; k < kinds.size(); ++k) out[k].name = kinds[k];
  for (std::size_t i = 0; i < flows.size.size(); ++i) {
    Series& s = out[by_algorithm ? flows.algorithm[i] : flows.tag[i]];
    s.x.push_back(flows.start[i]);
    s.y.push_back(flows.finish[i]);
  }
  std::sort(out.begin(), out.end(), [](const Series& a, const Series& b) { return a.name < b.name; });
  return out;
}

// `times` has a series for each run.
Figure figure_of_times(std::span<const Run> runs, std::vector<Series> times, const std::string& counts) {
  Figure fct;
  fct.id = "fct-cdf";
  fct.title = "Flow completion times";
  fct.kind = "steps";
  fct.x = {"flow completion time", "ps", "log", {}};
  fct.y = {"share of flows", "1", "linear", {}};
  fct.caption = "The share of finished flows that took no longer. " + counts;
  for (std::size_t r = 0; r < runs.size(); ++r) {
    fct.series.push_back(std::move(times[r]));
    fct.series.back().name = runs[r].name;
    fct.runs.push_back(runs[r].name);
  }
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const Series& s : fct.series)
    if (!s.x.empty()) {
      low = std::min(low, s.x.front());
      high = std::max(high, s.x.back());
    }
  if (high < 10 * low) fct.x.scale = "linear";
  thin(fct, kMaxQuantiles);
  return fct;
}

// `dots` has the series of each run. Those of a lone run stay apart; of several, each run is one series.
Figure figure_of_starts(std::span<const Run> runs, std::vector<std::vector<Series>> dots) {
  Figure scatter;
  scatter.id = "start-finish";
  scatter.title = "Start and finish of each flow";
  scatter.kind = "scatter";
  scatter.x = {"start", "ps", "linear", {}};
  scatter.y = {"finish", "ps", "linear", {}};
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (!dots[r].empty()) scatter.runs.push_back(runs[r].name);
    if (runs.size() == 1) {
      scatter.series = std::move(dots[r]);
    } else if (!dots[r].empty()) {
      Series all{.name = runs[r].name};
      for (const Series& s : dots[r]) {
        all.x.insert(all.x.end(), s.x.begin(), s.x.end());
        all.y.insert(all.y.end(), s.y.begin(), s.y.end());
      }
      scatter.series.push_back(std::move(all));
    }
  }
  return scatter;
}

}  // namespace

void add_flow_figures(std::span<const Run> runs, std::vector<Figure>& to) {
  SlowdownFigures slowdowns(runs);
  std::vector<std::size_t> counts;
  std::vector<Series> times;
  std::vector<std::vector<Series>> dots;
  for (const Run& run : runs) {
    const Flows flows = read_flows(run);
    slowdowns.take(flows);
    counts.push_back(flows.size.size());
    times.push_back(distribution(flows.fct));
    dots.push_back(starts_and_finishes(flows));
  }
  const std::size_t first = to.size();
  slowdowns.add(to);

  Figure fct = figure_of_times(runs, std::move(times), count_text(runs, counts));
  if (has_values(fct)) to.push_back(std::move(fct));

  Figure scatter = figure_of_starts(runs, std::move(dots));
  const auto at_once = [](const Series& s) { return std::set<double>(s.x.begin(), s.x.end()).size() < 2; };
  if (!std::all_of(scatter.series.begin(), scatter.series.end(), at_once)) to.push_back(std::move(scatter));
  for (std::size_t i = first; i < to.size(); ++i) to[i].of_flows = true;
}

}  // namespace weir::report
