#include "weir/learn/adpg.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace weir::learn {
namespace {

// The formulas of adpg.h, term by term.
double plain_loss(const AdpgOptions& o, const std::vector<double>& y, const std::vector<double>& s) {
  const auto n = y.size();
  double reward = 0, smooth = 0;
  for (std::size_t t = 0; t < n; ++t) {
    double g = 0, discount = 1, differences = 0;
    for (std::size_t k = t; k < n; ++k) {
      g += discount * s[k];
      if (o.gamma > 0 && o.gamma < 1) discount *= o.gamma;
      if (k > t) differences += 0.5 * (y[t] - y[k]) * (y[t] - y[k]);
    }
    const auto left = static_cast<double>(n - t);
    if (o.horizon == 0) reward += y[t] * g / left;
    smooth += differences / left;
  }
  // with a horizon: the mean over decisions whose signals are all there
  double complete = 0, sum = 0;
  for (std::size_t t = 0; o.horizon > 0 && t + o.delay + o.horizon <= n; ++t) {
    double g = 0, weights = 0;
    for (std::size_t i = 0; i < o.horizon; ++i) {
      const double weight = std::pow(o.gamma, static_cast<double>(i));
      g += weight * s[t + o.delay + i];
      weights += weight;
    }
    sum += y[t] * g / weights;
    ++complete;
  }
  if (complete > 0) reward = sum / complete * static_cast<double>(n);
  return (o.reward * reward + o.smooth * smooth) / static_cast<double>(n);
}

TEST(Adpg, LossIsThatOfThePaper) {
  Draws draws(RandomStream(2, 0, Purpose::learning));
  for (const AdpgOptions& o :
       {AdpgOptions{}, AdpgOptions{.gamma = 0.5, .reward = 2, .smooth = 0.3}, AdpgOptions{.gamma = 1, .smooth = 0},
        AdpgOptions{.gamma = 0.7, .horizon = 1}, AdpgOptions{.gamma = 0.9, .reward = 1.5, .horizon = 4, .delay = 3},
        AdpgOptions{.gamma = 0, .reward = 0}})
    for (const std::size_t n : {1, 2, 7, 40}) {
      std::vector<double> y, s, slopes(n), ignored(n);
      for (std::size_t i = 0; i < n; ++i) {
        y.push_back(draws.between(-1, 1));
        s.push_back(draws.normal());
      }
      const double loss = adpg_loss(o, y, s, slopes);
      EXPECT_NEAR(loss, plain_loss(o, y, s), 1e-12);
      for (std::size_t i = 0; i < n; ++i) {
        constexpr double h = 1e-5;
        auto above = y, below = y;
        above[i] += h;
        below[i] -= h;
        EXPECT_NEAR(slopes[i], (plain_loss(o, above, s) - plain_loss(o, below, s)) / (2 * h), 1e-9);
      }
    }
}

// A flow that is too aggressive all the time learns to answer with smaller factors, and one that is too timid with
// larger ones (claim D2: the direction of the analytic gradient).
TEST(Adpg, StepGoesAgainstTheSignal) {
  for (const double signal : {0.8, -0.8}) {
    Network network(mlp_shape(4));
    Draws draws(RandomStream(4, 0, Purpose::learning));
    network.initialise(draws, 1.4);
    TrajectoryStore store(100);
    const auto flow = store.open();
    for (int i = 0; i < 20; ++i) {
      Decision decision;
      for (std::size_t k = 0; k < 4; ++k) decision.inputs[k] = static_cast<float>(k % 2 == 0 ? 1 : signal);
      store.record(flow, {.signal = signal}, decision);
    }
    TrajectoryStore* stores[] = {&store};
    std::vector<double> gradients(network.weights().size());
    const auto answer = [&] {
      const std::vector<double> in{1, signal, 1, signal};
      std::vector<double> out(1);
      Network::Tape tape;
      network.forward(in, 1, {}, out, tape);
      return out[0];
    };
    const double before = answer();
    const AdpgLoss loss = adpg_gradient({}, network, stores, gradients);
    EXPECT_EQ(loss.flows, 1u);
    EXPECT_EQ(loss.decisions, 19u);
    for (std::size_t i = 0; i < gradients.size(); ++i) network.weights()[i] -= 0.01 * gradients[i];
    EXPECT_LT((answer() - before) * signal, 0);
  }
}

// The gradient of the mean over flows, through time.
TEST(Adpg, GradientIsThatOfFiniteDifferences) {
  Network network({{false, policy::Activation::relu, 2, 4},
                   {true, policy::Activation::none, 4, 3},
                   {false, policy::Activation::tanh, 3, 1}});
  Draws draws(RandomStream(9, 0, Purpose::learning));
  network.initialise(draws, 1.4);
  TrajectoryStore first(100), second(100);
  TrajectoryStore* stores[] = {&first, &second};
  for (TrajectoryStore* store : stores)
    for (int f = 0; f < 3; ++f) {
      const auto flow = store->open();
      for (int i = 0; i < 4 * f; ++i) {
        Decision decision;
        for (std::size_t k = 0; k < 2; ++k) decision.inputs[k] = static_cast<float>(draws.normal());
        store->record(flow, {.signal = draws.normal()}, decision);
      }
    }
  std::vector<double> gradients(network.weights().size()), ignored(network.weights().size());
  const auto loss = [&](std::span<double> out) {
    for (TrajectoryStore* store : stores)
      for (std::uint32_t flow = 0; flow < 3; ++flow) store->sequence(flow).state.clear();
    return adpg_gradient({.smooth = 0.7}, network, stores, out).loss;
  };
  loss(gradients);
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    constexpr double h = 1e-6;
    const double before = network.weights()[i];
    network.weights()[i] = before + h;
    const double above = loss(ignored);
    network.weights()[i] = before - h;
    const double below = loss(ignored);
    network.weights()[i] = before;
    EXPECT_NEAR(gradients[i], (above - below) / (2 * h), 1e-7);
  }
}

}  // namespace
}  // namespace weir::learn
