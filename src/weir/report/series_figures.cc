// Queues, rates, fairness and utilisation: distributions of samples, and rows over time.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "weir/figure/thin.h"
#include "weir/report/figure_parts.h"
#include "weir/report/read.h"

namespace weir::report {
namespace {

constexpr std::size_t kMaxPorts = 8;     // shown of one run
constexpr double kLeastShare = 0.01;     // of the first one's: below, a port is not shown
constexpr std::size_t kMaxStacked = 16;  // flows shown by themselves

// The first ports by the column's rank, and how many there are.
std::pair<std::vector<Series>, std::size_t> top_ports(const CsvTable& table, const PortColumn& column) {
  struct Port {
    double largest = 0;
    double sum = 0;
    double rows = 0;
    double from = 0;
    double to = 0;
    Series series;
  };
  std::map<double, Port> ports;
  table.each({"port", "from", "to", column.name}, [&](std::span<const double> v, std::span<const std::string>) {
    Port& port = ports[v[0]];
    port.from = v[1];
    port.to = v[2];
    port.largest = std::max(port.largest, v[3]);
    port.sum += v[3];
    ++port.rows;
  });
  const auto rank = [&](double number) {
    const Port& port = ports.at(number);
    return column.rank == PortColumn::Rank::mean ? port.sum / port.rows : port.largest;
  };
  std::vector<double> order;
  std::map<std::pair<double, double>, int> parallel;
  for (const auto& [number, port] : ports) {
    order.push_back(number);
    ++parallel[{port.from, port.to}];
  }
  std::stable_sort(order.begin(), order.end(), [&](double a, double b) { return rank(a) > rank(b); });
  order.resize(std::min(order.size(), kMaxPorts));
  while (order.size() > 1 && rank(order.back()) < kLeastShare * rank(order.front())) order.pop_back();
  const std::set<double> chosen(order.begin(), order.end());
  table.each({"port", "time_ps", column.name}, [&](std::span<const double> v, std::span<const std::string>) {
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
Series largest(const CsvTable& table, const std::string& column) {
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

// Sender and receiver of these flows, by flow_id; empty if the result has no flows.csv.
std::map<double, std::pair<double, double>> ends_of_flows(const Run& run, const std::set<double>& flows) {
  std::map<double, std::pair<double, double>> out;
  if (!run.has("flows.csv")) return out;
  const CsvTable table = run.table("flows.csv");
  table.each({"flow_id", "src", "dst"}, [&](std::span<const double> v, std::span<const std::string>) {
    if (flows.contains(v[0])) out[v[0]] = {v[1], v[2]};
  });
  return out;
}

// "flow 3: 0 → 8", of hosts; "flow 3" if its ends are not known.
std::string flow_name(double flow, const std::map<double, std::pair<double, double>>& ends) {
  const auto found = ends.find(flow);
  if (found == ends.end()) return fmt::format("flow {}", flow);
  return fmt::format("flow {}: {} → {}", flow, found->second.first, found->second.second);
}

}  // namespace

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
    figure.runs.push_back(run.name);
    std::vector<std::string> tiers;
    std::map<std::string, Series> by_tier;
    const CsvTable table = run.table("queue_cdf.csv");
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

void add_ports(std::span<const Run> runs, const PortColumn& column, Figure figure, std::vector<Figure>& to) {
  figure.x = {"time", "ps", "linear", {}};
  const std::string most =
      fmt::format("largest {}{}", column.rank == PortColumn::Rank::mean ? "mean " : "", column.what);
  for (const Run& run : runs) {
    if (!run.has(column.file)) continue;
    figure.runs.push_back(run.name);
    const CsvTable table = run.table(column.file);
    if (runs.size() == 1) {
      auto [series, ports] = top_ports(table, column);
      figure.series = std::move(series);
      if (ports > figure.series.size())
        figure.caption =
            figure.series.size() == 1
                ? fmt::format("The port {} has the {} of {}; the others have less than a hundredth of it.",
                              figure.series[0].name, most, ports)
                : fmt::format("The {} of {} ports with the {}, by node numbers.", figure.series.size(), ports, most);
      else
        figure.caption = "Ports by node numbers: from → to.";
    } else {
      figure.series.push_back(largest(table, column.name));
      figure.series.back().name = run.name;
      figure.caption = fmt::format("The largest {} of any port at each time.", column.what);
    }
  }
  thin(figure, kMaxPoints);
  if (has_values(figure)) to.push_back(std::move(figure));
}

// rates.csv

void add_rates(const Run& run, bool alone, std::vector<Figure>& to) {
  if (!run.has("rates.csv")) return;
  const CsvTable table = run.table("rates.csv");
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
  figure.runs = {run.name};
  figure.title = alone ? "Rates of flows" : "Rates of flows: " + run.name;
  figure.kind = "stack";
  figure.x = {"time", "ps", "linear", {}};
  figure.y = {"rate, stacked", "bit/s", "linear", {}};
  figure.caption = "Payload acknowledged, by flow: sender → receiver.";
  std::map<double, std::size_t> place;
  const auto ends = ends_of_flows(run, {order.begin(), order.end()});
  for (const double flow : order) {
    place[flow] = figure.series.size();
    figure.series.push_back({.name = flow_name(flow, ends)});
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
    figure.runs.push_back(run.name);
    Series s{.name = run.name};
    const CsvTable table = run.table("fairness.csv");
    table.each({"time_ps", "jain"}, [&](std::span<const double> v, std::span<const std::string>) {
      s.x.push_back(v[0]);
      s.y.push_back(v[1]);
    });
    figure.series.push_back(std::move(s));
  }
  thin(figure, kMaxPoints);
  if (has_values(figure)) to.push_back(std::move(figure));
}

}  // namespace weir::report
