// Policies with random numbers, for tests.
#pragma once

#include <cmath>
#include <cstdint>
#include <vector>

#include "weir/base/random.h"
#include "weir/policy/policy.h"

namespace weir::policy {

class Dice {
 public:
  explicit Dice(std::uint32_t seed) : stream_(seed, 0, Purpose::algorithm) {}
  double between(double low, double high) { return low + (high - low) * stream_.uniform(next_++); }
  int below(int n) { return static_cast<int>(stream_.below(next_++, static_cast<std::uint64_t>(n))); }
  float real(double size) { return static_cast<float>(between(-size, size)); }

 private:
  RandomStream stream_;
  std::uint64_t next_ = 0;
};

// `units` from the inputs on; the layer with index `lstm` is one, -1 = none.
inline Policy random_network(Dice& dice, const std::vector<int>& units, int lstm, Arithmetic arithmetic) {
  Policy out;
  out.kind = lstm >= 0 ? Kind::lstm : Kind::mlp;
  out.arithmetic = arithmetic;
  out.history = units.front() / 2;
  for (std::size_t i = 0; i + 1 < units.size(); ++i) {
    Layer layer;
    layer.inputs = units[i];
    layer.outputs = units[i + 1];
    layer.lstm = static_cast<int>(i) == lstm;
    const bool last = i + 2 == units.size();
    if (!layer.lstm && !last) layer.activation = dice.below(4) == 0 ? Activation::tanh : Activation::relu;
    const int columns = layer.inputs + (layer.lstm ? layer.outputs : 0);
    const int rows = layer.lstm ? 4 * layer.outputs : layer.outputs;
    const double size = 2 / std::sqrt(static_cast<double>(columns));
    for (int w = 0; w < rows * columns; ++w)
      layer.weights.push_back(arithmetic == Arithmetic::int8 ? static_cast<float>(dice.below(255) - 127)
                                                             : dice.real(size));
    if (arithmetic == Arithmetic::int8) {
      for (int r = 0; r < rows; ++r) layer.row_scales.push_back(static_cast<float>(size / 127 * dice.between(0.3, 1)));
      layer.input_scale = static_cast<float>((i == 0 ? 8 : dice.between(1, 10)) / 32767);
    }
    out.layers.push_back(std::move(layer));
  }
  return out;
}

inline std::vector<float> random_inputs(Dice& dice, int width) {
  std::vector<float> out;
  for (int i = 0; i < width; ++i)
    out.push_back(i % 2 == 0 ? static_cast<float>(dice.between(0.83, 1.2)) : dice.real(dice.below(2) == 0 ? 8 : 0.3));
  return out;
}

}  // namespace weir::policy
