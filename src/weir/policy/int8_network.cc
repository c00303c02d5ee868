#include "weir/policy/int8_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <string>
#include <utility>

#include "weir/base/error.h"
#include "weir/policy/check.h"
#include "weir/policy/index.h"
#include "weir/policy/lanes.h"

namespace weir::policy {
namespace {

constexpr double kTanhIn = 0x1p-13;
constexpr double kTanhOut = 0x1p-14;
constexpr int kMostShift = 30;
// Of one layer's columns: the inputs, then the hidden state.
constexpr int kMostColumns = 2 * kMaxUnits + 8;

struct Columns {
  alignas(16) std::array<std::int16_t, kMostColumns> lane;
};

int rounded_up(int n, int to) { return (n + to - 1) / to * to; }

// Real weights of the layer in units of the sums' next units; rows and columns as in the layer.
struct RealWeights {
  int rows = 0;
  int columns = 0;
  std::vector<double> at;

  double operator()(int row, int column) const { return at[index(row * columns + column)]; }
};

RealWeights real_weights(const Layer& layer, double unit, double next_unit) {
  RealWeights out;
  out.rows = layer.lstm ? 4 * layer.outputs : layer.outputs;
  out.columns = layer.inputs + (layer.lstm ? layer.outputs : 0);
  for (int r = 0; r < out.rows; ++r) {
    const bool sigmoid = layer.lstm && r / layer.outputs != 2;
    const double scale = static_cast<double>(layer.row_scales[index(r)]) / next_unit * (sigmoid ? 0.5 : 1.0);
    for (int c = 0; c < out.columns; ++c)
      out.at.push_back(static_cast<double>(layer.weights[index(r * out.columns + c)]) * scale *
                       (c < layer.inputs ? unit : kTanhOut));
  }
  return out;
}

double wide(double weight, int shift) { return std::floor(weight * std::ldexp(1.0, shift) + 0.5); }

bool fits(const RealWeights& weights, int shift) {
  for (int r = 0; r < weights.rows; ++r) {
    double sum = 0;
    for (int c = 0; c < weights.columns; ++c) {
      const double w = std::abs(wide(weights(r, c), shift));
      if (w > 32'767) return false;
      sum += w;
    }
    if (0x1p15 * sum + std::ldexp(1.0, shift - 1) >= 0x1p31) return false;
  }
  return true;
}

int shift_for(const RealWeights& weights, const std::string& key) {
  for (int shift = kMostShift; shift >= 0; --shift)
    if (fits(weights, shift)) return shift;
  throw InputError(key,
                   "what goes into this layer is so coarse that a unit of it is more than what follows can hold; "
                   "take a smaller scale here, or a larger one in the layer behind");
}

// What `shift` makes of the sums: rounds, and limits to 16 bits.
template <class L>
typename L::V finished(typename L::V a, typename L::V b, int shift) {
  return L::pack(L::shift_right32(a, shift), L::shift_right32(b, shift));
}

// Adds, to the sums of `n` blocks of 4 rows, their products with the columns at x.
template <class L, int n>
inline void add_products(const std::int16_t* w, int pairs, const std::int16_t* x, typename L::V* sums) {
  using V = typename L::V;
  const auto add = [&](V pair) {
    for (int k = 0; k < n; ++k) {
      // kept, for else g++ adds in an order that takes so many registers that the sums have none
      sums[k] = L::kept(L::add32(sums[k], L::multiply_add(L::load(w + 8 * k), pair)));
    }
    w += 8 * n;
  };
  for (const std::int16_t* const end = x + 2 * static_cast<std::ptrdiff_t>(pairs); x != end; x += 4) {
    const V two = L::half_load(x);
    add(L::template spread<0>(two));
    add(L::template spread<1>(two));
  }
}

template <class L, int n>
inline void dense_blocks(const Int8Layer& layer, const std::int16_t* w, const std::int16_t* x, std::int16_t* out) {
  using V = typename L::V;
  V sums[n + n % 2];
  const V half = L::all32(layer.half);
  for (V& sum : sums) sum = half;
  add_products<L, n>(w, layer.pairs, x, sums);
  const V floor = L::all16(layer.activation == Activation::relu ? 0 : -32768);
  for (int k = 0; k < n; k += 2) L::store(out + 4 * k, L::max16(finished<L>(sums[k], sums[k + 1], layer.shift), floor));
}

// A polynomial for tanh(x) / x on [0, 4] in s = x / 2 - 1, fitted to the least largest error. The coefficients are in
// units of 2^-18, 2^-17, 2^-16, 2^-15 (three) and 2^-16: each product with s loses one bit.
constexpr std::array<std::int16_t, 7> kTanh{-15'720, 19'116, -5'376, -3'518, 9'293, -13'498, 31'574};

template <class L>
inline typename L::V tanh_lanes(typename L::V x) {
  using V = typename L::V;
  const V sign = L::shift_right16(x, 15);
  const V magnitude = L::sub16_limited(L::xor16(x, sign), sign);  // 32767 of -32768
  const V twice = L::shift_left16(magnitude, 1);
  const V s = L::xor16(twice, L::all16(-32768));
  V sum = L::all16(kTanh[0]);
  for (std::size_t i = 1; i < 4; ++i) sum = L::add16(L::high16(sum, s), L::all16(kTanh[i]));
  for (std::size_t i = 4; i < 6; ++i) sum = L::add16(L::shift_left16(L::high16(sum, s), 1), L::all16(kTanh[i]));
  sum = L::add16(L::shift_left16(L::high16(sum, s), 2), L::all16(kTanh[6]));
  return L::sub16_limited(L::xor16(L::high16_unsigned(twice, sum), sign), sign);
}

template <class L>
[[gnu::noinline]] void run_dense(const Int8Layer& layer, const std::int16_t* w, const std::int16_t* x,
                                 std::int16_t* out) {
  int block = 0;
  const auto at = [&] { return w + static_cast<std::ptrdiff_t>(block) * layer.pairs * 8; };
  for (; block + 4 <= layer.blocks; block += 4) dense_blocks<L, 4>(layer, at(), x, out + 4 * block);
  switch (layer.blocks - block) {
    case 1: dense_blocks<L, 1>(layer, at(), x, out + 4 * block); break;
    case 2: dense_blocks<L, 2>(layer, at(), x, out + 4 * block); break;
    case 3: dense_blocks<L, 3>(layer, at(), x, out + 4 * block); break;
    default: break;
  }
  if (layer.activation == Activation::tanh)
    for (int u = 0; u < layer.units; u += 8) L::store(out + u, tanh_lanes<L>(L::load(out + u)));
}

// tanh of i / 2^5 in units of 2^-14, for i from 0 to 128; from (exp(2 x) - 1) / (exp(2 x) + 1) and the exponential's
// series.
constexpr std::array<std::int16_t, 129> kOutputs = [] {
  std::array<std::int16_t, 129> out{};
  for (std::size_t i = 0; i < out.size(); ++i) {
    const double x = static_cast<double>(i) / 16;
    double term = 1;
    double exp = 1;
    for (int k = 1; k < 60; ++k) exp += term *= x / k;
    out[i] = static_cast<std::int16_t>((exp - 1) / (exp + 1) * 0x1p14 + 0.5);
  }
  return out;
}();

// The last layer, and the tanh of its only output.
template <class L>
inline std::int32_t run_last(const Int8Layer& layer, const std::int16_t* w, const std::int16_t* x) {
  auto sum = L::multiply_add(L::load(w), L::load(x));
  for (int p = 4; p < layer.pairs; p += 4) sum = L::add32(sum, L::multiply_add(L::load(w + 2 * p), L::load(x + 2 * p)));
  return output14(std::clamp((L::sum32(sum) + layer.half) >> layer.shift, -32'767, 32'767));
}

// The sums of 8 blocks: the 4 gates of 8 units. A function of its own, for it needs all registers.
template <class L>
[[gnu::noinline]] void sum_gates(const Int8Layer& layer, const std::int16_t* w, const std::int16_t* x,
                                 typename L::V* out) {
  typename L::V sums[8];
  for (auto& sum : sums) sum = L::all32(layer.half);
  add_products<L, 8>(w, layer.pairs, x, sums);
  std::copy_n(sums, 8, out);
}

// `x` has the inputs, and room for the hidden state behind them.
template <class L>
[[gnu::noinline]] void run_lstm(const Int8Layer& layer, const std::int16_t* w, std::int16_t* x, std::byte* memory,
                                std::int16_t* out) {
  using V = typename L::V;
  const int units = layer.units;
  std::byte* const bytes = memory;
  std::byte* const cells = memory + units;
  std::int16_t* const hidden = x + 2 * layer.pairs - units;
  for (int u = 0; u < units; u += 8) L::store(hidden + u, L::shift_right16(L::bytes_up(bytes + u), 1));

  const V one = L::all16(1 << 14);
  const V rounding = L::all32(1 << 14);
  const auto sigmoid = [&](V v) { return L::add16_limited(tanh_lanes<L>(v), one); };  // units of 2^-15
  for (int u = 0; u < units; u += 8, w += static_cast<std::ptrdiff_t>(layer.pairs) * 64) {
    V sums[8];
    sum_gates<L>(layer, w, x, sums);
    const V in = sigmoid(finished<L>(sums[0], sums[1], layer.shift));
    const V keep = sigmoid(finished<L>(sums[2], sums[3], layer.shift));
    const V change = tanh_lanes<L>(finished<L>(sums[4], sums[5], layer.shift));
    const V show = sigmoid(finished<L>(sums[6], sums[7], layer.shift));
    const V quarter = L::shift_right16(L::add16(change, L::all16(2)), 2);  // units of 2^-12
    const V cell = L::load(cells + 2 * u);
    const V low = L::add32(L::multiply_add(L::mix_low(keep, in), L::mix_low(cell, quarter)), rounding);
    const V high = L::add32(L::multiply_add(L::mix_high(keep, in), L::mix_high(cell, quarter)), rounding);
    const V next = finished<L>(low, high, 15);
    L::store(cells + 2 * u, next);
    const V squashed = tanh_lanes<L>(L::add16_limited(next, next));
    const V h = L::high16(show, L::shift_left16(squashed, 1));
    L::store(out + u, h);
    L::store_bytes(bytes + u, L::shift_right16(L::add16(h, L::all16(64)), 7));
  }
}

}  // namespace

Int8Network::Int8Network(const Policy& policy)
    : width_(policy.width()), units_per_input_(1 / policy.layers.front().input_scale) {
  bool was_curved = false;
  for (std::size_t i = 0; i < policy.layers.size(); ++i) {
    const Layer& layer = policy.layers[i];
    const bool last = i + 1 == policy.layers.size();
    const bool curved = layer.lstm || layer.activation == Activation::tanh;
    const double unit = was_curved ? kTanhOut : static_cast<double>(layer.input_scale);
    const double next = last || curved ? kTanhIn : static_cast<double>(policy.layers[i + 1].input_scale);
    was_curved = curved;
    const RealWeights weights = real_weights(layer, unit, next);
    Int8Layer& made = layers_.emplace_back();
    made.lstm = layer.lstm;
    made.activation = layer.activation;
    made.units = rounded_up(layer.outputs, 8);
    made.shift = shift_for(weights, fmt::format("layer.{}.input_scale", i));
    made.half = made.shift == 0 ? 0 : std::int32_t{1} << (made.shift - 1);
    made.weights = static_cast<int>(weights_.size());
    const int hidden = rounded_up(layer.inputs, last ? 8 : 4);  // their first column
    made.pairs = (hidden + (layer.lstm ? made.units : 0)) / 2;
    made.blocks = layer.lstm ? made.units : rounded_up(layer.outputs, 4) / 4;
    weights_.resize(weights_.size() + index(made.pairs * 2 * (last ? 1 : 4 * made.blocks)));
    // Where block k of a group of n goes: between those of the others, pair by pair.
    const auto place = [&](int row, int column) {
      if (last) return column;
      const int block = row / 4;
      const int size = layer.lstm ? 8 : 4;
      const int first = block / size * size;
      const int n = std::min(size, made.blocks - first);
      return ((first * made.pairs + column / 2 * n + block - first) * 4 + row % 4) * 2 + column % 2;
    };
    for (int r = 0; r < weights.rows; ++r)
      for (int c = 0; c < weights.columns; ++c) {
        const int unit_of = r % layer.outputs;
        const int row = layer.lstm ? unit_of / 8 * 32 + r / layer.outputs * 8 + unit_of % 8 : r;
        const int column = c < layer.inputs ? c : hidden + c - layer.inputs;
        weights_[index(made.weights + place(row, column))] = static_cast<std::int16_t>(wide(weights(r, c), made.shift));
      }
    if (layer.lstm) memory_ += 3 * static_cast<std::size_t>(made.units);
  }
}

template <class L>
float Int8Network::run_on(const float* inputs, std::byte* memory) const {
  Columns a;
  Columns b;
  for (int i = 0; i < width_; i += 4)
    L::store(a.lane.data() + i, L::rounded(inputs + i, std::min(4, width_ - i), units_per_input_));
  std::int16_t* x = a.lane.data();
  std::int16_t* out = b.lane.data();
  const Int8Layer* layer = layers_.data();
  for (const Int8Layer* const last = layer + layers_.size() - 1; layer != last; ++layer) {
    const std::int16_t* const w = weights_.data() + layer->weights;
    if (layer->lstm) {
      run_lstm<L>(*layer, w, x, memory, out);
      memory += 3 * layer->units;
    } else {
      run_dense<L>(*layer, w, x, out);
    }
    std::swap(x, out);
  }
  return static_cast<float>(run_last<L>(*layer, weights_.data() + layer->weights, x)) * 0x1p-14f;
}

float Int8Network::run(const float* inputs, std::byte* memory) const { return run_on<Lanes>(inputs, memory); }
float Int8Network::run_plain(const float* inputs, std::byte* memory) const { return run_on<Plain>(inputs, memory); }

std::int32_t output14(std::int32_t x) {
  const std::int32_t magnitude = std::abs(x);
  const std::int32_t low = kOutputs[index(magnitude >> 8)];
  const std::int32_t high = kOutputs[index(magnitude >> 8) + 1];
  const std::int32_t out = (low * 256 + (high - low) * (magnitude & 255) + 128) >> 8;
  return x < 0 ? -out : out;
}

std::int16_t tanh14(std::int16_t x) { return Plain::first16(tanh_lanes<Plain>(Plain::all16(x))); }

}  // namespace weir::policy
