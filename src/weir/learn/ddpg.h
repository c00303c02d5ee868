// DDPG (Lillicrap et al., ICLR 2016), which Tessler et al. name among the methods that did not converge, on the paper's
// raw reward: a critic that estimates what rewards are to come, and an actor that climbs it.
//
// Numbers are those of Lillicrap et al.: a step on 64 remembered decisions for each decision, an actor that learns at a
// tenth of the critic's rate, L2 of 0.01 on the critic, targets that follow by 0.001 in each step, and noise of an
// Ornstein-Uhlenbeck process. The networks have the size of the others here, no biases and no batch normalisation, the
// critic gets the action with its inputs, and the memory has 100,000 decisions, a tenth of theirs.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "weir/learn/adam.h"
#include "weir/learn/learner.h"
#include "weir/learn/network.h"
#include "weir/learn/replay.h"

namespace weir::learn {

// A network and the one that follows it slowly.
struct Followed {
  Network network;
  Network target;

  explicit Followed(std::vector<LayerShape> shape) : network(std::move(shape)), target(network) {}
  // The target moves by this share of its distance.
  void follow(double share);
  template <class A>
  void archive(A& a) {
    network.archive(a);
    target.archive(a);
  }
};

// The mean square of the critic's error over a batch, plus `decay` / 2 times the sum of its squared weights, and the
// gradient by these. The error is against the reward and `gamma` times what the targets estimate for what came after.
double critic_gradient(const Followed& critic, const Followed& actor, double gamma, double decay,
                       std::span<const Transition> batch, std::span<double> gradients);
// Less the mean over a batch of what the critic estimates for the actor's answers, and the gradient by the actor's
// weights.
double actor_gradient(const Followed& critic, const Followed& actor, std::span<const Transition> batch,
                      std::span<double> gradients);

class DdpgLearner final : public Learner {
 public:
  DdpgLearner(const LearnerParams& learner, const PolicyParams& policy, std::uint64_t seed);

  std::unique_ptr<Actor> actor(const RandomStream& stream, const FirstRates& rates, bool explores) const override;
  // `rate` is the critic's.
  double learn(std::span<TrajectoryStore* const> stores, double rate) override;
  void save(Saver& a) override;
  void load(Loader& a) override;

 private:
  friend class DdpgActor;
  template <class A>
  void archive(A& a);

  PolicyParams policy_;
  double gamma_;
  std::uint64_t seed_;
  std::uint64_t steps_ = 0;  // as many as decisions
  Followed actor_;
  Followed critic_;
  Adam actor_adam_;
  Adam critic_adam_;
  ReplayMemory memory_;
};

}  // namespace weir::learn
