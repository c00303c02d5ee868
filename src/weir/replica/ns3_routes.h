// Paths as the simulator of HPCC's authors chooses and measures them (CalculateRoute in its third.cc): breadth-first
// from every host. Neighbours come in the order of heap addresses there, which was that of descending node numbers in
// all runs that are known, and is here. Of parallel links between two switches only the last one is known. Among the
// next hops that are found MurmurHash3 of addresses and ports decides.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/net/model/routing.h"
#include "weir/net/model/topology.h"

namespace weir::replica {

// MurmurHash3 (x86, 32 bits) of source and destination address and ports, seeded with the switch's node number.
std::uint32_t murmur_hash(std::uint32_t src, std::uint32_t dst, std::uint16_t sport, std::uint16_t dport,
                          std::uint32_t seed);

// Of one pair of hosts, without headers: propagation there and back, and the time of one payload on each link there.
struct PairFacts {
  std::int64_t rtt = 0;      // ns
  std::int64_t slowest = 0;  // bit/s
  std::uint64_t bdp() const {
    return static_cast<std::uint64_t>(rtt) * static_cast<std::uint64_t>(slowest) / 1'000'000'000 / 8;
  }
};

class Ns3Routes {
 public:
  // The routing names the network, which has whole nanoseconds of delay.
  Ns3Routes(const net::Routing& routing, std::int64_t payload);

  // The ports by which a switch reaches a host; none if a failed link has cut it off.
  std::span<const std::uint32_t> next_hops(std::uint32_t switch_index, std::uint32_t dst) const {
    const std::uint32_t edge = routing_.edge_switch(dst);
    if (edge == switch_index) return {&down_ports_[dst], 1};
    const Group g = groups_[std::size_t{switch_index} * edges_ + routing_.attachment(dst)];
    return {group_ports_.data() + g.first, g.count};
  }
  PairFacts facts(std::uint32_t src, std::uint32_t dst) const;
  // The largest round-trip time and the largest bandwidth-delay product of any two hosts.
  std::int64_t max_rtt() const { return max_rtt_; }
  std::uint64_t max_bdp() const { return max_bdp_; }

  // Chooses paths anew without this link. Facts stay as they were.
  void take_down(std::uint32_t link);

 private:
  struct Group {
    std::uint32_t first = 0;
    std::uint32_t count = 0;
  };
  // Between two edge switches.
  struct Inner {
    std::int64_t delay = 0;  // ns
    std::int64_t transmission = 0;
    std::int64_t slowest = 0;
  };

  void build(bool with_facts);
  void search(std::uint32_t edge, bool with_facts);
  void find_largest();
  Inner link_facts(std::uint32_t port) const;
  PairFacts pair(const Inner& first, const Inner& inner, const Inner& last) const;

  const net::Routing& routing_;
  const net::Topology& topology_;
  const std::int64_t payload_;
  const std::uint32_t edges_;
  std::vector<bool> down_;                              // by link
  std::vector<std::vector<std::uint32_t>> neighbours_;  // of a switch: a port to each switch, by descending peer
  std::vector<std::uint32_t> down_ports_;               // by host
  std::vector<Group> groups_;                           // by switch and edge
  std::vector<std::uint32_t> group_ports_;
  std::vector<Inner> inner_;  // by edge and edge
  std::int64_t max_rtt_ = 0;
  std::uint64_t max_bdp_ = 0;
};

}  // namespace weir::replica
