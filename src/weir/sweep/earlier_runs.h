// What earlier sweeps left in the directory of this one.
#pragma once

#include <vector>

#include "weir/study/plan.h"
#include "weir/sweep/sweep.h"

namespace weir::run {

// A directory whose runs are all another study's is refused: nothing of it would be used, and its tables would be lost.
void refuse_others(const study::Plan& plan, const SweepOptions& o);

// The runs that are there. Those that differ are refused; or removed, if they are to be done now, or left to their
// shard, or to whoever claims them.
std::vector<bool> find_done(const study::Plan& plan, const SweepOptions& o);

// Whether the result of a run is there, which nobody else does now. One that differs is refused, or removed.
bool is_done(const study::Plan& plan, const SweepOptions& o, std::size_t run);

}  // namespace weir::run
