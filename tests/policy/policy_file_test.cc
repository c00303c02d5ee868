// Policy files: what is written reads back to the same bits, and what is wrong is refused with its place.
#include "weir/policy/policy_file.h"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/policy/random_policy.h"
#include "weir/base/error.h"
#include "weir/policy/decider.h"
#include "weir/policy/shipped.h"

namespace weir::policy {
namespace {

void expect_same_bits(const std::vector<float>& a, const std::vector<float>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i)
    EXPECT_EQ(std::bit_cast<std::uint32_t>(a[i]), std::bit_cast<std::uint32_t>(b[i])) << a[i] << ' ' << b[i];
}

void expect_round_trip(const Policy& p) {
  const std::string text = policy_text(p);
  const Policy q = parse_policy(text, "round-trip");
  EXPECT_EQ(policy_text(q), text);
  EXPECT_EQ(digest(q), digest(p));
  EXPECT_EQ(q.kind, p.kind);
  EXPECT_EQ(q.arithmetic, p.arithmetic);
  EXPECT_EQ(q.inputs, p.inputs);
  EXPECT_EQ(q.history, p.history);
  EXPECT_EQ(q.clip, p.clip);
  EXPECT_EQ(q.step, p.step);
  EXPECT_EQ(q.signal.target, p.signal.target);
  EXPECT_EQ(q.signal.beta, p.signal.beta);
  EXPECT_EQ(q.signal.scale, p.signal.scale);
  EXPECT_EQ(q.signal.base_rtt, p.signal.base_rtt);
  EXPECT_EQ(q.provenance, p.provenance);
  ASSERT_EQ(q.layers.size(), p.layers.size());
  for (std::size_t i = 0; i < p.layers.size(); ++i) {
    EXPECT_EQ(q.layers[i].lstm, p.layers[i].lstm);
    EXPECT_EQ(q.layers[i].activation, p.layers[i].activation);
    EXPECT_EQ(q.layers[i].inputs, p.layers[i].inputs);
    EXPECT_EQ(q.layers[i].outputs, p.layers[i].outputs);
    EXPECT_EQ(q.layers[i].input_scale, p.layers[i].input_scale);
    expect_same_bits(q.layers[i].weights, p.layers[i].weights);
    expect_same_bits(q.layers[i].row_scales, p.layers[i].row_scales);
  }
  ASSERT_EQ(q.nodes.size(), p.nodes.size());
  for (std::size_t i = 0; i < p.nodes.size(); ++i) {
    EXPECT_EQ(q.nodes[i].feature, p.nodes[i].feature);
    EXPECT_EQ(q.nodes[i].left, p.nodes[i].left);
    EXPECT_EQ(q.nodes[i].right, p.nodes[i].right);
    expect_same_bits({q.nodes[i].threshold, q.nodes[i].value}, {p.nodes[i].threshold, p.nodes[i].value});
  }
}

TEST(PolicyFile, ReadsBackWhatItWrites) {
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    const auto arithmetic = seed % 2 == 0 ? Arithmetic::float32 : Arithmetic::int8;
    const bool remembers = seed % 4 < 2;
    Policy p = random_network(dice, {2 * (1 + dice.below(4)), 1 + dice.below(12), 1 + dice.below(9), 1},
                              remembers ? dice.below(2) : -1, arithmetic);
    p.clip = dice.between(0.1, 100);
    p.step = dice.between(0.001, 0.9);
    p.signal = {dice.between(0.001, 3), dice.between(0, 2), dice.between(0.1, 20), Time{dice.below(9'000'000)}};
    p.provenance = {{"seed", "7"}, {"a key \"with\" all", "text\nof two lines, \\ and \""}};
    expect_round_trip(p);
  }
}

// Floats that are hard to write: any bits but those of infinities and not-a-numbers.
TEST(PolicyFile, ReadsBackAnyFloat) {
  Dice dice(3);
  Policy p;
  p.history = 8;
  p.layers.push_back({.activation = Activation::relu, .inputs = 16, .outputs = 64});
  p.layers.push_back({.inputs = 64, .outputs = 1, .weights = std::vector<float>(64, 1.0f)});
  auto& w = p.layers[0].weights;
  w = {0.0f, -0.0f, std::numeric_limits<float>::denorm_min(), std::numeric_limits<float>::min(), 0.1f, 1e6f, -1e6f, 3};
  while (w.size() < 16 * 64) {
    const auto bits =
        static_cast<std::uint32_t>(dice.below(1 << 16)) << 16 | static_cast<std::uint32_t>(dice.below(1 << 16));
    const auto f = std::bit_cast<float>(bits);
    if (std::abs(f) <= 1e6f) w.push_back(f);
  }
  expect_round_trip(p);
}

TEST(PolicyFile, ReadsBackTrees) {
  Policy p;
  p.kind = Kind::tree;
  p.nodes = {{.feature = 1, .threshold = -0.1f, .left = 1, .right = 4},
             {.feature = 3, .threshold = 1e-30f, .left = 2, .right = 3},
             {.value = -1},
             {.value = -0.0f},
             {.value = 0.333333343f}};
  expect_round_trip(p);
}

TEST(PolicyFile, DigestsWhatDecides) {
  Dice dice(1);
  Policy p = random_network(dice, {4, 5, 1}, -1, Arithmetic::float32);
  const std::string before = digest(p);
  EXPECT_EQ(before.size(), 32u);
  p.provenance["seed"] = "8";
  EXPECT_EQ(digest(p), before);
  p.layers[0].weights[3] = std::nextafter(p.layers[0].weights[3], 9.0f);
  EXPECT_NE(digest(p), before);
}

TEST(PolicyFile, ShippedOnesAreWholeAndInTheirOwnForm) {
  ASSERT_FALSE(shipped().empty());
  for (const Shipped& one : shipped()) {
    const Policy p = shipped_policy(one.name);
    EXPECT_NO_THROW(Decider{p});
    EXPECT_EQ(policy_text(p), one.text) << one.name;
    EXPECT_FALSE(p.provenance.empty()) << one.name;
  }
  EXPECT_TRUE(names_policy_file("a.toml"));
  EXPECT_TRUE(names_policy_file("./standard"));
  EXPECT_FALSE(names_policy_file("standard"));
}

const std::string kGood =
    "format = 1\n"                    // 1
    "kind = \"mlp\"\n"                // 2
    "arithmetic = \"float32\"\n"      // 3
    "inputs = \"code\"\n"             // 4
    "history = 1\n"                   // 5
    "clip = 8\n"                      // 6
    "step = 0.2\n"                    // 7
    "[signal]\n"                      // 8
    "target = 0.064\n"                // 9
    "beta = 1.5\n"                    // 10
    "scale = 12.5\n"                  // 11
    "base_rtt = \"8192 ns\"\n"        // 12
    "[[layer]]\n"                     // 13
    "type = \"dense\"\n"              // 14
    "inputs = 2\n"                    // 15
    "outputs = 2\n"                   // 16
    "activation = \"relu\"\n"         // 17
    "weights = [[1, 2], [3, 4.5]]\n"  // 18
    "[[layer]]\n"                     // 19
    "type = \"dense\"\n"              // 20
    "inputs = 2\n"                    // 21
    "outputs = 1\n"                   // 22
    "weights = [[-1, 0.5]]\n";        // 23

const std::string kTree =
    "format = 1\nkind = \"tree\"\ninputs = \"code\"\nhistory = 1\nclip = 8\nstep = 0.2\n"
    "nodes = [[1, 0.5, 1, 2], [0.1], [-0.1]]\n"  // 7
    "[signal]\ntarget = 0.064\nbeta = 1.5\nscale = 12.5\nbase_rtt = \"8192 ns\"\n";

std::string with(std::string text, const std::string& part, const std::string& by) {
  const auto at = text.find(part);
  EXPECT_NE(at, std::string::npos) << part;
  return text.replace(at, part.size(), by);
}

std::string int8() {
  std::string text = with(kGood, "\"float32\"", "\"int8\"");
  text = with(text, "weights = [[1, 2], [3, 4.5]]\n",
              "input_scale = 0.001\nrow_scales = [0.01, 0.02]\nweights = [[1, 2], [3, 4]]\n");
  return with(text, "weights = [[-1, 0.5]]\n", "input_scale = 0.01\nrow_scales = [0.03]\nweights = [[-1, 127]]\n");
}

void expect_refused(const std::string& text, const std::string& message) {
  try {
    parse_policy(text, "p.toml");
    ADD_FAILURE() << "accepted, not: " << message;
  } catch (const InputError& error) {
    EXPECT_EQ(error.what(), message);
  }
}

TEST(PolicyFile, RefusesWhatIsWrong) {
  EXPECT_NO_THROW(parse_policy(kGood, "p.toml"));
  EXPECT_NO_THROW(parse_policy(kTree, "p.toml"));
  EXPECT_NO_THROW(parse_policy(int8(), "p.toml"));
  struct Case {
    std::string text;
    std::string part;
    std::string by;
    std::string message;
  };
  const std::vector<Case> cases{
      {kGood, "format = 1\n", "", "?"},
      {kGood, "format = 1", "format = 2", "?"},
      {kGood, "format = 1", "format = \"1\"", "?"},
      {kGood, "\"mlp\"", "\"cnn\"", "?"},
      {kGood, "kind = \"mlp\"\n", "", "?"},
      {kGood, "\"code\"", "\"codes\"", "?"},
      {kGood, "history = 1", "history = 9", "?"},
      {kGood, "history = 1", "history = 2", "?"},
      {kGood, "\"code\"", "\"paper\"", "?"},
      {kGood, "\"code\"\nhistory = 1", "\"paper\"\nhistory = 2", "?"},
      {kGood, "clip = 8", "clip = 0", "?"},
      {kGood, "clip = 8", "clip = nan", "?"},
      {kGood, "step = 0.2", "step = 1", "?"},
      {kGood, "step = 0.2\n", "step = 0.2\nsteps = 3\n", "?"},
      {kGood, "target = 0.064", "target = 0", "?"},
      {kGood, "beta = 1.5\n", "", "?"},
      {kGood, "beta = 1.5", "beta = -1", "?"},
      {kGood, "8192 ns", "8192", "?"},
      {kGood, "scale = 12.5", "gain = 12.5", "?"},
      {kGood, "\"relu\"", "\"gelu\"", "?"},
      {kGood, "[[1, 2], [3, 4.5]]", "[[1, 2], [3]]", "?"},
      {kGood, "[[1, 2], [3, 4.5]]", "[[1, 2]]", "?"},
      {kGood, "[[1, 2], [3, 4.5]]", "[1, 2, 3, 4.5]", "?"},
      {kGood, "4.5", "nan", "?"},
      {kGood, "4.5", "inf", "?"},
      {kGood, "4.5", "1e39", "?"},
      {kGood, "4.5", "2e6", "?"},
      {kGood, "4.5", "\"a\"", "?"},
      {kGood, "outputs = 2\n", "outputs = 65\n", "?"},
      {kGood, "inputs = 2\noutputs = 1", "inputs = 3\noutputs = 1", "?"},
      {kGood, "outputs = 1\nweights = [[-1, 0.5]]", "outputs = 2\nweights = [[-1, 0.5], [1, 1]]", "?"},
      {kGood, "outputs = 1\n", "outputs = 1\nactivation = \"tanh\"\n", "?"},
      {kGood, "type = \"dense\"\n", "type = \"lstm\"\n", "?"},
      {kGood, "kind = \"mlp\"", "kind = \"lstm\"", "?"},
      {kGood, "kind = \"mlp\"", "kind = \"tree\"", "?"},
      {kGood, "activation = \"relu\"\n", "activation = \"relu\"\nrow_scales = [1, 1]\n", "?"},
      {kGood, "[signal]", "nodes = [[0.1]]\n[signal]", "?"},
      {kGood, "[[-1, 0.5]]\n", "[[-1, 0.5]]\n[provenance]\nseed = 1\n", "?"},
      {kGood, "[[-1, 0.5]]\n", "[[-1, 0.5]]\n[training]\n", "?"},
      {kGood, "\"float32\"", "\"int8\"", "?"},
      {int8(), "4]]", "128]]", "?"},
      {int8(), "4]]", "4.5]]", "?"},
      {int8(), "[0.01, 0.02]", "[0.01]", "?"},
      {int8(), "[0.01, 0.02]", "[0.01, 0]", "?"},
      {int8(), "[0.01, 0.02]", "[0.01, -1]", "?"},
      {int8(), "input_scale = 0.001\n", "", "?"},
      {int8(), "input_scale = 0.001", "input_scale = 0", "?"},
      {int8(), "input_scale = 0.001", "input_scale = 1e8", "?"},
      {kTree, "nodes = [[1, 0.5, 1, 2], [0.1], [-0.1]]\n", "", "?"},
      {kTree, "[1, 0.5, 1, 2]", "[2, 0.5, 1, 2]", "?"},
      {kTree, "[1, 0.5, 1, 2]", "[1, 0.5, 0, 2]", "?"},
      {kTree, "[1, 0.5, 1, 2]", "[1, 0.5, 1, 3]", "?"},
      {kTree, "[1, 0.5, 1, 2]", "[1, 0.5, 1, 1]", "?"},
      {kTree, "[1, 0.5, 1, 2]", "[1, 0.5, 1]", "?"},
      {kTree, "[1, 0.5, 1, 2]", "[-1, 0.5, 1, 2]", "?"},
      {kTree, "[-0.1]", "[-1.1]", "?"},
      {kTree, "[-0.1]", "[nan]", "?"},
      {kTree, "[-0.1]]", "[-0.1], [0]]", "?"},
      {kTree, "kind = \"tree\"", "kind = \"tree\"\narithmetic = \"int8\"", "?"},
  };
  for (const Case& c : cases) expect_refused(with(c.text, c.part, c.by), c.message);
}

}  // namespace
}  // namespace weir::policy
