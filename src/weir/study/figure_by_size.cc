// Slowdown of flows by their size: of all flows as summary.json has it, or of those that pass the figure's filters.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "weir/result/percentile.h"
#include "weir/result/size_buckets.h"
#include "weir/study/figure_source.h"
#include "weir/study/figure_texts.h"

namespace weir::study {
namespace {

using Json = nlohmann::ordered_json;

struct Bucket {
  double above = 0;             // bytes
  std::optional<double> up_to;  // nothing = there is no limit
  std::optional<double> value;  // nothing = no flows
  std::size_t count = 0;        // flows
};

const Json& buckets_of(const Json& summary, const FigureSource& source, const std::string& list,
                       const std::string& dir) {
  const Json& slowdown = summary.at("slowdown");
  if (!slowdown.contains(list))
    throw InputError(source.spec.where,
                     fmt::format("figure '{}': {}/summary.json has no {}; set probes.flows.equal_count_buckets",
                                 source.spec.params.id, dir, list));
  return slowdown.at(list);
}

// Its values are those of the statistic, of all flows.
std::vector<Bucket> of_summary(const Json& list, const std::string& statistic) {
  std::vector<Bucket> out;
  for (const Json& bucket : list) {
    const Json& up_to = bucket.at("up_to_bytes");
    const Json& value = bucket.at(statistic);
    out.push_back(
        {bucket.at("above_bytes").get<double>(), up_to.is_null() ? std::nullopt : std::optional(up_to.get<double>()),
         value.is_null() ? std::nullopt : std::optional(value.get<double>()), bucket.at("count").get<std::size_t>()});
  }
  return out;
}

// Size and slowdown of finished flows, in order of finish.
using Flows = std::vector<std::pair<double, double>>;

Flows flows_of(const RunFiles& files, const FlowFilter& filter) {
  Flows out;
  for_each_flow(files, filter, "slowdown", [&](const FlowRow& row) {
    if (!std::isnan(row.value)) out.emplace_back(row.size, row.value);
  });
  return out;
}

std::optional<double> value_of(std::vector<Counted> values, const Statistic& statistic) {
  if (values.empty()) return std::nullopt;
  return statistic_of(values, statistic);
}

// The same buckets with the statistic of these flows alone.
std::vector<Bucket> by_edges(std::vector<Bucket> buckets, const Flows& flows, const Statistic& statistic) {
  for (Bucket& bucket : buckets) {
    std::vector<Counted> values;
    for (const auto& [size, slowdown] : flows)
      if (size > bucket.above && (!bucket.up_to || size <= *bucket.up_to)) values.push_back({slowdown});
    bucket.count = values.size();
    bucket.value = value_of(std::move(values), statistic);
  }
  return buckets;
}

// So many groups of equally many of these flows, by the rule of summary.json: sorted by size, ties by finish.
std::vector<Bucket> by_count(std::size_t count, Flows flows, const Statistic& statistic) {
  std::stable_sort(flows.begin(), flows.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Bucket> out;
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t end = (i + 1) * flows.size() / count;
    std::vector<Counted> values;
    for (std::size_t at = i * flows.size() / count; at < end; ++at) values.push_back({flows[at].second});
    if (values.empty()) continue;
    const std::size_t group = values.size();
    out.push_back(
        {out.empty() ? 0 : *out.back().up_to, flows[end - 1].first, value_of(std::move(values), statistic), group});
  }
  return out;
}

// The upper edges, without the open bucket.
std::vector<double> edges_of(const std::vector<Bucket>& buckets) {
  std::vector<double> out;
  for (const Bucket& bucket : buckets)
    if (bucket.up_to) out.push_back(*bucket.up_to);
  return out;
}

bool stands_on_few(const Bucket& bucket, const Statistic& statistic) {
  return statistic.kind == Statistic::Kind::percentile && result::is_the_largest(bucket.count, statistic.thousandths);
}

}  // namespace

void draw_by_size(const FigureSource& source, figure::Figure& out) {
  const FigureParams& p = source.spec.params;
  const Statistic statistic = statistic_of_key(p.statistic).value();
  const bool filtered = p.filter != FlowFilter{};
  const bool by_edge = p.buckets == "size";
  out.kind = "lines";
  out.x = {by_edge ? result::kBucketAxis : "flow size", "B", "log", {}};
  out.y = {fmt::format("FCT slowdown{}, {}", in_words(p.filter), in_words(statistic)), "1", "linear", {}};
  Means means(source.measured);
  for (const Group& group : source.groups()) {
    std::vector<std::vector<double>> sizes;  // by bucket, of each run
    std::vector<std::vector<double>> values;
    std::vector<Means::Basis> basis;
    for (const auto& dir : source.run_dirs(group)) {
      const RunFiles files(dir);
      const Json summary = files.document("summary.json");
      const Json& list = buckets_of(summary, source, by_edge ? "by_size" : "by_equal_count", dir);
      std::vector<Bucket> buckets = of_summary(list, p.statistic);
      if (filtered && by_edge) buckets = by_edges(std::move(buckets), flows_of(files, p.filter), statistic);
      if (filtered && !by_edge) buckets = by_count(list.size(), flows_of(files, p.filter), statistic);
      const std::vector<double> edges = edges_of(buckets);
      sizes.resize(std::max(sizes.size(), buckets.size()));
      values.resize(sizes.size());
      basis.resize(sizes.size());
      for (std::size_t i = 0; i < buckets.size(); ++i) {
        const Bucket& bucket = buckets[i];
        if (!bucket.value) continue;
        const double at = result::bucket_place(edges, i);
        sizes[i].push_back(at);
        values[i].push_back(*bucket.value);
        basis[i].count =
            std::fmin(basis[i].count, static_cast<double>(bucket.count));  // of NaN and a number the number
        basis[i].few = basis[i].few || stands_on_few(bucket, statistic);
        if (bucket.up_to || !out.x.named.empty()) continue;
        out.x.named.push_back({at, result::open_bucket_text(bucket.above)});
      }
    }
    figure::Series series;
    series.name = group.name;
    for (std::size_t i = 0; i < sizes.size(); ++i)
      if (!values[i].empty())
        means.add(series, confidence(sizes[i]).mean,
                  confidence(values[i], bounds_of_statistic(statistic, bounds_of_column("flows.csv", "slowdown"))),
                  basis[i]);
    if (!series.x.empty()) out.series.push_back(std::move(series));
  }
  out.whiskers = means.whiskers();
}

}  // namespace weir::study
