#include "weir/gym/outside.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

#include "weir/base/error.h"
#include "weir/scenario/outside_decisions.h"

namespace weir::gym {
namespace {

// It decides nothing: receivers send CNPs if the inputs of a profile's decider are the paper's.
std::shared_ptr<const policy::Decider> idle_decider(policy::Inputs inputs) {
  policy::Policy policy;
  policy.kind = policy::Kind::tree;
  policy.inputs = inputs;
  policy.history = 1;
  policy.nodes = {policy::TreeNode{}};
  return std::make_shared<const policy::Decider>(policy);
}

}  // namespace

Outside::Outside(const Scenario& scenario, const Settings& settings)
    : scenario_(scenario.internal()), inputs_(settings.inputs) {
  check(settings);
  std::vector<std::string> valid;
  for (std::size_t i = 0; i < scenario_.profiles.size(); ++i) {
    const scenario::ProfileSettings& profile = scenario_.profiles[i];
    if (scenario::pcc_rl_params(profile) == nullptr) continue;
    valid.push_back(profile.name);
    if (settings.profiles.empty() ||
        std::find(settings.profiles.begin(), settings.profiles.end(), profile.name) != settings.profiles.end())
      profiles_.push_back(i);
  }
  if (valid.empty())
    throw InputError(scenario_.place("algorithm.name"), "algorithm.name",
                     "no profile of this scenario has the algorithm 'pcc_rl', whose flows can be decided from outside; "
                     "set algorithm.name = \"pcc_rl\", or add a [[profile]] with that algorithm");
  for (const auto& name : settings.profiles)
    if (std::find(valid.begin(), valid.end(), name) == valid.end())
      throw InputError("profiles", fmt::format("there is no profile '{}' with the algorithm 'pcc_rl'; valid is {}",
                                               name, fmt::join(valid, ", ")));
  scenario_.run.threads = 1;
  scenario_.run.scheduler = engine::SchedulerKind::wheel;  // turns come in the order of time
  scenario_.probes = {};
}

scenario::Run Outside::build(std::uint64_t seed, cc::DecisionMaker& maker) {
  if (!model_ || model_seed_ != seed || model_maker_ != &maker) {
    scenario_.run.seed = seed;
    for (const std::size_t i : profiles_) scenario::set_maker(scenario_.profiles[i], maker, idle_decider(inputs_));
    model_ = scenario::build_model(scenario_);
    model_seed_ = seed;
    model_maker_ = &maker;
  }
  return scenario::build(scenario_, model_);
}

std::shared_ptr<const policy::Decider> Outside::decider() const {
  const scenario::ProfileSettings& first = scenario_.profiles[profiles_.front()];
  for (const std::size_t i : profiles_)
    if (params_of(i).policy != params_of(profiles_.front()).policy)
      throw InputError("others", fmt::format("the profiles '{}' and '{}' name different policies; name the one that "
                                             "decides for all other flows",
                                             first.name, scenario_.profiles[i].name));
  const auto model = scenario::build_network(scenario_);  // which loads it
  return static_cast<const cc::PccRl::Params*>(model->profiles[profiles_.front()].params.get())->decider;
}

Time Outside::latency() const {
  const scenario::ProfileSettings& first = scenario_.profiles[profiles_.front()];
  const Time latency = params_of(profiles_.front()).decision_latency;
  for (const std::size_t i : profiles_)
    if (params_of(i).decision_latency != latency)
      throw InputError("profiles", fmt::format("the profiles '{}' and '{}' have different decision_latency; give all "
                                               "that are decided from outside the same",
                                               first.name, scenario_.profiles[i].name));
  return latency;
}

const cc::PccRl::Params& Outside::params_of(std::size_t profile) const {
  return *scenario::pcc_rl_params(scenario_.profiles[profile]);
}

bool Outside::is_outside(const std::string& profile) const {
  return std::any_of(profiles_.begin(), profiles_.end(),
                     [&](std::size_t i) { return scenario_.profiles[i].name == profile; });
}

std::uint32_t Outside::count_flows(std::uint32_t most) const {
  std::uint32_t count = 0;
  scenario::expect(scenario_, *scenario::build_network(scenario_), std::uint64_t{64} * most,
                   [&](const scenario::ExpectedFlow& flow) {
                     if (is_outside(std::string(flow.profile))) ++count;
                   });
  return std::min(count, most);
}

std::uint64_t seed_of(std::uint64_t seed, std::uint64_t environment, std::uint64_t environments,
                      std::uint64_t episode) {
  return (seed + environment + environments * episode) % (static_cast<std::uint64_t>(scenario::kMaxSeed) + 1);
}

}  // namespace weir::gym
