// What can be known of a study's runs before any of them begins.
#pragma once

#include <cstddef>
#include <vector>

#include "weir/study/estimate.h"
#include "weir/study/plan.h"

namespace weir::study {

// Makes the networks of these runs, one after the other, and draws their flows; no simulation is made. Checks what
// build() would, that the files which measures and figures read would be written, and that each measure and each figure
// takes something: a key that summary.json has, flows that some traffic has. For these the other points are looked at,
// too, if need be. Returns an estimate per run of the plan, empty ones for those not asked for. Throws InputError that
// names the study's line, and the point where one is to blame. `warnings` tells what weir validate would warn of, once
// for each of the points that these runs are of, by the first of its runs.
std::vector<Estimate> check_runs(const Plan& plan, const std::vector<std::size_t>& runs,
                                 std::vector<Notice>* warnings = nullptr);

}  // namespace weir::study
