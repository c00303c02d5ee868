// Alpha-fair rates: those that maximise the sum of w^alpha x^(1 - alpha) / (1 - alpha), or of w log x for
// alpha = 1, over all rates x that fit the links (Mo and Walrand, IEEE/ACM ToN 8(5), 2000).
//
// alpha = 1 is proportional fairness, alpha -> infinity max-min fairness. As alpha -> 0 the sum of the rates
// becomes largest, but many sets of rates may have that sum, so that alpha = 0 itself is not valid.
#pragma once

#include <vector>

#include "weir/theory/network.h"

namespace weir::theory {

inline constexpr double kLeastAlpha = 0.01;
inline constexpr double kLargestAlpha = 1000;  // the only larger value that is valid is infinity

struct AlphaFair {
  std::vector<double> rates;      // by flow
  std::vector<double> registers;  // by link: the rate per weight of a flow that crosses only it; infinite if not full
  int sweeps = 0;
};

// With a register r_i for each link, the rate of a flow is w (sum_i r_i^-alpha)^(-1/alpha), equation (7) of HPCC's
// appendix A.3. r_i^-alpha is the price of link i; a flow of which the link carries a share pays that share of the
// price. The rates are optimal if no link is overloaded and each link that has a price is full. The solver minimises
// the dual along one coordinate at a time: link after link gets the r_i that makes it just full, or no price if it is
// not full without one. It ends when the loads of all links are right within the relative tolerance kAlphaFair. Throws
// InputError unless alpha is infinite or within the bounds.
AlphaFair alpha_fair(const Network&, double alpha);

inline constexpr double kAlphaFair = 1e-10;

}  // namespace weir::theory
