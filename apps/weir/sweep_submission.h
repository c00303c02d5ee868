// A sweep as jobs of a batch system.
#pragma once

#include <cstddef>
#include <vector>

#include "weir/study/plan.h"
#include "weir/sweep_options.h"

namespace weir::app {

// Submits workers for these runs, none of which is done, and a collection, and tells which jobs these are. Checks the
// runs before. Throws InputError.
void submit_sweep(const study::Plan& plan, const std::vector<std::size_t>& runs, const SweepOptions& o);

}  // namespace weir::app
