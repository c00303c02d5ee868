#include "weir/claims/catalogue.h"

#include <algorithm>
#include <iterator>

namespace weir::claims {

const std::vector<Evaluator>& evaluators() {
  static const std::vector<Evaluator> all = [] {
    std::vector<Evaluator> out;
    for (auto list :
         {hpcc_arithmetic, hpcc_theory, hpcc_runs, hpcc_parameters, hpcc_testbed_runs, fairness_arithmetic,
          fairness_runs, fairness_parts, fairness_elsewhere, on_ramp_arithmetic, on_ramp_foresight, on_ramp_runs,
          rl_arithmetic, rl_policies, rl_training, spraying_arithmetic, spraying_theorems, spraying_figures})
      std::ranges::move(list(), std::back_inserter(out));
    return out;
  }();
  return all;
}

const Evaluator* evaluator_of(std::string_view id) {
  for (const Evaluator& e : evaluators())
    if (std::find(e.ids.begin(), e.ids.end(), id) != e.ids.end()) return &e;
  return nullptr;
}

}  // namespace weir::claims
