// Alpha-fair rates: those that maximise the sum of w^alpha x^(1 - alpha) / (1 - alpha), or of w log x for
// alpha = 1, over all rates x that fit the links (Mo and Walrand, IEEE/ACM ToN 8(5), 2000).
//
// alpha = 1 is proportional fairness, alpha -> infinity max-min fairness. At alpha -> 0 the sum of the rates
// is largest, but many rates may have that sum, so that 0 itself is not offered.
#pragma once

#include <vector>

#include "weir/theory/network.h"

namespace weir::theory {

inline constexpr double kLeastAlpha = 0.01;
inline constexpr double kLargestAlpha = 1000;  // beyond, only infinity

struct AlphaFair {
  std::vector<double> rates;      // by flow
  std::vector<double> registers;  // by link: the rate per weight of a flow that crosses only it; infinite if not full
  int sweeps = 0;
};

// With r_i for each link, the rate of a flow is w (sum_i r_i^-alpha)^(-1/alpha), equation (7) of HPCC's appendix
// A.3, and r_i^-alpha is the link's price, of which a flow pays the share of it that the link carries: the rates are
// optimal if no link is overloaded and all with a price are full. Link after link gets the r_i that makes it just full,
// or none if it is not full even so; that is minimisation of the dual along one coordinate at a time. It ends when
// loads of all links are right within the relative tolerance of kAlphaFair. Throws InputError
// unless alpha is infinite or within the bounds.
AlphaFair alpha_fair(const Network&, double alpha);

inline constexpr double kAlphaFair = 1e-10;

}  // namespace weir::theory
