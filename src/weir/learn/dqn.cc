#include "weir/learn/dqn.h"

#include <algorithm>
#include <cmath>

namespace weir::learn {
namespace {

constexpr std::size_t kRemembered = 10'000;
constexpr std::size_t kBatchOfDqn = 32;
constexpr std::uint64_t kTargetEvery = 10'000;
constexpr double kFirstRandomShare = 1;
constexpr double kLastRandomShare = 0.05;
constexpr double kRandomDecay = 100'000;  // decisions in which the share comes closer to its last one by a factor of e
constexpr double kGainOfDqn = 1.41421356237309504880;
constexpr std::uint32_t kDrawsOfDqn = 32;

std::size_t best_of(std::span<const double> estimates) {
  return static_cast<std::size_t>(std::max_element(estimates.begin(), estimates.end()) - estimates.begin());
}

}  // namespace

// Decides by the learner's network.
class DqnActor final : public Actor {
 public:
  DqnActor(const RandomStream& stream, const FirstRates& rates, const DqnLearner& learner, bool explores)
      : Actor(stream, rates), learner_(learner), explores_(explores) {}

 private:
  void begin(std::uint32_t) override {}

  double act(std::uint32_t, Time, const policy::Observation& o, Decision& decision, Outcome& outcome) override {
    const auto in = look_raw(learner_.policy_.signal(), learner_.policy_.clip, o, outcome);
    std::copy(in.begin(), in.end(), decision.inputs.begin());
    const std::size_t chosen = choose(decision);
    decision.output = static_cast<float>(chosen);
    return kDiscreteFactors[chosen];
  }

  std::size_t choose(const Decision& decision) {
    if (explores_ && draws().uniform() < learner_.random_share())
      return static_cast<std::size_t>(draws().below(kDiscreteFactors.size()));
    std::array<double, kRawInputs> in{};
    std::copy_n(decision.inputs.begin(), kRawInputs, in.begin());
    std::array<double, kDiscreteFactors.size()> estimates{};
    learner_.network_.forward(in, 1, {}, estimates, tape_);
    return best_of(estimates);
  }

  const DqnLearner& learner_;
  bool explores_;
  Network::Tape tape_;
};

double dqn_gradient(const Network& network, const Network& target, double gamma, std::span<const Transition> batch,
                    std::span<double> gradients) {
  const auto outputs = static_cast<std::size_t>(network.outputs());
  std::vector<double> in, estimates(batch.size() * outputs), slopes(batch.size() * outputs);
  Network::Tape tape;
  gather_inputs(batch, &Transition::after, in);
  target.forward(in, batch.size(), {}, estimates, tape);
  std::vector<double> to_come;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto of_one = std::span(estimates).subspan(i * outputs, outputs);
    to_come.push_back(batch[i].reward + gamma * of_one[best_of(of_one)]);
  }
  gather_inputs(batch, &Transition::before, in);
  network.forward(in, batch.size(), {}, estimates, tape);
  const double share = 1 / static_cast<double>(batch.size());
  double loss = 0;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const std::size_t taken = i * outputs + static_cast<std::size_t>(batch[i].output);
    const double error = estimates[taken] - to_come[i];
    loss += share * (std::fabs(error) < 1 ? 0.5 * error * error : std::fabs(error) - 0.5);
    slopes[taken] = share * std::clamp(error, -1.0, 1.0);
  }
  std::fill(gradients.begin(), gradients.end(), 0.0);
  network.backward(tape, slopes, gradients);
  return loss;
}

DqnLearner::DqnLearner(const LearnerParams& learner, const PolicyParams& policy, std::uint64_t seed)
    : policy_(policy),
      gamma_(learner.gamma),
      seed_(seed),
      network_(raw_shape(kRawInputs, static_cast<int>(kDiscreteFactors.size()), policy::Activation::none)),
      target_(network_),
      adam_(network_.weights().size(), {.clip = learner.clip}),
      memory_(kRemembered) {
  Draws draws(RandomStream(seed, 2, Purpose::learning));
  network_.initialise(draws, kGainOfDqn);
  target_ = network_;
}

std::unique_ptr<Actor> DqnLearner::actor(const RandomStream& stream, const FirstRates& rates, bool explores) const {
  return std::make_unique<DqnActor>(stream, rates, *this, explores);
}

double DqnLearner::random_share() const {
  return kLastRandomShare +
         (kFirstRandomShare - kLastRandomShare) * exp_of(-static_cast<double>(steps_) / kRandomDecay);
}

double DqnLearner::learn(std::span<TrajectoryStore* const> stores, double rate) {
  const std::size_t fresh = memory_.add(stores);
  if (fresh == 0) return 0;
  Draws draws(RandomStream(seed_ ^ (steps_ << 8), kDrawsOfDqn, Purpose::learning));
  std::array<Transition, kBatchOfDqn> batch;
  std::vector<double> gradients(network_.weights().size());
  double loss = 0;
  for (std::size_t i = 0; i < fresh; ++i) {
    memory_.sample(batch, draws);
    loss += dqn_gradient(network_, target_, gamma_, batch, gradients);
    adam_.step(network_.weights(), gradients, rate);
    if (++steps_ % kTargetEvery == 0) target_ = network_;
  }
  return loss / static_cast<double>(fresh);
}

template <class A>
void DqnLearner::archive(A& a) {
  network_.archive(a);
  target_.archive(a);
  adam_.archive(a);
  memory_.archive(a);
  a.value(steps_);
}

void DqnLearner::save(Saver& a) { archive(a); }
void DqnLearner::load(Loader& a) { archive(a); }

}  // namespace weir::learn
