// What the empty network does to a packet and to a flow: exact latencies in picoseconds.
//
// Facts of a pair of hosts are those of one path; of a host with several ports, by the port of least latency. In a
// topology with tree rules all equal-cost paths are alike; elsewhere it is the equal-cost path with the smallest
// latency for a 1000-byte packet (ties: lowest port index at each switch, from the source on). Least times are over all
// equal-cost paths, and no flow that is alone in the network can do better: those of a flow on one path are the least
// of any path, those of a sprayed flow what its links together, stage by stage, can carry. Where there is one path
// only, a flow that is alone and never held back takes just as long. Acknowledgements are taken to return over the same
// links. Switches store and forward and add no time of their own.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/base/units.h"
#include "weir/net/ideal_fct.h"
#include "weir/net/model/routing.h"

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
  bool each_acked = true;  // every packet is acknowledged by itself
  bool sprayed = false;    // its packets may take several paths
};

// Constant after construction. The routing (and its topology) must outlive this.
class Paths {
 public:
  explicit Paths(const Routing& routing);

  // Facts are found in O(hops) and without allocation. src != dst.
  PathFacts facts(std::uint32_t src, std::uint32_t dst) const;
  // From the first bit sent by src until dst has all of a packet of this size on the wire.
  Time one_way(std::uint32_t src, std::uint32_t dst, Bytes wire) const;
  // The time that a data packet takes there and its acknowledgement back.
  Time base_rtt(std::uint32_t src, std::uint32_t dst, Bytes data_wire, Bytes ack_wire) const;

  // The functions up to ideal_fct() give least times; Time::max() if they are longer.

  // The least time that a packet of this size takes, as one_way() counts it.
  Time least_one_way(std::uint32_t src, std::uint32_t dst, Bytes wire) const;
  // The time that a flow alone in the network takes, from the first bit sent until dst has all of it.
  Time delivery(std::uint32_t src, std::uint32_t dst, Bytes size, const Framing& framing) const;
  // The time that such a flow takes by these ports, from the host's own to the last switch's, whatever framing.sprayed
  // says.
  static Time delivery_by(const Topology&, std::span<const std::uint32_t> ports, Bytes size, const Framing& framing);
  // The time that such a flow takes until src has the last acknowledgement. With IdealFct::hpcc, that of the path of
  // which facts() tells.
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
  // The same from a port of a host on.
  template <class Visit>
  void walk_from(std::uint32_t port, std::uint32_t dst, Visit&& visit) const;
  std::uint32_t nearest_port(std::uint32_t src, std::uint32_t dst) const;
  // A host, by attachment.
  std::vector<std::uint32_t> one_host_of_each() const;
  void choose_shortest();
  // Whether all links between switches have one rate and one delay, so that paths of as many hops take as long.
  bool has_equal_links() const;
  // Whether the pair has one path only, or several that are alike and take a flow each.
  bool is_as_one_path(std::uint32_t src, std::uint32_t dst, bool sprayed) const;

  const Routing* routing_;
  const Topology* topology_;
  bool paths_are_alike_;             // of each pair of hosts
  std::vector<std::uint16_t> best_;  // by (switch, attachment): which of the next hops; empty for trees
};

}  // namespace weir::net
