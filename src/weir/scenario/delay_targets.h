// Delay targets against the unloaded paths of a scenario's flows.
#pragma once

#include <string>
#include <vector>

#include "weir/scenario/scenario.h"

namespace weir::scenario {

// Where the empty path of some flow takes longer than its algorithm, or On-Ramp, lets its packets take: one sentence
// for each profile and setting, with the least value that works for all flows. The flows are drawn only if the longest
// path of the network is too long for some profile.
void warn_of_delay_targets(const Scenario&, const engine::Model&, std::vector<std::string>& out);

}  // namespace weir::scenario
