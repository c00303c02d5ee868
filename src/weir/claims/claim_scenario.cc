#include "weir/claims/claim_scenario.h"

#include "weir/scenario/fidelity.h"

namespace weir::claims {

scenario::Scenario load_claim_scenario(const std::string& file, const std::vector<std::string>& overrides) {
  scenario::Scenario out = scenario::load_scenario_file(file, overrides);
  scenario::check_judges_claims(out);
  return out;
}

}  // namespace weir::claims
