#include "weir/learn/ddpg.h"

#include <algorithm>
#include <array>
#include <deque>

namespace weir::learn {
namespace {

constexpr std::size_t kRememberedByDdpg = 100'000;
constexpr std::size_t kBatchOfDdpg = 64;
constexpr double kActorShare = 0.1;  // of the critic's learning rate
constexpr double kDecay = 0.01;
constexpr double kFollows = 0.001;
constexpr double kNoiseReturn = 0.15;
constexpr double kNoiseDeviation = 0.2;
constexpr double kLastLayer = 0.003;
constexpr double kGainOfDdpg = 1.41421356237309504880;
constexpr std::uint32_t kDrawsOfDdpg = 33;

// Inputs and the action, one decision after the other.
std::vector<double> with_actions(std::span<const double> inputs, std::span<const double> actions) {
  std::vector<double> out;
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const auto one = inputs.subspan(i * kRawInputs, kRawInputs);
    out.insert(out.end(), one.begin(), one.end());
    out.push_back(actions[i]);
  }
  return out;
}

void begin_small(Network& network, Draws& draws) {
  network.initialise(draws, kGainOfDdpg);
  for (double& w : network.weights().last(network.layers().back().weights()))
    w = draws.between(-kLastLayer, kLastLayer);
}

}  // namespace

// Decides by the learner's actor, with noise of each flow's own.
class DdpgActor final : public Actor {
 public:
  DdpgActor(const RandomStream& stream, const FirstRates& rates, const DdpgLearner& learner, bool explores)
      : Actor(stream, rates), learner_(learner), explores_(explores) {}

 private:
  void begin(std::uint32_t) override { noise_.push_back(0); }

  double act(std::uint32_t flow, Time, const policy::Observation& o, Decision& decision, Outcome& outcome) override {
    const auto look = look_raw(learner_.policy_.signal(), learner_.policy_.clip, o, outcome);
    std::copy(look.begin(), look.end(), decision.inputs.begin());
    std::array<double, kRawInputs> in{};
    std::copy_n(decision.inputs.begin(), kRawInputs, in.begin());
    double y = 0;
    learner_.actor_.network.forward(in, 1, {}, std::span(&y, 1), tape_);
    if (explores_) {
      noise_[flow] += -kNoiseReturn * noise_[flow] + kNoiseDeviation * draws().normal();
      y = std::clamp(y + noise_[flow], -1.0, 1.0);
    }
    decision.output = static_cast<float>(y);
    const double step = learner_.policy_.step * static_cast<double>(decision.output);
    return step >= 0 ? 1 + step : 1 / (1 - step);
  }

  const DdpgLearner& learner_;
  bool explores_;
  std::deque<double> noise_;
  Network::Tape tape_;
};

void Followed::follow(double share) {
  for (std::size_t i = 0; i < network.weights().size(); ++i)
    target.weights()[i] += share * (network.weights()[i] - target.weights()[i]);
}

double critic_gradient(const Followed& critic, const Followed& actor, double gamma, double decay,
                       std::span<const Transition> batch, std::span<double> gradients) {
  const std::size_t n = batch.size();
  std::vector<double> in, actions(n), to_come(n), estimates(n), slopes(n);
  Network::Tape tape;
  gather_inputs(batch, &Transition::after, in);
  actor.target.forward(in, n, {}, actions, tape);
  critic.target.forward(with_actions(in, actions), n, {}, to_come, tape);
  gather_inputs(batch, &Transition::before, in);
  for (std::size_t i = 0; i < n; ++i) actions[i] = static_cast<double>(batch[i].output);
  critic.network.forward(with_actions(in, actions), n, {}, estimates, tape);
  const double share = 1 / static_cast<double>(n);
  double loss = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const double error = estimates[i] - (batch[i].reward + gamma * to_come[i]);
    loss += share * error * error;
    slopes[i] = share * 2 * error;
  }
  std::fill(gradients.begin(), gradients.end(), 0.0);
  critic.network.backward(tape, slopes, gradients);
  const auto weights = critic.network.weights();
  for (std::size_t i = 0; i < weights.size(); ++i) {
    loss += decay / 2 * weights[i] * weights[i];
    gradients[i] += decay * weights[i];
  }
  return loss;
}

double actor_gradient(const Followed& critic, const Followed& actor, std::span<const Transition> batch,
                      std::span<double> gradients) {
  const std::size_t n = batch.size();
  const std::size_t width = kRawInputs + 1;
  std::vector<double> in, actions(n), estimates(n);
  Network::Tape acting, judging;
  gather_inputs(batch, &Transition::before, in);
  actor.network.forward(in, n, {}, actions, acting);
  critic.network.forward(with_actions(in, actions), n, {}, estimates, judging);
  const double share = 1 / static_cast<double>(n);
  double loss = 0;
  for (const double e : estimates) loss -= share * e;
  std::vector<double> ignored(critic.network.weights().size()), back(n * width), slopes(n, -share);
  critic.network.backward(judging, slopes, ignored, back);
  for (std::size_t i = 0; i < n; ++i) slopes[i] = back[i * width + kRawInputs];
  std::fill(gradients.begin(), gradients.end(), 0.0);
  actor.network.backward(acting, slopes, gradients);
  return loss;
}

DdpgLearner::DdpgLearner(const LearnerParams& learner, const PolicyParams& policy, std::uint64_t seed)
    : policy_(policy),
      gamma_(learner.gamma),
      seed_(seed),
      actor_(raw_shape(kRawInputs, 1, policy::Activation::tanh)),
      critic_(raw_shape(kRawInputs + 1, 1, policy::Activation::none)),
      actor_adam_(actor_.network.weights().size(), {.clip = learner.clip}),
      critic_adam_(critic_.network.weights().size(), {.clip = learner.clip}),
      memory_(kRememberedByDdpg) {
  Draws draws(RandomStream(seed, 2, Purpose::learning));
  for (Followed* f : {&actor_, &critic_}) {
    begin_small(f->network, draws);
    f->target = f->network;
  }
}

std::unique_ptr<Actor> DdpgLearner::actor(const RandomStream& stream, const FirstRates& rates, bool explores) const {
  return std::make_unique<DdpgActor>(stream, rates, *this, explores);
}

double DdpgLearner::learn(std::span<TrajectoryStore* const> stores, double rate) {
  const std::size_t fresh = memory_.add(stores);
  if (fresh == 0) return 0;
  Draws draws(RandomStream(seed_ ^ (steps_ << 8), kDrawsOfDdpg, Purpose::learning));
  std::array<Transition, kBatchOfDdpg> batch;
  std::vector<double> of_critic(critic_.network.weights().size()), of_actor(actor_.network.weights().size());
  double loss = 0;
  for (std::size_t i = 0; i < fresh; ++i, ++steps_) {
    memory_.sample(batch, draws);
    loss += critic_gradient(critic_, actor_, gamma_, kDecay, batch, of_critic);
    critic_adam_.step(critic_.network.weights(), of_critic, rate);
    actor_gradient(critic_, actor_, batch, of_actor);
    actor_adam_.step(actor_.network.weights(), of_actor, kActorShare * rate);
    critic_.follow(kFollows);
    actor_.follow(kFollows);
  }
  return loss / static_cast<double>(fresh);
}

template <class A>
void DdpgLearner::archive(A& a) {
  actor_.archive(a);
  critic_.archive(a);
  actor_adam_.archive(a);
  critic_adam_.archive(a);
  memory_.archive(a);
  a.value(steps_);
}

void DdpgLearner::save(Saver& a) { archive(a); }
void DdpgLearner::load(Loader& a) { archive(a); }

}  // namespace weir::learn
