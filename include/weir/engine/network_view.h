// What programs and probes see of a network, which does not change while a run goes on.
#pragma once

#include <cstdint>
#include <string>

#include "weir/base/units.h"

namespace weir::engine {

struct Model;

// A port, the link on which it sends, and the nodes at both ends.
struct PortFacts {
  std::uint32_t from = 0;
  std::uint32_t to = 0;
  Rate rate;
  Time delay;  // propagation delay
};

// Nodes are numbered: hosts first, from 0, and then switches. Ports are too, from 0: a link has one for each direction.
class NetworkView {
 public:
  // The model must outlive this.
  explicit NetworkView(const Model& model) : model_(&model) {}

  std::uint32_t hosts() const;
  std::uint32_t switches() const;
  std::uint32_t ports() const;
  // These throw std::out_of_range unless there is such a port, node or host.
  PortFacts port(std::uint32_t port) const;
  std::uint32_t tier(std::uint32_t node) const;  // 0 for hosts, 1 for the switches next to them, and so on
  std::string name(std::uint32_t node) const;    // "host 3"; with several hosts in a server "host 3 (0.3)"; "switch 16"
  std::uint32_t nic(std::uint32_t host) const;   // the port by which the host sends

  // For Weir's own sources, which have engine/model/model.h.
  friend const Model& model_of(const NetworkView& network) { return *network.model_; }

 private:
  const Model* model_;
};

}  // namespace weir::engine
