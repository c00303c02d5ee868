// How a switch divides packets among equal-cost next hops: to each the same, or by capacity (WCMP).
//
// By capacity, a next hop gets packets in proportion to what it can carry towards the destination (Zhou et al., WCMP:
// Weighted Cost Multipathing for Improved Fairness in Data Centers, EuroSys 2014). With d the destination's edge
// switch (or each of several), and in order of the distance from it,
//     C(d) = infinity
//     w(s, n) = min(sum of the rates of the links from s to n, C(n)), shared by parallel links in proportion to rate
//     C(s) = sum over the next hops n of w(s, n)
// so a thin link counts wherever it is on the way. C is what a switch could send if it were alone; where several ways
// lead on into the same link, each of them counts it in full, since no switch knows what others send.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/net/model/topology.h"

namespace weir::net {

enum class Multipath : std::uint8_t { equal, capacity };

// The weights above, towards one edge switch after the other. Switches count from 0: node - hosts.
class Capacities {
 public:
  // The topology must outlive this.
  explicit Capacities(const Topology& topology)
      : topology_(&topology), behind_(topology.switches), to_(topology.switches) {}

  // Towards these switches, which the hosts are at.
  void start(std::span<const std::uint32_t> edge_switches);
  // w of each of the ports `hops` of this switch, in bits per second, at least 1. What they lead to has been weighed.
  std::span<const std::uint64_t> weigh(std::uint32_t switch_index, std::span<const std::uint32_t> hops);

 private:
  const Topology* topology_;
  std::vector<std::uint64_t> behind_;  // C
  std::vector<std::uint64_t> to_;      // of the links to a switch; 0 between calls
  std::vector<std::uint64_t> weights_;
};

// Of hashes, which are uniform in 0 .. 2^32-1, next hop i takes those from the i-th of these numbers up to the next
// one: ceil(2^32 * (w_0 + ... + w_(i-1)) / sum of all). With equal weights these are the hops (hash * n) >> 32.
// Weights are above 0.
std::vector<std::uint32_t> hash_shares(std::span<const std::uint64_t> weights);

}  // namespace weir::net
