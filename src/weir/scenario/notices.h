// What is odd about a scenario that can be run all the same.
#pragma once

#include <string>
#include <vector>

#include "weir/engine/model.h"
#include "weir/scenario/scenario.h"

namespace weir::scenario {

// One line each. In a network that is no tree this looks at all next hops of all switches.
std::vector<std::string> notices(const Scenario&, const engine::Model&);

}  // namespace weir::scenario
