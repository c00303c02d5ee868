// What is odd about a valid scenario, or may stop its run, as far as can be seen without running it.
#pragma once

#include <string>
#include <vector>

#include "weir/scenario/scenario.h"

namespace weir::scenario {

// The warnings about a scenario: whole sentences without their full stop; none if all is well. In a network that is no
// tree this looks at all next hops of all switches. It draws all flows, up to ten million, if some link is down for
// ever or loses every packet, if NICs are ideal in a network that drops, or if some path is too long for a timeout or a
// delay target.
std::vector<std::string> warnings(const Scenario&, const engine::Model&);

// Adds the warnings about a network that runs by Weir's own rules.
void warn_of_network(const Scenario&, const engine::Model&, std::vector<std::string>& out);

}  // namespace weir::scenario
