#include "weir/learn/network.h"

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "weir/learn/adam.h"

namespace weir::learn {
namespace {

struct Shape {
  const char* name;
  std::vector<LayerShape> layers;
  std::size_t weights;
  std::size_t steps;
};

std::vector<Shape> network_shapes() {
  return {{"mlp", mlp_shape(4), 204, 5},
          {"lstm", lstm_shape(4), 2704, 6},
          {"two outputs", dense_shape(std::array{3, 5, 2}, policy::Activation::none), 25, 4},
          {"two LSTMs", {{true, policy::Activation::none, 2, 3}, {true, policy::Activation::none, 3, 2}}, 100, 5}};
}

std::vector<double> draw_many(Draws& draws, std::size_t n) {
  std::vector<double> out;
  for (std::size_t i = 0; i < n; ++i) out.push_back(draws.normal());
  return out;
}

// A loss with a random slope at each output.
double weighed(const Network& network, const std::vector<double>& in, const std::vector<double>& slopes,
               std::size_t steps, Network::Tape& tape) {
  std::vector<double> state(network.state(), 0.1);
  std::vector<double> out(slopes.size());
  network.forward(in, steps, state, out, tape);
  return std::inner_product(out.begin(), out.end(), slopes.begin(), 0.0);
}

TEST(Network, GradientsAreThoseOfFiniteDifferences) {
  for (const Shape& shape : network_shapes()) {
    Network network(shape.layers);
    ASSERT_EQ(network.weights().size(), shape.weights) << shape.name;
    Draws draws(RandomStream(7, 0, Purpose::learning));
    network.initialise(draws, 1.4);
    const auto in = draw_many(draws, shape.steps * static_cast<std::size_t>(network.inputs()));
    const auto slopes = draw_many(draws, shape.steps * static_cast<std::size_t>(network.outputs()));
    Network::Tape tape;
    weighed(network, in, slopes, shape.steps, tape);
    std::vector<double> gradients(network.weights().size());
    network.backward(tape, slopes, gradients);
    Network::Tape other;
    for (std::size_t i = 0; i < gradients.size(); i += 1 + gradients.size() / 150) {
      constexpr double h = 1e-6;
      const double before = network.weights()[i];
      network.weights()[i] = before + h;
      const double above = weighed(network, in, slopes, shape.steps, other);
      network.weights()[i] = before - h;
      const double below = weighed(network, in, slopes, shape.steps, other);
      network.weights()[i] = before;
      EXPECT_NEAR(gradients[i], (above - below) / (2 * h), 1e-6 * std::max(1.0, std::fabs(gradients[i])))
          << shape.name << ", weight " << i;
    }
  }
}

TEST(Network, SequenceGoesOnFromItsState) {
  Network network(lstm_shape(4));
  Draws draws(RandomStream(3, 0, Purpose::learning));
  network.initialise(draws, 1.4);
  const auto in = draw_many(draws, 40);
  std::vector<double> state(network.state()), whole(10), first(4), rest(6);
  Network::Tape tape;
  network.forward(in, 10, state, whole, tape);
  std::fill(state.begin(), state.end(), 0.0);
  network.forward(std::span(in).first(16), 4, state, first, tape);
  network.forward(std::span(in).subspan(16), 6, state, rest, tape);
  first.insert(first.end(), rest.begin(), rest.end());
  EXPECT_EQ(first, whole);
}

TEST(Network, FirstWeightsAreOrthogonal) {
  Network network(mlp_shape(4));  // 12 x 4: its columns; 12 x 12; 1 x 12: its only row
  Draws draws(RandomStream(1, 0, Purpose::learning));
  const double gain = std::sqrt(2.0);
  network.initialise(draws, gain);
  const auto w = network.weights();
  for (int a = 0; a < 4; ++a)
    for (int b = 0; b < 4; ++b) {
      double product = 0;
      for (int r = 0; r < 12; ++r)
        product += w[static_cast<std::size_t>(4 * r + a)] * w[static_cast<std::size_t>(4 * r + b)];
      EXPECT_NEAR(product, a == b ? 2 : 0, 1e-12);
    }
  double norm = 0;
  for (std::size_t i = 192; i < 204; ++i) norm += w[i] * w[i];
  EXPECT_NEAR(norm, 2, 1e-12);
}

TEST(Functions, AreThoseOfTheLibrary) {
  for (double x = -30; x <= 30; x += 0.0371) {
    EXPECT_NEAR(exp_of(x) / std::exp(x), 1, 1e-15) << x;
    EXPECT_NEAR(tanh_of(x), std::tanh(x), 1e-15) << x;
    EXPECT_NEAR(sigmoid_of(x), 1 / (1 + std::exp(-x)), 1e-15) << x;
    const double positive = std::exp(x);
    EXPECT_NEAR(log_of(positive), std::log(positive), 1e-15 * std::max(1.0, std::fabs(x))) << x;
  }
  EXPECT_EQ(exp_of(-1e9), 0);
  EXPECT_EQ(tanh_of(1e9), 1);
}

TEST(Functions, NormalDrawsHaveMeanAndVariance) {
  Draws draws(RandomStream(5, 0, Purpose::learning));
  double sum = 0, squares = 0;
  constexpr int n = 20'000;
  for (int i = 0; i < n; ++i) {
    const double x = draws.normal();
    sum += x;
    squares += x * x;
  }
  EXPECT_NEAR(sum / n, 0, 0.03);
  EXPECT_NEAR(squares / n, 1, 0.04);
}

TEST(Adam, FindsTheLeastOfASquare) {
  std::vector<double> x{3, -2};
  Adam adam(2, {.clip = 0.5});
  for (int i = 0; i < 3000; ++i) adam.step(x, std::vector<double>{2 * (x[0] - 1), 2 * (x[1] - 0.5)}, 0.01);
  EXPECT_NEAR(x[0], 1, 1e-3);
  EXPECT_NEAR(x[1], 0.5, 1e-3);
}

TEST(Adam, FirstStepIsTheRateAndTheClipCounts) {
  // m / sqrt(v) of one gradient is its sign, whatever its size: Kingma and Ba, section 2.1.
  std::vector<double> x{0, 0};
  Adam adam(2, {.clip = 0.5, .epsilon = 0});
  adam.step(x, std::vector<double>{100, -0.001}, 0.01);
  EXPECT_NEAR(x[0], -0.01, 1e-15);
  EXPECT_NEAR(x[1], 0.01, 1e-15);
  adam.step(x, std::vector<double>{0.5, 0}, 0.01);
  EXPECT_NEAR(x[0], -0.02, 1e-15);  // as if the first gradient had been 0.5 as well
}

}  // namespace
}  // namespace weir::learn
