// The queue of a link under paced flows: N sources that send a packet each every D packet times, at
// phases drawn independently and uniformly (N D/D/1; HPCC, appendix A.1), and for comparison under
// Poisson arrivals (M/D/1).
//
// V is the work that a packet would find at a random instant, in packet times. Packets are served
// whole, hence the number in the system exceeds k exactly when V does, for k = 0, 1, ...
#pragma once

#include <cstdint>

#include "weir/base/params.h"

namespace weir::theory {

struct PeriodicQueue {
  std::uint32_t sources = 50;  // N
  double load = 0.95;          // rho = N / D <= 1; at 1 the queue is still stable
  static void describe(ParamList<PeriodicQueue>&);

  // P(V > x), x >= 0, exact: Benes' formula as in Roberts and Virtamo, IEEE Trans. Commun. 39(2), 1991,
  //   sum over x < n <= N of  C(N, n) ((n - x) / D)^n (1 - (n - x) / D)^(N - n) (D - N + x) / (D - n + x).
  double tail(double x) const;
  double mean_waiting() const;  // packets, without the one in service: the sum of P(V > k) over k = 1, 2, ...
  double mean_packets() const { return mean_waiting() + load; }
  double mean_work() const { return mean_waiting() + load / 2; }  // of V; half of the packet in service is left

  // The approximation for heavy traffic by a Brownian bridge, exp(-2 x (x / N + 1 - rho)).
  double bridge_tail(double x) const;
  double bridge_mean() const;  // sqrt(pi N / 8) at rho = 1
};

// M/D/1, load < 1.
struct PoissonQueue {
  static constexpr double kMaxTailLoad = 0.995;
  double load = 0.95;

  // The limit of PeriodicQueue for many sources:
  //   (1 - rho) sum over n > x of  (rho (n - x))^n e^(-rho (n - x)) / n!
  // It takes about 70 / (1 - rho)^2 terms; load <= kMaxTailLoad.
  double tail(double x) const;
  double mean_work() const { return load / (2 * (1 - load)); }
};

}  // namespace weir::theory
