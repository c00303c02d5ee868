#include "weir/theory/queue.h"

#include <cassert>
#include <cmath>
#include <numbers>

namespace weir::theory {
namespace {

constexpr double kNegligible = 1e-18;  // beside 1

// log(b^n), also for b = 0 = n
double log_power(double b, double n) { return n == 0 ? 0 : n * std::log(b); }

// exp(y^2) erfc(y), y >= 0, by its asymptotic series where the factors leave the range of numbers.
double scaled_erfc(double y) {
  if (y < 20) return std::exp(y * y) * std::erfc(y);
  const double z = 1 / (2 * y * y);
  return (1 - z * (1 - 3 * z * (1 - 5 * z))) / (y * std::sqrt(std::numbers::pi));
}

}  // namespace

void PeriodicQueue::describe(ParamList<PeriodicQueue>& p) {
  p.integer("sources", &PeriodicQueue::sources, 1, 10'000, "number of flows, N", "HPCC A.1");
  p.number("load", &PeriodicQueue::load, 0.01, 1, "N over the period in packet times", "HPCC A.1");
}

double PeriodicQueue::tail(double x) const {
  const double count = sources;
  const double period = count / load;
  double out = 0;
  double log_choose = 0;  // of C(N, n)
  for (std::uint32_t k = 1; k <= sources; ++k) {
    const double n = k;
    log_choose += std::log((count - n + 1) / n);
    if (n <= x) continue;
    const double share = (n - x) / period;
    // all N within n - x of the instant; of the rest none comes too early
    const double ratio = n == count ? 1 : (period - count + x) / (period - n + x);
    out += ratio * std::exp(log_choose + log_power(share, n) + log_power(1 - share, count - n));
  }
  return out;
}

double PeriodicQueue::mean_waiting() const {
  double out = 0;
  for (std::uint32_t k = 1; k < sources; ++k) {
    const double p = tail(k);
    out += p;
    if (p < kNegligible) break;
  }
  return out;
}

double PeriodicQueue::bridge_tail(double x) const { return std::exp(-2 * x * (x / sources + 1 - load)); }

// The integral of bridge_tail over x >= 0, by completing the square.
double PeriodicQueue::bridge_mean() const {
  const double n = sources;
  return std::sqrt(std::numbers::pi * n / 8) * scaled_erfc((1 - load) * std::sqrt(n / 2));
}

double PoissonQueue::tail(double x) const {
  assert(load > 0 && load <= kMaxTailLoad);
  double out = 0;
  double log_factorial = 0;
  for (double n = 0;;) {
    n += 1;
    log_factorial += std::log(n);
    if (n <= x) continue;
    const double mean = load * (n - x);
    const double term = std::exp(n * std::log(mean) - mean - log_factorial);
    out += term;
    // terms are largest about n = rho x / (1 - rho)
    if (n > x / (1 - load) + 10 && term <= kNegligible * out) return (1 - load) * out;
  }
}

}  // namespace weir::theory
