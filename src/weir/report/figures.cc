#include "weir/report/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "weir/report/read.h"

namespace weir::report {
namespace {

constexpr std::size_t kMaxPorts = 8;          // shown of one run
constexpr double kLeastPeak = 0.01;           // of the largest: below, a port is not shown
constexpr std::size_t kMaxStacked = 16;       // flows shown by themselves
constexpr std::size_t kMaxScatter = 5'000;    // flows of a run of which every single one is shown
constexpr std::size_t kMaxQuantiles = 4'000;  // points of a distribution
constexpr std::array<std::pair<const char*, unsigned>, 3> kPercentiles{{{"p50", 500}, {"p95", 950}, {"p99", 990}}};

const char* ordinal(unsigned thousandths) {
  return thousandths == 500 ? "median" : thousandths == 950 ? "95th percentile" : "99th percentile";
}

// The place of a percentile among n ascending values, as in summary.json (probe/statistics.h).
double percentile(const std::vector<double>& ascending, unsigned thousandths) {
  if (ascending.empty()) return kNothing;
  return ascending[std::min(ascending.size() * thousandths / 1000, ascending.size() - 1)];
}

// flows.csv

struct Flows {
  std::vector<double> size;
  std::vector<double> start;
  std::vector<double> finish;  // finished flows only, as the other two
  std::vector<double> fct;
  std::vector<double> slowdown;
  std::vector<std::uint32_t> kind;  // index into kinds
  std::vector<std::string> kinds;   // algorithms, or tags if all have the same algorithm
};

Flows read_flows(const Run& run) {
  Flows out;
  std::map<std::string, std::uint32_t> algorithms;
  std::map<std::string, std::uint32_t> tags;
  std::vector<std::uint32_t> algorithm_of;
  std::vector<std::uint32_t> tag_of;
  const auto index = [](std::map<std::string, std::uint32_t>& of, const std::string& name) {
    return of.emplace(name, static_cast<std::uint32_t>(of.size())).first->second;
  };
  const Table table = run.table("flows.csv");
  table.each({"size_bytes", "start_ps", "finish_ps", "fct_ps", "slowdown", "text:algorithm", "text:tag"},
             [&](std::span<const double> v, std::span<const std::string> t) {
               if (std::isnan(v[2])) return;
               out.size.push_back(v[0]);
               out.start.push_back(v[1]);
               out.finish.push_back(v[2]);
               out.fct.push_back(v[3]);
               out.slowdown.push_back(v[4]);
               algorithm_of.push_back(index(algorithms, t[5]));
               tag_of.push_back(index(tags, t[6]));
             });
  const auto& names = algorithms.size() > 1 ? algorithms : tags;
  out.kind = std::move(algorithms.size() > 1 ? algorithm_of : tag_of);
  out.kinds.resize(names.size());
  for (const auto& [name, i] : names) out.kinds[i] = name;
  return out;
}

// The upper edges of the size buckets of a run's summary, without the open one.
std::vector<double> bucket_edges(const Run& run) {
  std::vector<double> out;
  const Json& slowdown = run.summary.at("slowdown");
  if (!slowdown.contains("by_size")) return out;
  for (const Json& bucket : slowdown.at("by_size"))
    if (bucket.at("up_to_bytes").is_number()) out.push_back(bucket.at("up_to_bytes").get<double>());
  return out;
}

// "1–10 KB", "100 KB – 1 MB".
std::string range_text(double above, double up_to) {
  const std::string low = size_text(above);
  const std::string high = size_text(up_to);
  const auto unit = low.find(' ');
  if (low.substr(unit) == high.substr(high.find(' '))) return fmt::format("{}–{}", low.substr(0, unit), high);
  return fmt::format("{} – {}", low, high);
}

std::vector<std::string> bucket_names(const std::vector<double>& edges) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i <= edges.size(); ++i) {
    if (edges.empty())
      out.emplace_back("all");
    else if (i == 0)
      out.push_back("≤ " + size_text(edges[0]));
    else if (i == edges.size())
      out.push_back("> " + size_text(edges.back()));
    else
      out.push_back(range_text(edges[i - 1], edges[i]));
  }
  return out;
}

// One run's flows, reduced to what figures show.
struct FlowSeries {
  std::array<Series, kPercentiles.size()> slowdown;
  Series fct;
  std::vector<Series> scatter;  // empty if there are too many flows
};

std::array<Series, kPercentiles.size()> slowdown_by_size(const Flows& flows, const std::vector<double>& edges) {
  std::vector<std::vector<double>> buckets(edges.size() + 1);
  for (std::size_t i = 0; i < flows.size.size(); ++i)
    buckets[static_cast<std::size_t>(std::lower_bound(edges.begin(), edges.end(), flows.size[i]) - edges.begin())]
        .push_back(flows.slowdown[i]);
  std::array<Series, kPercentiles.size()> out;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    std::sort(buckets[b].begin(), buckets[b].end());
    for (std::size_t p = 0; p < kPercentiles.size(); ++p) {
      out[p].name = ordinal(kPercentiles[p].second);
      out[p].x.push_back(static_cast<double>(b));
      out[p].y.push_back(percentile(buckets[b], kPercentiles[p].second));
    }
  }
  return out;
}

// HPCC's way: groups of equally many flows, each at its largest size.
std::array<Series, kPercentiles.size()> slowdown_by_count(const Run& run) {
  std::array<Series, kPercentiles.size()> out;
  for (const Json& bucket : run.summary.at("slowdown").at("by_equal_count"))
    for (std::size_t p = 0; p < kPercentiles.size(); ++p) {
      const Json& value = bucket.at(kPercentiles[p].first);
      out[p].name = ordinal(kPercentiles[p].second);
      out[p].x.push_back(bucket.at("up_to_bytes").get<double>());
      out[p].y.push_back(value.is_number() ? value.get<double>() : kNothing);
    }
  return out;
}

// The share of values up to each, with a step per distinct value.
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

FlowSeries reduce(const Run& run, const std::vector<double>& edges, bool by_count) {
  const Flows flows = read_flows(run);
  FlowSeries out;
  out.slowdown = by_count ? slowdown_by_count(run) : slowdown_by_size(flows, edges);
  if (flows.size.size() <= kMaxScatter) {
    out.scatter.resize(flows.kinds.size());
    for (std::size_t k = 0; k < flows.kinds.size(); ++k) out.scatter[k].name = flows.kinds[k];
    for (std::size_t i = 0; i < flows.size.size(); ++i) {
      out.scatter[flows.kind[i]].x.push_back(flows.start[i]);
      out.scatter[flows.kind[i]].y.push_back(flows.finish[i]);
    }
  }
  out.fct = distribution(flows.fct);
  return out;
}

// Without the categories at either end of which no series has a value.
void trim(Figure& figure) {
  const auto used = [&](std::size_t at) {
    return std::any_of(figure.series.begin(), figure.series.end(),
                       [&](const Series& s) { return !std::isnan(s.y[at]); });
  };
  std::size_t end = figure.x.categories.size();
  while (end > 1 && !used(end - 1)) --end;
  std::size_t begin = 0;
  while (begin + 1 < end && !used(begin)) ++begin;
  auto& names = figure.x.categories;
  names = {names.begin() + static_cast<std::ptrdiff_t>(begin), names.begin() + static_cast<std::ptrdiff_t>(end)};
  for (Series& s : figure.series) {
    s.y = {s.y.begin() + static_cast<std::ptrdiff_t>(begin), s.y.begin() + static_cast<std::ptrdiff_t>(end)};
    s.x.resize(names.size());
  }
  if (names.size() == 1) figure.kind = "bars";
}

bool has_values(const Figure& figure) {
  for (const Series& s : figure.series)
    for (const double y : s.y)
      if (!std::isnan(y)) return true;
  return false;
}

// A logarithmic axis for values more than 50 times apart.
std::string scale_of(const Figure& figure) {
  double low = std::numeric_limits<double>::infinity();
  double high = 0;
  for (const Series& s : figure.series)
    for (const double y : s.y)
      if (y > 0) {
        low = std::min(low, y);
        high = std::max(high, y);
      }
  return high > 50 * low ? "log" : "linear";
}

Figure slowdown_figure(const std::vector<double>& edges, bool by_count) {
  Figure out;
  out.id = "slowdown";
  out.title = "Slowdown by flow size";
  out.x = {"flow size", "B", by_count ? "log" : "category", {}};
  if (!by_count) out.x.categories = bucket_names(edges);
  out.y = {"FCT slowdown", "1", "linear", {}};
  out.caption = "Completion time over that of the flow alone in the network, of flows up to each size.";
  if (by_count) out.caption = "Groups of equally many flows, each drawn at its largest size.";
  return out;
}

void add_slowdown(std::span<const Run> runs, const std::vector<FlowSeries>& flows, const std::vector<double>& edges,
                  bool by_count, std::vector<Figure>& to) {
  const auto add = [&](Figure figure) {
    if (!has_values(figure)) return;
    if (!by_count) trim(figure);
    figure.y.scale = scale_of(figure);
    to.push_back(std::move(figure));
  };
  if (runs.size() == 1) {
    Figure figure = slowdown_figure(edges, by_count);
    figure.series.assign(flows[0].slowdown.begin(), flows[0].slowdown.end());
    add(std::move(figure));
    return;
  }
  for (std::size_t p = 0; p < kPercentiles.size(); ++p) {
    Figure figure = slowdown_figure(edges, by_count);
    figure.id += fmt::format("-{}", kPercentiles[p].first);
    figure.title += fmt::format(", {}", ordinal(kPercentiles[p].second));
    figure.y.label += fmt::format(", {}", ordinal(kPercentiles[p].second));
    for (std::size_t r = 0; r < runs.size(); ++r) {
      figure.series.push_back(flows[r].slowdown[p]);
      figure.series.back().name = runs[r].name;
    }
    add(std::move(figure));
  }
}

void add_flow_figures(std::span<const Run> runs, std::vector<Figure>& to) {
  const auto edges = bucket_edges(runs[0]);
  const bool by_count = std::all_of(
      runs.begin(), runs.end(), [](const Run& run) { return run.summary.at("slowdown").contains("by_equal_count"); });
  std::vector<FlowSeries> flows;
  for (const Run& run : runs) flows.push_back(reduce(run, edges, by_count));
  add_slowdown(runs, flows, edges, by_count, to);

  Figure fct;
  fct.id = "fct-cdf";
  fct.title = "Flow completion times";
  fct.kind = "steps";
  fct.x = {"flow completion time", "ps", "log", {}};
  fct.y = {"share of flows", "1", "linear", {}};
  fct.caption = "The share of finished flows that took no longer.";
  for (std::size_t r = 0; r < runs.size(); ++r) {
    fct.series.push_back(std::move(flows[r].fct));
    fct.series.back().name = runs[r].name;
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
  if (has_values(fct)) to.push_back(std::move(fct));

  Figure scatter;
  scatter.id = "start-finish";
  scatter.title = "Start and finish of each flow";
  scatter.kind = "scatter";
  scatter.x = {"start", "ps", "linear", {}};
  scatter.y = {"finish", "ps", "linear", {}};
  for (std::size_t r = 0; r < runs.size(); ++r) {
    if (runs.size() == 1) {
      scatter.series = std::move(flows[r].scatter);
    } else if (!flows[r].scatter.empty()) {
      Series all{.name = runs[r].name};
      for (const Series& s : flows[r].scatter) {
        all.x.insert(all.x.end(), s.x.begin(), s.x.end());
        all.y.insert(all.y.end(), s.y.begin(), s.y.end());
      }
      scatter.series.push_back(std::move(all));
    }
  }
  const auto at_once = [](const Series& s) { return std::set<double>(s.x.begin(), s.x.end()).size() < 2; };
  if (!std::all_of(scatter.series.begin(), scatter.series.end(), at_once)) to.push_back(std::move(scatter));
}

// queue_cdf.csv

void add_queue_cdf(std::span<const Run> runs, std::vector<Figure>& to) {
  Figure figure;
  figure.id = "queue-cdf";
  figure.title = "Queue lengths";
  figure.kind = "steps";
  figure.x = {"queue", "B", "linear", {}};
  figure.y = {"share of samples", "1", "linear", {}};
  figure.caption = "The share of samples, over time and switch ports, with no longer queue.";
  for (const Run& run : runs) {
    if (!run.has("queue_cdf.csv")) continue;
    std::vector<std::string> tiers;
    std::map<std::string, Series> by_tier;
    const Table table = run.table("queue_cdf.csv");
    table.each({"text:tier", "queue_bytes", "cumulative"},
               [&](std::span<const double> v, std::span<const std::string> t) {
                 const auto [at, is_new] = by_tier.try_emplace(t[0]);
                 if (is_new) tiers.push_back(t[0]);
                 at->second.x.push_back(v[1]);
                 at->second.y.push_back(v[2]);
               });
    // a tier whose directions are there as well is drawn by them
    const auto is_split = [&](const std::string& tier) {
      return std::any_of(tiers.begin(), tiers.end(), [&](const auto& other) {
        return (tier == "all" && other != tier) || other.starts_with(tier + " ");
      });
    };
    for (const auto& tier : tiers) {
      // what runs are compared by is "all"
      if (runs.size() == 1 ? is_split(tier) : tier != "all") continue;
      figure.series.push_back(std::move(by_tier.at(tier)));
      figure.series.back().name = runs.size() == 1 ? tier : run.name;
    }
  }
  thin(figure, kMaxQuantiles);
  if (has_values(figure)) to.push_back(std::move(figure));
}

// Files with a row per time and port.

// The ports with the largest `column`, and how many there are.
std::pair<std::vector<Series>, std::size_t> top_ports(const Table& table, const std::string& column) {
  struct Port {
    double peak = 0;
    double from = 0;
    double to = 0;
    Series series;
  };
  std::map<double, Port> ports;
  table.each({"port", "from", "to", column}, [&](std::span<const double> v, std::span<const std::string>) {
    Port& port = ports[v[0]];
    port.from = v[1];
    port.to = v[2];
    port.peak = std::max(port.peak, v[3]);
  });
  std::vector<double> order;
  std::map<std::pair<double, double>, int> parallel;
  for (const auto& [number, port] : ports) {
    order.push_back(number);
    ++parallel[{port.from, port.to}];
  }
  std::stable_sort(order.begin(), order.end(), [&](double a, double b) { return ports.at(a).peak > ports.at(b).peak; });
  order.resize(std::min(order.size(), kMaxPorts));
  while (order.size() > 1 && ports.at(order.back()).peak < kLeastPeak * ports.at(order.front()).peak) order.pop_back();
  const std::set<double> chosen(order.begin(), order.end());
  table.each({"port", "time_ps", column}, [&](std::span<const double> v, std::span<const std::string>) {
    if (!chosen.contains(v[0])) return;
    Series& s = ports.at(v[0]).series;
    s.x.push_back(v[1]);
    s.y.push_back(v[2]);
  });
  std::vector<Series> out;
  for (const double number : order) {
    Port& port = ports.at(number);
    port.series.name = fmt::format("{} → {}", port.from, port.to);
    if (parallel.at({port.from, port.to}) > 1) port.series.name += fmt::format(" (port {})", number);
    out.push_back(std::move(port.series));
  }
  return {std::move(out), ports.size()};
}

// The largest value of any port at each time.
Series largest(const Table& table, const std::string& column) {
  Series out;
  table.each({"time_ps", column}, [&](std::span<const double> v, std::span<const std::string>) {
    if (out.x.empty() || out.x.back() != v[0]) {
      out.x.push_back(v[0]);
      out.y.push_back(v[1]);
    } else {
      out.y.back() = std::max(out.y.back(), v[1]);
    }
  });
  return out;
}

void add_ports(std::span<const Run> runs, const std::string& file, const std::string& column, Figure figure,
               const std::string& what, std::vector<Figure>& to) {
  figure.x = {"time", "ps", "linear", {}};
  for (const Run& run : runs) {
    if (!run.has(file)) continue;
    const Table table = run.table(file);
    if (runs.size() == 1) {
      auto [series, ports] = top_ports(table, column);
      figure.series = std::move(series);
      if (ports > figure.series.size())
        figure.caption =
            figure.series.size() == 1
                ? fmt::format("The port {} has the largest {} of {}; the others have less than a hundredth of it.",
                              figure.series[0].name, what, ports)
                : fmt::format("The {} of {} ports with the largest {}, by node numbers.", figure.series.size(), ports,
                              what);
      else
        figure.caption = "Ports by node numbers: from → to.";
    } else {
      figure.series.push_back(largest(table, column));
      figure.series.back().name = run.name;
      figure.caption = fmt::format("The largest {} of any port at each time.", what);
    }
  }
  thin(figure, kMaxPoints);
  if (has_values(figure)) to.push_back(std::move(figure));
}

// rates.csv

void add_rates(const Run& run, bool alone, std::vector<Figure>& to) {
  if (!run.has("rates.csv")) return;
  const Table table = run.table("rates.csv");
  std::map<double, double> total;  // by flow
  std::vector<double> times;
  table.each({"time_ps", "flow_id", "rate_bps"}, [&](std::span<const double> v, std::span<const std::string>) {
    if (times.empty() || times.back() != v[0]) times.push_back(v[0]);
    total[v[1]] += v[2];
  });
  if (times.empty()) return;
  std::vector<double> order;
  for (const auto& [flow, sum] : total) order.push_back(flow);
  const bool others = order.size() > kMaxStacked;
  if (others) {
    std::stable_sort(order.begin(), order.end(), [&](double a, double b) { return total.at(a) > total.at(b); });
    order.resize(kMaxStacked - 1);
    std::sort(order.begin(), order.end());
  }
  Figure figure;
  figure.id = alone ? "rates" : "rates-" + run.name;
  figure.title = alone ? "Rates of flows" : "Rates of flows: " + run.name;
  figure.kind = "stack";
  figure.x = {"time", "ps", "linear", {}};
  figure.y = {"rate, stacked", "bit/s", "linear", {}};
  figure.caption = "Payload acknowledged, by flow.";
  std::map<double, std::size_t> place;
  for (const double flow : order) {
    place[flow] = figure.series.size();
    figure.series.push_back({.name = fmt::format("flow {}", flow)});
  }
  if (others) figure.series.push_back({.name = fmt::format("{} other flows", total.size() - order.size())});
  for (Series& s : figure.series) {
    s.x = times;
    s.y.assign(times.size(), 0.0);
  }
  std::size_t at = 0;
  table.each({"time_ps", "flow_id", "rate_bps"}, [&](std::span<const double> v, std::span<const std::string>) {
    while (times[at] != v[0]) ++at;
    const auto found = place.find(v[1]);
    figure.series[found == place.end() ? figure.series.size() - 1 : found->second].y[at] += v[2];
  });
  thin(figure, kMaxStackPoints);
  // rates are told at the end of their interval
  const double begin = times.size() < 2 ? 0 : std::max(0.0, 2 * times[0] - times[1]);
  for (Series& s : figure.series) {
    s.x.insert(s.x.begin(), begin);
    s.y.insert(s.y.begin(), s.y.front());
  }
  if (!others && order.size() == 1) figure.kind = "lines";
  to.push_back(std::move(figure));
}

// fairness.csv

void add_fairness(std::span<const Run> runs, std::vector<Figure>& to) {
  Figure figure;
  figure.id = "fairness";
  figure.title = "Fairness over time";
  figure.x = {"time", "ps", "linear", {}};
  figure.y = {"Jain's index", "1", "linear", {}};
  figure.caption = "Of the rates of flows active during each whole interval; 1 = all alike.";
  for (const Run& run : runs) {
    if (!run.has("fairness.csv")) continue;
    Series s{.name = run.name};
    const Table table = run.table("fairness.csv");
    table.each({"time_ps", "jain"}, [&](std::span<const double> v, std::span<const std::string>) {
      s.x.push_back(v[0]);
      s.y.push_back(v[1]);
    });
    figure.series.push_back(std::move(s));
  }
  thin(figure, kMaxPoints);
  if (has_values(figure)) to.push_back(std::move(figure));
}

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
      s.y.push_back(taken.is_number() ? taken.get<double>() : kNothing);
      if (collective.at("bound_ps").is_number()) bounds.try_emplace(tag, collective.at("bound_ps").get<double>());
    }
    figure.series.push_back(std::move(s));
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

std::string size_text(double bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "KB", "MB", "GB", "TB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < kUnits.size()) {
    bytes /= 1000;
    ++unit;
  }
  return fmt::format("{:.4g} {}", bytes, kUnits[unit]);
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
  add_ports(runs, "queues.csv", "queue_bytes", std::move(queues), "queue", out);
  for (const Run& run : runs) add_rates(run, runs.size() == 1, out);
  add_fairness(runs, out);
  Figure links;
  links.id = "utilisation";
  links.title = "Utilisation over time";
  links.y = {"utilisation", "1", "linear", {}};
  add_ports(runs, "link_series.csv", "utilisation", std::move(links), "utilisation", out);
  // where only one of the runs has data
  for (Figure& figure : out)
    if (runs.size() > 1 && figure.series.size() == 1 && !figure.title.ends_with(figure.series[0].name))
      figure.title += ": " + figure.series[0].name;
  return out;
}

}  // namespace weir::report
