#include "weir/replica/ns3_routes.h"

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>
#include <utility>

#include "weir/base/random.h"

namespace weir::replica {

std::uint32_t murmur_hash(std::uint32_t src, std::uint32_t dst, std::uint16_t sport, std::uint16_t dport,
                          std::uint32_t seed) {
  const auto address = [](std::uint32_t node) { return 0x0b000001u + (node / 256 << 16) + (node % 256 << 8); };
  std::uint32_t h = seed;
  for (std::uint32_t k : {address(src), address(dst), sport | static_cast<std::uint32_t>(dport) << 16}) {
    k *= 0xcc9e2d51u;
    k = (k << 15 | k >> 17) * 0x1b873593u;
    h ^= k;
    h = (h << 13 | h >> 19) * 5 + 0xe6546b64u;
  }
  return mix32(h ^ 12);
}

Ns3Routes::Ns3Routes(const net::Routing& routing, std::int64_t payload)
    : routing_(routing),
      topology_(routing.topology()),
      payload_(payload),
      edges_(routing.attachments()),
      down_(topology_.links.size()),
      neighbours_(topology_.switches),
      inner_(std::size_t{edges_} * edges_) {
  for (std::uint32_t host = 0; host < topology_.hosts; ++host)
    down_ports_.push_back(net::Topology::reverse(routing.nic(host)));
  for (std::uint32_t s = 0; s < topology_.switches; ++s) {
    for (const std::uint32_t port : routing.ports(s))
      if (topology_.port_peer(port) >= topology_.hosts) neighbours_[s].push_back(port);
    const auto peer = [this](std::uint32_t port) { return topology_.port_peer(port); };
    auto& ports = neighbours_[s];
    std::sort(ports.begin(), ports.end(),
              [&](auto a, auto b) { return std::pair(peer(a), a) > std::pair(peer(b), b); });
    ports.erase(std::unique(ports.begin(), ports.end(), [&](auto a, auto b) { return peer(a) == peer(b); }),
                ports.end());
  }
  build(true);
  find_largest();
}

void Ns3Routes::take_down(std::uint32_t link) {
  down_[link] = true;
  build(false);
}

void Ns3Routes::build(bool with_facts) {
  groups_.assign(std::size_t{topology_.switches} * edges_, {});
  group_ports_.clear();
  std::vector<bool> seen(edges_);
  for (std::uint32_t host = 0; host < topology_.hosts; ++host) {
    const std::uint32_t edge = routing_.attachment(host);
    if (seen[edge]) continue;
    seen[edge] = true;
    search(edge, with_facts);
  }
}

// From one edge switch on: the order in which the search meets a switch's next hops is the order of its table.
void Ns3Routes::search(std::uint32_t edge, bool with_facts) {
  constexpr std::uint32_t kFar = std::numeric_limits<std::uint32_t>::max();
  std::vector<std::uint32_t> distance(topology_.switches, kFar);
  std::vector<Inner> facts(topology_.switches);
  std::vector<std::vector<std::uint32_t>> hops(topology_.switches);
  std::uint32_t root = 0;
  for (std::uint32_t host = 0; host < topology_.hosts; ++host)
    if (routing_.attachment(host) == edge) {
      root = routing_.edge_switch(host);
      break;
    }
  std::vector<std::uint32_t> queue{root};
  distance[root] = 0;
  facts[root].slowest = std::numeric_limits<std::int64_t>::max();
  for (std::size_t i = 0; i < queue.size(); ++i) {
    const std::uint32_t now = queue[i];
    for (const std::uint32_t port : neighbours_[now]) {
      if (down_[port / 2]) continue;
      const std::uint32_t next = topology_.port_peer(port) - topology_.hosts;
      if (distance[next] == kFar) {
        distance[next] = distance[now] + 1;
        const Inner link = link_facts(port);
        facts[next] = {facts[now].delay + link.delay, facts[now].transmission + link.transmission,
                       std::min(facts[now].slowest, link.slowest)};
        queue.push_back(next);
      }
      if (distance[next] == distance[now] + 1) hops[next].push_back(net::Topology::reverse(port));
    }
  }
  for (std::uint32_t s = 0; s < topology_.switches; ++s) {
    groups_[std::size_t{s} * edges_ + edge] = {static_cast<std::uint32_t>(group_ports_.size()),
                                               static_cast<std::uint32_t>(hops[s].size())};
    group_ports_.insert(group_ports_.end(), hops[s].begin(), hops[s].end());
  }
  if (!with_facts) return;
  for (std::uint32_t host = 0; host < topology_.hosts; ++host)
    inner_[std::size_t{routing_.attachment(host)} * edges_ + edge] = facts[routing_.edge_switch(host)];
}

Ns3Routes::Inner Ns3Routes::link_facts(std::uint32_t port) const {
  const net::Link& link = topology_.links[port / 2];
  const std::int64_t rate = link.rate.bits_per_second;
  return {link.delay.ps / 1000, static_cast<std::int64_t>(static_cast<__int128>(payload_) * 8'000'000'000 / rate),
          rate};
}

PairFacts Ns3Routes::pair(const Inner& first, const Inner& inner, const Inner& last) const {
  const std::int64_t delay = first.delay + inner.delay + last.delay;
  return {2 * delay + first.transmission + inner.transmission + last.transmission,
          std::min({first.slowest, inner.slowest, last.slowest})};
}

PairFacts Ns3Routes::facts(std::uint32_t src, std::uint32_t dst) const {
  const Inner& inner = inner_[std::size_t{routing_.attachment(src)} * edges_ + routing_.attachment(dst)];
  return pair(link_facts(down_ports_[src]), inner, link_facts(down_ports_[dst]));
}

// Over hosts that differ: those of one switch with the same link are alike.
void Ns3Routes::find_largest() {
  struct Alike {
    std::uint32_t host = 0;
    std::uint32_t count = 0;
  };
  std::map<std::tuple<std::uint32_t, std::int64_t, std::int64_t>, Alike> classes;
  for (std::uint32_t host = 0; host < topology_.hosts; ++host) {
    const net::Link& link = topology_.links[down_ports_[host] / 2];
    Alike& a = classes[{routing_.attachment(host), link.rate.bits_per_second, link.delay.ps}];
    a.host = host;
    ++a.count;
  }
  for (const auto& [key, a] : classes)
    for (const auto& [other_key, b] : classes) {
      if (a.host == b.host && a.count == 1) continue;
      const PairFacts f = facts(a.host, b.host);
      max_rtt_ = std::max(max_rtt_, f.rtt);
      max_bdp_ = std::max(max_bdp_, f.bdp());
    }
}

}  // namespace weir::replica
