// Walks, quantising, trees and comparisons.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/policy/random_policy.h"
#include "weir/base/error.h"
#include "weir/policy/compare.h"
#include "weir/policy/decider.h"
#include "weir/policy/distil.h"
#include "weir/policy/policy_file.h"
#include "weir/policy/quantise.h"
#include "weir/policy/walks.h"

namespace weir::policy {
namespace {

// y = tanh(-0.5 in2), in two layers.
Policy half_the_signal() {
  return parse_policy(R"(
format = 1
kind = "mlp"
arithmetic = "float32"
inputs = "code"
history = 2
clip = 8
step = 0.2

[signal]
target = 0.064
beta = 1.5
scale = 12.5
base_rtt = "8192 ns"

[[layer]]
type = "dense"
inputs = 4
outputs = 2
activation = "relu"
weights = [[0, 1, 0, 0], [0, -1, 0, 0]]

[[layer]]
type = "dense"
inputs = 2
outputs = 1
activation = "none"
weights = [[-0.5, 0.5]]
)",
                      "p.toml");
}

TEST(Walks, AreClosedLoops) {
  const Decider decider(shipped_policy("standard"));
  const auto samples = walk(decider, {.walks = 60, .decisions = 2000, .seed = 3});
  ASSERT_EQ(samples.size(), 120'000u);
  std::size_t small = 0;
  double least = 1;
  std::set<std::uint32_t> cold;
  std::set<std::uint32_t> flows;
  for (const Sample& s : samples) {
    EXPECT_GT(s.observation.rtt, Time{});
    EXPECT_GE(s.observation.rtt, s.observation.base_rtt);
    EXPECT_TRUE(s.observation.rate > 0 && s.observation.rate <= 1);
    if (flows.insert(s.flow).second && s.observation.rate == 1) cold.insert(s.flow);
    small += std::abs(s.inputs[1]) < 0.5f ? 1 : 0;
    least = std::min(least, s.observation.rate);
  }
  // they get near equilibrium and stay, and there are cold starts and flows with small shares
  EXPECT_GT(small, samples.size() / 3);
  EXPECT_LT(least, 1e-3);
  EXPECT_GT(cold.size(), flows.size() / 4);
  EXPECT_LT(cold.size(), flows.size());
  // the same again
  const auto again = walk(decider, {.walks = 60, .decisions = 2000, .seed = 3});
  for (std::size_t i = 0; i < samples.size(); ++i) ASSERT_EQ(samples[i].factor, again[i].factor);
  EXPECT_NE(walk(decider, {.walks = 1, .decisions = 50, .seed = 4}).back().factor, samples[49].factor);
}

TEST(Samples, AreReadFromTables) {
  const Decider decider(half_the_signal());
  const auto samples =
      read_samples("time,in4,in3,in2,in1,flow\n1,0.5,1,-0.25,1.1,7\r\n2,0,1,3,0.9,8\n", "s.csv", decider);
  ASSERT_EQ(samples.size(), 2u);
  EXPECT_EQ(samples[0].flow, 7u);
  EXPECT_EQ(samples[0].inputs[0], 1.1f);
  EXPECT_EQ(samples[0].inputs[1], -0.25f);
  EXPECT_EQ(samples[0].inputs[3], 0.5f);
  EXPECT_NEAR(samples[1].y, std::tanh(-1.5), 1e-6);
  const auto expect_refused = [&](const std::string& text, const std::string& message) {
    try {
      read_samples(text, "s.csv", decider);
      ADD_FAILURE() << text;
    } catch (const InputError& error) {
      EXPECT_EQ(error.what(), message);
    }
  };
  expect_refused("in1,in2,in3\n", "s.csv:1: there is no column in4; the policy has the inputs in1 to in4");
  expect_refused("in1,in2,in3,in4\n1,2,3\n", "s.csv:2: 3 cells; the header has 4");
  expect_refused("in1,in2,in3,in4\n1,2,3,x\n", "s.csv:2: 'x' is not a number");
  expect_refused("in1,in2,in3,in4\n1,2,3,nan\n", "s.csv:2: 'nan' is not a number");
  expect_refused("in1,in2,in3,in4\n",
                 "s.csv: there are no rows; write a header line in1,in2,... and a line for each decision");
  expect_refused("", "s.csv: there are no rows; write a header line in1,in2,... and a line for each decision");
}

TEST(Quantise, RoundsRowsToTheirOwnScales) {
  Policy p;
  p.layers.push_back({.activation = Activation::relu,
                      .inputs = 4,
                      .outputs = 3,
                      .weights = {1, 0.5f, -1, 0, 0.01f, -0.0025f, 0, 0, 0, 0, 0, 0}});
  p.layers.push_back({.inputs = 3, .outputs = 1, .weights = {2, -1, 0.5f}});
  const Decider decider(p);
  const auto samples = walk(decider, {.walks = 4, .decisions = 50});
  const Policy q = quantise(p, samples);
  EXPECT_EQ(q.arithmetic, Arithmetic::int8);
  EXPECT_EQ(q.layers[0].weights, (std::vector<float>{127, 64, -127, 0, 127, -32, 0, 0, 0, 0, 0, 0}));
  EXPECT_FLOAT_EQ(q.layers[0].row_scales[0], 1.0f / 127);
  EXPECT_FLOAT_EQ(q.layers[0].row_scales[1], 0.01f / 127);
  EXPECT_FLOAT_EQ(q.layers[0].input_scale, 8.0f / 32767);  // all that the clip lets through
  EXPECT_EQ(q.provenance.at("parent"), digest(p));
  // twice the largest that was seen
  float most = 0;
  for (const Sample& s : samples) {
    const float a = s.inputs[0] + 0.5f * s.inputs[1] - s.inputs[2];
    const float b = 0.01f * s.inputs[0] - 0.0025f * s.inputs[1];
    most = std::max({most, a, b});
  }
  EXPECT_NEAR(q.layers[1].input_scale, 2 * most / 32767, 1e-9);
  const Policy tight = quantise(p, samples, {.share = 0.5, .headroom = 1});
  EXPECT_LT(tight.layers[1].input_scale, q.layers[1].input_scale);
  EXPECT_THROW(quantise(q, samples), InputError);
  EXPECT_THROW(quantise(p, {}), std::logic_error);
}

// Every sample lies in one leaf, whose value is the mean of its samples.
TEST(Distil, GrowsATreeOfMeans) {
  Dice dice(1);
  const Policy p = random_network(dice, {4, 12, 12, 1}, -1, Arithmetic::float32);
  const Decider decider(p);
  const auto samples = walk(decider, {.walks = 20, .decisions = 300});
  const DistilOptions options{.depth = 6, .leaf = 25};
  const Policy tree = distil(p, samples, options);
  EXPECT_EQ(tree.kind, Kind::tree);
  EXPECT_EQ(policy_text(distil(p, samples, options)), policy_text(tree));
  const Decider made(tree);
  std::array<std::byte, Decider::kMaxMemory> memory{};
  std::map<float, std::pair<double, int>> leaves;
  double error = 0;
  double variance = 0;
  double mean = 0;
  for (const Sample& s : samples) mean += static_cast<double>(s.y) / static_cast<double>(samples.size());
  for (const Sample& s : samples) {
    const float y = made.evaluate(std::span(s.inputs).first(4), memory.data());
    auto& [sum, count] = leaves[y];
    sum += static_cast<double>(s.y);
    ++count;
    error += std::pow(static_cast<double>(y - s.y), 2);
    variance += std::pow(static_cast<double>(s.y) - mean, 2);
  }
  EXPECT_LE(leaves.size(), 64u);
  EXPECT_GT(leaves.size(), 8u);
  for (const auto& [y, leaf] : leaves) {
    EXPECT_GE(leaf.second, 25);
    EXPECT_NEAR(leaf.first / leaf.second, y, 1e-5);
  }
  EXPECT_LT(error, 0.1 * variance);
}

// A function of steps is found exactly.
TEST(Distil, FindsSteps) {
  Policy p = shipped_policy("standard");
  std::vector<Sample> samples;
  Dice dice(2);
  const auto steps = [](float a, float b) { return a < 0 ? (b < 3 ? 0.5f : -0.5f) : 0.9f; };
  for (int i = 0; i < 2000; ++i) {
    Sample& s = samples.emplace_back();
    s.inputs[1] = dice.real(8);
    s.inputs[3] = dice.real(8);
    s.y = steps(s.inputs[1], s.inputs[3]);
  }
  const Policy tree = distil(p, samples, {.depth = 8, .leaf = 1});
  EXPECT_EQ(tree.nodes.size(), 5u);
  const Decider made(tree);
  std::array<std::byte, Decider::kMaxMemory> memory{};
  for (const Sample& s : samples) ASSERT_EQ(made.evaluate(std::span(s.inputs).first(4), memory.data()), s.y);
  EXPECT_EQ(distil(p, samples, {.depth = 0, .leaf = 1}).nodes.size(), 1u);
  EXPECT_EQ(distil(p, samples, {.depth = 8, .leaf = 1500}).nodes.size(), 1u);
  EXPECT_THROW(distil(p, {}, {}), std::logic_error);
  EXPECT_THROW(distil(p, samples, {.depth = 15}), std::logic_error);
  EXPECT_THROW(distil(p, samples, {.leaves = 0}), std::logic_error);
  // with room for one split it is the one that gains most
  const Policy small = distil(p, samples, {.depth = 8, .leaf = 1, .leaves = 2});
  ASSERT_EQ(small.nodes.size(), 3u);
  EXPECT_EQ(small.nodes[0].feature, 1);
  EXPECT_NEAR(small.nodes[0].threshold, 0, 0.1);
}

// Flows follow the driver, and the teacher says what it would have done.
TEST(Walk, IsDrivenByOneAndAnsweredByAnother) {
  const Policy p = shipped_policy("standard");
  const Decider teacher(p);
  const WalkOptions options{.walks = 4, .decisions = 200};
  const Decider tree(distil(p, walk(teacher, options), {.leaf = 50, .leaves = 8}));
  const auto alone = walk(tree, options);
  const auto taught = walk(tree, teacher, options);
  ASSERT_EQ(taught.size(), alone.size());
  std::array<std::byte, Decider::kMaxMemory> memory{};
  std::size_t differing = 0;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    EXPECT_EQ(taught[i].inputs, alone[i].inputs);
    EXPECT_EQ(taught[i].y, teacher.evaluate(std::span(alone[i].inputs).first(4), memory.data()));
    differing += taught[i].y != alone[i].y ? 1 : 0;
  }
  EXPECT_GT(differing, alone.size() / 2);
}

// Trees that have driven themselves are nearer to the network where they go.
TEST(Distil, LearnsInTheLoop) {
  const Policy p = shipped_policy("standard");
  const Decider teacher(p);
  const WalkOptions options{.walks = 20, .decisions = 500};
  const auto error_of = [&](const Policy& tree) {
    const Decider driver(tree);
    double error = 0;
    std::array<std::byte, Decider::kMaxMemory> memory{};
    const auto seen = walk(driver, teacher, {.walks = 20, .decisions = 500, .seed = 99});
    for (const Sample& s : seen)
      error += std::pow(static_cast<double>(driver.evaluate(std::span(s.inputs).first(4), memory.data()) - s.y), 2);
    return error / static_cast<double>(seen.size());
  };
  const DistilOptions small{.leaf = 5, .leaves = 100};
  const Policy before = distil(p, walk(teacher, options), small);
  const Policy after = distil_in_loop(p, small, {.rounds = 2, .walks = options});
  EXPECT_EQ(policy_text(distil_in_loop(p, small, {.rounds = 0, .walks = options})), policy_text(before));
  EXPECT_LT(error_of(after), error_of(before));
  EXPECT_EQ(after.nodes.size(), 199u);
}

TEST(Compare, MeasuresFactors) {
  const Policy p = half_the_signal();
  const Decider a(p);
  EXPECT_EQ(compare_on_walks(a, a).largest, 0);
  EXPECT_EQ(compare_on_grid(a, a).largest, 0);
  Policy other = p;
  other.step = 0.1;
  const Difference d = compare_on_grid(a, Decider(other));
  // at -1: 1 / 1.1 - 1 / 1.2
  EXPECT_NEAR(d.largest, 1 / 1.1 - 1 / 1.2, 1e-4);
  EXPECT_GT(d.mean, 0.02);
  EXPECT_LT(d.mean, d.largest);
  EXPECT_GT(d.differing, 0.5);
  EXPECT_GT(d.decisions, 10'000u);
}

}  // namespace
}  // namespace weir::policy
