#include "weir/scenario/outside_decisions.h"

#include <stdexcept>
#include <utility>

namespace weir::scenario {

const cc::PccRl::Params* pcc_rl_params(const ProfileSettings& profile) {
  if (profile.algorithm->about.name != cc::PccRl::about.name) return nullptr;
  return static_cast<const cc::PccRl::Params*>(profile.params.get());
}

void set_maker(ProfileSettings& profile, cc::DecisionMaker& maker, std::shared_ptr<const policy::Decider> decider) {
  const cc::PccRl::Params* const before = pcc_rl_params(profile);
  if (before == nullptr) throw std::logic_error("only flows of pcc_rl can be decided from outside");
  auto params = std::make_shared<cc::PccRl::Params>(*before);
  params->maker = &maker;
  if (decider != nullptr) params->decider = std::move(decider);
  profile.params = std::move(params);
}

}  // namespace weir::scenario
