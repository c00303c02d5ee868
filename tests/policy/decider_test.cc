// What a decider feeds its network, and what the float networks compute, against doubles and std::tanh.
#include "weir/policy/decider.h"

#include <gtest/gtest.h>

#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "tests/policy/random_policy.h"
#include "weir/base/error.h"
#include "weir/policy/float_network.h"

namespace weir::policy {
namespace {

using namespace literals;

// y = tanh(weights . inputs).
Policy linear(std::vector<float> weights) {
  Policy p;
  p.history = static_cast<int>(weights.size()) / 2;
  p.layers.push_back({.inputs = static_cast<int>(weights.size()), .outputs = 1, .weights = std::move(weights)});
  return p;
}

Observation seen(Time rtt, double rate) { return {.rtt = rtt, .base_rtt = 8'192_ns, .rate = rate}; }

TEST(Signal, IsZeroWhereTheLawOfTheQueueSays) {
  // 1.5 + 0.064 sqrt(N) units of 8.192 us, with N flows at 1 / N: N = 100 makes 2.14 units, 17.53088 us
  EXPECT_NEAR(signal({}, seen(Time{17'530'880}, 0.01)), 0, 1e-12);
  EXPECT_EQ(signal({}, seen(Time{8'192'000}, 1)), -0.064 * 12.5);
  // the paper's: RTT / base RTT sqrt(rate) - target
  EXPECT_EQ(signal({.target = 2, .beta = 0, .scale = 1, .base_rtt = {}}, seen(Time{16'384'000}, 0.25)), -1);
}

// Flows of other base RTTs and rates of links that meet the same queue have their signal 0 at the same rate.
TEST(Signal, OfQueueingDelaysIsZeroAtTheSameQueueForAll) {
  Signal s{.target = 1, .beta = 0, .scale = 30, .base_rtt = {}, .queue_unit = 300_ns, .queue_packets = 2, .power = 6};
  // at 1/16 the queue is 8 units of 300 + 2 * 100 ns
  EXPECT_DOUBLE_EQ(queue_at(s, 1.0 / 16, 8_us, 100_ns), 4e-6);
  for (const Time base : {2_us, 8_us, 40_us}) {
    const Observation o{.rtt = base + 4_us, .base_rtt = base, .rate = 1.0 / 16, .packet = 100_ns};
    EXPECT_NEAR(signal(s, o), 0, 1e-12);
    Observation more = o;
    more.rtt = more.rtt + base / 100;  // 1 % of the base RTT more counts alike
    EXPECT_NEAR(signal(s, more), 30 * 0.01 / 8, 1e-12);
  }
  s.beta = 2;
  EXPECT_NEAR(signal(s, {.rtt = 9_us, .base_rtt = 8_us, .rate = 1, .packet = 100_ns}), -30 * 0.5 / 8, 1e-12);
}

TEST(Signal, TakesPowersInEighths) {
  for (int eighths = 1; eighths <= 8; ++eighths)
    for (const double x : {1.0, 0.5, 0.001}) EXPECT_NEAR(root_power(x, eighths), std::pow(x, eighths / 8.0), 1e-15);
  // by inflation, too: 0.5 + 2 at the rate of 1/4 with power 1
  EXPECT_EQ(
      signal({.target = 0.125, .beta = 1.5, .scale = 2, .base_rtt = {}, .power = 8}, seen(Time{16'384'000}, 0.25)), 0);
}

TEST(Decider, ShowsTheLastDecisionsNewestFirst) {
  Decider decider(linear({0, 0.1f, 0, 0, 0, 0}));
  Memory memory;
  decider.start(memory.bytes.data());
  EXPECT_EQ(decider.memory(), 5 * sizeof(float));
  std::array<float, 6> in{};
  std::array<float, 6> before{};
  float y = 0;
  double factor = 1;
  for (int i = 0; i < 6; ++i) {
    const Observation o = seen(Time{12'000'000 + 1'000'000 * i}, 0.5);
    const double next = decider.decide(o, memory.bytes.data(), in, y);
    EXPECT_EQ(in[0], static_cast<float>(factor));
    EXPECT_EQ(in[1], static_cast<float>(signal({}, o)));
    if (i == 0) {
      EXPECT_EQ((std::vector<float>(in.begin() + 2, in.end())), (std::vector<float>{1, 0, 1, 0}));
    } else {
      EXPECT_EQ((std::vector<float>(in.begin() + 2, in.end())), (std::vector<float>(before.begin(), before.end() - 2)));
    }
    const double expected = y >= 0 ? 1 + 0.2 * static_cast<double>(y) : 1 / (1 - 0.2 * static_cast<double>(y));
    EXPECT_EQ(next, expected);
    EXPECT_NEAR(y, std::tanh(0.1 * static_cast<double>(in[1])), 1e-6);
    factor = next;
    before = in;
  }
}

TEST(Decider, LimitsItsInputs) {
  Policy p = linear({0, 0.01f});
  p.clip = 3;
  const Decider decider(p);
  Memory memory;
  decider.start(memory.bytes.data());
  std::array<float, 2> in{};
  float y = 0;
  decider.decide(seen(1_ms, 1), memory.bytes.data(), in, y);
  EXPECT_EQ(in[1], 3);
  EXPECT_NEAR(y, std::tanh(0.03), 1e-6);
}

TEST(Decider, GivesTheInputsOfThePaper) {
  Policy p = linear({0.1f, 0.2f, 0.3f, 0.4f});
  p.inputs = Inputs::paper;
  p.history = 1;
  const Decider decider(p);
  EXPECT_EQ(decider.memory(), 0u);
  std::array<float, 4> in{};
  float y = 0;
  decider.decide({.rtt = 12_us, .base_rtt = 8_us, .rate = 0.25, .sent = 8, .cnps = 2, .nacks = 1}, nullptr, in, y);
  EXPECT_EQ(in, (std::array<float, 4>{0.25, 1.5, 0.25, 0.125}));
  EXPECT_NEAR(y, std::tanh(0.025 + 0.3 + 0.075 + 0.05), 1e-6);
  decider.decide({.rtt = 12_us, .base_rtt = 8_us, .rate = 0.25, .sent = 0, .cnps = 2}, nullptr, in, y);
  EXPECT_EQ(in[2], 2);  // per packet, of which one is taken if none was sent
}

TEST(Decider, WalksTrees) {
  Policy p;
  p.kind = Kind::tree;
  p.history = 1;
  p.nodes = {{.feature = 1, .threshold = 0.5f, .left = 1, .right = 2}, {.value = 0.25f}, {.value = -1}};
  const Decider decider(p);
  Memory memory;
  decider.start(memory.bytes.data());
  const std::array<float, 2> low{1, 0.4999f};
  const std::array<float, 2> high{1, 0.5f};
  EXPECT_EQ(decider.evaluate(low, memory.bytes.data()), 0.25f);
  EXPECT_EQ(decider.evaluate(high, memory.bytes.data()), -1);
  EXPECT_EQ(decider.decide(seen(1_ms, 1), memory.bytes.data()), 1 / 1.2);
}

TEST(Decider, RefusesWhatItCannotHold) {
  Dice dice(1);
  EXPECT_THROW(Decider(random_network(dice, {4, 30, 1}, 0, Arithmetic::float32)), InputError);  // 12 + 256 bytes
  EXPECT_NO_THROW(Decider(random_network(dice, {4, 30, 1}, 0, Arithmetic::int8)));              // 12 + 96 bytes
  EXPECT_NO_THROW(Decider(random_network(dice, {4, 20, 1}, 0, Arithmetic::float32)));
  Policy p = linear({1, 1});
  p.layers[0].weights[1] = NAN;
  EXPECT_THROW(Decider{p}, InputError);
  const Decider good(linear({1, 1}));
  std::array<float, 1> none{};
  float y = 0;
  Memory memory;
  EXPECT_THROW(good.decide(seen(1_us, 1), memory.bytes.data(), none, y), std::logic_error);
  EXPECT_THROW(good.evaluate(none, memory.bytes.data()), std::logic_error);
}

TEST(FloatNetwork, TanhIsNearlyExact) {
  for (int i = -120'000; i <= 120'000; ++i) {
    const float x = static_cast<float>(i) * 1e-4f;
    ASSERT_NEAR(tanh32(x), std::tanh(static_cast<double>(x)), 3e-7) << x;
  }
  EXPECT_EQ(tanh32(0), 0);
  EXPECT_EQ(tanh32(1e30f), 1);
  EXPECT_EQ(tanh32(-1e30f), -1);
}

// The same network in doubles, row by row.
struct Reference {
  const Policy& policy;
  std::vector<std::vector<double>> hidden{std::vector<std::vector<double>>(policy.layers.size())};
  std::vector<std::vector<double>> cells{std::vector<std::vector<double>>(policy.layers.size())};

  static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

  double run(const std::vector<float>& inputs) {
    std::vector<double> x(inputs.begin(), inputs.end());
    for (std::size_t i = 0; i < policy.layers.size(); ++i) {
      const Layer& l = policy.layers[i];
      const auto outputs = static_cast<std::size_t>(l.outputs);
      if (l.lstm) {
        hidden[i].resize(outputs);
        cells[i].resize(outputs);
        x.insert(x.end(), hidden[i].begin(), hidden[i].end());
      }
      const auto row = [&](std::size_t r) {
        double sum = 0;
        for (std::size_t c = 0; c < x.size(); ++c) sum += static_cast<double>(l.weights[r * x.size() + c]) * x[c];
        return sum;
      };
      std::vector<double> next;
      for (std::size_t u = 0; u < outputs; ++u) {
        if (l.lstm) {
          cells[i][u] = sigmoid(row(outputs + u)) * cells[i][u] + sigmoid(row(u)) * std::tanh(row(2 * outputs + u));
          next.push_back(sigmoid(row(3 * outputs + u)) * std::tanh(cells[i][u]));
        } else {
          const double v = row(u);
          next.push_back(l.activation == Activation::relu   ? std::max(v, 0.0)
                         : l.activation == Activation::tanh ? std::tanh(v)
                                                            : v);
        }
      }
      if (l.lstm) hidden[i] = next;
      x = next;
    }
    return std::tanh(x[0]);
  }
};

TEST(FloatNetwork, IsTheNetwork) {
  const std::vector<std::vector<int>> shapes{{2, 1},      {4, 12, 12, 1}, {4, 3, 1},      {6, 17, 5, 1},
                                             {16, 64, 1}, {2, 1, 1},      {4, 33, 30, 1}, {8, 16, 16, 16, 1}};
  std::uint32_t seed = 0;
  for (const auto& shape : shapes) {
    Dice dice(++seed);
    const Policy p = random_network(dice, shape, -1, Arithmetic::float32);
    const Decider decider(p);
    Reference reference{p};
    for (int i = 0; i < 300; ++i) {
      const auto in = random_inputs(dice, p.width());
      Memory memory;
      ASSERT_NEAR(decider.evaluate(in, memory.bytes.data()), reference.run(in), 2e-5) << seed << ' ' << i;
    }
  }
}

TEST(FloatNetwork, RemembersAsAnLstmDoes) {
  const std::vector<std::pair<std::vector<int>, int>> shapes{
      {{4, 32, 16, 16, 1}, 2}, {{4, 16, 1}, 0}, {{2, 5, 7, 1}, 1}, {{4, 8, 10, 3, 1}, 1}, {{2, 1, 1}, 0}};
  std::uint32_t seed = 100;
  for (const auto& [shape, lstm] : shapes) {
    Dice dice(++seed);
    const Policy p = random_network(dice, shape, lstm, Arithmetic::float32);
    const Decider decider(p);
    Memory memory;
    decider.start(memory.bytes.data());
    Reference reference{p};
    double moved = 0;
    for (int i = 0; i < 300; ++i) {
      const auto in = random_inputs(dice, p.width());
      const float y = decider.evaluate(in, memory.bytes.data());
      ASSERT_NEAR(y, reference.run(in), 3e-5) << seed << ' ' << i;
      Memory fresh;
      decider.start(fresh.bytes.data());
      moved = std::max(moved, std::abs(static_cast<double>(y - decider.evaluate(in, fresh.bytes.data()))));
    }
    EXPECT_GT(moved, 0.01) << "the state makes no difference";
  }
}

// What these networks answered when they were written, on every machine and with every compiler: the bits.
TEST(FloatNetwork, GivesTheSameBitsEverywhere) {
  Dice dice(7);
  const Policy p = random_network(dice, {4, 32, 16, 16, 1}, 2, Arithmetic::float32);
  const Decider decider(p);
  Memory memory;
  decider.start(memory.bytes.data());
  std::uint64_t hash = 0;
  for (int i = 0; i < 1000; ++i) {
    const auto in = random_inputs(dice, p.width());
    hash = hash * 1'099'511'628'211u + std::bit_cast<std::uint32_t>(decider.evaluate(in, memory.bytes.data()));
  }
  EXPECT_EQ(hash, 2547991317090007488u);
}

}  // namespace
}  // namespace weir::policy
