#include "weir/net/model/routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <limits>
#include <map>
#include <utility>

#include "weir/base/error.h"

namespace weir::net {
namespace {

constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

}  // namespace

Routing::Routing(const Topology& topology, std::uint64_t seed, const std::vector<bool>& down, Multipath multipath)
    : topology_(&topology), multipath_(multipath) {
  const std::uint32_t hosts = topology.hosts;
  switches_.resize(topology.switches);
  for (std::uint32_t s = 0; s < topology.switches; ++s)
    switches_[s].salt = static_cast<std::uint32_t>(RandomStream(seed, s, Purpose::ecmp_salt).bits(0));

  // ports by owner, in the order of the links
  first_port_.assign(topology.switches + 1, 0);
  host_down_port_.assign(hosts, kUnreached);
  host_down_index_.resize(hosts);
  for (std::uint32_t p = 0; p < topology.ports(); ++p)
    if (topology.port_owner(p) >= hosts) ++first_port_[topology.port_owner(p) - hosts + 1];
  for (std::uint32_t s = 0; s < topology.switches; ++s) first_port_[s + 1] += first_port_[s];
  ports_.resize(first_port_.back());
  std::vector<std::uint32_t> next(first_port_.begin(), first_port_.end() - 1);
  for (std::uint32_t p = 0; p < topology.ports(); ++p) {
    if (topology.port_owner(p) < hosts) continue;
    const std::uint32_t s = topology.port_owner(p) - hosts;
    if (const std::uint32_t peer = topology.port_peer(p); peer < hosts) {
      host_down_port_[peer] = p;
      host_down_index_[peer] = static_cast<std::uint16_t>(next[s] - first_port_[s]);
    }
    ports_[next[s]++] = p;
  }

  // edge switches
  edge_of_.resize(hosts);
  std::vector<std::uint32_t> edge_index(topology.switches, kUnreached);
  for (std::uint32_t h = 0; h < hosts; ++h) edge_index[topology.port_owner(host_down_port_[h]) - hosts] = 0;
  for (std::uint32_t s = 0; s < topology.switches; ++s) {
    if (edge_index[s] == kUnreached) continue;
    edge_index[s] = edges_++;
    edge_switch_.push_back(s);
  }
  for (std::uint32_t h = 0; h < hosts; ++h) edge_of_[h] = edge_index[topology.port_owner(host_down_port_[h]) - hosts];

  by_arithmetic_ = !topology.tree.empty() && down.empty();
  by_arithmetic_ ? use_tree() : build_tables(down);
}

void Routing::use_tree() {
  assert(topology_->tree.size() == topology_->switches);
  for (std::uint32_t s = 0; s < topology_->switches; ++s) {
    const TreeRule& rule = topology_->tree[s];
    assert(rule.hosts_per_port > 0 && rule.host_count % rule.hosts_per_port == 0);
    Switch& r = switches_[s];
    r.reciprocal = reciprocal(rule.hosts_per_port);
    r.first_host = rule.first_host;
    r.host_count = rule.host_count;
    r.first = first_port_[s];
    r.ports_per_child = static_cast<std::uint16_t>(rule.ports_per_child);
    r.down_ports = static_cast<std::uint16_t>(rule.host_count / rule.hosts_per_port * rule.ports_per_child);
    r.up_ports = static_cast<std::uint16_t>(rule.up_ports);
    assert(std::uint32_t{r.down_ports} + r.up_ports == first_port_[s + 1] - first_port_[s]);
  }
}

// Of all switches from one of them, by breadth-first search; kUnreached = cannot be reached.
Routing::Distances Routing::distances(std::uint32_t edge_switch, const std::vector<bool>& down) const {
  const Topology& t = *topology_;
  Distances out{std::vector<std::uint32_t>(t.switches, kUnreached), {edge_switch}};
  out.links[edge_switch] = 0;
  for (std::size_t i = 0; i < out.order.size(); ++i) {
    const std::uint32_t s = out.order[i];
    for (const std::uint32_t p : ports(s)) {
      const std::uint32_t peer = t.port_peer(p);
      if (peer < t.hosts || out.links[peer - t.hosts] != kUnreached || (!down.empty() && down[p / 2])) continue;
      out.links[peer - t.hosts] = out.links[s] + 1;
      out.order.push_back(peer - t.hosts);
    }
  }
  return out;
}

// Per switch and edge switch the set of ports that lead one hop nearer, with their shares. Equal ones of a switch are
// stored once.
void Routing::build_tables(const std::vector<bool>& down) {
  const Topology& t = *topology_;
  if (std::uint64_t{t.switches} * edges_ > std::uint64_t{1} << 31)
    throw InputError(
        fmt::format("routing tables of {} switches and {} edge switches exceed 4 GiB; an irregular network "
                    "may have at most 2^31 pairs of a switch and an edge switch",
                    t.switches, edges_));
  table_.resize(std::size_t{t.switches} * edges_);

  using Choice = std::pair<std::vector<std::uint32_t>, std::vector<std::uint32_t>>;  // ports, hash_shares
  std::vector<std::map<Choice, std::uint16_t>> ids(t.switches);
  Capacities capacities(t);
  Choice nearer;
  const auto choose = [&](std::uint32_t e, std::uint32_t s, const std::vector<std::uint32_t>& distance, bool reached) {
    nearer = {};
    for (const std::uint32_t p : ports(s)) {
      const std::uint32_t peer = t.port_peer(p);
      const bool usable = !reached || down.empty() || !down[p / 2];
      if (usable && peer >= t.hosts && distance[peer - t.hosts] + 1 == distance[s]) nearer.first.push_back(p);
    }
    assert(!nearer.first.empty());  // check() has seen that the graph is connected
    if (multipath_ == Multipath::capacity) {
      const std::vector<std::uint64_t> alike(nearer.first.size(), 1);
      nearer.second = hash_shares(reached ? capacities.weigh(s, nearer.first) : alike);
    }
    const auto id = static_cast<std::uint16_t>(ids[s].size());
    const auto [entry, is_new] = ids[s].try_emplace(nearer, id);
    if (is_new && ids[s].size() > 65536)
      throw InputError(fmt::format("switch {} needs more than 65536 different sets of equal-cost ports", s + t.hosts));
    table_[std::size_t{s} * edges_ + e] = entry->second;
  };
  for (std::uint32_t e = 0; e < edges_; ++e) {
    const std::uint32_t root = edge_switch_[e];  // where nothing is looked up
    const Distances left = distances(root, down);
    capacities.start(root);
    for (const std::uint32_t s : left.order)
      if (s != root) choose(e, s, left.links, true);
    if (left.order.size() == t.switches) continue;
    const Distances whole = distances(root, {});
    for (std::uint32_t s = 0; s < t.switches; ++s)
      if (left.links[s] == kUnreached) choose(e, s, whole.links, false);
  }

  for (std::uint32_t s = 0; s < t.switches; ++s) {
    switches_[s].first = static_cast<std::uint32_t>(groups_.size());
    groups_.resize(groups_.size() + ids[s].size());
    for (const auto& [choice, id] : ids[s]) {
      const auto& [set, shares] = choice;
      groups_[switches_[s].first + id] = {static_cast<std::uint32_t>(group_ports_.size()),
                                          static_cast<std::uint32_t>(set.size())};
      group_ports_.insert(group_ports_.end(), set.begin(), set.end());
      for (const std::uint32_t p : set)  // they are in order
        group_indices_.push_back(static_cast<std::uint16_t>(std::ranges::lower_bound(ports(s), p) - ports(s).begin()));
      shares_.insert(shares_.end(), shares.begin(), shares.end());
    }
  }
}

std::vector<double> Routing::shares(std::uint32_t switch_index, std::uint32_t dst_host) const {
  const auto hops = next_hops(switch_index, dst_host);
  std::vector<double> out(hops.size(), 1.0 / static_cast<double>(hops.size()));
  if (shares_.empty() || hops.size() == 1) return out;
  const std::uint32_t* first = shares_.data() + (hops.data() - group_ports_.data());
  for (std::size_t i = 0; i < out.size(); ++i)
    out[i] = ((i + 1 < out.size() ? first[i + 1] : 0x1p32) - first[i]) / 0x1p32;
  return out;
}

std::optional<Uneven> Routing::uneven() const {
  if (by_arithmetic_) return std::nullopt;
  const Topology& t = *topology_;
  Capacities capacities(t);
  std::vector<bool> seen(edges_);
  for (std::uint32_t h = 0; h < t.hosts; ++h) {
    if (seen[edge_of_[h]]) continue;
    seen[edge_of_[h]] = true;
    const std::uint32_t root = edge_switch(h);
    capacities.start(root);
    for (const std::uint32_t s : distances(root, {}).order) {
      if (s == root) continue;
      const auto hops = next_hops(s, h);
      const auto weights = capacities.weigh(s, hops);
      if (std::adjacent_find(weights.begin(), weights.end(), std::not_equal_to<>{}) == weights.end()) continue;
      return Uneven{s + t.hosts, h, {hops.begin(), hops.end()}, {weights.begin(), weights.end()}};
    }
  }
  return std::nullopt;
}

std::vector<std::uint32_t> Routing::path(std::uint32_t src, std::uint32_t dst, std::uint32_t entropy) const {
  std::vector<std::uint32_t> out{nic(src)};
  while (topology_->port_peer(out.back()) != dst) {
    assert(topology_->port_peer(out.back()) >= topology_->hosts && out.size() <= topology_->switches);
    out.push_back(egress(topology_->port_peer(out.back()) - topology_->hosts, dst, entropy));
  }
  return out;
}

}  // namespace weir::net
