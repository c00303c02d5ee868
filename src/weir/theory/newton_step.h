// A step of Newton's method towards alpha-fair rates, of all links at once.
//
// The prices of links are the multipliers of the problem of which alpha-fair rates are the solution (Low and Lapsley,
// IEEE/ACM ToN 7(6), 1999). A step solves the linear system for the change of all prices that would make each full link
// carry what it can, by conjugate gradients with the diagonal as preconditioner.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/theory/live_network.h"

namespace weir::theory {

class NewtonStep {
 public:
  NewtonStep(const LiveNetwork& network, double alpha) : network_(network), alpha_(alpha) {}

  // By link, by what part of itself its price is to change. Prices are relative to the largest, and 0 where a
  // link is not full; `unit` is the rate of a flow that pays 1.
  std::span<const double> find(std::span<const double> prices, double unit);

 private:
  // A flow by its part of the arrays of weights and links.
  struct Row {
    std::size_t end = 0;
    double curvature = 0;
  };
  void set_up(std::span<const double> prices, double unit);
  void multiply();

  const LiveNetwork& network_;
  const double alpha_;
  std::vector<Row> rows_;
  std::vector<double> weights_;
  std::vector<std::uint32_t> links_;
  // by link
  std::vector<double> change_;
  std::vector<double> diagonal_;
  std::vector<double> residual_;
  std::vector<double> direction_;
  std::vector<double> product_;  // of the system and the direction
};

}  // namespace weir::theory
