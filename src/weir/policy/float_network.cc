#include "weir/policy/float_network.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

#include "weir/policy/check.h"

namespace weir::policy {
namespace {

using V = float __attribute__((vector_size(16)));
using I = std::int32_t __attribute__((vector_size(16)));
constexpr int kLanes = 4;
constexpr int kBlock = 16;  // rows

struct Room {
  alignas(16) std::array<float, kMaxUnits + kBlock> lane;
};

inline void load(V& out, const float* p) { std::memcpy(&out, p, sizeof(out)); }
inline void store(float* p, const V& v) { std::memcpy(p, &v, sizeof(v)); }

// 1 / (1 + exp(-x)).
inline void sigmoid(V& x) {
  constexpr float kRange = 40;
  V t = x * -1.44269504088896341f;
  t = t > kRange ? V{} + kRange : t;
  t = t < -kRange ? V{} - kRange : t;
  // 2^t = 2^n * 2^f with n to the nearest, which the lower bits of t + 1.5 * 2^23 hold
  const V shifted = t + 0x1.8p23f;
  const V f = t - (shifted - 0x1.8p23f);
  I n;
  std::memcpy(&n, &shifted, sizeof(n));
  n = (n - 0x4b400000 + 127) << 23;
  V power;
  std::memcpy(&power, &n, sizeof(power));
  // the series of 2^f; |f| is 1/2 at most
  V sum = f * 1.5403530e-4f + 1.3333558e-3f;
  sum = sum * f + 9.6181291e-3f;
  sum = sum * f + 5.5504109e-2f;
  sum = sum * f + 0.24022651f;
  sum = sum * f + 0.69314718f;
  sum = sum * f + 1.0f;
  x = 1.0f / (1.0f + sum * power);
}

inline void tanh(V& x) {
  x = x + x;
  sigmoid(x);
  x = (x + x) - 1.0f;
}

// A block of `lanes` V's: adds the columns of x to the sums.
template <int lanes>
inline const float* add_columns(const float* w, int columns, const float* x, V* sums) {
  for (int c = 0; c < columns; ++c, w += lanes * kLanes)
    for (int k = 0; k < lanes; ++k) {
      V weights;
      load(weights, w + k * kLanes);
      sums[k] += weights * x[c];
    }
  return w;
}

inline void finish(Activation activation, V& v) {
  if (activation == Activation::relu) v = v > 0 ? v : V{};
  if (activation == Activation::tanh) tanh(v);
}

template <int lanes>
inline const float* dense_block(const FloatLayer& layer, const float* w, const float* x, float* out) {
  V sums[lanes] = {};
  w = add_columns<lanes>(w, layer.inputs, x, sums);
  for (int k = 0; k < lanes; ++k) {
    finish(layer.activation, sums[k]);
    store(out + k * kLanes, sums[k]);
  }
  return w;
}

inline void run_dense(const FloatLayer& layer, const float* x, float* out) {
  const float* w = layer.weights.data();
  int u = 0;
  for (; u + kBlock <= layer.units; u += kBlock) w = dense_block<4>(layer, w, x, out + u);
  switch ((layer.units - u) / kLanes) {
    case 1: dense_block<1>(layer, w, x, out + u); break;
    case 2: dense_block<2>(layer, w, x, out + u); break;
    case 3: dense_block<3>(layer, w, x, out + u); break;
    default: break;
  }
}

// A row alone: each lane adds every fourth product, then the lanes are added.
inline float run_row(const FloatLayer& layer, const float* x) {
  V sums{};
  for (int c = 0; c < layer.inputs; c += kLanes) {
    V weights;
    V values;
    load(weights, layer.weights.data() + c);
    load(values, x + c);
    sums += weights * values;
  }
  return (sums[0] + sums[2]) + (sums[1] + sums[3]);
}

// Blocks of 4 units: the 4 gates of each, one V per gate.
inline void run_lstm(const FloatLayer& layer, const float* x, std::byte* memory, float* out) {
  const int hidden_units = layer.units;
  Room hidden;
  const std::size_t bytes = sizeof(float) * static_cast<std::size_t>(hidden_units);
  std::memcpy(hidden.lane.data(), memory, bytes);
  std::byte* const cells = memory + bytes;
  const float* w = layer.weights.data();
  for (int u = 0; u < hidden_units; u += kLanes) {
    V gates[4] = {};
    w = add_columns<4>(w, layer.inputs, x, gates);
    w = add_columns<4>(w, hidden_units, hidden.lane.data(), gates);
    V cell{};
    const std::size_t here = sizeof(float) * static_cast<std::size_t>(u);
    std::memcpy(&cell, cells + here, sizeof(cell));
    sigmoid(gates[0]);
    sigmoid(gates[1]);
    tanh(gates[2]);
    sigmoid(gates[3]);
    cell = gates[1] * cell + gates[0] * gates[2];
    std::memcpy(cells + here, &cell, sizeof(cell));
    tanh(cell);
    cell = gates[3] * cell;
    store(out + u, cell);
  }
  std::memcpy(memory, out, bytes);
}

// A row of the layer, or zeros.
void put_column(std::vector<float>& to, const Layer& layer, int stride, int first_row, int rows, int last_row,
                int column) {
  for (int r = first_row; r < first_row + rows; ++r)
    to.push_back(r < last_row && column >= 0 ? layer.weights[static_cast<std::size_t>(r * stride + column)] : 0);
}

}  // namespace

FloatNetwork::FloatNetwork(const Policy& policy) : width_(policy.width()) {
  for (const Layer& layer : policy.layers) {
    FloatLayer& made = layers_.emplace_back();
    made.lstm = layer.lstm;
    made.activation = layer.activation;
    made.inputs = layer.inputs;
    made.units = (layer.outputs + kLanes - 1) / kLanes * kLanes;
    if (layer.lstm) {
      const int stride = layer.inputs + layer.outputs;
      for (int u = 0; u < made.units; u += kLanes)
        for (int c = 0; c < layer.inputs + made.units; ++c)
          for (int gate = 0; gate < 4; ++gate)
            put_column(made.weights, layer, stride, gate * layer.outputs + u, kLanes, (gate + 1) * layer.outputs,
                       c < stride ? c : -1);
      memory_ += 2 * sizeof(float) * static_cast<std::size_t>(made.units);
    } else if (&layer == &policy.layers.back()) {
      made.weights = layer.weights;
      made.weights.resize((made.weights.size() + kLanes - 1) / kLanes * kLanes);
    } else {
      for (int u = 0; u < made.units;) {
        const int rows = std::min(kBlock, made.units - u);
        for (int c = 0; c < layer.inputs; ++c) put_column(made.weights, layer, layer.inputs, u, rows, layer.outputs, c);
        u += rows;
      }
    }
  }
}

float FloatNetwork::run(const float* inputs, std::byte* memory) const {
  Room a;
  Room b;
  a.lane.fill(0);
  std::copy_n(inputs, width_, a.lane.begin());
  float* x = a.lane.data();
  float* out = b.lane.data();
  for (const FloatLayer& layer : layers_) {
    if (&layer == &layers_.back()) break;
    if (layer.lstm) {
      run_lstm(layer, x, memory, out);
      memory += 2 * sizeof(float) * static_cast<std::size_t>(layer.units);
    } else {
      run_dense(layer, x, out);
    }
    std::swap(x, out);
  }
  return tanh32(run_row(layers_.back(), x));
}

float tanh32(float x) {
  V v = V{} + x;
  tanh(v);
  return v[0];
}

}  // namespace weir::policy
