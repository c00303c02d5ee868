// int8 networks against the same arithmetic written plainly, in 64 bits and without lanes.
#include "weir/policy/int8_network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <vector>

#include "tests/policy/random_policy.h"
#include "weir/base/error.h"
#include "weir/policy/decider.h"
#include "weir/policy/lanes.h"
#include "weir/policy/quantise.h"

namespace weir::policy {
namespace {

std::int64_t limited(std::int64_t v) { return std::clamp<std::int64_t>(v, -32768, 32767); }
// floor((v + 2^(bits - 1)) / 2^bits)
std::int64_t halved(std::int64_t v, int bits) {
  if (bits == 0) return v;
  const std::int64_t whole = std::int64_t{1} << bits;
  const std::int64_t sum = v + whole / 2;
  return sum >= 0 ? sum / whole : -((-sum + whole - 1) / whole);
}

// The network as the head of int8_network.h tells it. The wide weights and shifts are worked out again, too.
class PlainNetwork {
 public:
  explicit PlainNetwork(const Policy& p) : p_(p), hidden_(p.layers.size()), cells_(p.layers.size()) {}

  float run(const std::vector<float>& inputs) {
    std::vector<std::int64_t> x;
    const float per_unit = 1 / p_.layers[0].input_scale;
    for (const float v : inputs)
      x.push_back(static_cast<std::int64_t>(std::nearbyint(std::clamp(v * per_unit, -32767.0f, 32767.0f))));
    bool was_curved = false;
    for (std::size_t i = 0; i < p_.layers.size(); ++i) {
      const Layer& l = p_.layers[i];
      const bool last = i + 1 == p_.layers.size();
      const bool curved = l.lstm || l.activation == Activation::tanh;
      const double unit = was_curved ? 0x1p-14 : static_cast<double>(l.input_scale);
      const double next = curved || last ? 0x1p-13 : static_cast<double>(p_.layers[i + 1].input_scale);
      was_curved = curved;
      if (l.lstm) {
        x = lstm(l, x, unit, hidden_[i], cells_[i]);
        continue;
      }
      x = sums(l, x, unit, next);
      for (auto& v : x) {
        if (l.activation == Activation::tanh) v = tanh14(static_cast<std::int16_t>(v));
        if (l.activation == Activation::relu) v = std::max<std::int64_t>(v, 0);
      }
    }
    return static_cast<float>(output14(static_cast<std::int32_t>(std::max<std::int64_t>(x[0], -32'767)))) / 16384;
  }

 private:
  static std::int64_t wide(double weight, int shift) {
    return static_cast<std::int64_t>(std::floor(weight * std::pow(2.0, shift) + 0.5));
  }
  static bool fits(const std::vector<std::vector<double>>& weights, int shift) {
    for (const auto& row : weights) {
      std::int64_t sum = 0;
      for (const double w : row) {
        if (std::abs(wide(w, shift)) > 32'767) return false;
        sum += std::abs(wide(w, shift));
      }
      if (32'768 * sum + (shift == 0 ? 0 : std::int64_t{1} << (shift - 1)) > 2'147'483'647) return false;
    }
    return true;
  }
  // What follows the rows' sums, in the next units.
  static std::vector<std::int64_t> sums(const Layer& l, const std::vector<std::int64_t>& x, double unit, double next) {
    std::vector<std::vector<double>> weights(l.row_scales.size());
    for (std::size_t r = 0; r < weights.size(); ++r) {
      const bool sigmoid = l.lstm && r / static_cast<std::size_t>(l.outputs) != 2;
      for (std::size_t c = 0; c < x.size(); ++c)
        weights[r].push_back(static_cast<double>(l.weights[r * x.size() + c]) *
                             (static_cast<double>(l.row_scales[r]) / next * (sigmoid ? 0.5 : 1.0)) *
                             (c < static_cast<std::size_t>(l.inputs) ? unit : 0x1p-14));
    }
    int shift = 30;
    while (!fits(weights, shift)) --shift;
    std::vector<std::int64_t> out;
    for (const auto& row : weights) {
      std::int64_t sum = 0;
      for (std::size_t c = 0; c < x.size(); ++c) sum += wide(row[c], shift) * x[c];
      out.push_back(limited(halved(sum, shift)));
    }
    return out;
  }
  static std::vector<std::int64_t> lstm(const Layer& l, std::vector<std::int64_t> x, double unit,
                                        std::vector<std::int64_t>& hidden, std::vector<std::int64_t>& cells) {
    const auto units = static_cast<std::size_t>(l.outputs);
    hidden.resize(units);
    cells.resize(units);
    for (const auto v : hidden) x.push_back(v * 128);
    const std::vector<std::int64_t> gates = sums(l, x, unit, 0x1p-13);
    const auto curved = [&](std::size_t r) { return std::int64_t{tanh14(static_cast<std::int16_t>(gates[r]))}; };
    const auto sigmoid = [&](std::size_t r) { return curved(r) + 16384; };
    std::vector<std::int64_t> out;
    for (std::size_t u = 0; u < units; ++u) {
      const std::int64_t change = halved(curved(2 * units + u), 2);
      cells[u] = limited(halved(sigmoid(units + u) * cells[u] + sigmoid(u) * change, 15));
      const std::int64_t shown = 2 * tanh14(static_cast<std::int16_t>(limited(2 * cells[u])));
      const std::int64_t product = sigmoid(3 * units + u) * shown;
      out.push_back(product >= 0 ? product / 65536 : -((-product + 65535) / 65536));
      hidden[u] = std::min<std::int64_t>(halved(out.back(), 7), 127);
    }
    return out;
  }

  const Policy& p_;
  std::vector<std::vector<std::int64_t>> hidden_;
  std::vector<std::vector<std::int64_t>> cells_;
};

void expect_same(const Policy& p, Dice& dice, int runs) {
  const Int8Network network(p);
  PlainNetwork plain(p);
  Memory a;
  Memory b;
  for (int i = 0; i < runs; ++i) {
    const auto in = random_inputs(dice, p.width());
    const float y = network.run(in.data(), a.bytes.data());
    ASSERT_EQ(y, network.run_plain(in.data(), b.bytes.data())) << i;
    ASSERT_EQ(y, plain.run(in)) << i;
  }
  EXPECT_EQ(a.bytes, b.bytes);
}

TEST(Int8Network, ComputesWhatItSays) {
  const std::vector<std::vector<int>> shapes{{2, 1},      {4, 12, 12, 1}, {4, 3, 1},      {6, 17, 5, 1},
                                             {16, 64, 1}, {2, 1, 1},      {4, 33, 30, 1}, {4, 64, 64, 64, 1}};
  for (std::uint32_t seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(seed);
    expect_same(random_network(dice, shapes[seed % shapes.size()], -1, Arithmetic::int8), dice, 200);
  }
}

TEST(Int8Network, RemembersWhatItSays) {
  const std::vector<std::pair<std::vector<int>, int>> shapes{
      {{4, 32, 16, 16, 1}, 2}, {{4, 16, 1}, 0}, {{2, 5, 7, 1}, 1}, {{4, 8, 10, 3, 1}, 1}, {{2, 1, 1}, 0}};
  for (std::uint32_t seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(1000 + seed);
    const auto& [shape, lstm] = shapes[seed % shapes.size()];
    expect_same(random_network(dice, shape, lstm, Arithmetic::int8), dice, 300);
  }
}

// Coarse and fine scales: multipliers and shifts of all sizes, sums that have to be limited.
TEST(Int8Network, TakesScalesOfAllSizes) {
  for (std::uint32_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    Dice dice(2000 + seed);
    Policy p = random_network(dice, {4, 12, 12, 1}, -1, Arithmetic::int8);
    for (Layer& l : p.layers) l.input_scale *= static_cast<float>(std::pow(10.0, dice.between(-2, 2)));
    expect_same(p, dice, 100);
  }
}

TEST(Int8Network, RefusesScalesThatAreTooFarApart) {
  Dice dice(1);
  Policy p = random_network(dice, {4, 12, 1}, -1, Arithmetic::int8);
  p.layers[0].input_scale = 1e3f;
  p.layers[1].input_scale = 1e-6f;
  try {
    const Int8Network network(p);
    ADD_FAILURE() << "accepted";
  } catch (const InputError& error) {
    EXPECT_EQ(error.key(), "layer.0.input_scale");
  }
}

TEST(Int8Network, TanhIsNearAndOdd) {
  for (int x = -32'767; x <= 32'767; ++x) {
    const int y = tanh14(static_cast<std::int16_t>(x));
    ASSERT_NEAR(y / 16384.0, std::tanh(x / 8192.0), 0.0012) << x;
    ASSERT_EQ(y, -tanh14(static_cast<std::int16_t>(-x))) << x;
  }
  EXPECT_EQ(tanh14(0), 0);
  EXPECT_EQ(tanh14(-32'768), tanh14(-32'767));
}

TEST(Int8Network, TanhOfTheOutputIsNearAndOdd) {
  int last = -1;
  for (int x = 0; x <= 32'767; ++x) {
    const int y = output14(x);
    ASSERT_NEAR(y / 16384.0, std::tanh(x / 8192.0), 0.0002) << x;
    ASSERT_EQ(output14(-x), -y) << x;
    ASSERT_GE(y, last) << x;
    last = y;
  }
  EXPECT_EQ(output14(0), 0);
}

// The forward pass of floats and that of the quantised network, on what flows see.
TEST(Int8Network, IsCloseToTheFloatsThatItWasMadeOf) {
  const std::vector<std::pair<std::vector<int>, int>> shapes{{{4, 12, 12, 1}, -1}, {{4, 32, 16, 16, 1}, 2}};
  for (std::uint32_t seed = 0; seed < 6; ++seed)
    for (const auto& [shape, lstm] : shapes) {
      SCOPED_TRACE(seed);
      Dice dice(seed);
      const Policy p = random_network(dice, shape, lstm, Arithmetic::float32);
      const Decider floats(p);
      const auto samples = walk(floats, {.walks = 40, .decisions = 250});
      const Decider whole(quantise(p, samples));
      std::size_t apart = 0;
      std::vector<Memory> memories(samples.back().flow + 8);
      std::vector<bool> started(memories.size());
      for (const Sample& s : samples) {
        if (!started[s.flow]) whole.start(memories[s.flow].bytes.data());
        started[s.flow] = true;
        const double factor = whole.decide(s.observation, memories[s.flow].bytes.data());
        apart += std::abs(factor - s.factor) >= 0.01 ? 1 : 0;
      }
      EXPECT_LE(static_cast<double>(apart), 0.01 * static_cast<double>(samples.size()));
    }
}

// Small signals are not lost: y = -k signal changes with steps of 0.005 in the signal, and has its sign.
TEST(Int8Network, HasNoDeadZone) {
  Policy p;
  p.layers.push_back({.activation = Activation::relu, .inputs = 4, .outputs = 2, .weights = {0, 1, 0, 0, 0, -1, 0, 0}});
  p.layers.push_back({.inputs = 2, .outputs = 1, .weights = {-0.5f, 0.5f}});
  const Decider floats(p);
  const Decider whole(quantise(p, walk(floats, {.walks = 10, .decisions = 100})));
  Memory memory;
  float last = 2;
  for (int i = -200; i <= 200; ++i) {
    const std::array<float, 4> in{1, static_cast<float>(i) * 0.005f, 1, 0};
    const float y = whole.evaluate(in, memory.bytes.data());
    EXPECT_LT(y, last);
    EXPECT_EQ(y > 0, i < 0);
    EXPECT_EQ(y == 0, i == 0);
    last = y;
  }
}

#if defined(__SSE2__)
// Lane by lane, on random bits: the two kinds of lanes are the same.
TEST(Lanes, OfBothKindsAgree) {
  Dice dice(5);
  for (int i = 0; i < 20'000; ++i) {
    std::array<std::int16_t, 8> x;
    std::array<std::int16_t, 8> z;
    for (std::size_t k = 0; k < 8; ++k) {
      x[k] = static_cast<std::int16_t>(dice.below(16) == 0 ? -32768 : dice.below(65536) - 32768);
      z[k] = static_cast<std::int16_t>(dice.below(16) == 0 ? 32767 : dice.below(65536) - 32768);
    }
    // halves too, which go to the even number
    const std::array<float, 6> floats{dice.real(40),     0.0005f + 0.001f * static_cast<float>(dice.below(9)),
                                      dice.real(1e30f),  -dice.real(1),
                                      dice.real(10'000), static_cast<float>(dice.below(99) - 50)};
    const auto apply = [&](auto lanes, int op) {
      using L = decltype(lanes);
      const auto a = L::load(x.data());
      const auto b = L::load(z.data());
      const int by = op % 16;
      std::array<std::int16_t, 8> out{};
      const auto four = L::rounded(floats.data(), 4, 1000.0f);
      const auto two = L::rounded(floats.data() + 4, 2, 3.5f);
      const std::array all{L::add32(a, b),
                           L::shift_right32(a, by),
                           L::multiply_add(a, b),
                           L::pack(a, b),
                           L::mix_low(a, b),
                           L::mix_high(a, b),
                           L::bytes_up(x.data()),
                           L::add16(a, b),
                           L::add16_limited(a, b),
                           L::sub16_limited(a, b),
                           L::max16(a, b),
                           L::shift_left16(a, 3),
                           L::shift_right16(a, 5),
                           L::xor16(a, b),
                           L::high16(a, b),
                           L::high16_unsigned(a, b),
                           L::half_load(x.data()),
                           L::template spread<0>(a),
                           L::template spread<1>(a),
                           L::kept(a),
                           L::all32(L::sum32(a)),
                           L::all16(L::first16(a)),
                           four,
                           two};
      L::store(out.data(), all[static_cast<std::size_t>(op) % all.size()]);
      return out;
    };
    for (int op = 0; op < 24; ++op) {
      ASSERT_EQ(apply(Sse2{}, op), apply(Plain{}, op)) << op;
    }
    std::array<std::int8_t, 8> s{};
    std::array<std::int8_t, 8> t{};
    Sse2::store_bytes(s.data(), Sse2::load(x.data()));
    Plain::store_bytes(t.data(), Plain::load(x.data()));
    ASSERT_EQ(s, t);
  }
}
#endif

}  // namespace
}  // namespace weir::policy
