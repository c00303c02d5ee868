// Networks of int8 weights, evaluated in whole numbers: int8 weights times activations of 16 bits, summed in 32.
//
// Activations have 16 bits because 8 are too few: with 127 steps up to a signal of 8, what is below 0.06 is no signal
// at all, and flows stay unequal there. Sums are brought to the next layer's units by a multiplier of 14 bits for each
// row (Wu et al., Integer Quantization for Deep Learning Inference, 2020, section 3; widths ours):
//   next = limit16(floor((sum * multiplier + 2^(shift - 1)) / 2^shift))
// A dense layer that ends in tanh, the gates of an LSTM and the output have units of 2^-13, so +-4 is their range
// (gates that end in a sigmoid take the half, since sigmoid(x) = (1 + tanh(x / 2)) / 2).
// tanh is tanh14(), in units of 2^-14. The LSTM's cells are 16 bits in units of 2^-12, its hidden state is one byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weir/policy/policy.h"

namespace weir::policy {

// Rows of weights, in blocks of 4 rows: for each pair of columns, the pairs of weights of the 4 rows.
struct Int8Matrix {
  int pairs = 0;
  std::vector<std::int16_t> weights;
  std::vector<std::int32_t> multipliers;  // of rows, 0 to 16383
};

struct Int8Layer {
  bool lstm = false;
  Activation activation = Activation::none;
  int units = 0;   // outputs, rounded up to 8
  int blocks = 0;  // of 4 rows
  int shift = 0;   // of sums; 0 to 29
  Int8Matrix of_inputs;
  Int8Matrix of_hidden;  // of an LSTM
  // From tanh or hidden state to the next layer's units.
  std::int32_t out_multiplier = 0;
  int out_shift = 0;
};

class Int8Network {
 public:
  // The policy has passed check(). Throws InputError if scales of neighbouring layers are too far apart.
  explicit Int8Network(const Policy& policy);

  std::size_t memory() const { return memory_; }
  // Memory has been set to 0 at a flow's start. y is a multiple of 2^-14.
  float run(const float* inputs, std::byte* memory) const;
  // The same bits, computed lane by lane; for tests.
  float run_plain(const float* inputs, std::byte* memory) const;

  const std::vector<Int8Layer>& layers() const { return layers_; }

 private:
  template <class L>
  float run_on(const float* inputs, std::byte* memory) const;

  std::vector<Int8Layer> layers_;
  int width_ = 0;
  float units_per_input_ = 0;
  std::size_t memory_ = 0;
};

// tanh of x / 2^13, in units of 2^-14; the error is below 0.0012. 0 gives 0, and -x the negative value, but for -32768.
std::int16_t tanh14(std::int16_t x);

}  // namespace weir::policy
