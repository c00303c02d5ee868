// All evaluators there are.
#pragma once

#include <string_view>
#include <vector>

#include "weir/claims/evaluator.h"

namespace weir::claims {

const std::vector<Evaluator>& evaluators();
// The one that judges a claim; null: none does.
const Evaluator* evaluator_of(std::string_view id);

// By paper and kind of evidence: what they compute, and what they simulate.
std::vector<Evaluator> hpcc_arithmetic();
std::vector<Evaluator> hpcc_theory();
std::vector<Evaluator> hpcc_runs();
std::vector<Evaluator> hpcc_parameters();
std::vector<Evaluator> hpcc_testbed_runs();
std::vector<Evaluator> fairness_arithmetic();
std::vector<Evaluator> fairness_runs();
std::vector<Evaluator> fairness_parts();
std::vector<Evaluator> fairness_elsewhere();
std::vector<Evaluator> on_ramp_arithmetic();
std::vector<Evaluator> on_ramp_foresight();
std::vector<Evaluator> on_ramp_runs();
std::vector<Evaluator> rl_arithmetic();
std::vector<Evaluator> rl_policies();
std::vector<Evaluator> rl_training();
std::vector<Evaluator> spraying_arithmetic();
std::vector<Evaluator> spraying_theorems();
std::vector<Evaluator> spraying_figures();

}  // namespace weir::claims
