// Nodes that may not be separated form a unit. Units are dealt out tier by tier, from the edge up:
// each tier is put in an order in which neighbours stand close together, and that order is cut
// into consecutive runs that even out the work given to each part so far. The edge tier stands in
// the order of its numbers if the topology is regular and in breadth-first order if not; a higher
// tier is ordered by the mean part of the units below it, so that a pod's Aggs join its ToRs.
#include "weir/net/model/split.h"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "weir/base/error.h"

namespace weir::net {
namespace {

using Index = std::uint32_t;
constexpr Index kNone = std::numeric_limits<Index>::max();

struct Units {
  std::vector<Index> of_node;
  std::vector<double> weight;
  std::vector<std::uint8_t> tier;  // the lowest of its nodes, counting hosts as their switch
  std::vector<bool> has_hosts;
  std::vector<std::vector<Index>> neighbours;  // one entry per link

  Index count() const { return static_cast<Index>(weight.size()); }
};

Units make_units(const Topology& t) {
  std::vector<Index> parent(t.nodes());
  std::iota(parent.begin(), parent.end(), Index{0});
  const auto root = [&](Index n) {
    while (parent[n] != n) n = parent[n] = parent[parent[n]];
    return n;
  };
  // the root is the highest node: a switch
  for (const Link& l : t.links) {
    if (may_be_cut(t, l)) continue;
    const auto [low, high] = std::minmax({root(l.a), root(l.b)});
    parent[low] = high;
  }

  Units u;
  std::vector<Index> unit_of_root(t.nodes(), kNone);
  u.of_node.resize(t.nodes());
  for (Index n = t.hosts; n < t.nodes(); ++n) {
    if (unit_of_root[root(n)] == kNone) {
      unit_of_root[root(n)] = u.count();
      u.weight.push_back(0);
      u.tier.push_back(t.tier[n]);
      u.has_hosts.push_back(false);
    }
    const Index unit = u.of_node[n] = unit_of_root[root(n)];
    u.tier[unit] = std::min(u.tier[unit], t.tier[n]);
  }
  for (Index n = 0; n < t.hosts; ++n) {
    u.of_node[n] = unit_of_root[root(n)];
    u.has_hosts[u.of_node[n]] = true;
  }
  u.neighbours.resize(u.count());
  for (const Link& l : t.links) {
    const Index a = u.of_node[l.a];
    const Index b = u.of_node[l.b];
    u.weight[a] += l.rate.bytes_per_second();
    u.weight[b] += l.rate.bytes_per_second();
    if (a == b) continue;
    u.neighbours[a].push_back(b);
    u.neighbours[b].push_back(a);
  }
  return u;
}

std::vector<Index> breadth_first(const Units& u, Index from) {
  std::vector<bool> seen(u.count(), false);
  std::vector<Index> order{from};
  seen[from] = true;
  for (std::size_t i = 0; i < order.size(); ++i) {
    for (const Index n : u.neighbours[order[i]]) {
      if (seen[n]) continue;
      seen[n] = true;
      order.push_back(n);
    }
  }
  return order;
}

// Cuts `order` into runs, one per part, so that the sums in `given` come out even.
void deal(const Units& u, const std::vector<Index>& order, std::vector<double>& given, std::vector<Index>& part) {
  const std::size_t parts = given.size();
  double total = std::accumulate(given.begin(), given.end(), 0.0);
  for (const Index i : order) total += u.weight[i];
  const double share = total / static_cast<double>(parts);
  std::size_t p = 0;
  double boundary = std::max(share - given[0], 0.0);  // of part p, along the order
  double before = 0;
  std::vector<double> added(parts, 0);
  for (const Index i : order) {
    while (p + 1 < parts && before + u.weight[i] / 2 >= boundary) {
      ++p;
      boundary += std::max(share - given[p], 0.0);
    }
    part[i] = static_cast<Index>(p);
    added[p] += u.weight[i];
    before += u.weight[i];
  }
  for (std::size_t q = 0; q < parts; ++q) given[q] += added[q];
}

// Moves single units to the part where most of their links lead, as long as that cuts fewer
// links and leaves the parts even within the largest unit moved.
void refine(const Units& u, std::vector<double>& given, std::vector<Index>& part) {
  constexpr int kRounds = 8;
  const double share = std::accumulate(given.begin(), given.end(), 0.0) / static_cast<double>(given.size());
  std::vector<std::uint32_t> links(given.size(), 0);
  for (int round = 0, moves = 1; round < kRounds && moves > 0; ++round) {
    moves = 0;
    for (Index i = 0; i < u.count(); ++i) {
      for (const Index n : u.neighbours[i]) ++links[part[n]];
      const Index from = part[i];
      Index to = from;
      for (const Index n : u.neighbours[i]) {
        const Index p = part[n];
        const bool fits = given[p] + u.weight[i] <= share * 1.05 && given[from] - u.weight[i] >= share * 0.95;
        if (fits && (links[p] > links[to] || (links[p] == links[to] && to != from && p < to))) to = p;
      }
      for (const Index n : u.neighbours[i]) links[part[n]] = 0;
      if (to == from) continue;
      given[from] -= u.weight[i];
      given[to] += u.weight[i];
      part[i] = to;
      ++moves;
    }
  }
}

// Part of each unit.
std::vector<Index> assign(const Topology& t, const Units& u, std::size_t parts) {
  std::vector<Index> part(u.count(), kNone);
  std::vector<double> given(parts, 0);

  std::vector<Index> order(u.count());
  if (t.tree.empty())
    order = breadth_first(u, breadth_first(u, 0).back());  // from one end of the network
  else
    std::iota(order.begin(), order.end(), Index{0});
  const std::uint8_t top = *std::max_element(u.tier.begin(), u.tier.end());
  for (unsigned tier = 0; tier <= top; ++tier) {
    std::vector<std::pair<double, Index>> mean;  // and position in `order`
    for (Index i = 0; i < u.count(); ++i) {
      if (u.tier[order[i]] != tier) continue;
      double sum = 0;
      double below = 0;
      for (const Index n : u.neighbours[order[i]]) {
        if (u.tier[n] >= tier) continue;
        sum += part[n];
        below += 1;
      }
      mean.emplace_back(below > 0 ? sum / below : 0, i);
    }
    std::sort(mean.begin(), mean.end());
    std::vector<Index> of_tier;
    for (const auto& [key, i] : mean) of_tier.push_back(order[i]);
    deal(u, of_tier, given, part);
  }
  if (t.tree.empty()) refine(u, given, part);
  return part;
}

}  // namespace

Split split(const Topology& t, std::uint32_t wanted) {
  if (wanted < 1 || wanted > 65535) throw InputError("the number of partitions is out of range; valid is 1 to 65535");
  const Units u = make_units(t);
  const auto groups = static_cast<std::uint32_t>(std::count(u.has_hosts.begin(), u.has_hosts.end(), true));
  const std::vector<Index> part = assign(t, u, std::min(wanted, groups));

  // number the parts that got something, in the order of their nodes
  Split out;
  out.parts = 0;
  out.of_node.resize(t.nodes());
  std::vector<Index> number(wanted, kNone);
  for (Index n = 0; n < t.nodes(); ++n) {
    Index& of = number[part[u.of_node[n]]];
    if (of == kNone) of = out.parts++;
    out.of_node[n] = static_cast<std::uint16_t>(of);
  }
  for (const Link& l : t.links) {
    if (out.of_node[l.a] == out.of_node[l.b]) continue;
    ++out.cut_links;
    out.lookahead = std::min(out.lookahead, l.delay);
  }
  return out;
}

}  // namespace weir::net
