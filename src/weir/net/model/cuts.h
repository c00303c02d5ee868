// Cuts of a network: groups of hosts, and what the links between a group and the rest can carry.
//
// Two kinds of groups: the hosts of each switch that has any; and those that still hang together without the switches
// above a tier, such as the pods of a fat tree without its core.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/units.h"
#include "weir/net/model/topology.h"

namespace weir::net {

// One way to divide all hosts into groups.
struct Division {
  std::vector<std::uint32_t> group;  // by host
  std::vector<Rate> capacity;        // by group: of the links out of it, and as much into it
};

// The divisions in which the links of some group carry less than its hosts' own. A topology without tiers has none.
std::vector<Division> narrow_divisions(const Topology& topology);

}  // namespace weir::net
