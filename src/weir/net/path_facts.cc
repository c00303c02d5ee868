#include "weir/net/path_facts.h"

#include <algorithm>
#include <limits>

namespace weir::net {
namespace {

constexpr Bytes kReferencePacket{1000};

// size * 8 / rate rounded up, for sizes beyond those of transmission_time.
Time long_transmission_time(std::int64_t bytes, Rate rate) {
  const auto bits_ps = static_cast<__int128>(bytes) * 8 * kPicosecondsPerSecond;
  return {static_cast<std::int64_t>((bits_ps + rate.bits_per_second - 1) / rate.bits_per_second)};
}

}  // namespace

Paths::Paths(const Routing& routing) : routing_(&routing), topology_(&routing.topology()) {
  if (!routing.by_arithmetic()) choose_shortest();
}

// Per edge switch: the switches by increasing distance, each choosing the next hop from which
// the rest of the way is shortest.
void Paths::choose_shortest() {
  const Topology& t = *topology_;
  const std::uint32_t edges = routing_->edge_count();
  std::vector<std::uint32_t> host_of(edges);
  for (std::uint32_t h = 0; h < t.hosts; ++h) host_of[routing_->edge_index(h)] = h;

  best_.assign(std::size_t{t.switches} * edges, 0);
  std::vector<Time> latency(t.switches);
  std::vector<bool> seen;
  std::vector<std::uint32_t> queue;
  for (std::uint32_t e = 0; e < edges; ++e) {
    const std::uint32_t root = routing_->edge_switch(host_of[e]);
    queue.assign(1, root);
    seen.assign(t.switches, false);
    seen[root] = true;
    latency[root] = {};
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const std::uint32_t s = queue[i];
      if (s != root) {
        const auto hops = routing_->next_hops(s, host_of[e]);
        latency[s] = Time::max();
        for (std::size_t n = 0; n < hops.size(); ++n) {
          const Link& l = t.links[hops[n] / 2];
          const Time via =
              latency[t.port_peer(hops[n]) - t.hosts] + l.delay + transmission_time(kReferencePacket, l.rate);
          if (via >= latency[s]) continue;
          latency[s] = via;
          best_[std::size_t{s} * edges + e] = static_cast<std::uint16_t>(n);
        }
      }
      for (const std::uint32_t p : routing_->ports(s)) {
        const std::uint32_t peer = t.port_peer(p);
        if (peer < t.hosts || seen[peer - t.hosts]) continue;
        seen[peer - t.hosts] = true;
        queue.push_back(peer - t.hosts);
      }
    }
  }
}

template <class Visit>
void Paths::walk(std::uint32_t src, std::uint32_t dst, Visit&& visit) const {
  const Topology& t = *topology_;
  const std::size_t edges = routing_->edge_count();
  const std::size_t edge = routing_->edge_index(dst);
  std::uint32_t port = routing_->host_port(src);
  for (;;) {
    visit(t.links[port / 2]);
    const std::uint32_t node = t.port_peer(port);
    if (node == dst) return;
    const std::uint32_t s = node - t.hosts;
    port = routing_->next_hops(s, dst)[best_.empty() ? 0 : best_[s * edges + edge]];
  }
}

PathFacts Paths::facts(std::uint32_t src, std::uint32_t dst) const {
  PathFacts out{0, {std::numeric_limits<std::int64_t>::max()}, {}};
  std::uint32_t links = 0;
  walk(src, dst, [&](const Link& l) {
    ++links;
    out.slowest = std::min(out.slowest, l.rate);
    out.propagation += l.delay;
  });
  out.switches = links - 1;
  return out;
}

Time Paths::one_way(std::uint32_t src, std::uint32_t dst, Bytes wire) const {
  Time out;
  walk(src, dst, [&](const Link& l) { out += l.delay + transmission_time(wire, l.rate); });
  return out;
}

Time Paths::base_rtt(std::uint32_t src, std::uint32_t dst, Bytes data_wire, Bytes ack_wire) const {
  Time out;
  walk(src, dst, [&](const Link& l) {
    out += 2 * l.delay + transmission_time(data_wire, l.rate) + transmission_time(ack_wire, l.rate);
  });
  return out;
}

// Packets 1..n cross stages 1..m in order: the H links forward, then the same links back as
// acknowledgements. Packet i leaves stage h at
//     D(i,h) = max(D(i,h-1), D(i-1,h)) + t(i,h)
// (propagation only shifts a stage as a whole), so D(n,m) is the heaviest monotone path of cells
// from (1,1) to (n,m). All rows but the last are alike: a path that enters the last row at stage
// k weighs, with t the full packet, l the last one and a the acknowledgement,
//     T(k) + (n-2) * max_{h<=k} t(h) + L - L(k-1) + A          k on the way there
//     T(H) + (n-2) * max(max t, a*) + A + a*,  a* = max a      k on the way back
// where T, L, A are sums over stages; on the way back the stage with the slowest acknowledgement
// is the best k, because it has the largest term in both places.
Time Paths::ideal_fct(std::uint32_t src, std::uint32_t dst, Bytes size, const Framing& framing, IdealFct kind) const {
  const std::int64_t packets = (size.count + framing.payload.count - 1) / framing.payload.count;
  if (kind == IdealFct::hpcc) {
    constexpr std::int64_t kHeader = 48;
    const PathFacts f = facts(src, dst);
    const Time base_rtt = one_way(src, dst, framing.payload) + f.propagation;
    return base_rtt + long_transmission_time(size.count + packets * kHeader, f.slowest);
  }

  const Bytes full = framing.payload + framing.header;
  const Bytes last = size - (packets - 1) * framing.payload + framing.header;
  Time propagation, sum_full, sum_last, sum_ack, max_full, max_ack;
  Time heaviest = {std::numeric_limits<std::int64_t>::min()};  // without the terms L and A
  walk(src, dst, [&](const Link& l) {
    const Time t = transmission_time(full, l.rate);
    const Time a = transmission_time(framing.ack, l.rate);
    propagation += l.delay;
    sum_full += t;
    max_full = std::max(max_full, t);
    heaviest = std::max(heaviest, sum_full + (packets - 2) * max_full - sum_last);
    sum_last += transmission_time(last, l.rate);
    sum_ack += a;
    max_ack = std::max(max_ack, a);
  });
  const Time both_ways = 2 * propagation + sum_ack;
  if (packets == 1) return both_ways + sum_last;
  return both_ways + std::max(heaviest + sum_last, sum_full + (packets - 2) * std::max(max_full, max_ack) + max_ack);
}

// The same paths of cells as in ideal_fct, as far as the last stage on the way there.
Time Paths::delivery(std::uint32_t src, std::uint32_t dst, Bytes size, const Framing& framing) const {
  const std::int64_t packets = (size.count + framing.payload.count - 1) / framing.payload.count;
  const Bytes full = framing.payload + framing.header;
  const Bytes last = size - (packets - 1) * framing.payload + framing.header;
  Time propagation, sum_full, sum_last, max_full;
  Time heaviest = {std::numeric_limits<std::int64_t>::min()};  // without the term L
  walk(src, dst, [&](const Link& l) {
    const Time t = transmission_time(full, l.rate);
    propagation += l.delay;
    sum_full += t;
    max_full = std::max(max_full, t);
    heaviest = std::max(heaviest, sum_full + (packets - 2) * max_full - sum_last);
    sum_last += transmission_time(last, l.rate);
  });
  return propagation + sum_last + (packets == 1 ? Time{} : heaviest);
}

std::uint32_t Paths::max_switches() const {
  // One host per edge switch; in a regular tree no host is further from host 0 than its most remote peer.
  std::vector<std::uint32_t> host_of(routing_->edge_count());
  for (std::uint32_t h = 0; h < topology_->hosts; ++h) host_of[routing_->edge_index(h)] = h;
  std::uint32_t out = 1;
  const std::size_t sources = routing_->by_arithmetic() ? 1 : host_of.size();
  for (std::size_t i = 0; i < sources; ++i) {
    const std::uint32_t src = routing_->by_arithmetic() ? 0 : host_of[i];
    for (const std::uint32_t dst : host_of)
      if (routing_->edge_index(src) != routing_->edge_index(dst)) out = std::max(out, facts(src, dst).switches);
  }
  return out;
}

Time Paths::network_rtt(Bytes data_wire, Bytes ack_wire) const {
  const Topology& t = *topology_;
  // One host per edge switch and kind of link, and a second one for the way within a rack.
  std::vector<std::uint32_t> hosts;
  {
    std::vector<std::vector<std::uint32_t>> chosen(routing_->edge_count());
    const auto link_of = [&](std::uint32_t h) -> const Link& { return t.links[routing_->host_port(h) / 2]; };
    for (std::uint32_t h = 0; h < t.hosts; ++h) {
      auto& mine = chosen[routing_->edge_index(h)];
      const auto alike = std::count_if(mine.begin(), mine.end(), [&](std::uint32_t o) {
        return link_of(o).rate == link_of(h).rate && link_of(o).delay == link_of(h).delay;
      });
      if (alike < 2) mine.push_back(h);
    }
    for (const auto& mine : chosen) hosts.insert(hosts.end(), mine.begin(), mine.end());
  }
  Time out;
  // in a regular tree no pair is further apart than host 0 and its most remote peer
  const std::size_t sources = routing_->by_arithmetic() ? 1 : hosts.size();
  for (std::size_t i = 0; i < sources; ++i)
    for (std::size_t j = 0; j < hosts.size(); ++j)
      if (i != j) out = std::max(out, base_rtt(hosts[i], hosts[j], data_wire, ack_wire));
  return out;
}

}  // namespace weir::net
