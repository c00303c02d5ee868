// A scenario with decisions from outside: which profiles they are for, and a run of it.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "weir/cc/decision_maker.h"
#include "weir/cc/pcc_rl.h"
#include "weir/gym/settings.h"
#include "weir/policy/decider.h"
#include "weir/scenario.h"
#include "weir/scenario/build.h"
#include "weir/scenario/scenario.h"

namespace weir::gym {

class Outside {
 public:
  // Throws InputError if the settings or the scenario are not valid, or if it has no flows to decide for.
  Outside(const Scenario& scenario, const Settings& settings);

  // Builds a run with this seed (run.seed), on one thread and without probes, in which `maker` decides. The maker must
  // outlive it.
  scenario::Run build(std::uint64_t seed, cc::DecisionMaker& maker);

  // The policy that the profiles name. Throws InputError if they name different ones.
  std::shared_ptr<const policy::Decider> decider() const;
  // The decision_latency of the profiles. Throws InputError if they have different ones.
  Time latency() const;
  // Flows of these profiles in the scenario's traffic, up to `most`; with the scenario's own seed.
  std::uint32_t count_flows(std::uint32_t most) const;

 private:
  const cc::PccRl::Params& params_of(std::size_t profile) const;
  bool is_outside(const std::string& profile) const;

  scenario::Scenario scenario_;
  std::vector<std::size_t> profiles_;
  policy::Inputs inputs_;
  // The model is kept for the next run: most of it does not depend on anything that changes between runs.
  std::shared_ptr<const engine::Model> model_;
  std::uint64_t model_seed_ = 0;
  const cc::DecisionMaker* model_maker_ = nullptr;
};

// The seed of an environment's episode: `seed` + the environment's number + the number of environments x the episode's,
// within what run.seed can be.
std::uint64_t seed_of(std::uint64_t seed, std::uint64_t environment, std::uint64_t environments, std::uint64_t episode);

}  // namespace weir::gym
