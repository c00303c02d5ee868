// The scenarios of evaluators.
#pragma once

#include <string>
#include <vector>

#include "weir/scenario/scenario.h"

namespace weir::claims {

// Loads a scenario whose run is to judge a claim. Throws InputError that names file, line and key if it is not valid,
// or if its run has no packets (run.fidelity = "flow").
scenario::Scenario load_claim_scenario(const std::string& file, const std::vector<std::string>& overrides = {});

}  // namespace weir::claims
