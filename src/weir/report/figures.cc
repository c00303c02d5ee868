#include "weir/report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <vector>

#include "weir/report/figure_parts.h"
#include "weir/result/no_value.h"

namespace weir::report {
namespace {

// Collectives of summary.json.

void add_collectives(std::span<const Run> runs, std::vector<Figure>& to) {
  Figure figure;
  figure.id = "collectives";
  figure.title = "Completion of collectives";
  figure.kind = "bars";
  figure.x = {"collective", "1", "category", {}};
  figure.y = {"completion time", "ps", "linear", {}};
  figure.caption = "From the first message's start until every byte has been received.";
  std::map<std::string, double> bounds;
  auto& tags = figure.x.categories;
  for (const Run& run : runs) {
    if (!run.summary.contains("collectives")) continue;
    Series s{.name = runs.size() == 1 ? "measured" : run.name};
    for (const Json& collective : run.summary.at("collectives")) {
      const auto tag = collective.at("tag").get<std::string>();
      auto found = std::find(tags.begin(), tags.end(), tag);
      if (found == tags.end()) found = tags.insert(tags.end(), tag);
      const Json& taken = collective.at("completion_ps");
      s.x.push_back(static_cast<double>(found - tags.begin()));
      s.y.push_back(taken.is_number() ? taken.get<double>() : result::kNoValue);
      if (collective.at("bound_ps").is_number()) bounds.try_emplace(tag, collective.at("bound_ps").get<double>());
    }
    figure.series.push_back(std::move(s));
    figure.runs.push_back(run.name);
  }
  Series least{.name = "least possible"};
  for (std::size_t i = 0; i < tags.size(); ++i)
    if (const auto bound = bounds.find(tags[i]); bound != bounds.end()) {
      least.x.push_back(static_cast<double>(i));
      least.y.push_back(bound->second);
    }
  if (!least.x.empty()) figure.series.push_back(std::move(least));
  if (has_values(figure)) to.push_back(std::move(figure));
}

}  // namespace

Series distribution(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  Series out;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (i + 1 < values.size() && values[i + 1] == values[i]) continue;
    out.x.push_back(values[i]);
    out.y.push_back(static_cast<double>(i + 1) / static_cast<double>(values.size()));
  }
  return out;
}

std::vector<Figure> standard_figures(std::span<const Run> runs) {
  std::vector<Figure> out;
  if (runs.empty() || runs.size() > kMaxCompared) return out;
  // A sweep keeps of its runs what its measures read.
  if (std::all_of(runs.begin(), runs.end(), [](const Run& run) { return run.has("flows.csv"); }))
    add_flow_figures(runs, out);
  add_collectives(runs, out);
  add_queue_cdf(runs, out);
  Figure queues;
  queues.id = "queues";
  queues.title = "Queues over time";
  queues.y = {"queue", "B", "linear", {}};
  add_ports(runs, {"queues.csv", "queue_bytes", "queue", PortColumn::Rank::largest}, std::move(queues), out);
  for (const Run& run : runs) add_rates(run, runs.size() == 1, out);
  add_fairness(runs, out);
  Figure links;
  links.id = "utilisation";
  links.title = "Utilisation over time";
  links.y = {"utilisation", "1", "linear", {}};
  add_ports(runs, {"link_series.csv", "utilisation", "utilisation", PortColumn::Rank::mean}, std::move(links), out);
  // where only one of the runs has data
  for (Figure& figure : out)
    if (runs.size() > 1 && figure.series.size() == 1 && !figure.title.ends_with(figure.series[0].name))
      figure.title += ": " + figure.series[0].name;
  return out;
}

}  // namespace weir::report
