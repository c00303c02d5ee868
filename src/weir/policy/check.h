// Whether a policy is whole: what decider.h, policy_file.h and quantise.h ask of one.
#pragma once

#include "weir/policy/policy.h"

namespace weir::policy {

inline constexpr int kMaxUnits = 64;  // inputs or outputs of a layer
inline constexpr int kMaxLayers = 16;
inline constexpr int kMaxHistory = 8;
inline constexpr int kMaxNodes = 32'767;  // of a tree
inline constexpr int kMaxTreeDepth = 64;  // steps from the root to a leaf

// Throws InputError about the value that is wrong, by its key in a policy file ("history", "layer.0.weights"), and
// says what would be right.
void check(const Policy& policy);

}  // namespace weir::policy
