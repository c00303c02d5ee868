// A network of HPCC or DCQCN senders by Weir's rules, computed a second way: two events per packet and link, one heap,
// and nothing clever. It shares with the engine the description of the network and the algorithms, and nothing that
// decides when something happens; it gives the engine's results to the picosecond (docs/evidence/validation.md). No
// packet is paused or dropped here: the caller sees to it that none is where it compares.
#pragma once

#include <vector>

#include "weir/engine/model/model.h"
#include "weir/traffic/flow.h"

namespace weir::validation {

// By place in `flows`, which are in order of start and all of the model's first profile.
std::vector<Time> completion_times(const engine::Model& model, const std::vector<traffic::Flow>& flows);

}  // namespace weir::validation
