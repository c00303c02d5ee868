// Networks of int8 weights, evaluated in whole numbers: weights times activations of 16 bits, summed in 32.
//
// Activations have 16 bits because 8 are too few: with 127 steps up to a signal of 8, what is below 0.06 is no signal
// at all, and flows stay unequal there. As pmaddwd multiplies 16 bits by 16, the weights are widened, and the scale
// that each row has (Wu et al., Integer Quantization for Deep Learning Inference, 2020, section 3) is multiplied in
// when the network is made, together with the units on either side:
//   wide = floor(weight * row_scale * unit / next_unit * 2^shift + 1/2)
//   next = limit16(floor((sum of wide * activation + 2^(shift - 1)) / 2^shift))
// shift is one for a layer, the largest up to 30 with which no |wide| is above 32767 and no sum can be beyond 32 bits:
// 2^15 times the sum of a row's |wide|, plus 2^(shift - 1), is below 2^31. Units of activations are
//   the layer's input_scale at the inputs and behind a layer without tanh;
//   2^-14 behind tanh and behind an LSTM, and of an LSTM's own hidden state: their values are in [-1, 1];
//   2^-13 before a tanh, so +-4 is its range (gates that end in a sigmoid take the half, since
//   sigmoid(x) = (1 + tanh(x / 2)) / 2, in units of 2^-15).
// tanh is tanh14(), that of the output output14(), which is quicker for one number. An LSTM keeps cells of 16 bits in
// units of 2^-12, and of its hidden state one byte, in 2^-7:
//   cell = limit16(floor((keep * cell + in * floor((change + 2) / 4) + 2^14) / 2^15))
//   hidden = floor(show * 2 tanh14(limit16(2 cell)) / 2^16), byte = limit8(floor((hidden + 64) / 128))
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "weir/policy/policy.h"

namespace weir::policy {

// Weights are in blocks of 4 rows: for each pair of columns, the pairs of weights of the 4 rows. An LSTM's columns are
// the inputs, rounded up to 4, and the hidden state; its rows are, for each 8 units, 8 of each gate. The last
// layer's only row is a plain one, rounded up to 8 columns.
struct Int8Layer {
  bool lstm = false;
  Activation activation = Activation::none;
  int units = 0;          // outputs, rounded up to 8
  int blocks = 0;         // of 4 rows
  int pairs = 0;          // of columns
  int shift = 0;          // of sums; 0 to 30
  std::int32_t half = 0;  // 2^(shift - 1), or 0
  int weights = 0;        // where they begin
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

 private:
  template <class L>
  float run_on(const float* inputs, std::byte* memory) const;

  std::vector<std::int16_t> weights_;
  std::vector<Int8Layer> layers_;
  int width_ = 0;
  float units_per_input_ = 0;
  std::size_t memory_ = 0;
};

// tanh of x / 2^13, in units of 2^-14; the error is below 0.0012. 0 gives 0, and -x the negative value, but for -32768.
std::int16_t tanh14(std::int16_t x);

// The same, for x from -32767 to 32767, by a table of 128 steps, with straight lines between; the error is below
// 0.0002.
std::int32_t output14(std::int32_t x);

}  // namespace weir::policy
