// Warns of parameters that a scenario writes and that have no effect in it.
#pragma once

#include <string>
#include <vector>

#include "weir/scenario/scenario.h"

namespace weir::scenario {

// Adds a warning for each table of which some values differ from their defaults and have no effect, by what the
// parameters say that they need (Param::needs). A parameter of a profile needs something of that profile, and one of
// the scenario something of any profile.
void warn_of_unused(const Scenario&, const engine::Model&, std::vector<std::string>& out);

}  // namespace weir::scenario
