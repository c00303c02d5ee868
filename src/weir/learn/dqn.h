// DQN (Mnih et al., Nature 2015), which Tessler et al. name among the methods that did not converge, on the paper's raw
// reward: a network that estimates for each factor of the rate what rewards are to come, and flows that take the best.
//
// Network, factors and numbers are those of the settings that the authors published (NVlabs/RLCC, dqn.yaml): a memory
// of 10,000 decisions, a step of Adam on 32 of them for each decision, Huber's loss, a target network that is renewed
// every 10,000 steps, and random factors in a share of decisions that falls from 1 to 0.05.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/learn/adam.h"
#include "weir/learn/learner.h"
#include "weir/learn/network.h"
#include "weir/learn/replay.h"

namespace weir::learn {

// The mean of Huber's loss over a batch, and its gradient by the network's weights: the error of the estimate for the
// factor that was taken, against the reward and `gamma` times the best that `target` estimates for what came after.
double dqn_gradient(const Network& network, const Network& target, double gamma, std::span<const Transition> batch,
                    std::span<double> gradients);

class DqnLearner final : public Learner {
 public:
  DqnLearner(const LearnerParams& learner, const PolicyParams& policy, std::uint64_t seed);

  std::unique_ptr<Actor> actor(const RandomStream& stream, const FirstRates& rates, bool explores) const override;
  double learn(std::span<TrajectoryStore* const> stores, double rate) override;
  void save(Saver& a) override;
  void load(Loader& a) override;

  // The share of decisions that are random, where the actor explores.
  double random_share() const;

 private:
  friend class DqnActor;
  template <class A>
  void archive(A& a);

  PolicyParams policy_;
  double gamma_;
  std::uint64_t seed_;
  std::uint64_t steps_ = 0;  // as many as decisions
  Network network_;
  Network target_;
  Adam adam_;
  ReplayMemory memory_;
};

}  // namespace weir::learn
