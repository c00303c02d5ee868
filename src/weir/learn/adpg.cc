#include "weir/learn/adpg.h"

#include <algorithm>
#include <vector>

namespace weir::learn {
namespace {

// g of each decision (adpg.h), times its weight among the n decisions of the loss.
void account(const AdpgOptions& options, std::span<const double> signals, std::vector<double>& out) {
  const std::size_t n = signals.size();
  const double gamma = options.gamma > 0 && options.gamma < 1 ? options.gamma : 1;
  out.assign(n, 0);
  if (options.horizon == 0) {
    double to_come = 0;
    for (std::size_t t = n; t-- > 0;) {
      to_come = signals[t] + gamma * to_come;
      out[t] = to_come / static_cast<double>(n - t);
    }
    return;
  }
  const std::size_t reach = options.delay + options.horizon;
  if (n < reach) return;
  const std::size_t complete = n - reach + 1;
  std::vector<double> weights(options.horizon, 1.0);
  for (std::size_t i = 1; i < weights.size(); ++i) weights[i] = gamma * weights[i - 1];
  double all = 0;
  for (const double w : weights) all += w;
  const double share = static_cast<double>(n) / static_cast<double>(complete) / all;
  for (std::size_t t = 0; t < complete; ++t) {
    double sum = 0;
    for (std::size_t i = 0; i < weights.size(); ++i) sum += weights[i] * signals[t + options.delay + i];
    out[t] = sum * share;
  }
}

}  // namespace

double adpg_loss(const AdpgOptions& options, std::span<const double> outputs, std::span<const double> signals,
                 std::span<double> slopes) {
  const std::size_t n = outputs.size();
  const double count = static_cast<double>(n);
  std::vector<double> g;
  account(options, signals, g);
  double loss = 0;
  double sum = 0;  // of the outputs after t, and of their squares
  double squares = 0;
  for (std::size_t t = n; t-- > 0;) {
    const double y = outputs[t];
    const double left = static_cast<double>(n - t);
    loss += options.reward * y * g[t] / count;
    slopes[t] = options.reward * g[t] / count;

    const double later = left - 1;
    loss += options.smooth * 0.5 * (later * y * y - 2 * y * sum + squares) / left / count;
    slopes[t] += options.smooth * (later * y - sum) / left / count;
    sum += y;
    squares += y * y;
  }
  // The terms in which an output is the later one: sum over i < j of (y_j - y_i) / (n - i).
  double weights = 0;
  double weighted = 0;
  for (std::size_t t = 0; t < n; ++t) {
    slopes[t] += options.smooth * (weights * outputs[t] - weighted) / count;
    const double weight = 1 / static_cast<double>(n - t);
    weights += weight;
    weighted += weight * outputs[t];
  }
  return loss;
}

AdpgLoss adpg_gradient(const AdpgOptions& options, const Network& network, std::span<TrajectoryStore* const> stores,
                       std::span<double> gradients) {
  std::fill(gradients.begin(), gradients.end(), 0.0);
  const auto width = static_cast<std::size_t>(network.inputs());
  AdpgLoss out;
  Network::Tape tape;
  std::vector<double> inputs, outputs, signals, slopes;
  for (TrajectoryStore* store : stores)
    for (std::uint32_t flow = 0; flow < store->flows(); ++flow) {
      auto& sequence = store->sequence(flow);
      const std::size_t n = sequence.steps.size();
      if (n == 0) continue;
      inputs.clear();
      signals.clear();
      for (const Step& step : sequence.steps) {
        for (std::size_t i = 0; i < width; ++i) inputs.push_back(static_cast<double>(step.decision.inputs[i]));
        const double limit = options.signal_clip;
        signals.push_back(limit > 0 ? std::clamp(step.outcome.signal, -limit, limit) : step.outcome.signal);
      }
      outputs.resize(n);
      slopes.resize(n);
      sequence.state.resize(network.state());
      network.forward(inputs, n, sequence.state, outputs, tape);
      out.loss += adpg_loss(options, outputs, signals, slopes);
      network.backward(tape, slopes, gradients);
      ++out.flows;
      out.decisions += n;
    }
  if (out.flows == 0) return out;
  const double share = 1 / static_cast<double>(out.flows);
  out.loss *= share;
  for (double& g : gradients) g *= share;
  return out;
}

}  // namespace weir::learn
