#include "weir/fluid/paths.h"

#include <algorithm>

namespace weir::fluid {

PathFinder::PathFinder(const engine::Model& model) : model_(model), arriving_(model.topology.switches) {}

std::span<const PathFinder::Use> PathFinder::along(std::uint32_t src, std::uint32_t dst, std::uint32_t entropy) {
  const net::Topology& topology = model_.topology;
  uses_.clear();
  for (std::uint32_t port = model_.routing.nic(src, dst, entropy);;) {
    uses_.push_back({.link = port});
    const std::uint32_t node = topology.port_peer(port);
    if (node == dst) return uses_;
    port = model_.routing.egress(node - topology.hosts, dst, entropy);
  }
}

std::span<const PathFinder::Use> PathFinder::spread(std::uint32_t src, std::uint32_t dst) {
  uses_.clear();
  const auto ports = model_.routing.ports_to(src, dst);
  double all = 0;
  for (const std::uint32_t port : ports) all += model_.topology.links[port / 2].rate.bytes_per_second();
  for (const std::uint32_t port : ports)
    spread_from(port, dst, ports.size() == 1 ? 1 : model_.topology.links[port / 2].rate.bytes_per_second() / all);
  if (ports.size() == 1) return uses_;
  // Ways from different ports may meet.
  std::stable_sort(uses_.begin(), uses_.end(), [](const Use& a, const Use& b) { return a.link < b.link; });
  std::size_t kept = 0;
  for (std::size_t i = 1; i < uses_.size(); ++i) {
    if (uses_[i].link == uses_[kept].link)
      uses_[kept].share += uses_[i].share;
    else
      uses_[++kept] = uses_[i];
  }
  uses_.resize(kept + 1);
  return uses_;
}

// All shortest paths from a switch are as long, so that a step from all switches of one distance leads to all of the
// next.
void PathFinder::spread_from(std::uint32_t first, std::uint32_t dst, double part) {
  const net::Topology& topology = model_.topology;
  uses_.push_back({.link = first, .share = part});
  if (topology.port_peer(first) == dst) return;
  std::vector<std::uint32_t> step{topology.port_peer(first) - topology.hosts};
  std::vector<std::uint32_t> next;
  arriving_[step.front()] = part;
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
}

}  // namespace weir::fluid
