// How long a flow that is alone in the network takes: what Paths (path_facts.h) calculates with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "weir/base/units.h"
#include "weir/net/model/path_facts.h"
#include "weir/net/model/path_graph.h"
#include "weir/net/model/topology.h"

namespace weir::net::lone_flow {

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
inline WideTime acknowledged(const Front& f, const Back& b, const Packets& p) {
  WideTime out = f.last;
  if (p.count > 1 && p.each_acked)
    out = std::max(out, f.first + (p.count - 2) * std::max(f.slowest, b.slowest) + b.slowest);
  return out + b.latency;
}

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

Fronts fronts_of(const PathGraph& graph, const Packets& p);

// Acknowledgements choose their paths by themselves.
Back least_back(const PathGraph& graph, const Packets& p);

// Packets that each take a path of their own. The links of a stage together carry all of them, from when the first one
// can be there; all full ones, if the last one is sooner there, from when a full one can; and the last one leaves its
// host behind the others.
WideTime sprayed_delivery(const PathGraph& graph, const Packets& p);

}  // namespace weir::net::lone_flow
