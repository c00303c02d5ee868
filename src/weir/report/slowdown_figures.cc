#include "weir/report/slowdown_figures.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "weir/report/figure_parts.h"
#include "weir/result/no_value.h"
#include "weir/result/percentile.h"
#include "weir/result/size_buckets.h"

namespace weir::report {
namespace {

constexpr std::size_t kMaxTags = 6;  // with figures of their own

struct Percentile {
  const char* id;
  const char* name;
  unsigned thousandths;
};
constexpr std::array<Percentile, 3> kShown{
    {{"p50", "median", 500}, {"p95", "95th percentile", 950}, {"p99", "99th percentile", 990}}};

std::size_t bucket_of(double size, const std::vector<double>& edges) {
  return static_cast<std::size_t>(std::lower_bound(edges.begin(), edges.end(), size) - edges.begin());
}

bool is_gap(double y) { return std::isnan(y); }

// Whether flows stand at a point, too few for its percentile.
bool lacks(const Series& s, std::size_t i) { return is_gap(s.y[i]) && i < s.count.size() && s.count[i] > 0; }

// Without the places at either end at which no series has a value.
void trim(Figure& figure) {
  const std::size_t n = figure.series[0].x.size();
  const auto used = [&](std::size_t at) {
    return std::any_of(figure.series.begin(), figure.series.end(), [&](const Series& s) { return !is_gap(s.y[at]); });
  };
  std::size_t end = n;
  while (end > 1 && !used(end - 1)) --end;
  std::size_t begin = 0;
  while (begin + 1 < end && !used(begin)) ++begin;
  for (Series& s : figure.series)
    for (auto* values : {&s.x, &s.y, &s.count})
      *values = {values->begin() + static_cast<std::ptrdiff_t>(begin),
                 values->begin() + static_cast<std::ptrdiff_t>(end)};
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

}  // namespace

std::string count_text(std::span<const Run> runs, const std::vector<std::size_t>& counts) {
  if (std::all_of(counts.begin(), counts.end(), [&](std::size_t n) { return n == counts[0]; }))
    return fmt::format("n = {} flows{}.", counts[0], counts.size() > 1 ? " of each run" : "");
  std::vector<std::string> parts;
  for (std::size_t r = 0; r < runs.size(); ++r)
    parts.push_back(fmt::format("{}{} of {}", counts[r], r == 0 ? " flows" : "", runs[r].name));
  return fmt::format("n: {}.", fmt::join(parts, ", "));
}

SlowdownFigures::SlowdownFigures(std::span<const Run> runs) : runs_(runs) {
  static_assert(kShown.size() == kPercentiles);
  const Json& slowdown = runs[0].summary.at("slowdown");
  if (slowdown.contains("by_size"))
    for (const Json& bucket : slowdown.at("by_size"))
      if (bucket.at("up_to_bytes").is_number()) edges_.push_back(bucket.at("up_to_bytes").get<double>());
  in_groups_ = std::all_of(runs.begin(), runs.end(),
                           [](const Run& run) { return run.summary.at("slowdown").contains("by_equal_count"); });
}

SlowdownFigures::BySize SlowdownFigures::percentiles(std::vector<std::vector<double>> groups,
                                                     const std::vector<double>& x) const {
  BySize out;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    auto& values = groups[g];
    std::sort(values.begin(), values.end());
    for (std::size_t p = 0; p < kShown.size(); ++p) {
      const unsigned wanted = kShown[p].thousandths;
      const bool told = !values.empty() && !result::is_the_largest(values.size(), wanted);
      out[p].name = kShown[p].name;
      out[p].x.push_back(x[g]);
      out[p].y.push_back(told ? values[result::percentile_place(values.size(), wanted)] : result::kNoValue);
      out[p].count.push_back(static_cast<double>(values.size()));
    }
  }
  return out;
}

// Of the flows at these places.
SlowdownFigures::BySize SlowdownFigures::by_size(const Flows& flows, const std::vector<std::size_t>& chosen) const {
  std::vector<std::vector<double>> buckets(edges_.size() + 1);
  std::vector<double> x;
  for (const std::size_t i : chosen) buckets[bucket_of(flows.size[i], edges_)].push_back(flows.slowdown[i]);
  for (std::size_t b = 0; b < buckets.size(); ++b) x.push_back(edges_.empty() ? 0 : result::bucket_place(edges_, b));
  return percentiles(std::move(buckets), x);
}

// HPCC's way: so many groups of equally many of the flows, sorted by size (ties: by finish), each at its largest size.
SlowdownFigures::BySize SlowdownFigures::by_count(const Flows& flows, std::vector<std::size_t> chosen,
                                                  std::size_t count) const {
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
  return percentiles(std::move(groups), x);
}

void SlowdownFigures::take(const Flows& flows) {
  const Run& run = runs_[taken_.size()];
  OfRun& out = taken_.emplace_back();
  out.flows[""] = flows.size.size();
  std::vector<std::size_t> all(flows.size.size());
  std::vector<std::vector<std::size_t>> of_tag(flows.tags.size());
  for (std::size_t i = 0; i < all.size(); ++i) {
    all[i] = i;
    of_tag[flows.tag[i]].push_back(i);
  }
  const auto series = [&](const std::vector<std::size_t>& chosen) {
    return in_groups_ ? by_count(flows, chosen, run.summary.at("slowdown").at("by_equal_count").size())
                      : by_size(flows, chosen);
  };
  out.all = series(all);
  for (std::size_t t = 0; t < of_tag.size(); ++t) {
    out.flows[flows.tags[t]] = of_tag[t].size();
    out.by_tag[flows.tags[t]] = of_tag.size() <= kMaxTags ? series(of_tag[t]) : BySize{};
  }
}

std::vector<std::string> SlowdownFigures::tags() const {
  std::set<std::string> out;
  for (const OfRun& run : taken_)
    for (const auto& [tag, series] : run.by_tag) out.insert(tag);
  return {out.begin(), out.end()};
}

// Whether flows of several tags are told together in one point: then it says nothing of either.
bool SlowdownFigures::tags_mix() const {
  for (const OfRun& run : taken_) {
    if (in_groups_ && run.by_tag.size() > 1) return true;
    std::vector<int> tags(edges_.size() + 1);
    for (const auto& [tag, series] : run.by_tag)
      for (std::size_t b = 0; b < series[0].count.size(); ++b)
        if (series[0].count[b] > 0 && ++tags[b] > 1) return true;
  }
  return false;
}

std::vector<SlowdownFigures::Selection> SlowdownFigures::selections() const {
  const auto all = tags();
  if (all.size() < 2) return {{}};
  if (all.size() > kMaxTags) return {{"", fmt::format("Flows of all {} tags together.", all.size())}};
  if (!tags_mix()) return {{"", fmt::format("Flows of all tags: {}.", fmt::join(all, ", "))}};
  std::vector<Selection> out;
  for (const auto& tag : all) out.push_back({tag, fmt::format("Flows of {} alone.", tag)});
  return out;
}

const SlowdownFigures::BySize& SlowdownFigures::of(const OfRun& run, const Selection& selection) const {
  static const BySize kNone{};
  if (selection.tag.empty()) return run.all;
  const auto found = run.by_tag.find(selection.tag);
  return found == run.by_tag.end() ? kNone : found->second;
}

std::vector<std::size_t> SlowdownFigures::counts(const Selection& selection) const {
  std::vector<std::size_t> out;
  for (const OfRun& run : taken_) out.push_back(run.flows.contains(selection.tag) ? run.flows.at(selection.tag) : 0);
  return out;
}

Figure SlowdownFigures::blank(const Selection& selection) const {
  Figure out;
  const std::string& tag = selection.tag;
  out.id = tag.empty() ? "slowdown" : "slowdown-" + tag;
  out.title = tag.empty() ? "Slowdown by flow size" : fmt::format("Slowdown of {} by flow size", tag);
  out.x = {in_groups_ ? "flow size" : result::kBucketAxis, "B", "log", {}};
  out.y = {tag.empty() ? "FCT slowdown" : "FCT slowdown of " + tag, "1", "linear", {}};
  out.caption = in_groups_ ? "Groups of equally many flows, each drawn at its largest size."
                           : "Completion time over that of the flow alone in the network, of flows up to each size.";
  if (!selection.note.empty()) out.caption += " " + selection.note;
  return out;
}

// What all of them have at their end. `missing` names the percentiles that are not drawn at all.
void SlowdownFigures::finish(Figure& figure, const Selection& selection, const std::string& missing) const {
  for (const Run& run : runs_) figure.runs.push_back(run.name);
  bool gaps = false;
  for (const Series& s : figure.series)
    for (std::size_t i = 0; i < s.y.size(); ++i) gaps = gaps || lacks(s, i);
  if (!in_groups_) {
    trim(figure);
    const std::vector<double> x = figure.series[0].x;
    const bool open = !edges_.empty() && x.back() > edges_.back();
    if (x.size() == 1) {
      // a single bucket has no course: its percentiles, or runs, are bars
      figure.kind = "bars";
      figure.x.scale = "category";
      figure.x.categories = {edges_.empty() ? "all"
                             : open         ? result::open_bucket_text(edges_.back())
                                            : "≤ " + result::size_text(x[0])};
      figure.x.label = "flow size";
      for (Series& s : figure.series) s.x = {0};
    } else if (open) {
      figure.x.named.push_back({x.back(), result::open_bucket_text(edges_.back())});
    }
  }
  figure.y.scale = scale_of(figure);
  figure.caption += " " + count_text(runs_, counts(selection));
  if (gaps) figure.caption += " A percentile that would be the largest of so few flows is left away.";
  if (!missing.empty()) figure.caption += fmt::format(" There are too few flows of each size for the {}.", missing);
}

void SlowdownFigures::add(const Selection& selection, std::vector<Figure>& to) const {
  // Percentile by percentile, a series for each run.
  std::vector<Figure> by_percentile;
  std::vector<std::string> missing;
  for (std::size_t p = 0; p < kShown.size(); ++p) {
    Figure figure = blank(selection);
    figure.id += fmt::format("-{}", kShown[p].id);
    figure.title += fmt::format(", {}", kShown[p].name);
    figure.y.label += fmt::format(", {}", kShown[p].name);
    for (std::size_t r = 0; r < runs_.size(); ++r) {
      figure.series.push_back(of(taken_[r], selection)[p]);
      Series& s = figure.series.back();
      s.name = runs_[r].name;
      if (!s.x.empty() || in_groups_) continue;
      for (std::size_t b = 0; b <= edges_.size(); ++b)  // a run without such flows
        s.x.push_back(edges_.empty() ? 0 : result::bucket_place(edges_, b));
      s.y.assign(s.x.size(), result::kNoValue);
      s.count.assign(s.x.size(), 0);
    }
    if (has_values(figure))
      by_percentile.push_back(std::move(figure));
    else
      missing.emplace_back(kShown[p].name);
  }
  if (by_percentile.empty()) return;
  const std::string lacking = fmt::format("{}", fmt::join(missing, " and "));
  if (runs_.size() > 1) {
    for (Figure& figure : by_percentile) {
      finish(figure, selection, &figure == &by_percentile.front() ? lacking : "");
      to.push_back(std::move(figure));
    }
    return;
  }
  // Of one run the percentiles are series.
  Figure figure = blank(selection);
  for (const Series& s : of(taken_[0], selection))
    if (std::find(missing.begin(), missing.end(), s.name) == missing.end()) figure.series.push_back(s);
  // a single one has no legend
  if (figure.series.size() == 1) {
    figure.title += ", " + figure.series[0].name;
    figure.y.label += ", " + figure.series[0].name;
  }
  finish(figure, selection, lacking);
  to.push_back(std::move(figure));
}

void SlowdownFigures::add(std::vector<Figure>& to) const {
  for (const Selection& selection : selections()) add(selection, to);
}

}  // namespace weir::report
