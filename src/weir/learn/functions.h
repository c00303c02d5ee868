// Functions of analysis from additions, multiplications and divisions alone, so that learning gives the same bits with
// every compiler and C library, and draws of random numbers that count themselves.
#pragma once

#include <cmath>
#include <cstdint>

#include "weir/base/random.h"

namespace weir::learn {

// e^x within 2 units in the last place; 0 below -700, and e^700 above 700.
double exp_of(double x);
// The natural logarithm of x > 0, within 4 units in the last place except near x = 1.
double log_of(double x);
// Within 1e-15 of the true value.
double tanh_of(double x);
double sigmoid_of(double x);

// Draws one after the other from a stream. What it draws depends on the stream and on the number of draws before.
class Draws {
 public:
  explicit Draws(const RandomStream& stream) : stream_(stream) {}

  double uniform() { return stream_.uniform(next_++); }                       // in [0, 1)
  std::uint64_t below(std::uint64_t n) { return stream_.below(next_++, n); }  // in [0, n), n > 0
  double between(double low, double high) { return low + (high - low) * uniform(); }
  double log_between(double low, double high);  // the logarithm is uniform; 0 < low <= high
  double normal();                              // mean 0, variance 1: the polar method of Marsaglia

 private:
  RandomStream stream_;
  std::uint64_t next_ = 0;
};

}  // namespace weir::learn
