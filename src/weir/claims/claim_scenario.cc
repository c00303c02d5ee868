#include "weir/claims/claim_scenario.h"

#include <utility>

#include <fmt/format.h>

#include "weir/scenario/fidelity.h"

namespace weir::claims {

scenario::Scenario load_claim_scenario(const ClaimFile& file, std::vector<std::string> overrides) {
  if (file.perturbation > 0) overrides.push_back(fmt::format("run.perturbation={}", file.perturbation));
  scenario::Scenario out = scenario::load_scenario_file(file.path, overrides);
  scenario::check_judges_claims(out);
  if (file.opened != nullptr) file.opened->push_back({file.path, std::move(overrides), out.perturbed});
  return out;
}

}  // namespace weir::claims
