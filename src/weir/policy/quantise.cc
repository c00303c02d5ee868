#include "weir/policy/quantise.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <vector>

#include "weir/base/error.h"
#include "weir/policy/check.h"
#include "weir/policy/float_network.h"
#include "weir/policy/index.h"
#include "weir/policy/policy_file.h"

namespace weir::policy {
namespace {

constexpr float kLargestInput = 32'767;
constexpr float kLargestWeight = 127;

// The network once more, plainly, and open to looks at what goes into its layers.
class OpenNetwork {
 public:
  explicit OpenNetwork(const Policy& policy) : policy_(policy), states_(policy.layers.size()), seen_(states_.size()) {
    for (std::size_t i = 0; i < states_.size(); ++i)
      if (policy.layers[i].lstm) states_[i].resize(2 * static_cast<std::size_t>(policy.layers[i].outputs));
  }

  using State = std::vector<std::vector<float>>;
  const State& fresh() const { return states_; }

  void run(std::vector<float> x, State& state) {
    for (std::size_t i = 0; i < policy_.layers.size(); ++i) {
      float most = 0;
      for (const float v : x) most = std::max(most, std::abs(v));
      seen_[i].push_back(most);
      x = policy_.layers[i].lstm ? lstm(policy_.layers[i], x, state[i]) : dense(policy_.layers[i], x);
    }
  }

  // The magnitude below which this share of what went into the layer was.
  float range(std::size_t layer, double share) {
    auto& all = seen_[layer];
    std::sort(all.begin(), all.end());
    const auto at = static_cast<std::size_t>(std::ceil(share * static_cast<double>(all.size())));
    return all[std::clamp<std::size_t>(at, 1, all.size()) - 1];
  }

 private:
  static float sum(const Layer& layer, std::size_t row, const std::vector<float>& x) {
    float out = 0;
    for (std::size_t c = 0; c < x.size(); ++c) out += layer.weights[row * x.size() + c] * x[c];
    return out;
  }
  static std::vector<float> dense(const Layer& layer, const std::vector<float>& x) {
    std::vector<float> out;
    for (std::size_t r = 0; r < static_cast<std::size_t>(layer.outputs); ++r) {
      const float v = sum(layer, r, x);
      out.push_back(layer.activation == Activation::relu   ? std::max(v, 0.0f)
                    : layer.activation == Activation::tanh ? tanh32(v)
                                                           : v);
    }
    return out;
  }
  static std::vector<float> lstm(const Layer& layer, std::vector<float> x, std::vector<float>& state) {
    const auto units = static_cast<std::size_t>(layer.outputs);
    x.insert(x.end(), state.begin(), state.begin() + layer.outputs);
    const auto sigmoid = [](float v) { return 0.5f + 0.5f * tanh32(0.5f * v); };
    for (std::size_t u = 0; u < units; ++u) {
      float& cell = state[units + u];
      cell =
          sigmoid(sum(layer, units + u, x)) * cell + sigmoid(sum(layer, u, x)) * tanh32(sum(layer, 2 * units + u, x));
      state[u] = sigmoid(sum(layer, 3 * units + u, x)) * tanh32(cell);
    }
    return {state.begin(), state.begin() + layer.outputs};
  }

  const Policy& policy_;
  State states_;
  std::vector<std::vector<float>> seen_;
};

void quantise_rows(Layer& layer) {
  const auto columns = index(layer.inputs + (layer.lstm ? layer.outputs : 0));
  float whole = 0;
  for (const float w : layer.weights) whole = std::max(whole, std::abs(w));
  for (std::size_t at = 0; at < layer.weights.size(); at += columns) {
    float most = 0;
    for (std::size_t c = 0; c < columns; ++c) most = std::max(most, std::abs(layer.weights[at + c]));
    if (most < 1e-6f * whole || most == 0) most = whole > 0 ? whole : 1;  // a row of zeros
    const float scale = most / kLargestWeight;
    layer.row_scales.push_back(scale);
    for (std::size_t c = 0; c < columns; ++c) {
      float& w = layer.weights[at + c];
      w = std::clamp(std::floor(w / scale + 0.5f), -kLargestWeight, kLargestWeight);
    }
  }
}

}  // namespace

Policy quantise(const Policy& policy, std::span<const Sample> samples, const QuantiseOptions& options) {
  check(policy);
  if (policy.kind == Kind::tree) throw InputError("kind", "a tree has no weights to quantise");
  if (policy.arithmetic == Arithmetic::int8) throw InputError("arithmetic", "the policy has int8 weights already");
  if (samples.empty()) throw std::logic_error("there are no samples to quantise by");
  OpenNetwork network(policy);
  std::map<std::uint32_t, OpenNetwork::State> states;
  for (const Sample& sample : samples)
    network.run({sample.inputs.begin(), sample.inputs.begin() + policy.width()},
                states.try_emplace(sample.flow, network.fresh()).first->second);

  Policy out = policy;
  out.arithmetic = Arithmetic::int8;
  out.provenance["parent"] = digest(policy);
  for (std::size_t i = 0; i < out.layers.size(); ++i) {
    Layer& layer = out.layers[i];
    const bool bounded = i > 0 && (out.layers[i - 1].lstm || out.layers[i - 1].activation == Activation::tanh);
    auto range = static_cast<float>(static_cast<double>(network.range(i, options.share)) * options.headroom);
    if (bounded) range = 1;
    if (i == 0) range = static_cast<float>(policy.clip);
    if (!(range > 0)) range = 1;  // nothing ever came
    layer.input_scale = range / kLargestInput;
    quantise_rows(layer);
  }
  check(out);
  return out;
}

}  // namespace weir::policy
