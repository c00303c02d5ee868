// On which ports a flow lies, and how much of it, by the network's routing.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "weir/engine/model/model.h"
#include "weir/theory/live_network.h"

namespace weir::fluid {

class PathFinder {
 public:
  using Use = theory::LiveNetwork::Use;

  // The model must outlive this.
  explicit PathFinder(const engine::Model& model);

  // The ports of one path, by the hash of this entropy, whole. Valid until the next call.
  std::span<const Use> along(std::uint32_t src, std::uint32_t dst, std::uint32_t entropy);
  // The ports of all shortest paths, with the share of packets that takes them if each packet has an entropy of its
  // own, and if the ports of the host are used as much as their rates allow. Valid until the next call.
  std::span<const Use> spread(std::uint32_t src, std::uint32_t dst);

 private:
  // Adds what a part of the packets uses that leaves the host by this port.
  void spread_from(std::uint32_t first, std::uint32_t dst, double part);

  const engine::Model& model_;
  std::vector<Use> uses_;
  std::vector<double> arriving_;  // by switch: the share that arrives there; all 0 between calls
};

}  // namespace weir::fluid
