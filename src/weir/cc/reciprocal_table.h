// Division by multiplication with a tabulated reciprocal (HPCC, section 4.3), as a network card does it.
//
// Of 1/1, 1/2, ... 1/2^22 the table has only some: n_1 = 1, and then each time the least n_k+1 whose reciprocal differs
// from the previous one by at least epsilon, 1/n_k - 1/n_k+1 >= epsilon / n_k (the paper prints the two the other way
// round). Where n itself is missing, the largest one below it is taken: the result is too large by less than
// epsilon / (1 - epsilon).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace weir::cc {

class ReciprocalTable {
 public:
  static constexpr std::uint32_t kLargest = 1u << 22;
  // Numbers are divided by in units of 2^-14, so that quotients up to 256 fit.
  static constexpr double kOne = 1 << 14;

  ReciprocalTable(double epsilon = 0);  // NOLINT(google-explicit-constructor): the parameter is a number; 0 = no table
  explicit operator double() const { return epsilon_; }

  bool empty() const { return n_.empty(); }
  std::size_t size() const { return n_.size(); }

  // About 1 / n, 1 <= n <= kLargest.
  double reciprocal(std::uint32_t n) const;
  // About 1 / x, for x > 0; beyond the table, that of its nearest end.
  double inverse(double x) const;

 private:
  double epsilon_;
  std::vector<std::uint32_t> n_;  // stored n_k, ascending
  std::vector<float> value_;      // 1 / n_k
};

}  // namespace weir::cc
