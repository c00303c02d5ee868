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
  EXPECT_EQ(q.signal.queue_unit, p.signal.queue_unit);
  EXPECT_EQ(q.signal.queue_packets, p.signal.queue_packets);
  EXPECT_EQ(q.signal.power, p.signal.power);
  ASSERT_EQ(q.trained.has_value(), p.trained.has_value());
  if (p.trained) {
    EXPECT_EQ(q.trained->base_rtt.low, p.trained->base_rtt.low);
    EXPECT_EQ(q.trained->base_rtt.high, p.trained->base_rtt.high);
    EXPECT_EQ(q.trained->rate.low, p.trained->rate.low);
    EXPECT_EQ(q.trained->rate.high, p.trained->rate.high);
    EXPECT_EQ(q.trained->hops.low, p.trained->hops.low);
    EXPECT_EQ(q.trained->hops.high, p.trained->hops.high);
    EXPECT_EQ(q.trained->flows.low, p.trained->flows.low);
    EXPECT_EQ(q.trained->flows.high, p.trained->flows.high);
  }
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
    if (seed % 3 == 0) {
      p.signal.base_rtt = {};
      p.signal.queue_unit = Time{1 + dice.below(9'000'000)};
      p.signal.queue_packets = dice.below(5);
    }
    p.signal.power = 1 + dice.below(8);
    if (seed % 5 == 0)
      p.trained = Trained{.base_rtt = {Time{dice.below(9'000'000)}, Time{9'000'001}},
                          .rate = {Rate{10'000'000'000}, Rate{400'000'000'000}},
                          .hops = {1, 5},
                          .flows = {2, 2 + dice.below(100)}};
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
  p.trained = Trained{};
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

const std::string kTrained = kGood +
                             "[trained]\n"                           // 24
                             "base_rtt = [\"8 us\", \"40 us\"]\n"    // 25
                             "rate = [\"10 Gbps\", \"100 Gbps\"]\n"  // 26
                             "hops = [1, 3]\n"                       // 27
                             "flows = [2, 8]\n";                     // 28

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
  EXPECT_NO_THROW(parse_policy(kTrained, "p.toml"));
  struct Case {
    std::string text;
    std::string part;
    std::string by;
    std::string message;
  };
  const std::vector<Case> cases{
      {kGood, "format = 1\n", "", "p.toml: key 'format': missing; write 1, the version of the format of policies"},
      {kGood, "format = 1\n", "[topology]\n",
       "p.toml:1: key 'topology': this is a scenario; name the file of a policy, or a policy that comes with Weir"},
      {kGood, "format = 1", "format = 2", "p.toml:1: key 'format': version 2 is not known here; valid is 1"},
      {kGood, "format = 1", "format = \"1\"", "p.toml:1: key 'format': it is text; write a whole number"},
      {kGood, "\"mlp\"", "\"cnn\"", "p.toml:2: key 'kind': cannot be 'cnn'; it is one of mlp, lstm, tree"},
      {kGood, "kind = \"mlp\"\n", "", "p.toml: key 'kind': missing; write one of mlp, lstm, tree (what computes y)"},
      {kGood, "\"code\"", "\"codes\"",
       "p.toml:4: key 'inputs': cannot be 'codes'; it is one of paper, code (did you mean 'code'?)"},
      {kGood, "history = 1", "history = 9", "p.toml:5: key 'history': 9 is out of range; valid is 1 to 8"},
      {kGood, "history = 1", "history = 2",
       "p.toml:15: key 'layer.0.inputs': 2 does not fit; the first layer takes all inputs of the policy, which are 4"},
      {kGood, "\"code\"", "\"paper\"",
       "p.toml:15: key 'layer.0.inputs': 2 does not fit; the first layer takes all inputs of the policy, which are 4"},
      {kGood, "\"code\"\nhistory = 1", "\"paper\"\nhistory = 2",
       "p.toml:5: key 'history': the inputs of the paper are those of one decision; write 1, not 2"},
      {kGood, "clip = 8", "clip = 0", "p.toml:6: key 'clip': 0 is out of range; valid is 1e-09 to 1000000000"},
      {kGood, "clip = 8", "clip = nan", "p.toml:6: key 'clip': 'nan' is not a number"},
      {kGood, "step = 0.2", "step = 1", "p.toml:7: key 'step': 1 is out of range; valid is 1e-09 to 0.999"},
      {kGood, "step = 0.2\n", "step = 0.2\nsteps = 3\n",
       "p.toml:8: key 'steps': unknown key (did you mean 'step'?); valid is format, kind, arithmetic, inputs, history, "
       "clip, step, signal, layer, nodes, trained, provenance"},
      {kGood, "target = 0.064", "target = 0",
       "p.toml:9: key 'signal.target': 0 is out of range; valid is 1e-09 to 1000000000"},
      {kGood, "beta = 1.5\n", "",
       "p.toml:8: key 'signal.beta': missing; write a number (subtracted from the inflation)"},
      {kGood, "beta = 1.5", "beta = -1", "p.toml:10: key 'signal.beta': -1 is out of range; valid is 0 to 1000000000"},
      {kGood, "8192 ns", "8192",
       "p.toml:12: key 'signal.base_rtt': '8192' is not a time: it has no unit; write a number and one of s, ms, us, "
       "ns, ps, like \"1.5 ms\""},
      {kGood, "scale = 12.5", "gain = 12.5",
       "p.toml:11: key 'signal.gain': unknown key; valid is target, beta, scale, base_rtt, queue_unit, "
       "queue_packets, power"},
      {kGood, "base_rtt", "power = 0.3\nbase_rtt",
       "p.toml:12: key 'signal.power': 0.3 is not valid; write a multiple of 0.125 up to 1"},
      {kGood, "base_rtt", "queue_unit = \"1 us\"\nbase_rtt",
       "p.toml:13: key 'signal.base_rtt': with queue_unit each flow's own counts; write \"0 s\""},
      {kGood, "base_rtt", "queue_packets = 3\nbase_rtt",
       "p.toml:12: key 'signal.queue_packets': it is without queue_unit; write that, too, or leave it away"},
      {kTrained, "[1, 3]", "[1]", "p.toml:27: key 'trained.hops': write two whole numbers, [1, 5]"},
      {kTrained, "[1, 3]", "[3, 1]",
       "p.toml:27: key 'trained.hops': write the least and the largest value, both from 0 on and the least one first"},
      {kTrained, "\"40 us\"", "\"40\"",
       "p.toml:25: key 'trained.base_rtt': '40' is not a time: it has no unit; write a number and one of s, ms, us, "
       "ns, ps, like \"1.5 ms\"; write two times, [\"8 us\", \"16 us\"]"},
      {kTrained,
       "rate = ", "speed = ", "p.toml:26: key 'trained.speed': unknown table; valid is base_rtt, rate, hops, flows"},
      {kTrained, "flows = [2, 8]\n", "", "p.toml:24: key 'trained.flows': missing; write two whole numbers, [2, 128]"},
      {kGood, "\"relu\"", "\"gelu\"",
       "p.toml:17: key 'layer.0.activation': cannot be 'gelu'; it is one of none, relu, tanh (did you mean 'relu'?)"},
      {kGood, "[[1, 2], [3, 4.5]]", "[[1, 2], [3]]",
       "p.toml:18: key 'layer.0.weights': a row of 1; write 2 numbers, one for each input"},
      {kGood, "[[1, 2], [3, 4.5]]", "[[1, 2]]",
       "p.toml:18: key 'layer.0.weights': 2 numbers; the layer has 2 rows of 2, 4 in all"},
      {kGood, "[[1, 2], [3, 4.5]]", "[1, 2, 3, 4.5]",
       "p.toml:18: key 'layer.0.weights': it is a whole number; write a row of numbers, [0.5, -0.25]"},
      {kGood, "4.5", "nan", "p.toml:18: key 'layer.0.weights': nan is not valid; write a number that a float holds"},
      {kGood, "4.5", "inf", "p.toml:18: key 'layer.0.weights': inf is not valid; write a number that a float holds"},
      {kGood, "4.5", "1e39", "p.toml:18: key 'layer.0.weights': 1e+39 is not valid; write a number that a float holds"},
      {kGood, "4.5", "2e6", "p.toml:18: key 'layer.0.weights.1': 2000000 in column 2; valid is -1e6 to 1e6"},
      {kGood, "4.5", "\"a\"", "p.toml:18: key 'layer.0.weights': it is text; write a number"},
      {kGood, "outputs = 2\n", "outputs = 65\n",
       "p.toml:16: key 'layer.0.outputs': 65 is out of range; valid is 1 to 64"},
      {kGood, "inputs = 2\noutputs = 1", "inputs = 3\noutputs = 1",
       "p.toml:23: key 'layer.1.weights': a row of 2; write 3 numbers, one for each input"},
      {kGood, "outputs = 1\nweights = [[-1, 0.5]]", "outputs = 2\nweights = [[-1, 0.5], [1, 1]]",
       "p.toml:22: key 'layer.1.outputs': the last layer has 2 outputs; it must have 1"},
      {kGood, "outputs = 1\n", "outputs = 1\nactivation = \"tanh\"\n",
       "p.toml:23: key 'layer.1.activation': the output's tanh is taken anyway; the last layer's activation must be "
       "none"},
      {kGood, "type = \"dense\"\n", "type = \"lstm\"\n",
       "p.toml:18: key 'layer.0.weights': a row of 2; write 4 numbers, one for each input and hidden unit"},
      {kGood, "kind = \"mlp\"", "kind = \"lstm\"",
       "p.toml:2: key 'kind': no layer is an LSTM; write \"mlp\", or make one"},
      {kGood, "kind = \"mlp\"", "kind = \"tree\"",
       "p.toml:13: key 'layer': a tree has no layers; remove them, or write kind = \"mlp\""},
      {kGood, "activation = \"relu\"\n", "activation = \"relu\"\nrow_scales = [1, 1]\n",
       "p.toml:18: key 'layer.0.row_scales': only int8 layers have scales; remove it"},
      {kGood, "[signal]", "nodes = [[0.1]]\n[signal]",
       "p.toml:8: key 'nodes': only a tree has nodes; remove them, or write kind = \"tree\""},
      {kGood, "[[-1, 0.5]]\n", "[[-1, 0.5]]\n[provenance]\nseed = 1\n",
       "p.toml:25: key 'provenance.seed': it is a whole number; write text in quotes"},
      {kGood, "[[-1, 0.5]]\n", "[[-1, 0.5]]\n[training]\n",
       "p.toml:24: key 'training': unknown table (did you mean 'trained'?); valid is format, kind, arithmetic, inputs, "
       "history, clip, step, "
       "signal, layer, nodes, trained, provenance"},
      {kGood, "\"float32\"", "\"int8\"",
       "p.toml:13: key 'layer.0.row_scales': missing; write a list with one number for each row"},
      {int8(), "4]]", "128]]",
       "p.toml:20: key 'layer.0.weights.1': 128 in column 2; int8 weights are whole numbers from -127 to 127"},
      {int8(), "4]]", "4.5]]",
       "p.toml:20: key 'layer.0.weights.1': 4.5 in column 2; int8 weights are whole numbers from -127 to 127"},
      {int8(), "[0.01, 0.02]", "[0.01]",
       "p.toml:19: key 'layer.0.row_scales': 1 in the list; each of the layer's 2 rows has one"},
      {int8(), "[0.01, 0.02]", "[0.01, 0]",
       "p.toml:19: key 'layer.0.row_scales': 0 is out of range; valid is 1e-09 to 1000000000"},
      {int8(), "[0.01, 0.02]", "[0.01, -1]",
       "p.toml:19: key 'layer.0.row_scales': -1 is out of range; valid is 1e-09 to 1000000000"},
      {int8(), "input_scale = 0.001\n", "", "p.toml:13: key 'layer.0.input_scale': missing; write a number above 0"},
      {int8(), "input_scale = 0.001", "input_scale = 0",
       "p.toml:18: key 'layer.0.input_scale': 0 is out of range; valid is 1e-09 to 1000000000"},
      {int8(), "input_scale = 0.001", "input_scale = 1e8",
       "p.toml:18: key 'layer.0.input_scale': what goes into this layer is so coarse that a unit of it is more than "
       "what "
       "follows can hold; take a smaller scale here, or a larger one in the layer behind"},
      {kTree, "nodes = [[1, 0.5, 1, 2], [0.1], [-0.1]]\n", "",
       "p.toml: key 'nodes': missing; a tree has at least one leaf, [[0.1]]"},
      {kTree, "[1, 0.5, 1, 2]", "[2, 0.5, 1, 2]", "p.toml:7: key 'nodes.0': there is no input 2; valid is 0 to 1"},
      {kTree, "[1, 0.5, 1, 2]", "[1, 0.5, 0, 2]",
       "p.toml:7: key 'nodes.0': its child 0 is not valid; children stand behind, valid is 1 to 2"},
      {kTree, "[1, 0.5, 1, 2]", "[1, 0.5, 1, 3]",
       "p.toml:7: key 'nodes.0': its child 3 is not valid; children stand behind, valid is 1 to 2"},
      {kTree, "[1, 0.5, 1, 2]", "[1, 0.5, 1, 1]",
       "p.toml:7: key 'nodes.1': the node has 2 parents; each but the first has one, which stands before it"},
      {kTree, "[1, 0.5, 1, 2]", "[1, 0.5, 1]",
       "p.toml:7: key 'nodes.0': 3 numbers; write [input, threshold, left, right], or [y] for a leaf"},
      {kTree, "[1, 0.5, 1, 2]", "[-1, 0.5, 1, 2]",
       "p.toml:7: key 'nodes.0': -1 is not the number of an input or a node; write [input, threshold, left, right], or "
       "[y] for a leaf"},
      {kTree, "[-0.1]", "[-1.1]", "p.toml:7: key 'nodes.2': y = -1.1 is out of range; valid is -1 to 1"},
      {kTree, "2], [0.1], [-0.1]]", "2],\n[0.1],\n[-1.1]]",
       "p.toml:9: key 'nodes.2': y = -1.1 is out of range; valid is -1 to 1"},
      {kTree, "[-0.1]", "[nan]", "p.toml:7: key 'nodes.2': nan is not valid; write a number that a float holds"},
      {kTree, "[-0.1]]", "[-0.1], [0]]",
       "p.toml:7: key 'nodes.3': the node has 0 parents; each but the first has one, which stands before it"},
      {kTree, "kind = \"tree\"", "kind = \"tree\"\narithmetic = \"int8\"",
       "p.toml:3: key 'arithmetic': a tree compares floats; write \"float32\""},
  };
  for (const Case& c : cases) expect_refused(with(c.text, c.part, c.by), c.message);
}

}  // namespace
}  // namespace weir::policy
