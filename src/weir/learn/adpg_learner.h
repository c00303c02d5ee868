// AdpgLearner: a network that learns by ADPG (adpg.h) and acts as the policy that it is, in single precision.
#pragma once

#include "weir/learn/adam.h"
#include "weir/learn/adpg.h"
#include "weir/learn/learner.h"
#include "weir/learn/network.h"

namespace weir::learn {

class AdpgLearner final : public Learner {
 public:
  AdpgLearner(const LearnerParams& learner, const PolicyParams& policy, std::uint64_t seed);

  std::unique_ptr<Actor> actor(const RandomStream& stream, const FirstRates& rates, bool explores) const override;
  double learn(std::span<TrajectoryStore* const> stores, double rate) override;
  void save(Saver& a) override;
  void load(Loader& a) override;
  std::optional<policy::Policy> policy() const override { return decider_->policy(); }

 private:
  void decide_anew();

  policy::Policy shape_;  // without layers
  AdpgOptions options_;
  Network network_;
  Adam adam_;
  std::vector<double> gradients_;
  std::shared_ptr<const policy::Decider> decider_;
};

}  // namespace weir::learn
