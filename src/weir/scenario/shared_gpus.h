// What tables of traffic do not know of each other where they use the same GPUs.
#pragma once

#include <string>
#include <vector>

#include "weir/engine/model/model.h"
#include "weir/scenario/scenario.h"

namespace weir::scenario {

// Adds a warning if collectives, calls and training steps that begin before run.stop
// - compute on the same GPUs, which each does as if it had them for itself,
// - use scale-up links of the same GPUs and do not share them: those of `serial` and of `max-min` are apart, and so are
//   those of `max-min` with another `group` or rate.
void warn_of_shared_gpus(const Scenario&, const engine::Model&, std::vector<std::string>& out);

// Throws InputError if tables use the same serial links of a GPU, and say different rates of them.
void check_shared_gpus(const Scenario&, const engine::Model&);

}  // namespace weir::scenario
