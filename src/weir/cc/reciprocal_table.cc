#include "weir/cc/reciprocal_table.h"

#include <algorithm>
#include <cmath>

namespace weir::cc {

ReciprocalTable::ReciprocalTable(double epsilon) : epsilon_(epsilon) {
  if (epsilon <= 0) return;
  for (std::uint32_t n = 1; n <= kLargest;) {
    n_.push_back(n);
    value_.push_back(1 / static_cast<float>(n));
    const double next = std::ceil(static_cast<double>(n) / (1 - epsilon));
    n = std::max(n + 1, static_cast<std::uint32_t>(next));
  }
}

double ReciprocalTable::reciprocal(std::uint32_t n) const {
  const auto above = std::upper_bound(n_.begin(), n_.end(), n);
  return static_cast<double>(value_[static_cast<std::size_t>(above - n_.begin()) - 1]);
}

double ReciprocalTable::inverse(double x) const {
  const double n = std::clamp(x * kOne, 1.0, static_cast<double>(kLargest));
  return kOne * reciprocal(static_cast<std::uint32_t>(n));
}

}  // namespace weir::cc
