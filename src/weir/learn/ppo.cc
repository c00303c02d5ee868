#include "weir/learn/ppo.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "weir/learn/raw_reward.h"

namespace weir::learn {
namespace {

constexpr double kClip = 0.2;
constexpr double kValueWeight = 0.5;
constexpr double kEntropyWeight = 0.01;
constexpr int kEpochs = 4;
constexpr std::size_t kMinibatches = 4;
constexpr double kRange = 0.2;             // of the mean factor, around 1
constexpr double kFirstLogDeviation = -3;  // of continuous actions: 0.05
constexpr double kHalfLogTwoPi = 0.91893853320467274178;
constexpr double kGainOfPpo = 1.41421356237309504880;

// Aurora: Jay et al.'s public code. Its links carry 100 to 500 packets a second with 50 to 500 ms, so the line rate
// stands for 500 packets a second here, and an unloaded round trip for 100 ms.
constexpr std::size_t kIntervals = 10;
constexpr double kDelta = 0.025;
constexpr double kPacketsPerSecond = 500;
constexpr double kRoundTripSeconds = 0.1;

int inputs_of(Method method) { return method == Method::aurora ? 3 * static_cast<int>(kIntervals) : kRawInputs; }

std::vector<LayerShape> actor_shape(Method method) {
  if (method == Method::ppo_discrete)
    return raw_shape(kRawInputs, static_cast<int>(kDiscreteFactors.size()), policy::Activation::none);
  if (method == Method::aurora) return raw_shape(inputs_of(method), 1, policy::Activation::none);
  return raw_shape(kRawInputs, 1, policy::Activation::tanh);  // the mean is 1 + 0.2 y
}

std::vector<double> probabilities_of(std::span<const double> scores) {
  const double most = *std::max_element(scores.begin(), scores.end());
  std::vector<double> out;
  double sum = 0;
  for (const double s : scores) sum += out.emplace_back(exp_of(s - most));
  for (double& p : out) p /= sum;
  return out;
}

}  // namespace

// Decides by the learner's actor; what a flow has seen is its own.
class PpoActor final : public Actor {
 public:
  PpoActor(const RandomStream& stream, const FirstRates& rates, const PpoLearner& learner, bool explores)
      : Actor(stream, rates), learner_(learner), explores_(explores) {}

 private:
  struct Past {
    std::array<double, 3 * kIntervals> features{};
    double least_rtt = 0;
    double rtt = 0;
    Time at;
  };

  void begin(std::uint32_t) override { past_.emplace_back(); }

  double act(std::uint32_t flow, Time now, const policy::Observation& o, Decision& decision,
             Outcome& outcome) override {
    const std::vector<double> in =
        learner_.method_ == Method::aurora ? look_like_aurora(past_[flow], now, o, outcome) : look_at(o, outcome);
    for (std::size_t i = 0; i < in.size(); ++i) decision.inputs[i] = static_cast<float>(in[i]);
    std::vector<double> out(static_cast<std::size_t>(learner_.actor_.outputs()));
    std::vector<double> rounded(decision.inputs.begin(),
                                decision.inputs.begin() + static_cast<std::ptrdiff_t>(in.size()));
    learner_.actor_.forward(rounded, 1, {}, out, tape_);
    const double action = choose(out);
    decision.output = static_cast<float>(action);
    std::vector<double> slopes(out.size() + 1);
    decision.note = learner_.log_probability(out, static_cast<double>(decision.output), slopes);
    double value = 0;
    learner_.critic_.forward(rounded, 1, {}, std::span(&value, 1), tape_);
    decision.value = value;
    return factor_of(static_cast<double>(decision.output));
  }

  double choose(std::span<const double> out) {
    if (learner_.is_discrete()) {
      const auto p = probabilities_of(out);
      if (!explores_) return static_cast<double>(std::max_element(p.begin(), p.end()) - p.begin());
      double left = draws().uniform();
      for (std::size_t i = 0; i + 1 < p.size(); ++i)
        if ((left -= p[i]) < 0) return static_cast<double>(i);
      return static_cast<double>(p.size() - 1);
    }
    const double mean = learner_.method_ == Method::aurora ? out[0] : 1 + kRange * out[0];
    return explores_ ? mean + exp_of(learner_.log_deviation_) * draws().normal() : mean;
  }

  double factor_of(double action) const {
    if (learner_.is_discrete()) return kDiscreteFactors[static_cast<std::size_t>(action)];
    if (learner_.method_ != Method::aurora) return std::clamp(action, 0.5, 1.5);
    const double step = kDelta * std::clamp(action, -20.0, 20.0);
    return step >= 0 ? 1 + step : 1 / (1 - step);
  }

  std::vector<double> look_at(const policy::Observation& o, Outcome& outcome) const {
    const auto in = look_raw(learner_.policy_.signal(), learner_.policy_.clip, o, outcome);
    return {in.begin(), in.end()};
  }

  // Latency gradient, latency ratio and send ratio of the last intervals, the newest last.
  static std::vector<double> look_like_aurora(Past& p, Time now, const policy::Observation& o, Outcome& outcome) {
    const double rtt = o.rtt.seconds();
    const double span = (now - p.at).seconds();
    p.least_rtt = p.least_rtt > 0 ? std::min(p.least_rtt, rtt) : rtt;
    const double gradient = p.rtt > 0 && span > 0 ? (rtt - p.rtt) / span : 0;
    const double sent = std::max(1.0, static_cast<double>(o.sent));
    const double arrived = std::max(1.0, sent - o.nacks);
    std::copy(p.features.begin() + 3, p.features.end(), p.features.begin());
    const std::array<double, 3> last{std::clamp(gradient, -10.0, 10.0), std::min(rtt / p.least_rtt, 10.0),
                                     std::min(sent / arrived, 10.0)};
    std::copy(last.begin(), last.end(), p.features.end() - 3);
    p.rtt = rtt;
    p.at = now;
    const double loss = std::min(1.0, o.nacks / sent);
    const double latency = rtt / o.base_rtt.seconds() * kRoundTripSeconds;
    outcome.reward = 0.001 * (10 * o.rate * (1 - loss) * kPacketsPerSecond - 1000 * latency - 2000 * loss);
    return {p.features.begin(), p.features.end()};
  }

  const PpoLearner& learner_;
  bool explores_;
  std::deque<Past> past_;
  Network::Tape tape_;
};

PpoLearner::PpoLearner(const LearnerParams& learner, const PolicyParams& policy, std::uint64_t seed)
    : method_(learner.method),
      policy_(policy),
      gamma_(learner.gamma),
      seed_(seed),
      actor_(actor_shape(method_)),
      critic_(raw_shape(inputs_of(method_), 1, policy::Activation::none)),
      log_deviation_(method_ == Method::aurora ? 0 : kFirstLogDeviation),
      actor_adam_(actor_.weights().size() + 1, {.clip = learner.clip}),
      critic_adam_(critic_.weights().size(), {.clip = learner.clip}) {
  Draws draws(RandomStream(seed, 2, Purpose::learning));
  actor_.initialise(draws, kGainOfPpo);
  critic_.initialise(draws, kGainOfPpo);
  // A small last layer, so that first actions are near the middle, as is usual.
  const std::size_t last = actor_.layers().back().weights();
  for (double& w : actor_.weights().last(last)) w *= 0.01;
}

std::unique_ptr<Actor> PpoLearner::actor(const RandomStream& stream, const FirstRates& rates, bool explores) const {
  return std::make_unique<PpoActor>(stream, rates, *this, explores);
}

double PpoLearner::log_probability(std::span<const double> outputs, double action, std::span<double> slopes) const {
  if (is_discrete()) {
    const auto p = probabilities_of(outputs);
    const auto chosen = static_cast<std::size_t>(action);
    for (std::size_t i = 0; i < p.size(); ++i) slopes[i] = (i == chosen ? 1 : 0) - p[i];
    slopes.back() = 0;
    return log_of(std::max(p[chosen], 1e-300));
  }
  const double range = method_ == Method::aurora ? 1 : kRange;
  const double mean = method_ == Method::aurora ? outputs[0] : 1 + kRange * outputs[0];
  const double z = (action - mean) / exp_of(log_deviation_);
  slopes[0] = z / exp_of(log_deviation_) * range;
  slopes[1] = z * z - 1;
  return -0.5 * z * z - log_deviation_ - kHalfLogTwoPi;
}

std::vector<PpoLearner::Sample> PpoLearner::samples_of(std::span<TrajectoryStore* const> stores) const {
  std::vector<Sample> out;
  const auto width = static_cast<std::ptrdiff_t>(actor_.inputs());
  for (const TrajectoryStore* store : stores)
    for (std::uint32_t flow = 0; flow < store->flows(); ++flow) {
      const auto& sequence = store->sequence(flow);
      // what comes after the last complete decision is the critic's estimate of the open one
      double to_come = sequence.open ? sequence.open->decision.value : 0;
      for (auto step = sequence.steps.rbegin(); step != sequence.steps.rend(); ++step) {
        to_come = step->outcome.reward + gamma_ * to_come;
        const Decision& d = step->decision;
        out.push_back({.inputs = {d.inputs.begin(), d.inputs.begin() + width},
                       .action = static_cast<double>(d.output),
                       .log_probability = d.note,
                       .advantage = to_come - d.value,
                       .to_come = to_come});
      }
    }
  if (out.empty()) return out;
  double mean = 0, square = 0;
  for (const Sample& s : out) mean += s.advantage;
  mean /= static_cast<double>(out.size());
  for (const Sample& s : out) square += (s.advantage - mean) * (s.advantage - mean);
  const double deviation = std::sqrt(square / static_cast<double>(out.size())) + 1e-8;
  for (Sample& s : out) s.advantage = (s.advantage - mean) / deviation;
  return out;
}

double PpoLearner::learn(std::span<TrajectoryStore* const> stores, double rate) {
  std::vector<Sample> samples = samples_of(stores);
  double loss = 0;
  ++updates_;
  for (int epoch = 0; epoch < kEpochs && !samples.empty(); ++epoch) {
    const RandomStream order(seed_ ^ (updates_ << 8), static_cast<std::uint32_t>(16 + epoch), Purpose::learning);
    for (std::size_t i = samples.size(); i > 1; --i) std::swap(samples[i - 1], samples[order.below(i, i)]);
    const std::size_t size = (samples.size() + kMinibatches - 1) / kMinibatches;
    for (std::size_t at = 0; at < samples.size(); at += size)
      loss += descend(std::span(samples).subspan(at, std::min(size, samples.size() - at)), rate);
  }
  return loss / (kEpochs * kMinibatches);
}

double PpoLearner::descend(std::span<const Sample> samples, double rate) {
  const double share = 1 / static_cast<double>(samples.size());
  const auto outputs = static_cast<std::size_t>(actor_.outputs());
  std::vector<double> gradients(actor_.weights().size() + 1), critic_gradients(critic_.weights().size());
  std::vector<double> out(outputs), slopes(outputs + 1);
  Network::Tape tape;
  double loss = 0;
  for (const Sample& s : samples) {
    actor_.forward(s.inputs, 1, {}, out, tape);
    const double ratio = exp_of(log_probability(out, s.action, slopes) - s.log_probability);
    const double plain = ratio * s.advantage;
    const double clipped = std::clamp(ratio, 1 - kClip, 1 + kClip) * s.advantage;
    loss -= share * std::min(plain, clipped);
    const double weight = plain <= clipped ? -share * plain : 0;  // the clipped term is constant
    for (double& slope : slopes) slope *= weight;
    if (is_discrete()) {
      const auto p = probabilities_of(out);
      double entropy = 0;
      for (const double q : p) entropy -= q * log_of(std::max(q, 1e-300));
      for (std::size_t i = 0; i < outputs; ++i)
        slopes[i] += share * kEntropyWeight * p[i] * (log_of(std::max(p[i], 1e-300)) + entropy);
    } else {
      slopes[outputs] -= share * kEntropyWeight;  // the entropy grows with the logarithm of the deviation
    }
    actor_.backward(tape, std::span(slopes).first(outputs), std::span(gradients).first(actor_.weights().size()));
    gradients.back() += slopes[outputs];

    double value = 0;
    critic_.forward(s.inputs, 1, {}, std::span(&value, 1), tape);
    const double error = value - s.to_come;
    loss += share * kValueWeight * error * error;
    const double slope = share * kValueWeight * 2 * error;
    critic_.backward(tape, std::span(&slope, 1), critic_gradients);
  }
  std::vector<double> weights(actor_.weights().begin(), actor_.weights().end());
  weights.push_back(log_deviation_);
  actor_adam_.step(weights, gradients, rate);
  log_deviation_ = std::clamp(weights.back(), -5.0, 1.0);
  std::copy(weights.begin(), weights.end() - 1, actor_.weights().begin());
  critic_adam_.step(critic_.weights(), critic_gradients, rate);
  return loss;
}

template <class A>
void PpoLearner::archive(A& a) {
  actor_.archive(a);
  critic_.archive(a);
  a.value(log_deviation_);
  a.value(updates_);
  actor_adam_.archive(a);
  critic_adam_.archive(a);
}

void PpoLearner::save(Saver& a) { archive(a); }
void PpoLearner::load(Loader& a) { archive(a); }

}  // namespace weir::learn
