#include "weir/fluid/paths.h"

#include <algorithm>

namespace weir::fluid {

PathFinder::PathFinder(const engine::Model& model) : model_(model), arriving_(model.topology.switches) {}

std::span<const PathFinder::Use> PathFinder::along(std::uint32_t src, std::uint32_t dst, std::uint32_t entropy) {
  const net::Topology& topology = model_.topology;
  uses_.clear();
  for (std::uint32_t port = model_.routing.nic(src);;) {
    uses_.push_back({.link = port});
    const std::uint32_t node = topology.port_peer(port);
    if (node == dst) return uses_;
    port = model_.routing.egress(node - topology.hosts, dst, entropy);
  }
}

// All shortest paths from a switch are as long, so that a step from all switches of one distance leads to all of the
// next.
std::span<const PathFinder::Use> PathFinder::spread(std::uint32_t src, std::uint32_t dst) {
  const net::Topology& topology = model_.topology;
  uses_.clear();
  const std::uint32_t first = model_.routing.nic(src);
  uses_.push_back({.link = first});
  if (topology.port_peer(first) == dst) return uses_;
  std::vector<std::uint32_t> step{topology.port_peer(first) - topology.hosts};
  std::vector<std::uint32_t> next;
  arriving_[step.front()] = 1;
  while (!step.empty()) {
    next.clear();
    for (const std::uint32_t s : step) {
      const auto hops = model_.routing.next_hops(s, dst);
      const auto shares = model_.routing.shares(s, dst);
      for (std::size_t i = 0; i < hops.size(); ++i) {
        const double share = arriving_[s] * shares[i];
        if (share <= 0) continue;
        uses_.push_back({.link = hops[i], .share = share});
        const std::uint32_t peer = topology.port_peer(hops[i]);
        if (peer == dst) continue;
        double& there = arriving_[peer - topology.hosts];
        if (there == 0) next.push_back(peer - topology.hosts);
        there += share;
      }
      arriving_[s] = 0;
    }
    std::swap(step, next);
  }
  return uses_;
}

}  // namespace weir::fluid
