// Which ports a probe looks at.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/net/model/topology.h"

namespace weir::probe {

// The ports that a list such as "edge down, tier 2, 320->321" means, in ascending order, each once.
// "320->321" is the port of 320 towards 321, "320-321" the ports of both; parallel links are all meant. Throws
// InputError that says what is valid.
//
// Tiers have the same names here and in results. That of a port is the tier of the node that owns it: "hosts", "edge"
// (switches with hosts), "tier 2" (those above), ... Its direction tells where the far end is: "edge down" (to hosts),
// "edge up" (to a higher tier), "edge across" (to the same tier).
std::vector<std::uint32_t> choose_ports(const net::Topology&, std::string_view list);

// "hosts", "edge" (switches with hosts), "tier 2", ... of the node that owns the port.
std::string tier_name(std::uint8_t tier);

// The chosen ports' tiers, ascending, and each tier's directions, down before across before up; hosts have none.
struct Tiers {
  Tiers(const net::Topology&, const std::vector<std::uint32_t>& ports);

  // Ports of one tier and one direction.
  struct Group {
    std::string name;      // "edge down"; of hosts, that of the tier
    std::size_t tier = 0;  // index into names
  };
  std::vector<std::string> names;
  std::vector<Group> groups;           // in the order of their tiers
  std::vector<std::uint16_t> of_port;  // by place in `ports`: index into groups

  // Of a port of this group.
  std::size_t tier_of(std::size_t place) const { return groups[of_port[place]].tier; }
  // Names of tiers and of directions.
  std::vector<std::string> selectable() const;
};

}  // namespace weir::probe
