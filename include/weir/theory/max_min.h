// Max-min fair rates, and the rates that an additive increase settles at, of which they are the limit.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/theory/network.h"

namespace weir::theory {

struct Filling {
  std::vector<double> rates;               // by flow
  std::vector<std::uint32_t> bottlenecks;  // by flow: the link that limits it
  std::vector<double> levels;              // rates per weight in the order in which they were found, increasing
};

// Progressive filling: the rates of all flows grow at the same speed per weight until a link is full;
// its flows then keep their rates while the others grow on. Rates are right up to rounding, that of a sum over
// the flows of one link and a few operations more. Links whose levels differ by less than 1e-12 fill together.
Filling max_min(const Network&);

// The equilibrium of R <- R / max_i(Y_i / C_i) + a w, with the target capacity C_i = U_target * capacity
// (HPCC, appendix A.3): R = a w / (1 - 1 / U) with U = max_i Y_i / C_i. Each flow crosses a link that is
// loaded beyond its C_i, the more the smaller the flow's rate per weight. `increase` a > 0.
Filling additive_equilibrium(const Network&, double increase);

}  // namespace weir::theory
