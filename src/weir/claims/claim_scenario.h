// The scenarios of evaluators.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/scenario/scenario.h"

namespace weir::claims {

// A scenario that an evaluator has opened.
struct Opened {
  std::string path;
  std::vector<std::string> overrides;
  bool perturbed = false;  // run.perturbation has changed something
};

// A scenario's file, and how an evaluator's run perturbs it.
struct ClaimFile {
  std::string path;
  std::uint32_t perturbation = 0;         // run.perturbation
  std::vector<Opened>* opened = nullptr;  // takes what is loaded; null: nobody asks
};

// Loads a scenario whose run is to judge a claim. Throws InputError that names file, line and key if it is not valid,
// or if its run has no packets (run.fidelity = "flow").
scenario::Scenario load_claim_scenario(const ClaimFile& file, std::vector<std::string> overrides = {});

}  // namespace weir::claims
