// What earlier sweeps left in the directory of this one.
#pragma once

#include <vector>

#include "weir/run/sweep.h"
#include "weir/study/plan.h"

namespace weir::run {

// A directory whose runs are all another study's is refused: nothing of it would be used, and its tables would be lost.
void refuse_others(const study::Plan& plan, const SweepOptions& o);

// The runs that are there. Those that differ are refused; or removed, if they are to be done now, or left to their
// shard.
std::vector<bool> find_done(const study::Plan& plan, const SweepOptions& o);

// Removes what killed sweeps left of these runs.
void clean(const study::Plan& plan, const SweepOptions& o);

// The directory in which a process does its run, beside the result.
std::string partial_name(const std::string& run_name, int process);

}  // namespace weir::run
