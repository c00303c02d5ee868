// Which ports a probe looks at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/net/topology.h"

namespace weir::probe {

// The ports that a list such as "edge, tier 2, 320->321" means, in ascending order, each once.
// Parallel links between two nodes are all meant. Throws InputError that says what is valid.
std::vector<std::uint32_t> choose_ports(const net::Topology&, std::string_view list);

// "hosts", "edge" (switches with hosts), "tier 2", ... of the node that owns the port.
std::string tier_name(std::uint8_t tier);

// The chosen ports' tiers, ascending, and for each port which of them it belongs to.
struct Tiers {
  Tiers(const net::Topology&, const std::vector<std::uint32_t>& ports);

  std::vector<std::string> names;
  std::vector<std::uint8_t> of_port;  // by place in `ports`: index into names
};

}  // namespace weir::probe
