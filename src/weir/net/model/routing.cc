#include "weir/net/model/routing.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <functional>
#include <iterator>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "weir/base/error.h"

namespace weir::net {
namespace {

constexpr std::uint32_t kUnreached = std::numeric_limits<std::uint32_t>::max();

void check_pairs(std::uint64_t switches, std::uint64_t edge_switches) {
  if (switches * edge_switches <= std::uint64_t{1} << 31) return;
  throw InputError(
      fmt::format("routing tables of {} switches and {} edge switches exceed 4 GiB; an irregular network may have at "
                  "most 2^31 pairs of a switch and an edge switch",
                  switches, edge_switches));
}

}  // namespace

Routing::Routing(const Topology& topology, std::uint64_t seed, const std::vector<bool>& down, Multipath multipath)
    : topology_(&topology), multipath_(multipath) {
  switches_.resize(topology.switches);
  for (std::uint32_t s = 0; s < topology.switches; ++s)
    switches_[s].salt = static_cast<std::uint32_t>(RandomStream(seed, s, Purpose::ecmp_salt).bits(0));
  find_ports();
  if (host_ports_.size() > topology.hosts)
    for (std::uint32_t h = 0; h < topology.hosts; ++h)
      salts_.push_back(static_cast<std::uint32_t>(RandomStream(seed, h, Purpose::host_port).bits(0)));
  find_attachments(down);
  if (!topology.tree.empty() && down.empty()) way_ = topology.place.empty() ? Way::numbers : Way::places;
  by_arithmetic() ? use_tree() : build_tables(down);
}

// Ports by owner, in the order of the links.
void Routing::find_ports() {
  const Topology& t = *topology_;
  first_port_.assign(t.switches + 1, 0);
  first_host_port_.assign(t.hosts + std::size_t{1}, 0);
  for (std::uint32_t p = 0; p < t.ports(); ++p) {
    const std::uint32_t owner = t.port_owner(p);
    ++(owner < t.hosts ? first_host_port_[owner + std::size_t{1}] : first_port_[owner - t.hosts + 1]);
  }
  for (std::uint32_t s = 0; s < t.switches; ++s) first_port_[s + 1] += first_port_[s];
  for (std::uint32_t h = 0; h < t.hosts; ++h) first_host_port_[h + std::size_t{1}] += first_host_port_[h];
  ports_.resize(first_port_.back());
  host_ports_.resize(first_host_port_.back());
  host_down_port_.assign(t.hosts, kUnreached);
  host_down_index_.resize(t.hosts);
  std::vector<std::uint32_t> next(first_port_.begin(), first_port_.end() - 1);
  std::vector<std::uint32_t> next_of_host(first_host_port_.begin(), first_host_port_.end() - 1);
  for (std::uint32_t p = 0; p < t.ports(); ++p) {
    if (const std::uint32_t owner = t.port_owner(p); owner < t.hosts) {
      host_ports_[next_of_host[owner]++] = p;
      continue;
    }
    const std::uint32_t s = t.port_owner(p) - t.hosts;
    if (const std::uint32_t peer = t.port_peer(p); peer < t.hosts && host_down_port_[peer] == kUnreached) {
      host_down_port_[peer] = p;
      host_down_index_[peer] = static_cast<std::uint16_t>(next[s] - first_port_[s]);
    }
    ports_[next[s]++] = p;
  }
}

// A host counts by the links that are up, or by all of them if all are down.
void Routing::find_attachments(const std::vector<bool>& down) {
  const Topology& t = *topology_;
  // Whether it has several ports; its switches by the links that count, and by all of its links.
  using Key = std::tuple<bool, std::vector<std::uint32_t>, std::vector<std::uint32_t>>;
  const auto switches_at = [&](std::uint32_t h, bool all) {
    std::vector<std::uint32_t> out;
    for (const std::uint32_t p : ports_of(h))
      if (all || down.empty() || !down[p / 2]) out.push_back(t.port_peer(p) - t.hosts);
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
  };
  const auto key_of = [&](std::uint32_t h) {
    auto all = switches_at(h, true);
    auto left = switches_at(h, false);
    return Key{ports_of(h).size() > 1, left.empty() ? all : std::move(left), std::move(all)};
  };
  std::map<Key, std::uint32_t> numbers;
  std::vector<std::map<Key, std::uint32_t>::iterator> of_host;
  for (std::uint32_t h = 0; h < t.hosts; ++h) of_host.push_back(numbers.try_emplace(key_of(h)).first);
  for (auto& [key, number] : numbers) {
    const auto& [has_several, switches, all] = key;
    number = attachments();
    roots_.push_back(switches);
    all_roots_.push_back(all);
    only_switch_.push_back(has_several ? kNoSwitch : switches.front());
  }
  for (const auto& entry : of_host) attachment_of_.push_back(entry->second);
}

bool Routing::leads(std::uint32_t host_port, std::uint32_t dst) const {
  if (by_arithmetic() || salts_.empty()) return true;
  if (!is_down_.empty() && is_down_[host_port / 2]) return false;
  const std::uint32_t s = topology_->port_peer(host_port) - topology_->hosts;
  const std::uint32_t a = attachment_of_[dst];
  if (only_switch_[a] == s) return true;
  const std::size_t at = std::size_t{s} * roots_.size() + a;
  return table_[at] != kNoWay && (reached_.empty() || reached_[at]);
}

bool Routing::is_usable(std::uint32_t host_port, std::uint32_t dst) const {
  if (leads(host_port, dst)) return true;
  const auto all = ports_of(topology_->port_owner(host_port));
  return std::none_of(all.begin(), all.end(), [&](std::uint32_t p) { return leads(p, dst); });
}

std::vector<std::uint32_t> Routing::ports_to(std::uint32_t src, std::uint32_t dst) const {
  const auto all = ports_of(src);
  std::vector<std::uint32_t> out;
  std::copy_if(all.begin(), all.end(), std::back_inserter(out), [&](std::uint32_t p) { return is_usable(p, dst); });
  return out;
}

std::uint32_t Routing::nic_of_several(std::uint32_t src, std::uint32_t dst, std::uint32_t entropy) const {
  const auto all = ports_of(src);
  const auto is_one = [&](std::uint32_t p) { return is_usable(p, dst); };
  const auto usable = static_cast<std::uint32_t>(std::count_if(all.begin(), all.end(), is_one));
  std::uint32_t left = pick(entropy, salts_[src], usable);
  return *std::find_if(all.begin(), all.end(), [&](std::uint32_t p) { return is_one(p) && left-- == 0; });
}

std::uint32_t Routing::entropy_of_lane(std::uint32_t src, std::uint32_t dst, std::uint32_t first,
                                       std::uint32_t lane) const {
  const auto ports = ports_to(src, dst);
  const std::uint32_t wanted = ports[lane % ports.size()];
  while (nic(src, dst, first) != wanted) first = mix32(first + 1);
  return first;
}

Rate Routing::rate_of_host(std::uint32_t host) const {
  Rate out;
  for (const std::uint32_t p : ports_of(host)) out = out + topology_->links[p / 2].rate;
  return out;
}

Routing::Group Routing::last_hops(std::uint32_t switch_index, std::uint32_t host) const {
  const auto first = last_hops_.begin() + first_last_hops_[host];
  const auto end = last_hops_.begin() + first_last_hops_[host + std::size_t{1}];
  return std::find_if(first, end, [&](const LastHops& l) { return l.switch_index == switch_index; })->group;
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

// Of all switches from the nearest of these, by breadth-first search; kUnreached = cannot be reached.
Routing::Distances Routing::distances(std::span<const std::uint32_t> roots, const std::vector<bool>& down) const {
  const Topology& t = *topology_;
  Distances out{std::vector<std::uint32_t>(t.switches, kUnreached), {roots.begin(), roots.end()}};
  for (const std::uint32_t root : roots) out.links[root] = 0;
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

// Per switch and attachment the set of ports that lead one hop nearer, with their shares. Equal ones of a switch are
// stored once.
void Routing::build_tables(const std::vector<bool>& down) {
  const Topology& t = *topology_;
  check_pairs(t.switches, attachments());
  table_.resize(std::size_t{t.switches} * attachments());
  if (!down.empty() && hosts_have_several_ports()) {
    reached_.resize(table_.size());
    is_down_ = down;
  }

  std::vector<std::map<Choice, std::uint16_t>> ids(t.switches);
  Capacities capacities(t);
  Choice nearer;
  const auto choose = [&](std::uint32_t a, std::uint32_t s, const std::vector<std::uint32_t>& distance, bool reached) {
    nearer = {};
    for (const std::uint32_t p : ports(s)) {
      const std::uint32_t peer = t.port_peer(p);
      const bool usable = !reached || down.empty() || !down[p / 2];
      if (usable && peer >= t.hosts && distance[peer - t.hosts] + 1 == distance[s]) nearer.first.push_back(p);
    }
    assert(!nearer.first.empty());
    if (multipath_ == Multipath::capacity) {
      const std::vector<std::uint64_t> alike(nearer.first.size(), 1);
      nearer.second = hash_shares(reached ? capacities.weigh(s, nearer.first) : alike);
    }
    const auto id = static_cast<std::uint16_t>(ids[s].size());
    const auto [entry, is_new] = ids[s].try_emplace(nearer, id);
    if (is_new && ids[s].size() > kMostGroups)
      throw InputError(
          fmt::format("switch {} needs more than {} different sets of equal-cost ports", s + t.hosts, kMostGroups));
    table_[std::size_t{s} * attachments() + a] = entry->second;
  };
  for (std::uint32_t a = 0; a < attachments(); ++a) {
    const auto at = [&](std::uint32_t s) { return std::size_t{s} * attachments() + a; };
    const Distances left = distances(roots_[a], down);
    capacities.start(roots_[a]);
    for (const std::uint32_t s : left.order) {
      if (!reached_.empty()) reached_[at(s)] = true;
      if (left.links[s] > 0)
        choose(a, s, left.links, true);
      else if (only_switch_[a] == kNoSwitch)  // else nothing is looked up
        table_[at(s)] = kIsThere;
    }
    if (left.order.size() == t.switches) continue;
    const Distances whole = distances(all_roots_[a], {});
    for (std::uint32_t s = 0; s < t.switches; ++s) {
      if (left.links[s] != kUnreached) continue;
      if (whole.links[s] == kUnreached)
        table_[at(s)] = kNoWay;
      else if (whole.links[s] > 0)
        choose(a, s, whole.links, false);
      else
        table_[at(s)] = kIsThere;
    }
  }

  for (std::uint32_t s = 0; s < t.switches; ++s) add_groups(s, ids[s]);
  if (hosts_have_several_ports()) add_last_hops(down);
}

void Routing::add_groups(std::uint32_t s, const std::map<Choice, std::uint16_t>& ids) {
  switches_[s].first = static_cast<std::uint32_t>(groups_.size());
  groups_.resize(groups_.size() + ids.size());
  for (const auto& [choice, id] : ids) {
    const auto& [set, shares] = choice;
    groups_[switches_[s].first + id] = {static_cast<std::uint32_t>(group_ports_.size()),
                                        static_cast<std::uint32_t>(set.size())};
    group_ports_.insert(group_ports_.end(), set.begin(), set.end());
    for (const std::uint32_t p : set)  // they are in order
      group_indices_.push_back(static_cast<std::uint16_t>(std::ranges::lower_bound(ports(s), p) - ports(s).begin()));
    shares_.insert(shares_.end(), shares.begin(), shares.end());
  }
}

// Behind the groups of switches: to each host that has several ports, those of each of its switches.
void Routing::add_last_hops(const std::vector<bool>& down) {
  const Topology& t = *topology_;
  first_last_hops_.push_back(0);
  for (std::uint32_t h = 0; h < t.hosts; ++h) {
    for (const std::uint32_t s : ports_of(h).size() > 1 ? std::span<const std::uint32_t>(all_roots_[attachment(h)])
                                                        : std::span<const std::uint32_t>{}) {
      const auto first = static_cast<std::uint32_t>(group_ports_.size());
      std::vector<std::uint64_t> weights;
      for (const bool all : {false, true}) {
        for (std::uint32_t index = 0; index < ports(s).size(); ++index) {
          const std::uint32_t p = ports(s)[index];
          if (t.port_peer(p) != h || (!all && !down.empty() && down[p / 2])) continue;
          group_ports_.push_back(p);
          group_indices_.push_back(static_cast<std::uint16_t>(index));
          weights.push_back(static_cast<std::uint64_t>(t.links[p / 2].rate.bits_per_second));
        }
        if (!weights.empty()) break;
      }
      if (multipath_ == Multipath::capacity)
        for (const std::uint32_t share : hash_shares(weights)) shares_.push_back(share);
      last_hops_.push_back({s, {first, static_cast<std::uint32_t>(weights.size())}});
    }
    first_last_hops_.push_back(static_cast<std::uint32_t>(last_hops_.size()));
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
  if (by_arithmetic()) return std::nullopt;
  const Topology& t = *topology_;
  Capacities capacities(t);
  std::vector<bool> seen(attachments());
  for (std::uint32_t h = 0; h < t.hosts; ++h) {
    const std::uint32_t a = attachment(h);
    if (seen[a]) continue;
    seen[a] = true;
    capacities.start(roots_[a]);
    const Distances away = distances(roots_[a], {});
    for (const std::uint32_t s : away.order) {
      if (away.links[s] == 0) continue;
      const auto hops = next_hops(s, h);
      const auto weights = capacities.weigh(s, hops);
      if (std::adjacent_find(weights.begin(), weights.end(), std::not_equal_to<>{}) == weights.end()) continue;
      return Uneven{s + t.hosts, h, {hops.begin(), hops.end()}, {weights.begin(), weights.end()}};
    }
  }
  return std::nullopt;
}

std::vector<std::uint32_t> Routing::path(std::uint32_t src, std::uint32_t dst, std::uint32_t entropy) const {
  std::vector<std::uint32_t> out{nic(src, dst, entropy)};
  while (topology_->port_peer(out.back()) != dst) {
    assert(topology_->port_peer(out.back()) >= topology_->hosts && out.size() <= topology_->switches);
    out.push_back(egress(topology_->port_peer(out.back()) - topology_->hosts, dst, entropy));
  }
  return out;
}

}  // namespace weir::net
