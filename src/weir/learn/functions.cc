#include "weir/learn/functions.h"

#include <algorithm>

namespace weir::learn {
namespace {

constexpr double kLn2High = 0x1.62e42fee00000p-1;  // so few bits that its product with a small integer is exact
constexpr double kLn2Low = 0x1.a39ef35793c76p-33;

}  // namespace

double exp_of(double x) {
  if (x < -700) return 0;
  x = std::min(x, 700.0);
  const double k = std::floor(x * 1.44269504088896340736 + 0.5);
  const double r = (x - k * kLn2High) - k * kLn2Low;  // |r| <= ln 2 / 2
  double series = 1;
  for (int n = 14; n >= 1; --n) series = 1 + series * r / n;
  return std::ldexp(series, static_cast<int>(k));
}

double log_of(double x) {
  int k = 0;
  double m = std::frexp(x, &k);  // in [1/2, 1)
  if (m < 0.70710678118654752440) {
    m *= 2;
    --k;
  }
  const double s = (m - 1) / (m + 1);  // ln m = 2 atanh s
  const double s2 = s * s;
  double series = 0;
  for (int n = 23; n >= 1; n -= 2) series = series * s2 + 1.0 / n;
  return k * kLn2High + (2 * s * series + k * kLn2Low);
}

double tanh_of(double x) {
  const double t = exp_of(-2 * std::fabs(x));
  const double y = (1 - t) / (1 + t);
  return x < 0 ? -y : y;
}

double sigmoid_of(double x) { return 1 / (1 + exp_of(-x)); }

double Draws::log_between(double low, double high) { return low * exp_of(uniform() * log_of(high / low)); }

double Draws::normal() {
  for (;;) {
    const double a = 2 * uniform() - 1;
    const double b = 2 * uniform() - 1;
    const double s = a * a + b * b;
    if (s > 0 && s < 1) return a * std::sqrt(-2 * log_of(s) / s);
  }
}

}  // namespace weir::learn
