// Warns of timeouts that may come without a loss.
#pragma once

#include <string>
#include <vector>

#include "weir/scenario/scenario.h"

namespace weir::scenario {

// Adds a warning about timeouts that are shorter than a round trip of the empty network, with what receiving hosts add
// to it in the mean.
void warn_of_short_timeouts(const Scenario&, const engine::Model&, std::vector<std::string>& out);

}  // namespace weir::scenario
