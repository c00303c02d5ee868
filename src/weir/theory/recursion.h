// The rates of flows that are all told of their links once per round trip, step by step: the
// discrete-time models of HPCC's appendix A.2 and A.3.
#pragma once

#include <vector>

#include "weir/theory/network.h"

namespace weir::theory {

// Equations (5) and (6), and with an increase a > 0 the update of A.3:
// R_j <- R_j / max_i(Y_i A_ij / C_i) + a w_j. Rates are positive, C is the target capacity.
std::vector<double> next_rates(const Network&, const std::vector<double>& rates, double increase = 0);

struct Settled {
  std::vector<double> rates;
  int steps = 0;         // the least n from which on no step changes a rate
  bool settled = false;  // false: rates still change after max_steps
};

// Relative changes of a step that count as none.
inline constexpr double kSettled = 1e-12;

Settled settle(const Network&, std::vector<double> rates, double increase = 0, int max_steps = 1'000'000);

// The variant with a register per flow and link, R_i <- R_i C_i / Y_i + a, of which equation (7)
// makes the rate of the flow: (sum_i R_i^-alpha)^(-1/alpha), or the least R_i if alpha is infinite.
// Every register begins with the capacity of its link.
Settled settle_registers(const Network&, double alpha, double increase, int max_steps = 1'000'000);

}  // namespace weir::theory
