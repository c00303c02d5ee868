// What earlier sweeps left in the directory of this one.
#pragma once

#include <vector>

#include "weir/study/plan.h"
#include "weir/sweep/sweep.h"

namespace weir::run {

// Refuses a directory whose runs are all another study's: nothing of it would be used, and its tables would be lost.
// Throws InputError.
void refuse_others(const study::Plan& plan, const SweepOptions& o);

// Finds the runs that are done. Results that differ from what the plan asks for are refused; removed, if they are to be
// done now; or left to their shard, or to the worker that leases them.
std::vector<bool> find_done(const study::Plan& plan, const SweepOptions& o);

// Whether the result of a run is there that no other worker does now. A result that differs is refused, or removed.
bool is_done(const study::Plan& plan, const SweepOptions& o, std::size_t run);

}  // namespace weir::run
