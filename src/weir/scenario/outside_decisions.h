// Profiles of pcc_rl, whose flows may be decided from outside (cc/decision_maker.h).
#pragma once

#include <memory>

#include "weir/cc/decision_maker.h"
#include "weir/cc/pcc_rl.h"
#include "weir/policy/decider.h"
#include "weir/scenario/scenario.h"

namespace weir::scenario {

// The parameters of a profile whose algorithm is pcc_rl; null if it has another one.
const cc::PccRl::Params* pcc_rl_params(const ProfileSettings&);

// Makes runs that are built of the scenario afterwards ask `maker` instead of the profile's policy. The maker must
// outlive them, and is one thread's: set run.threads to 1. Receivers send CNPs if the inputs of `decider` are the
// paper's; without one, the profile keeps what it has. Throws std::logic_error if the profile's algorithm is not
// pcc_rl.
void set_maker(ProfileSettings& profile, cc::DecisionMaker& maker,
               std::shared_ptr<const policy::Decider> decider = nullptr);

}  // namespace weir::scenario
