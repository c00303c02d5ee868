// Warns of delay targets that are shorter than the unloaded paths of a scenario's flows.
#pragma once

#include <string>
#include <vector>

#include "weir/scenario/scenario.h"

namespace weir::scenario {

// Adds a warning for each profile and setting of which some flow's empty path takes longer than its algorithm, or
// On-Ramp, lets packets take; it tells the least value that works for all flows. The flows are drawn only if the
// longest path of the network is too long for some profile.
void warn_of_delay_targets(const Scenario&, const engine::Model&, std::vector<std::string>& out);

}  // namespace weir::scenario
