#include "weir/learn/adpg_learner.h"

namespace weir::learn {
namespace {

constexpr double kGain = 1.41421356237309504880;  // square root of 2

policy::Policy policy_without_layers(const LearnerParams& l, const PolicyParams& p) {
  policy::Policy out;
  out.kind = l.network == NetworkKind::lstm ? policy::Kind::lstm : policy::Kind::mlp;
  out.inputs = p.inputs;
  out.history = p.history;
  out.clip = p.clip;
  out.step = p.step;
  out.signal = p.signal();
  return out;
}

}  // namespace

AdpgLearner::AdpgLearner(const LearnerParams& learner, const PolicyParams& policy, std::uint64_t seed)
    : shape_(policy_without_layers(learner, policy)),
      options_{.gamma = learner.gamma,
               .reward = learner.reward,
               .smooth = learner.smooth,
               .horizon = learner.horizon,
               .delay = learner.delay,
               .signal_clip = learner.signal_clip},
      network_(learner.network == NetworkKind::lstm ? lstm_shape(shape_.width()) : mlp_shape(shape_.width())),
      adam_(network_.weights().size(), {.clip = learner.clip}),
      gradients_(network_.weights().size()) {
  Draws draws(RandomStream(seed, 2, Purpose::learning));
  network_.initialise(draws, kGain);
  decide_anew();
}

std::unique_ptr<Actor> AdpgLearner::actor(const RandomStream& stream, const FirstRates& rates, bool) const {
  return std::make_unique<PolicyActor>(stream, rates, decider_);
}

double AdpgLearner::learn(std::span<TrajectoryStore* const> stores, double rate) {
  const double loss = adpg_gradient(options_, network_, stores, gradients_).loss;
  adam_.step(network_.weights(), gradients_, rate);
  decide_anew();
  return loss;
}

void AdpgLearner::decide_anew() {
  policy::Policy policy = shape_;
  policy.layers = network_.to_layers();
  policy.layers.back().activation = policy::Activation::none;  // the decider takes the output's tanh itself
  decider_ = std::make_shared<const policy::Decider>(policy);
}

void AdpgLearner::save(Saver& a) {
  network_.archive(a);
  adam_.archive(a);
}

void AdpgLearner::load(Loader& a) {
  network_.archive(a);
  adam_.archive(a);
  decide_anew();
}

}  // namespace weir::learn
