// What the empty network does to a packet and to a flow: exact latencies in picoseconds.
//
// The facts of a pair of hosts are those of one path. In a topology with tree rules all
// equal-cost paths are alike; elsewhere it is the equal-cost path with the smallest latency for
// a 1000-byte packet (ties: lowest port index at each switch, from the source on).
// Acknowledgements are taken to return over the same links. Switches store and forward and add
// no time of their own.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/units.h"
#include "weir/net/ideal_fct.h"
#include "weir/net/routing.h"

namespace weir::net {

struct PathFacts {
  std::uint32_t switches = 0;
  Rate slowest;      // the slowest link
  Time propagation;  // one way
};

// How a transport cuts a flow into packets; sizes on the wire.
struct Framing {
  Bytes payload;  // of a full packet
  Bytes header;   // added to each packet, INT included
  Bytes ack;
};

// Constant after construction. The routing (and its topology) must outlive this.
class Paths {
 public:
  explicit Paths(const Routing& routing);

  // All in O(hops) and without allocation. src != dst.
  PathFacts facts(std::uint32_t src, std::uint32_t dst) const;
  // From the first bit sent by src until dst has all of a packet of this size on the wire.
  Time one_way(std::uint32_t src, std::uint32_t dst, Bytes wire) const;
  // A data packet there and its acknowledgement back.
  Time base_rtt(std::uint32_t src, std::uint32_t dst, Bytes data_wire, Bytes ack_wire) const;
  // A flow alone in the network, from the first bit sent until dst has all of it.
  Time delivery(std::uint32_t src, std::uint32_t dst, Bytes size, const Framing& framing) const;
  Time ideal_fct(std::uint32_t src, std::uint32_t dst, Bytes size, const Framing& framing,
                 IdealFct kind = IdealFct::exact) const;

  // The most switches on the path of any two hosts.
  std::uint32_t max_switches() const;
  // The largest base_rtt over all pairs of hosts.
  Time network_rtt(Bytes data_wire, Bytes ack_wire) const;

 private:
  // Calls visit(link) for each link from src to dst.
  template <class Visit>
  void walk(std::uint32_t src, std::uint32_t dst, Visit&& visit) const;
  void choose_shortest();

  const Routing* routing_;
  const Topology* topology_;
  std::vector<std::uint16_t> best_;  // by (switch, edge): which of the next hops; empty for trees
};

}  // namespace weir::net
