// PPO (Schulman et al. 2017) for the methods that are there to be compared with: on the paper's raw reward, with
// continuous and with discrete actions (Tessler et al., figure 7), and Aurora (Jay et al., ICML 2019; figure 6).
//
// Actor and critic are networks inputs-32-16. Numbers are those of the public code: reward discounted by gamma without
// GAE, ratio clipped at 0.2, 4 epochs of 4 minibatches, value loss 0.5, entropy 0.01, each number of a gradient
// limited.
#pragma once

#include <cstdint>
#include <deque>
#include <vector>

#include "weir/learn/adam.h"
#include "weir/learn/learner.h"
#include "weir/learn/network.h"

namespace weir::learn {

class PpoLearner final : public Learner {
 public:
  // `method` is ppo_continuous, ppo_discrete or aurora.
  PpoLearner(const LearnerParams& learner, const PolicyParams& policy, std::uint64_t seed);

  std::unique_ptr<Actor> actor(const RandomStream& stream, const FirstRates& rates, bool explores) const override;
  double learn(std::span<TrajectoryStore* const> stores, double rate) override;
  void save(Saver& a) override;
  void load(Loader& a) override;

 private:
  friend class PpoActor;
  struct Sample {
    std::vector<double> inputs;
    double action = 0;  // discrete: the place in kDiscreteFactors
    double log_probability = 0;
    double advantage = 0;
    double to_come = 0;  // discounted rewards
  };
  template <class A>
  void archive(A& a);
  bool is_discrete() const { return method_ == Method::ppo_discrete; }
  std::vector<Sample> samples_of(std::span<TrajectoryStore* const> stores) const;
  double descend(std::span<const Sample> samples, double rate);
  // Of an action at these outputs of the actor; `slopes` are the derivatives by them, and by the logarithm of the
  // deviation, which is the last.
  double log_probability(std::span<const double> outputs, double action, std::span<double> slopes) const;

  Method method_;
  PolicyParams policy_;
  double gamma_;
  std::uint64_t seed_;
  std::uint64_t updates_ = 0;
  Network actor_;
  Network critic_;
  double log_deviation_;
  Adam actor_adam_;
  Adam critic_adam_;
};

}  // namespace weir::learn
