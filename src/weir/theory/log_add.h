// Sums of numbers that are known by their logarithms: prices of large alpha exceed any floating-point number.
#pragma once

#include <cmath>
#include <utility>

namespace weir::theory {

// log(e^a + e^b); -infinity stands for 0.
inline double log_add(double a, double b) {
  if (a < b) std::swap(a, b);
  return std::isinf(a) ? a : a + std::log1p(std::exp(b - a));
}

}  // namespace weir::theory
