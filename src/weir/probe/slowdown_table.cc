#include <algorithm>
#include <numeric>

#include "weir/base/error.h"
#include "weir/probe/flow_probe.h"

namespace weir::probe {

std::vector<Bytes> parse_buckets(std::string_view list) {
  std::vector<Bytes> edges;
  for (;;) {
    const auto comma = list.find(',');
    const Bytes edge = parse_bytes(list.substr(0, comma));
    if (edge <= (edges.empty() ? Bytes{0} : edges.back()))
      throw InputError("sizes must be above 0 and ascend, as in \"1 KB, 10 KB, 100 KB\"");
    edges.push_back(edge);
    if (comma == std::string_view::npos) return edges;
    list.remove_prefix(comma + 1);
  }
}

template <class Group>
std::vector<Distribution> SlowdownTable::grouped(std::size_t groups, Group&& group) const {
  std::vector<std::vector<float>> values(groups);
  for (const Entry& e : entries_) values.at(group(e)).push_back(e.slowdown);
  std::vector<Distribution> result;
  for (auto& v : values) result.push_back(distribution_of(v));
  return result;
}

namespace {

std::vector<NamedDistribution> named(const std::vector<std::string>& names, const std::vector<Distribution>& values) {
  std::vector<NamedDistribution> result;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (values[i].count > 0) result.push_back({names[i], values[i]});
  return result;
}

}  // namespace

Distribution SlowdownTable::all() const {
  return grouped(1, [](const Entry&) { return std::size_t{0}; }).front();
}

std::vector<NamedDistribution> SlowdownTable::by_tag(const std::vector<std::string>& names) const {
  return named(names, grouped(names.size(), [](const Entry& e) { return std::size_t{e.tag}; }));
}

std::vector<NamedDistribution> SlowdownTable::by_profile(const std::vector<std::string>& names) const {
  return named(names, grouped(names.size(), [](const Entry& e) { return std::size_t{e.profile}; }));
}

std::vector<SizeBucket> SlowdownTable::by_size(const std::vector<Bytes>& edges) const {
  const auto values = grouped(edges.size() + 1, [&](const Entry& e) {
    return static_cast<std::size_t>(std::lower_bound(edges.begin(), edges.end(), Bytes{e.size}) - edges.begin());
  });
  std::vector<SizeBucket> result;
  for (std::size_t i = 0; i < values.size(); ++i)
    result.push_back(
        {i == 0 ? Bytes{0} : edges[i - 1], i == edges.size() ? SizeBucket::kNoLimit : edges[i], values[i]});
  return result;
}

std::vector<SizeBucket> SlowdownTable::by_equal_count(std::size_t count) const {
  const std::size_t n = entries_.size();
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return entries_[a].size < entries_[b].size; });
  std::vector<SizeBucket> result;
  std::vector<float> values;
  Bytes above{0};
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t first = i * n / count;
    const std::size_t end = (i + 1) * n / count;
    if (first == end) continue;
    values.clear();
    for (std::size_t at = first; at < end; ++at) values.push_back(entries_[order[at]].slowdown);
    const Bytes largest{entries_[order[end - 1]].size};
    result.push_back({above, largest, distribution_of(values)});
    above = largest;
  }
  return result;
}

}  // namespace weir::probe
