// How far two policies are apart.
#pragma once

#include <cstddef>

#include "weir/policy/decider.h"
#include "weir/policy/walks.h"

namespace weir::policy {

// Of factors. `differing` is the share of decisions that differ by more than 0.01.
struct Difference {
  double largest = 0;
  double mean = 0;
  double differing = 0;
  std::size_t decisions = 0;
};

// Both see what happens where `a` decides (walks.h).
Difference compare_on_walks(const Decider& a, const Decider& b, const WalkOptions& options = {});
// Both see, as flows that have just started, round trips from 1 to 50 base round trips (8.192 us) at rates from 2^-13
// to nearly 1; no marks and no losses.
Difference compare_on_grid(const Decider& a, const Decider& b);

}  // namespace weir::policy
