// Networks of 32-bit floats. Products are added in the order of the columns, one output beside the other, so that the
// result does not depend on how wide the machine adds.
#pragma once

#include <cstddef>
#include <vector>

#include "weir/policy/policy.h"

namespace weir::policy {

struct FloatLayer {
  bool lstm = false;
  Activation activation = Activation::none;
  int inputs = 0;              // columns; of an LSTM those of the inputs
  int units = 0;               // outputs, rounded up to 4
  std::vector<float> weights;  // by blocks of rows; in a block column by column
};

class FloatNetwork {
 public:
  // The policy has passed check().
  explicit FloatNetwork(const Policy& policy);

  std::size_t memory() const { return memory_; }
  // Memory has been set to 0 at a flow's start: of each LSTM the hidden state, then the cells.
  float run(const float* inputs, std::byte* memory) const;

 private:
  std::vector<FloatLayer> layers_;
  int width_ = 0;
  std::size_t memory_ = 0;
};

// 2 / (1 + exp(-2 x)) - 1 with the exponential from a polynomial; the error is below 3e-7.
float tanh32(float x);

}  // namespace weir::policy
