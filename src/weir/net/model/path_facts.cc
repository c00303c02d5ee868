#include "weir/net/model/path_facts.h"

#include <algorithm>
#include <limits>
#include <vector>

#include "weir/net/model/path_graph.h"

namespace weir::net {
namespace {

constexpr Bytes kReferencePacket{1000};

// size * 8 / rate rounded up, for any size.
WideTime long_transmission_time(std::int64_t bytes, Rate rate) {
  const auto bits_ps = static_cast<WideTime>(bytes) * 8 * kPicosecondsPerSecond;
  return (bits_ps + rate.bits_per_second - 1) / rate.bits_per_second;
}

// A flow as it is on the wire.
struct Packets {
  Packets(Bytes size, const Framing& f)
      : count((size.count + f.payload.count - 1) / f.payload.count),
        full(f.payload + f.header),
        last(size - (count - 1) * f.payload + f.header),
        ack(f.ack),
        each_acked(f.each_acked) {}

  std::int64_t count;
  Bytes full;
  Bytes last;
  Bytes ack;
  bool each_acked;
};

// Packets 1..n cross stages 1..m in order: the H links forward, then the same links back as
// acknowledgements. Packet i leaves stage h at
//     D(i,h) = max(D(i,h-1), D(i-1,h)) + t(i,h)
// (propagation only shifts a stage as a whole), so D(n,m) is the heaviest monotone path of cells
// from (1,1) to (n,m). All rows but the last are alike: with t the full packet and T the sum of t over stages
//     D(n-1,h) = T(h) + (n-2) * max_{k<=h} t(k)
// On the way back, where the packets are acknowledgements, the stage with the slowest of them, a*, is the best to come
// down a column in:
//     D(n,2H) = A + max(D(n,H), T(H) + (n-2) * max(max t, a*) + a*)        A = the sum of a over stages
struct Front {
  WideTime first = 0;    // D(1,h)
  WideTime last = 0;     // D(n,h)
  WideTime slowest = 0;  // max t

  void cross(const Link& l, const Packets& p) {
    const WideTime t = transmission_time(p.full, l.rate).ps;
    slowest = std::max(slowest, t);
    first += t;
    if (p.count > 1) last = std::max(last, first + (p.count - 2) * slowest);
    first += l.delay.ps;
    last += transmission_time(p.last, l.rate).ps + l.delay.ps;
  }
  bool is_no_later(const Front& o) const { return first <= o.first && last <= o.last && slowest <= o.slowest; }
  // Each of them the sooner one.
  void merge(const Front& o) {
    first = std::min(first, o.first);
    last = std::min(last, o.last);
    slowest = std::min(slowest, o.slowest);
  }
};
struct Back {
  WideTime latency = 0;  // A, with propagation
  WideTime slowest = 0;  // a*

  void cross(const Link& l, const Packets& p) {
    const WideTime a = transmission_time(p.ack, l.rate).ps;
    latency += a + l.delay.ps;
    slowest = std::max(slowest, a);
  }
};
WideTime acknowledged(const Front& f, const Back& b, const Packets& p) {
  WideTime out = f.last;
  if (p.count > 1 && p.each_acked)
    out = std::max(out, f.first + (p.count - 2) * std::max(f.slowest, b.slowest) + b.slowest);
  return out + b.latency;
}

constexpr Back kNoBack{kNever, kNever};

// Those of different paths, of which none is later in all than another; many are merged.
class Fronts {
 public:
  void add(const Front& f) {
    if (std::any_of(all_.begin(), all_.end(), [&](const Front& o) { return o.is_no_later(f); })) return;
    std::erase_if(all_, [&](const Front& o) { return f.is_no_later(o); });
    if (all_.size() < kMost)
      all_.push_back(f);
    else
      all_.back().merge(f);
  }
  const std::vector<Front>& all() const { return all_; }

 private:
  static constexpr std::size_t kMost = 16;
  std::vector<Front> all_;
};

Fronts fronts_of(const PathGraph& graph, const Packets& p) {
  Fronts first;
  first.add({});
  return graph.carry(
      first, Fronts{},
      [&](const Fronts& from, const Link& link) {
        Fronts out;
        for (Front f : from.all()) {
          f.cross(link, p);
          out.add(f);
        }
        return out;
      },
      [](Fronts& into, const Fronts& more) {
        for (const Front& f : more.all()) into.add(f);
      });
}

// Acknowledgements choose their paths by themselves.
Back least_back(const PathGraph& graph, const Packets& p) {
  return graph.carry(
      Back{}, kNoBack,
      [&](Back b, const Link& link) {
        b.cross(link, p);
        return b;
      },
      [](Back& into, const Back& b) {
        into.latency = std::min(into.latency, b.latency);
        into.slowest = std::min(into.slowest, b.slowest);
      });
}

// The least time in which the links of a host can have sent all full packets, so that the last one may follow.
WideTime ahead_of_last(const PathGraph::Stage& links, std::int64_t full, const Packets& p) {
  WideTime least = kNever;
  for (const auto& hop : links) least = std::min<WideTime>(least, transmission_time(p.full, hop.link->rate).ps);
  return full / static_cast<std::int64_t>(links.size()) * least;
}

// Packets that each take a path of their own. The links of a stage together carry all of them, from when the first one
// can be there; all full ones, if the last one is sooner there, from when a full one can; and the last one leaves its
// host behind the others.
WideTime sprayed_delivery(const PathGraph& graph, const Packets& p) {
  const auto until_last = graph.least_until(p.last);
  const std::int64_t full = p.count - 1;
  if (full == 0) return until_last.back();
  const auto until_full = graph.least_until(p.full);
  const auto from_last = graph.least_from(p.last);
  const auto from_full = graph.least_from(p.full);
  const WideTime ahead = ahead_of_last(graph.stages().front(), full, p);
  WideTime out = ahead + until_last.back();
  for (std::size_t k = 0; k < graph.stages().size(); ++k) {
    const PathGraph::Stage& stage = graph.stages()[k];
    const auto by_delay = [](const auto& a, const auto& b) { return a.link->delay < b.link->delay; };
    const WideTime delay = std::min_element(stage.begin(), stage.end(), by_delay)->link->delay.ps;
    WideTime work_full = 0;
    WideTime work_last = 0;
    if (stage.size() == 1) {
      work_full = full * WideTime{transmission_time(p.full, stage.front().link->rate).ps};
      work_last = transmission_time(p.last, stage.front().link->rate).ps;
    } else {
      WideTime rate = 0;
      for (const auto& hop : stage) rate += hop.link->rate.bits_per_second;
      work_full = full * WideTime{p.full.count} * 8 * kPicosecondsPerSecond / rate;
      work_last = WideTime{p.last.count} * 8 * kPicosecondsPerSecond / rate;
    }
    const WideTime any = std::min(until_full[k], ahead + until_last[k]);
    out = std::max({out, any + work_full + work_last + delay + std::min(from_full[k + 1], from_last[k + 1]),
                    until_full[k] + work_full + delay + from_full[k + 1]});
  }
  return out;
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
  const Packets p(size, framing);
  if (kind == IdealFct::hpcc) {
    constexpr std::int64_t kHeader = 48;
    const PathFacts f = facts(src, dst);
    const Time base_rtt = one_way(src, dst, framing.payload) + f.propagation;
    return saturated(base_rtt.ps + long_transmission_time(size.count + p.count * kHeader, f.slowest));
  }
  if (is_as_one_path(src, dst, framing.sprayed)) {
    Front front;
    Back back;
    walk(src, dst, [&](const Link& l) {
      front.cross(l, p);
      back.cross(l, p);
    });
    return saturated(acknowledged(front, back, p));
  }
  const PathGraph graph(*routing_, src, dst);
  const Back back = least_back(graph, p);
  if (framing.sprayed) return saturated(sprayed_delivery(graph, p) + back.latency);
  WideTime out = kNever;
  const Fronts fronts = fronts_of(graph, p);
  for (const Front& front : fronts.all()) out = std::min(out, acknowledged(front, back, p));
  return saturated(out);
}

Time Paths::delivery(std::uint32_t src, std::uint32_t dst, Bytes size, const Framing& framing) const {
  const Packets p(size, framing);
  if (is_as_one_path(src, dst, framing.sprayed)) {
    Front front;
    walk(src, dst, [&](const Link& l) { front.cross(l, p); });
    return saturated(front.last);
  }
  const PathGraph graph(*routing_, src, dst);
  if (framing.sprayed) return saturated(sprayed_delivery(graph, p));
  WideTime out = kNever;
  const Fronts fronts = fronts_of(graph, p);
  for (const Front& front : fronts.all()) out = std::min(out, front.last);
  return saturated(out);
}

Time Paths::delivery_by(const Topology& t, std::span<const std::uint32_t> ports, Bytes size, const Framing& framing) {
  const Packets p(size, framing);
  Front front;
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
