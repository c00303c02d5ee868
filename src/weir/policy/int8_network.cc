#include "weir/policy/int8_network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "weir/base/error.h"
#include "weir/policy/check.h"
#include "weir/policy/lanes.h"

namespace weir::policy {
namespace {

// Units of what goes into tanh, of what comes out, and of the hidden state as the columns of an LSTM take it.
constexpr double kTanhIn = 0x1p-13;
constexpr double kTanhOut = 0x1p-14;
constexpr double kHiddenIn = 1.0 / (127 * 128);
constexpr int kMostMultiplier = 16'383;
constexpr int kMostShift = 29;
constexpr float kMostInput = 32'767;
constexpr int kRoom = kMaxUnits + 8;

int rounded_up(int n, int to) { return (n + to - 1) / to * to; }

// The largest shift with which all factors become multipliers.
int shift_for(const std::vector<double>& factors, const std::string& key) {
  const double most = *std::max_element(factors.begin(), factors.end());
  int shift = kMostShift;
  while (shift > 0 && std::floor(most * std::ldexp(1.0, shift) + 0.5) > kMostMultiplier) --shift;
  if (std::floor(most * std::ldexp(1.0, shift) + 0.5) > kMostMultiplier)
    throw InputError(key, fmt::format("a unit of this layer's sums is {:.3g} units of what follows; valid is up to {}. "
                                      "Take smaller scales",
                                      most, kMostMultiplier));
  return shift;
}

std::int32_t multiplier(double factor, int shift) {
  return static_cast<std::int32_t>(std::floor(factor * std::ldexp(1.0, shift) + 0.5));
}

// `row_of` gives, for each row of the layout, the row of the layer or -1.
template <class RowOf>
Int8Matrix matrix(const Layer& layer, int first_column, int columns, int rows, RowOf&& row_of,
                  const std::vector<double>& factors, int shift) {
  Int8Matrix out;
  out.pairs = rounded_up(columns, 2) / 2;
  out.weights.resize(static_cast<std::size_t>(rows) * static_cast<std::size_t>(2 * out.pairs));
  out.multipliers.resize(static_cast<std::size_t>(rows));
  const int stride = layer.lstm ? layer.inputs + layer.outputs : layer.inputs;
  for (int r = 0; r < rows; ++r) {
    const int row = row_of(r);
    if (row < 0) continue;
    out.multipliers[static_cast<std::size_t>(r)] = multiplier(factors[static_cast<std::size_t>(row)], shift);
    for (int c = 0; c < columns; ++c) {
      const auto at = static_cast<std::size_t>(((r / 4 * out.pairs + c / 2) * 4 + r % 4) * 2 + c % 2);
      out.weights[at] =
          static_cast<std::int16_t>(layer.weights[static_cast<std::size_t>(row * stride + first_column + c)]);
    }
  }
  return out;
}

Int8Layer dense(const Layer& layer, double next_unit, const std::string& key) {
  Int8Layer out;
  out.activation = layer.activation;
  out.units = rounded_up(layer.outputs, 8);
  out.blocks = rounded_up(layer.outputs, 4) / 4;
  std::vector<double> factors;
  for (const float scale : layer.row_scales)
    factors.push_back(static_cast<double>(scale) * static_cast<double>(layer.input_scale) / next_unit);
  out.shift = shift_for(factors, key + ".input_scale");
  out.of_inputs = matrix(
      layer, 0, layer.inputs, 4 * out.blocks, [&](int r) { return r < layer.outputs ? r : -1; }, factors, out.shift);
  return out;
}

Int8Layer lstm(const Layer& layer, const std::string& key) {
  Int8Layer out;
  out.lstm = true;
  out.units = rounded_up(layer.outputs, 8);
  out.blocks = out.units;  // 4 gates of units / 4
  std::vector<double> of_inputs;
  std::vector<double> of_hidden;
  for (int r = 0; r < 4 * layer.outputs; ++r) {
    const bool sigmoid = r / layer.outputs != 2;
    const double scale =
        static_cast<double>(layer.row_scales[static_cast<std::size_t>(r)]) / kTanhIn * (sigmoid ? 0.5 : 1.0);
    of_inputs.push_back(scale * static_cast<double>(layer.input_scale));
    of_hidden.push_back(scale * kHiddenIn);
  }
  out.shift = std::min(shift_for(of_inputs, key + ".input_scale"), shift_for(of_hidden, key + ".row_scales"));
  const auto row_of = [&](int r) {
    const int gate = r / out.units;
    const int unit = r % out.units;
    return unit < layer.outputs ? gate * layer.outputs + unit : -1;
  };
  out.of_inputs = matrix(layer, 0, layer.inputs, 4 * out.units, row_of, of_inputs, out.shift);
  out.of_hidden = matrix(layer, layer.inputs, layer.outputs, 4 * out.units, row_of, of_hidden, out.shift);
  return out;
}

// Sums to the next units: see the head of int8_network.h. Sums are below 2^29 and may be cut to 16 bits above the lower
// `low` bits: alone they are then beyond the range of the result. (Of an LSTM's two sums each is cut.)
template <class L>
struct Scaling {
  using V = typename L::V;

  explicit Scaling(int shift)
      : low(std::min(shift, 15)),
        rest(shift - low),
        cut(shift < 15),
        mask(L::all32((1 << low) - 1)),
        half(L::all32(shift == 0 ? 0 : 1 << (shift - 1))) {}

  V high(V sum) const {
    const V h = L::shift_right32(sum, low);
    return cut ? L::mix_low(L::pack(h, h), L::zero()) : h;
  }
  V scaled(V sum, V by) const {
    const V lower = L::shift_right32(L::add32(L::multiply_add(L::and32(sum, mask), by), half), low);
    return L::shift_right32(L::add32(L::multiply_add(high(sum), by), lower), rest);
  }
  V scaled(V a, V by_a, V b, V by_b) const {
    const V lower = L::add32(L::multiply_add(L::and32(a, mask), by_a), L::multiply_add(L::and32(b, mask), by_b));
    const V upper = L::add32(L::multiply_add(high(a), by_a), L::multiply_add(high(b), by_b));
    return L::shift_right32(L::add32(upper, L::shift_right32(L::add32(lower, half), low)), rest);
  }

  int low;
  int rest;
  bool cut;
  V mask;
  V half;
};

// The sums of `n` blocks of 4 rows.
template <class L, int n>
void sum_blocks(const Int8Matrix& m, int block, const std::int16_t* x, typename L::V* sums) {
  const std::int16_t* w = m.weights.data() + static_cast<std::ptrdiff_t>(block) * m.pairs * 8;
  for (int k = 0; k < n; ++k) sums[k] = L::zero();
  for (int p = 0; p < m.pairs; ++p) {
    const auto pair = L::pair(x + 2 * p);
    for (int k = 0; k < n; ++k) sums[k] = L::add32(sums[k], L::multiply_add(L::load(w + (k * m.pairs + p) * 8), pair));
  }
}

template <class L, int n>
void dense_blocks(const Int8Layer& layer, const Scaling<L>& scaling, int block, const std::int16_t* x,
                  std::int16_t* out) {
  typename L::V sums[n];
  sum_blocks<L, n>(layer.of_inputs, block, x, sums);
  for (int k = 0; k < n; ++k)
    sums[k] = scaling.scaled(sums[k], L::load(layer.of_inputs.multipliers.data() + 4 * (block + k)));
  const auto floor = layer.activation == Activation::relu ? L::zero() : L::all16(-32768);
  for (int k = 0; k + 1 < n; k += 2) L::store(out + 4 * (block + k), L::max16(L::pack(sums[k], sums[k + 1]), floor));
  if (n % 2 == 1) L::store(out + 4 * (block + n - 1), L::max16(L::pack(sums[n - 1], L::zero()), floor));
}

// A polynomial for tanh(x) / x on [0, 4] in s = x / 2 - 1, fitted to the least largest error, in units of 2^-15.
constexpr std::array<int, 7> kTanh{-1965, 4779, -2688, -3518, 9293, -13498, 15787};

template <class L>
typename L::V tanh_lanes(typename L::V x) {
  const auto sign = L::shift_right16(x, 15);
  const auto magnitude = L::sub16_limited(L::xor16(x, sign), sign);  // 32767 of -32768
  const auto s = L::xor16(L::shift_left16(magnitude, 1), L::all16(-32768));
  auto sum = L::all16(static_cast<std::int16_t>(kTanh[0]));
  for (std::size_t i = 1; i < kTanh.size(); ++i)
    sum = L::add16(L::shift_left16(L::high16(sum, s), 1), L::all16(static_cast<std::int16_t>(kTanh[i])));
  const auto out = L::high16_unsigned(L::shift_left16(magnitude, 1), L::shift_left16(sum, 1));
  return L::sub16_limited(L::xor16(out, sign), sign);
}

// Lanes in units of 2^-14 to the next layer's.
template <class L>
typename L::V rescaled(typename L::V v, const Int8Layer& layer) {
  const Scaling<L> scaling(layer.out_shift);
  const auto by = L::all32(layer.out_multiplier);
  const auto low = L::shift_right32(L::mix_low(L::zero(), v), 16);
  const auto high = L::shift_right32(L::mix_high(L::zero(), v), 16);
  return L::pack(scaling.scaled(low, by), scaling.scaled(high, by));
}

template <class L>
void run_dense(const Int8Layer& layer, bool last, const std::int16_t* x, std::int16_t* out) {
  const Scaling<L> scaling(layer.shift);
  int block = 0;
  for (; block + 4 <= layer.blocks; block += 4) dense_blocks<L, 4>(layer, scaling, block, x, out);
  switch (layer.blocks - block) {
    case 1: dense_blocks<L, 1>(layer, scaling, block, x, out); break;
    case 2: dense_blocks<L, 2>(layer, scaling, block, x, out); break;
    case 3: dense_blocks<L, 3>(layer, scaling, block, x, out); break;
    default: break;
  }
  if (last) return;
  if (layer.activation == Activation::tanh)
    for (int u = 0; u < layer.units; u += 8) L::store(out + u, rescaled<L>(tanh_lanes<L>(L::load(out + u)), layer));
}

template <class L>
void run_lstm(const Int8Layer& layer, const std::int16_t* x, std::byte* memory, std::int16_t* out) {
  using V = typename L::V;
  const int units = layer.units;
  std::byte* const hidden_bytes = memory;
  std::byte* const cells = memory + units;
  std::array<std::int16_t, kRoom> hidden;
  for (int u = 0; u < units; u += 8) L::store(hidden.data() + u, L::shift_right16(L::bytes_up(hidden_bytes + u), 1));

  std::array<std::int16_t, 4 * kMaxUnits> gates;
  const Scaling<L> scaling(layer.shift);
  for (int block = 0; block < layer.blocks; block += 4) {
    V a[4];
    V b[4];
    sum_blocks<L, 4>(layer.of_inputs, block, x, a);
    sum_blocks<L, 4>(layer.of_hidden, block, hidden.data(), b);
    for (int k = 0; k < 4; ++k) {
      const std::size_t row = 4 * static_cast<std::size_t>(block + k);
      a[k] = scaling.scaled(a[k], L::load(&layer.of_inputs.multipliers[row]), b[k],
                            L::load(&layer.of_hidden.multipliers[row]));
    }
    for (int k = 0; k < 4; k += 2) L::store(&gates[4 * static_cast<std::size_t>(block + k)], L::pack(a[k], a[k + 1]));
  }

  const auto sigmoid = [](V v) { return L::add16_limited(tanh_lanes<L>(v), L::all16(1 << 14)); };  // units of 2^-15
  const auto gate = [&](int g, int u) { return L::load(&gates[static_cast<std::size_t>(g * units + u)]); };
  for (int u = 0; u < units; u += 8) {
    const V in = sigmoid(gate(0, u));
    const V keep = sigmoid(gate(1, u));
    const V change = L::shift_right16(L::add16_limited(tanh_lanes<L>(gate(2, u)), L::all16(2)), 2);  // 2^-12
    const V show = sigmoid(gate(3, u));
    const V cell = L::load(cells + 2 * u);
    const V half = L::all32(1 << 14);
    const V low = L::add32(L::multiply_add(L::mix_low(keep, in), L::mix_low(cell, change)), half);
    const V high = L::add32(L::multiply_add(L::mix_high(keep, in), L::mix_high(cell, change)), half);
    const V next = L::pack(L::shift_right32(low, 15), L::shift_right32(high, 15));
    L::store(cells + 2 * u, next);
    const V squashed = tanh_lanes<L>(L::add16_limited(next, next));
    const auto shown = [&](V s, V t) {
      return L::shift_right32(L::add32(L::multiply_add(s, t), L::all32(1 << 14)), 15);
    };
    const V zero = L::zero();
    const V h = L::pack(shown(L::mix_low(show, zero), L::mix_low(squashed, zero)),
                        shown(L::mix_high(show, zero), L::mix_high(squashed, zero)));  // units of 2^-14
    L::store(out + u, rescaled<L>(h, layer));
    const auto byte = [&](V v) {
      return L::shift_right32(L::add32(L::multiply_add(v, L::all16(127)), L::all32(1 << 13)), 14);
    };
    L::store_bytes(hidden_bytes + u, L::pack(byte(L::mix_low(h, zero)), byte(L::mix_high(h, zero))));
  }
}

}  // namespace

Int8Network::Int8Network(const Policy& policy)
    : width_(policy.width()), units_per_input_(1 / policy.layers.front().input_scale) {
  for (std::size_t i = 0; i < policy.layers.size(); ++i) {
    const Layer& layer = policy.layers[i];
    const std::string key = fmt::format("layer.{}", i);
    const bool last = i + 1 == policy.layers.size();
    const bool curved = layer.lstm || layer.activation == Activation::tanh;
    const double next = last ? kTanhIn : static_cast<double>(policy.layers[i + 1].input_scale);
    layers_.push_back(layer.lstm ? lstm(layer, key) : dense(layer, curved ? kTanhIn : next, key));
    Int8Layer& made = layers_.back();
    if (curved) {
      made.out_shift = shift_for({kTanhOut / next}, fmt::format("layer.{}.input_scale", i + 1));
      made.out_multiplier = multiplier(kTanhOut / next, made.out_shift);
    }
    if (layer.lstm) memory_ += 3 * static_cast<std::size_t>(made.units);
  }
}

template <class L>
float Int8Network::run_on(const float* inputs, std::byte* memory) const {
  std::array<std::int16_t, kRoom> a;
  std::array<std::int16_t, kRoom> b;
  // To the nearest whole number, half to even, as adding 1.5 * 2^23 rounds it. Pairs are stored as pairs, as they are
  // read: what is put together from two stores makes a processor wait.
  const auto rounded = [&](int i) {
    if (i >= width_) return 0;
    const float scaled = std::min(std::max(inputs[i] * units_per_input_, -kMostInput), kMostInput);
    return static_cast<int>((scaled + 0x1.8p23f) - 0x1.8p23f);
  };
  for (int i = 0; i < width_; i += 2) {
    const std::uint32_t pair =
        (static_cast<std::uint32_t>(rounded(i)) & 0xffffu) | (static_cast<std::uint32_t>(rounded(i + 1)) << 16);
    std::memcpy(&a[static_cast<std::size_t>(i)], &pair, sizeof(pair));
  }
  std::int16_t* x = a.data();
  std::int16_t* out = b.data();
  for (const Int8Layer& layer : layers_) {
    if (layer.lstm) {
      run_lstm<L>(layer, x, memory, out);
      memory += 3 * layer.units;
    } else {
      run_dense<L>(layer, &layer == &layers_.back(), x, out);
    }
    std::swap(x, out);
  }
  return static_cast<float>(L::first16(tanh_lanes<L>(L::load(x)))) * 0x1p-14f;
}

float Int8Network::run(const float* inputs, std::byte* memory) const { return run_on<Lanes>(inputs, memory); }
float Int8Network::run_plain(const float* inputs, std::byte* memory) const { return run_on<Plain>(inputs, memory); }

std::int16_t tanh14(std::int16_t x) {
  std::int16_t y[8];
  Plain::store(y, tanh_lanes<Plain>(Plain::all16(x)));
  return y[0];
}

}  // namespace weir::policy
