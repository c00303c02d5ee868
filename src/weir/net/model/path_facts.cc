#include "weir/net/model/path_facts.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "weir/net/model/lone_flow.h"
#include "weir/net/model/path_graph.h"

namespace weir::net {
namespace {

constexpr Bytes kReferencePacket{1000};

// size * 8 / rate rounded up, for any size.
WideTime long_transmission_time(std::int64_t bytes, Rate rate) {
  const auto bits_ps = static_cast<WideTime>(bytes) * 8 * kPicosecondsPerSecond;
  return (bits_ps + rate.bits_per_second - 1) / rate.bits_per_second;
}

}  // namespace

Paths::Paths(const Routing& routing)
    : routing_(&routing),
      topology_(&routing.topology()),
      paths_are_alike_(routing.by_arithmetic() || (!routing.hosts_have_several_ports() && has_equal_links())) {
  if (!routing.by_arithmetic()) choose_shortest();
}

bool Paths::has_equal_links() const {
  const Link* first = nullptr;
  for (const Link& l : topology_->links) {
    if (std::min(l.a, l.b) < topology_->hosts) continue;
    if (first == nullptr) first = &l;
    if (l.rate != first->rate || l.delay != first->delay) return false;
  }
  return true;
}

// Per attachment: the switches by increasing distance, each choosing the next hop from which
// the rest of the way is shortest.
void Paths::choose_shortest() {
  const Topology& t = *topology_;
  const std::uint32_t attachments = routing_->attachments();
  const std::vector<std::uint32_t> host_of = one_host_of_each();

  best_.assign(std::size_t{t.switches} * attachments, 0);
  std::vector<Time> latency(t.switches);
  std::vector<bool> seen;
  std::vector<std::uint32_t> queue;
  for (std::uint32_t a = 0; a < attachments; ++a) {
    const auto roots = routing_->switches_of(a);
    queue.assign(roots.begin(), roots.end());
    seen.assign(t.switches, false);
    for (const std::uint32_t root : roots) {
      seen[root] = true;
      latency[root] = {};
    }
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const std::uint32_t s = queue[i];
      if (i >= roots.size()) {
        const auto hops = routing_->next_hops(s, host_of[a]);
        latency[s] = Time::max();
        for (std::size_t n = 0; n < hops.size(); ++n) {
          const Link& l = t.links[hops[n] / 2];
          const Time via =
              latency[t.port_peer(hops[n]) - t.hosts] + l.delay + transmission_time(kReferencePacket, l.rate);
          if (via >= latency[s]) continue;
          latency[s] = via;
          best_[std::size_t{s} * attachments + a] = static_cast<std::uint16_t>(n);
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

std::vector<std::uint32_t> Paths::one_host_of_each() const {
  std::vector<std::uint32_t> out(routing_->attachments());
  for (std::uint32_t h = 0; h < topology_->hosts; ++h) out[routing_->attachment(h)] = h;
  return out;
}

template <class Visit>
void Paths::walk(std::uint32_t src, std::uint32_t dst, Visit&& visit) const {
  walk_from(routing_->hosts_have_several_ports() ? nearest_port(src, dst) : routing_->nic(src), dst, visit);
}

std::uint32_t Paths::nearest_port(std::uint32_t src, std::uint32_t dst) const {
  std::uint32_t best = routing_->nic(src);
  if (paths_are_alike_) return best;
  Time least = Time::max();
  for (const std::uint32_t port : routing_->ports_to(src, dst)) {
    Time latency;
    walk_from(port, dst, [&](const Link& l) { latency += l.delay + transmission_time(kReferencePacket, l.rate); });
    if (latency >= least) continue;
    least = latency;
    best = port;
  }
  return best;
}

template <class Visit>
void Paths::walk_from(std::uint32_t port, std::uint32_t dst, Visit&& visit) const {
  const Topology& t = *topology_;
  const std::size_t attachments = routing_->attachments();
  const std::size_t attachment = routing_->attachment(dst);
  for (;;) {
    visit(t.links[port / 2]);
    const std::uint32_t node = t.port_peer(port);
    if (node == dst) return;
    const std::uint32_t s = node - t.hosts;
    port = routing_->next_hops(s, dst)[best_.empty() ? 0 : best_[s * attachments + attachment]];
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

bool Paths::is_as_one_path(std::uint32_t src, std::uint32_t dst, bool sprayed) const {
  if (paths_are_alike_ && !sprayed) return true;
  const Topology& t = *topology_;
  if (routing_->ports_of(src).size() > 1) return false;
  for (std::uint32_t node = t.port_peer(routing_->nic(src)); node != dst;) {
    const auto hops = routing_->next_hops(node - t.hosts, dst);
    if (hops.size() > 1) return false;
    node = t.port_peer(hops.front());
  }
  return true;
}

Time Paths::least_one_way(std::uint32_t src, std::uint32_t dst, Bytes wire) const {
  if (is_as_one_path(src, dst, false)) return one_way(src, dst, wire);
  return saturated(PathGraph(*routing_, src, dst).least_until(wire).back());
}

Time Paths::ideal_fct(std::uint32_t src, std::uint32_t dst, Bytes size, const Framing& framing, IdealFct kind) const {
  const lone_flow::Packets p(size, framing);
  if (kind == IdealFct::hpcc) {
    constexpr std::int64_t kHeader = 48;
    const PathFacts f = facts(src, dst);
    const Time base_rtt = one_way(src, dst, framing.payload) + f.propagation;
    return saturated(base_rtt.ps + long_transmission_time(size.count + p.count * kHeader, f.slowest));
  }
  if (is_as_one_path(src, dst, framing.sprayed)) {
    lone_flow::Front front;
    lone_flow::Back back;
    walk(src, dst, [&](const Link& l) {
      front.cross(l, p);
      back.cross(l, p);
    });
    return saturated(acknowledged(front, back, p));
  }
  const PathGraph graph(*routing_, src, dst);
  const lone_flow::Back back = least_back(graph, p);
  if (framing.sprayed) return saturated(sprayed_delivery(graph, p) + back.latency);
  WideTime out = kNever;
  const lone_flow::Fronts fronts = fronts_of(graph, p);
  for (const lone_flow::Front& front : fronts.all()) out = std::min(out, acknowledged(front, back, p));
  return saturated(out);
}

Time Paths::delivery(std::uint32_t src, std::uint32_t dst, Bytes size, const Framing& framing) const {
  const lone_flow::Packets p(size, framing);
  if (is_as_one_path(src, dst, framing.sprayed)) {
    lone_flow::Front front;
    walk(src, dst, [&](const Link& l) { front.cross(l, p); });
    return saturated(front.last);
  }
  const PathGraph graph(*routing_, src, dst);
  if (framing.sprayed) return saturated(sprayed_delivery(graph, p));
  WideTime out = kNever;
  const lone_flow::Fronts fronts = fronts_of(graph, p);
  for (const lone_flow::Front& front : fronts.all()) out = std::min(out, front.last);
  return saturated(out);
}

Time Paths::delivery_by(const Topology& t, std::span<const std::uint32_t> ports, Bytes size, const Framing& framing) {
  const lone_flow::Packets p(size, framing);
  lone_flow::Front front;
  for (const std::uint32_t port : ports) front.cross(t.links[port / 2], p);
  return saturated(front.last);
}

std::uint32_t Paths::max_switches() const {
  // One host per attachment; in a regular tree no host is further from host 0 than its most remote peer.
  const std::vector<std::uint32_t> host_of = one_host_of_each();
  std::uint32_t out = 1;
  const std::size_t sources = routing_->by_arithmetic() ? 1 : host_of.size();
  for (std::size_t i = 0; i < sources; ++i) {
    const std::uint32_t src = routing_->by_arithmetic() ? 0 : host_of[i];
    for (const std::uint32_t dst : host_of)
      if (routing_->attachment(src) != routing_->attachment(dst)) out = std::max(out, facts(src, dst).switches);
  }
  return out;
}

Time Paths::network_rtt(Bytes data_wire, Bytes ack_wire) const {
  const Topology& t = *topology_;
  // One host per attachment and kinds of links, and a second one for the way within a rack.
  std::vector<std::uint32_t> hosts;
  {
    std::vector<std::vector<std::uint32_t>> chosen(routing_->attachments());
    for (std::uint32_t h = 0; h < t.hosts; ++h) {
      auto& mine = chosen[routing_->attachment(h)];
      const auto is_alike = [&](std::uint32_t a, std::uint32_t b) {
        const Link& x = t.links[a / 2];
        const Link& y = t.links[b / 2];
        return x.rate == y.rate && x.delay == y.delay;
      };
      const auto alike = std::count_if(mine.begin(), mine.end(), [&](std::uint32_t o) {
        const auto a = routing_->ports_of(o), b = routing_->ports_of(h);
        return std::equal(a.begin(), a.end(), b.begin(), b.end(), is_alike);
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
