// From a network of floats to one of int8 weights.
//
// Source: Wu et al., Integer Quantization for Deep Learning Inference, 2020: symmetric scales, one per row for weights
// (largest magnitude / 127), one per layer for what goes in, from the magnitudes that samples show. Here what goes in
// has 16 bits (int8_network.h), so that there is room to be careful: inputs of the policy may be anything up to `clip`,
// and a layer may take `headroom` times the largest magnitude that was seen.
#pragma once

#include <span>

#include "weir/policy/policy.h"
#include "weir/policy/walks.h"

namespace weir::policy {

struct QuantiseOptions {
  double share = 1;     // of the samples' magnitudes that must fit, in (0, 1]; 1 = all
  double headroom = 2;  // at least 1
};

// Throws InputError if the policy is no network of floats, or a number in it is not valid; std::logic_error without
// samples.
Policy quantise(const Policy& policy, std::span<const Sample> samples, const QuantiseOptions& options = {});

}  // namespace weir::policy
