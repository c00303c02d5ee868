#include "weir/net/model/topologies.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "weir/base/error.h"

namespace weir::net {
namespace {

// Else the parameter `key` is to blame.
void require(bool good, std::string_view key, const std::string& what) {
  if (!good) throw InputError(std::string(key), what);
}

// Where several are, it is the first of "leaves and hosts_per_leaf".
std::string_view first_of(std::string_view keys) { return keys.substr(0, keys.find_first_of(", ")); }

// Counts come from parameters, so a product may not fit the type of a node number.
std::uint32_t count_hosts(std::initializer_list<std::uint32_t> factors, std::string_view keys) {
  std::uint64_t n = 1;
  for (const auto f : factors) n = std::min<std::uint64_t>(n * f, std::uint64_t{1} << 32);
  require(n >= 2 && n <= kMaxHosts, first_of(keys),
          fmt::format("{} make {}{} hosts; valid is 2 to {}", keys, n >> 32 ? "over " : "", n, kMaxHosts));
  return static_cast<std::uint32_t>(n);
}

void require_ports(std::uint64_t ports, std::string_view keys) {
  require(ports <= kMaxSwitchPorts, first_of(keys),
          fmt::format("{} give a switch {} ports; valid is at most {}", keys, ports, kMaxSwitchPorts));
}

void require_links(std::uint64_t links, std::string_view keys) {
  require(links <= kMaxLinks, first_of(keys),
          fmt::format("{} make {} links; valid is at most {}", keys, links, kMaxLinks));
}

void at_least_one(std::uint32_t value, std::string_view key) {
  require(value > 0, key, "0 is out of range; valid is at least 1");
}

// Hosts first; `per_edge` consecutive ones on each switch from node `hosts` on.
Topology start(std::string name, std::uint32_t hosts, std::uint32_t switches, std::uint32_t per_edge, Rate rate,
               Time delay) {
  Topology t;
  t.name = std::move(name);
  t.hosts = hosts;
  t.switches = switches;
  for (std::uint32_t h = 0; h < hosts; ++h) t.links.push_back({h, hosts + h / per_edge, rate, delay});
  t.tier.assign(t.nodes(), 1);
  std::fill_n(t.tier.begin(), hosts, std::uint8_t{0});
  return t;
}

void set_tier(Topology& t, std::uint32_t first_switch, std::uint32_t count, std::uint8_t tier) {
  std::fill_n(t.tier.begin() + t.hosts + first_switch, count, tier);
}

Topology with_servers(Topology t, std::uint32_t hosts_per_server) {
  t.hosts_per_server = hosts_per_server;
  check_servers(t);
  return t;
}

// The same network with more ports of hosts: so many planes, switches of a rack, and parallel links to each of these.
// Edge switches have tier 1.
Topology with_ports(Topology one, std::uint32_t planes, std::uint32_t tors, std::uint32_t host_links) {
  at_least_one(planes, "planes");
  at_least_one(tors, "tors");
  at_least_one(host_links, "host_links");
  const std::uint64_t ports = std::uint64_t{planes} * tors * host_links;
  if (ports == 1) return one;
  const std::string_view keys = "planes, tors and host_links";
  require(ports <= kMaxHostPorts, first_of(keys),
          fmt::format("{} give a host {} ports; valid is at most {}", keys, ports, kMaxHostPorts));
  const auto is_edge = [&](std::uint32_t node) { return one.tier[node] == 1; };
  const auto edges = static_cast<std::uint64_t>(std::count(one.tier.begin(), one.tier.end(), 1));
  const std::uint64_t in_plane = one.switches + (tors - 1) * edges;
  require(planes * in_plane <= kMaxSwitches, first_of(keys),
          fmt::format("{} make {} switches; valid is at most {}", keys, planes * in_plane, kMaxSwitches));
  require_links(one.links.size() * ports, keys);

  Topology t;
  t.name = std::move(one.name);
  t.hosts = one.hosts;
  t.switches = static_cast<std::uint32_t>(planes * in_plane);
  t.place = std::move(one.place);
  t.tier.assign(t.hosts, 0);
  // Of a switch its node number in the first plane, of an edge switch that of the first of its ToRs.
  std::vector<std::uint32_t> place(one.nodes());
  for (std::uint32_t n = one.hosts, next = one.hosts; n < one.nodes(); ++n) {
    place[n] = next;
    next += is_edge(n) ? tors : 1;
  }
  std::vector<bool> is_above_edges(one.nodes());
  for (const Link& l : one.links)
    if (l.a >= one.hosts && is_edge(l.a)) is_above_edges[l.b] = true;
  const auto of_plane = [&](std::uint32_t plane) { return static_cast<std::uint32_t>(plane * in_plane); };
  for (std::uint32_t plane = 0; plane < planes; ++plane)
    for (std::uint32_t tor = 0; tor < tors; ++tor)
      for (const Link& l : one.links)
        if (l.a < one.hosts)
          t.links.insert(t.links.end(), host_links, {l.a, place[l.b] + of_plane(plane) + tor, l.rate, l.delay});
  for (std::uint32_t plane = 0; plane < planes; ++plane) {
    for (const Link& l : one.links)
      for (std::uint32_t tor = 0; l.a >= one.hosts && tor < (is_edge(l.a) ? tors : 1); ++tor)
        t.links.push_back({place[l.a] + of_plane(plane) + tor, place[l.b] + of_plane(plane), l.rate, l.delay});
    for (std::uint32_t n = one.hosts; n < one.nodes(); ++n) {
      TreeRule rule = one.tree[n - one.hosts];
      if (is_edge(n)) rule.ports_per_child = host_links;
      if (is_above_edges[n]) rule.ports_per_child *= tors;
      t.tree.insert(t.tree.end(), is_edge(n) ? tors : 1, rule);
      t.tier.insert(t.tier.end(), is_edge(n) ? tors : 1, one.tier[n]);
    }
  }
  check(t);
  return t;
}

// Links every leaf to every spine, which are the first and the last switches; leaves have consecutive places below
// them.
void add_spines(Topology& t, std::uint32_t leaves, std::uint32_t spines, std::uint32_t links_per_pair, Rate rate,
                Time delay) {
  const std::uint32_t per_leaf = t.hosts / leaves;
  for (std::uint32_t l = 0; l < leaves; ++l) {
    for (std::uint32_t s = 0; s < spines; ++s)
      t.links.insert(t.links.end(), links_per_pair, {t.hosts + l, t.hosts + leaves + s, rate, delay});
    t.tree.push_back({l * per_leaf, per_leaf, 1, spines * links_per_pair});
  }
  t.tree.insert(t.tree.end(), spines, {0, t.hosts, per_leaf, 0, links_per_pair});
  set_tier(t, leaves, spines, 2);
}

// As many as it takes so that the links up from a leaf carry what comes by those of its hosts.
std::uint32_t spines_of(const Rail& p, std::uint32_t hosts_per_leaf) {
  if (p.spines > 0) return p.spines;
  const auto down = static_cast<__int128>(hosts_per_leaf) * p.host_links * p.host_rate.bits_per_second;
  const auto up = static_cast<__int128>(p.links_per_pair) * p.fabric_rate.bits_per_second;
  return static_cast<std::uint32_t>(std::min<__int128>((down + up - 1) / up, kMaxSwitchPorts));
}

}  // namespace

Topology build(const Star& p) {
  count_hosts({p.hosts}, "hosts");
  Topology t = start("star", p.hosts, 1, p.hosts, p.rate, p.delay);
  t.tree = {{0, p.hosts, 1, 0}};
  check(t);
  return with_servers(with_ports(std::move(t), p.planes, 1, p.host_links), p.hosts_per_server);
}

Topology build(const Dumbbell& p) {
  at_least_one(p.left, "left");
  at_least_one(p.right, "right");
  require(std::uint64_t{p.left} + p.right <= kMaxHosts, "left",
          fmt::format("left and right make {} hosts; valid is 2 to {}", std::uint64_t{p.left} + p.right, kMaxHosts));
  require_ports(std::uint64_t{std::max(p.left, p.right)} + 1, "left and right");
  const std::uint32_t hosts = p.left + p.right;
  Topology t = start("dumbbell", hosts, 2, hosts, p.host_rate, p.host_delay);
  for (std::uint32_t h = p.left; h < hosts; ++h) t.links[h].b = hosts + 1;
  t.links.push_back({hosts, hosts + 1, p.bottleneck_rate, p.bottleneck_delay});
  t.tree = {{0, p.left, 1, 1}, {p.left, p.right, 1, 1}};
  check(t);
  return t;
}

Topology build(const ParkingLot& p) {
  require(p.switches >= 2, "switches", fmt::format("{} makes no chain; valid is at least 2", p.switches));
  require(p.switches <= kMaxSwitches, "switches",
          fmt::format("{} is out of range; valid is 2 to {}", p.switches, kMaxSwitches));
  const std::uint32_t hosts = 2 * p.switches;
  Topology t = start("parking-lot", hosts, p.switches, hosts, p.host_rate, p.host_delay);
  t.links[1].b = hosts + p.switches - 1;
  for (std::uint32_t i = 0; i + 1 < p.switches; ++i) {
    t.links[2 + 2 * i].b = hosts + i;
    t.links[3 + 2 * i].b = hosts + i + 1;
    t.links.push_back({hosts + i, hosts + i + 1, p.bottleneck_rate, p.bottleneck_delay});
  }
  check(t);
  return t;
}

Topology build(const LeafSpine& p) {
  at_least_one(p.leaves, "leaves");
  at_least_one(p.spines, "spines");
  at_least_one(p.links_per_pair, "links_per_pair");
  const std::uint32_t hosts = count_hosts({p.leaves, p.hosts_per_leaf}, "leaves and hosts_per_leaf");
  require_ports(p.hosts_per_leaf + std::uint64_t{p.spines} * p.links_per_pair,
                "hosts_per_leaf, spines and links_per_pair");
  require_ports(std::uint64_t{p.leaves} * p.links_per_pair, "leaves and links_per_pair");
  require_links(std::uint64_t{p.leaves} * p.spines * p.links_per_pair, "leaves, spines and links_per_pair");
  Topology t = start("leaf-spine", hosts, p.leaves + p.spines, p.hosts_per_leaf, p.host_rate, p.host_delay);
  add_spines(t, p.leaves, p.spines, p.links_per_pair, p.fabric_rate, p.fabric_delay);
  check(t);
  return with_servers(with_ports(std::move(t), p.planes, p.tors, p.host_links), p.hosts_per_server);
}

Topology build(const Rail& p) {
  at_least_one(p.links_per_pair, "links_per_pair");
  at_least_one(p.servers_per_segment, "servers_per_segment");
  const std::uint32_t hosts = count_hosts({p.servers, p.gpus}, "servers and gpus");
  const std::uint32_t rails = p.rails == 0 ? p.gpus : p.rails;
  require(
      p.gpus % rails == 0, "rails",
      fmt::format("{} gpus cannot be dealt out to {} rails; valid is a divisor of {}, or 0", p.gpus, rails, p.gpus));
  const std::uint32_t per_segment = std::min(p.servers, p.servers_per_segment);
  require(p.servers % per_segment == 0, "servers_per_segment",
          fmt::format("{} servers make no segments of {}; valid is a divisor of {}, or more for one segment", p.servers,
                      per_segment, p.servers));
  const std::uint32_t leaves = p.servers / per_segment * rails;
  const std::uint32_t per_leaf = hosts / leaves;
  const std::uint32_t spines = spines_of(p, per_leaf);
  require_ports(per_leaf + std::uint64_t{spines} * p.links_per_pair,
                "servers_per_segment, gpus, rails, spines and links_per_pair");
  require_ports(std::uint64_t{leaves} * p.links_per_pair, "servers, servers_per_segment, rails and links_per_pair");
  require_links(std::uint64_t{leaves} * spines * p.links_per_pair, "servers, rails, spines and links_per_pair");
  Topology t = start("rail", hosts, leaves + spines, hosts, p.host_rate, p.host_delay);
  const std::uint32_t in_segment = per_segment * p.gpus;
  for (std::uint32_t h = 0; h < hosts; ++h) {
    const std::uint32_t leaf = h / in_segment * rails + h % rails;
    t.links[h].b = hosts + leaf;
    t.place.push_back(leaf * per_leaf + h % in_segment / rails);
  }
  add_spines(t, leaves, spines, p.links_per_pair, p.fabric_rate, p.fabric_delay);
  check(t);
  return with_servers(with_ports(std::move(t), p.planes, p.tors, p.host_links), p.gpus);
}

Topology build(const Clos& p) {
  at_least_one(p.aggs_per_pod, "aggs_per_pod");
  const std::uint32_t hosts =
      count_hosts({p.pods, p.tors_per_pod, p.hosts_per_tor}, "pods, tors_per_pod and hosts_per_tor");
  require(p.cores % p.aggs_per_pod == 0 && (p.cores > 0 || p.pods == 1), "cores",
          fmt::format("{} cannot be shared out to aggs_per_pod = {}; valid is a multiple of {}{}", p.cores,
                      p.aggs_per_pod, p.aggs_per_pod, p.pods == 1 ? " or 0" : ""));
  const std::uint32_t cores_per_agg = p.cores / p.aggs_per_pod;
  require_ports(std::uint64_t{p.hosts_per_tor} + p.aggs_per_pod, "hosts_per_tor and aggs_per_pod");
  require_ports(std::uint64_t{p.tors_per_pod} + cores_per_agg, "tors_per_pod, cores and aggs_per_pod");
  require_ports(p.pods, "pods");
  const std::uint32_t tors = p.pods * p.tors_per_pod;
  const std::uint64_t all_aggs = std::uint64_t{p.pods} * p.aggs_per_pod;
  require(tors + all_aggs + p.cores <= kMaxSwitches, "pods",
          fmt::format("pods, tors_per_pod, aggs_per_pod and cores make {} switches; valid is at most {}",
                      tors + all_aggs + p.cores, kMaxSwitches));
  const auto aggs = static_cast<std::uint32_t>(all_aggs);

  Topology t = start("clos", hosts, tors + aggs + p.cores, p.hosts_per_tor, p.host_rate, p.host_delay);
  const std::uint32_t first_agg = hosts + tors;
  const std::uint32_t first_core = first_agg + aggs;
  const std::uint32_t hosts_per_pod = p.tors_per_pod * p.hosts_per_tor;
  for (std::uint32_t tor = 0; tor < tors; ++tor) {
    const std::uint32_t pod = tor / p.tors_per_pod;
    for (std::uint32_t k = 0; k < p.aggs_per_pod; ++k)
      t.links.push_back({hosts + tor, first_agg + pod * p.aggs_per_pod + k, p.fabric_rate, p.fabric_delay});
    t.tree.push_back({tor * p.hosts_per_tor, p.hosts_per_tor, 1, p.aggs_per_pod});
  }
  for (std::uint32_t agg = 0; agg < aggs; ++agg) {
    const std::uint32_t first = first_core + agg % p.aggs_per_pod * cores_per_agg;
    for (std::uint32_t c = 0; c < cores_per_agg; ++c)
      t.links.push_back({first_agg + agg, first + c, p.core_rate, p.core_delay});
    t.tree.push_back({agg / p.aggs_per_pod * hosts_per_pod, hosts_per_pod, p.hosts_per_tor, cores_per_agg});
  }
  t.tree.insert(t.tree.end(), p.cores, {0, hosts, hosts_per_pod, 0});
  set_tier(t, tors, aggs, 2);
  set_tier(t, tors + aggs, p.cores, 3);
  check(t);
  return with_servers(with_ports(std::move(t), p.planes, p.tors, p.host_links), p.hosts_per_server);
}

Topology build(const FatTree& p) {
  require(p.k >= 2 && p.k % 2 == 0 && p.k <= 202, "k",
          fmt::format("{} makes no fat tree; valid is an even number from 2 to 202", p.k));
  const std::uint32_t half = p.k / 2;
  Topology t = build(Clos{p.k, half, half, half, half * half, p.rate, p.rate, p.rate, p.delay, p.delay, p.delay,
                          p.planes, p.tors, p.host_links, p.hosts_per_server});
  t.name = "fat-tree";
  return t;
}

double oversubscription(const Topology& t, std::uint8_t tier) {
  std::vector<double> up(t.nodes(), 0);
  std::vector<double> down(t.nodes(), 0);
  for (const Link& l : t.links) {
    const auto lower = t.tier[l.a] < t.tier[l.b] ? l.a : l.b;
    const auto upper = lower == l.a ? l.b : l.a;
    if (t.tier[lower] == t.tier[upper]) continue;
    up[lower] += l.rate.bytes_per_second();
    down[upper] += l.rate.bytes_per_second();
  }
  double out = 0;
  for (std::uint32_t n = t.hosts; n < t.nodes(); ++n)
    if (t.tier[n] == tier && up[n] > 0) out = std::max(out, down[n] / up[n]);
  return out;
}

std::string summary(const Topology& t) {
  const std::uint8_t top = *std::max_element(t.tier.begin(), t.tier.end());
  std::string sizes, ratios;
  for (unsigned tier = 1; tier <= top; ++tier) {
    sizes += fmt::format("{}{}", tier > 1 ? " + " : "", std::count(t.tier.begin(), t.tier.end(), tier));
    if (const double ratio = oversubscription(t, static_cast<std::uint8_t>(tier)); ratio > 0)
      ratios += fmt::format("{} {:.3g}:1", ratios.empty() ? ", oversubscription" : ",", ratio);
  }
  const std::string servers = t.hosts_per_server > 1
                                  ? fmt::format(" ({} servers of {})", t.hosts / t.hosts_per_server, t.hosts_per_server)
                                  : "";
  return fmt::format("{} hosts{}, {} switch{} ({}), {} links{}", t.hosts, servers, t.switches,
                     t.switches == 1 ? "" : "es", sizes, t.links.size(), ratios);
}

}  // namespace weir::net
