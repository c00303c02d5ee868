// Figures of flows.csv: slowdown by size, completion times, start and finish.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "weir/report/figure_parts.h"
#include "weir/report/flows.h"

namespace weir::report {
namespace {

constexpr std::size_t kMaxScatter = 5'000;  // flows of a run of which every single one is shown
constexpr std::size_t kMaxTags = 6;         // with figures of their own
constexpr std::array<std::pair<const char*, unsigned>, 3> kPercentiles{{{"p50", 500}, {"p95", 950}, {"p99", 990}}};

const char* ordinal(unsigned thousandths) {
  return thousandths == 500 ? "median" : thousandths == 950 ? "95th percentile" : "99th percentile";
}

// The place of a percentile among n ascending values, as in summary.json (probe/statistics.h).
double percentile(const std::vector<double>& ascending, unsigned thousandths) {
  if (ascending.empty()) return kNothing;
  return ascending[std::min(ascending.size() * thousandths / 1000, ascending.size() - 1)];
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

// A series for each of kPercentiles, by size.
using BySize = std::array<Series, kPercentiles.size()>;

// One run's flows, reduced to what figures show.
struct FlowSeries {
  std::map<std::string, std::size_t> flows;  // how many of each tag, and "" of all
  BySize slowdown;                           // of all flows
  std::map<std::string, BySize> by_tag;      // empty ones if there are more than kMaxTags
  Series fct;
  std::vector<Series> scatter;  // empty if there are too many flows
};

std::size_t bucket_of(double size, const std::vector<double>& edges) {
  return static_cast<std::size_t>(std::lower_bound(edges.begin(), edges.end(), size) - edges.begin());
}

BySize percentiles_of(std::vector<std::vector<double>> buckets, const std::vector<double>& x) {
  BySize out;
  for (std::size_t b = 0; b < buckets.size(); ++b) {
    std::sort(buckets[b].begin(), buckets[b].end());
    for (std::size_t p = 0; p < kPercentiles.size(); ++p) {
      out[p].name = ordinal(kPercentiles[p].second);
      out[p].x.push_back(x[b]);
      out[p].y.push_back(percentile(buckets[b], kPercentiles[p].second));
    }
  }
  return out;
}

// Of the flows at these places, in buckets with these upper edges.
BySize slowdown_by_size(const Flows& flows, const std::vector<std::size_t>& chosen, const std::vector<double>& edges) {
  std::vector<std::vector<double>> buckets(edges.size() + 1);
  std::vector<double> x;
  for (const std::size_t i : chosen) buckets[bucket_of(flows.size[i], edges)].push_back(flows.slowdown[i]);
  for (std::size_t b = 0; b < buckets.size(); ++b) x.push_back(static_cast<double>(b));
  return percentiles_of(std::move(buckets), x);
}

// HPCC's way: so many groups of equally many of the flows, sorted by size (ties: by finish), each at its largest size.
BySize slowdown_by_count(const Flows& flows, std::vector<std::size_t> chosen, std::size_t count) {
  std::stable_sort(chosen.begin(), chosen.end(),
                   [&](std::size_t a, std::size_t b) { return flows.size[a] < flows.size[b]; });
  std::vector<std::vector<double>> groups;
  std::vector<double> x;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t end = (i + 1) * chosen.size() / count;
    std::vector<double> group;
    for (std::size_t at = i * chosen.size() / count; at < end; ++at) group.push_back(flows.slowdown[chosen[at]]);
    if (group.empty()) continue;
    groups.push_back(std::move(group));
    x.push_back(flows.size[chosen[end - 1]]);
  }
  return percentiles_of(std::move(groups), x);
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

// How flows are put together by size.
struct Grouping {
  std::vector<double> edges;  // upper ones of buckets, without the open one
  bool by_count = false;      // in place of buckets, in all runs
  std::size_t groups(const Run& run) const { return run.summary.at("slowdown").at("by_equal_count").size(); }

  BySize of(const Run& run, const Flows& flows, const std::vector<std::size_t>& chosen) const {
    return by_count ? slowdown_by_count(flows, chosen, groups(run)) : slowdown_by_size(flows, chosen, edges);
  }
};

FlowSeries reduce(const Run& run, const Grouping& grouping) {
  const Flows flows = read_flows(run);
  FlowSeries out;
  out.flows[""] = flows.size.size();
  std::vector<std::size_t> all(flows.size.size());
  std::vector<std::vector<std::size_t>> of_tag(flows.tags.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = i;
    of_tag[flows.tag[i]].push_back(i);
  }
  for (std::size_t t = 0; t < of_tag.size(); ++t) out.flows[flows.tags[t]] = of_tag[t].size();
  out.slowdown = grouping.of(run, flows, all);
  if (of_tag.size() <= kMaxTags)
    for (std::size_t t = 0; t < of_tag.size(); ++t) out.by_tag[flows.tags[t]] = grouping.of(run, flows, of_tag[t]);
  else
    for (const auto& tag : flows.tags) out.by_tag[tag] = {};
  if (flows.size.size() <= kMaxScatter) {
    const bool by_algorithm = flows.algorithms.size() > 1;
    const auto& kinds = by_algorithm ? flows.algorithms : flows.tags;
    out.scatter.resize(kinds.size());
    for (std::size_t k = 0; k < kinds.size(); ++k) out.scatter[k].name = kinds[k];
    for (std::size_t i = 0; i < flows.size.size(); ++i) {
      Series& s = out.scatter[by_algorithm ? flows.algorithm[i] : flows.tag[i]];
      s.x.push_back(flows.start[i]);
      s.y.push_back(flows.finish[i]);
    }
    std::sort(out.scatter.begin(), out.scatter.end(), [](const Series& a, const Series& b) { return a.name < b.name; });
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

std::vector<std::string> tags_of(const std::vector<FlowSeries>& flows) {
  std::set<std::string> out;
  for (const FlowSeries& run : flows)
    for (const auto& [tag, series] : run.by_tag) out.insert(tag);
  return {out.begin(), out.end()};
}

// Whether flows of several tags are told together in one point: then it says nothing of either.
bool tags_mix(const std::vector<FlowSeries>& flows, const Grouping& grouping) {
  for (const FlowSeries& run : flows) {
    if (grouping.by_count && run.by_tag.size() > 1) return true;
    std::vector<int> tags(grouping.edges.size() + 1);
    for (const auto& [tag, series] : run.by_tag)
      for (std::size_t b = 0; b < series[0].y.size(); ++b)
        if (!std::isnan(series[0].y[b]) && ++tags[b] > 1) return true;
  }
  return false;
}

// "n = 1234 flows", "n: 1234 flows of a, 1300 of b".
std::string count_text(std::span<const Run> runs, const std::vector<FlowSeries>& flows, const std::string& tag = "") {
  const auto count = [&](const FlowSeries& f) { return f.flows.contains(tag) ? f.flows.at(tag) : 0; };
  if (std::all_of(flows.begin(), flows.end(), [&](const FlowSeries& f) { return count(f) == count(flows[0]); }))
    return fmt::format("n = {} flows{}.", count(flows[0]), flows.size() > 1 ? " of each run" : "");
  std::vector<std::string> parts;
  for (std::size_t r = 0; r < runs.size(); ++r)
    parts.push_back(fmt::format("{}{} of {}", count(flows[r]), r == 0 ? " flows" : "", runs[r].name));
  return fmt::format("n: {}.", fmt::join(parts, ", "));
}

// Those of one tag, or of all ("").
struct Selection {
  std::string tag;
  std::string note;  // of the caption
  const BySize& of(const FlowSeries& run) const {
    static const BySize kNone{};
    if (tag.empty()) return run.slowdown;
    const auto found = run.by_tag.find(tag);
    return found == run.by_tag.end() ? kNone : found->second;
  }
};

std::vector<Selection> selections(const std::vector<FlowSeries>& flows, const Grouping& grouping) {
  const auto tags = tags_of(flows);
  if (tags.size() < 2) return {{}};
  if (tags.size() > kMaxTags) return {{"", fmt::format("Flows of all {} tags together.", tags.size())}};
  if (!tags_mix(flows, grouping)) return {{"", fmt::format("Flows of all tags: {}.", fmt::join(tags, ", "))}};
  std::vector<Selection> out;
  for (const auto& tag : tags) out.push_back({tag, fmt::format("Flows of {} alone.", tag)});
  return out;
}

Figure slowdown_figure(const Grouping& grouping, const Selection& selection) {
  Figure out;
  out.id = selection.tag.empty() ? "slowdown" : "slowdown-" + selection.tag;
  out.title =
      selection.tag.empty() ? "Slowdown by flow size" : fmt::format("Slowdown of {} by flow size", selection.tag);
  out.x = {"flow size", "B", grouping.by_count ? "log" : "category", {}};
  if (!grouping.by_count) out.x.categories = bucket_names(grouping.edges);
  out.y = {selection.tag.empty() ? "FCT slowdown" : "FCT slowdown of " + selection.tag, "1", "linear", {}};
  out.caption = grouping.by_count
                    ? "Groups of equally many flows, each drawn at its largest size."
                    : "Completion time over that of the flow alone in the network, of flows up to each size.";
  if (!selection.note.empty()) out.caption += " " + selection.note;
  return out;
}

void add_slowdown(std::span<const Run> runs, const std::vector<FlowSeries>& flows, const Grouping& grouping,
                  const Selection& selection, std::vector<Figure>& to) {
  const auto add = [&](Figure figure) {
    for (Series& s : figure.series)
      if (s.x.empty() && !grouping.by_count) {  // a run without such flows
        for (std::size_t b = 0; b <= grouping.edges.size(); ++b) s.x.push_back(static_cast<double>(b));
        s.y.assign(s.x.size(), kNothing);
      }
    if (!has_values(figure)) return;
    if (!grouping.by_count) trim(figure);
    figure.y.scale = scale_of(figure);
    figure.caption += " " + count_text(runs, flows, selection.tag);
    to.push_back(std::move(figure));
  };
  if (runs.size() == 1) {
    Figure figure = slowdown_figure(grouping, selection);
    const BySize& series = selection.of(flows[0]);
    figure.series.assign(series.begin(), series.end());
    add(std::move(figure));
    return;
  }
  for (std::size_t p = 0; p < kPercentiles.size(); ++p) {
    Figure figure = slowdown_figure(grouping, selection);
    figure.id += fmt::format("-{}", kPercentiles[p].first);
    figure.title += fmt::format(", {}", ordinal(kPercentiles[p].second));
    figure.y.label += fmt::format(", {}", ordinal(kPercentiles[p].second));
    for (std::size_t r = 0; r < runs.size(); ++r) {
      figure.series.push_back(selection.of(flows[r])[p]);
      figure.series.back().name = runs[r].name;
    }
    add(std::move(figure));
  }
}

}  // namespace

void add_flow_figures(std::span<const Run> runs, std::vector<Figure>& to) {
  Grouping grouping;
  grouping.edges = bucket_edges(runs[0]);
  grouping.by_count = std::all_of(runs.begin(), runs.end(),
                                  [](const Run& run) { return run.summary.at("slowdown").contains("by_equal_count"); });
  std::vector<FlowSeries> flows;
  for (const Run& run : runs) flows.push_back(reduce(run, grouping));
  for (const Selection& selection : selections(flows, grouping)) add_slowdown(runs, flows, grouping, selection, to);

  Figure fct;
  fct.id = "fct-cdf";
  fct.title = "Flow completion times";
  fct.kind = "steps";
  fct.x = {"flow completion time", "ps", "log", {}};
  fct.y = {"share of flows", "1", "linear", {}};
  fct.caption = "The share of finished flows that took no longer. " + count_text(runs, flows);
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

}  // namespace weir::report
