#include "weir/theory/recursion.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "tests/theory/near.h"
#include "weir/theory/alpha_fair.h"
#include "weir/theory/max_min.h"
#include "weir/theory/random_network.h"

namespace weir::theory {
namespace {

using Rates = std::vector<double>;

// Y = (4 + 8, 4 + 2) = (12, 6), Y / C = (1.2, 0.3): rates 4 / 1.2, 8 / 1.2, 2 / 0.3.
TEST(Recursion, OneStep) {
  const Network n = from_incidence({{1, 1, 0}, {1, 0, 1}}, {10, 20});
  expect_near(next_rates(n, {4, 8, 2}), {4 / 1.2, 8 / 1.2, 2 / 0.3}, 1e-15);
  expect_near(next_rates(n, {4, 8, 2}, 0.5), {4 / 1.2 + 0.5, 8 / 1.2 + 0.5, 2 / 0.3 + 0.5}, 1e-15);
}

// Y / C = (6 / 2, 4 / 4, 4 / 8) = (3, 1, 0.5): link 0 is full after the step, and so is link 2, which is flow 2's
// alone.
TEST(Recursion, OneStepIsEnoughIfNoOtherLinkHasToFill) {
  const Network n{{2, 4, 8}, {{{0, 1}}, {{0}}, {{2}}}};
  const Settled s = settle(n, {4, 2, 4});
  EXPECT_TRUE(s.settled);
  EXPECT_EQ(s.steps, 1);
  expect_near(s.rates, {4 / 3.0, 2 / 3.0, 8}, 1e-15);
  EXPECT_TRUE(pareto_optimal(n, s.rates));
}

// HPCC's lemma (iii), "after at most I steps R(n) is constant", against a network of two links. Flow 0 crosses both,
// flow 1 the second; C = (1, 2), R(0) = (2, 1).
//   Y(0) = (2, 3), Y / C = (2, 1.5): R(1) = (1, 2/3). Flow 0 stays at 1, and x = R_1 follows x <- 2 x / (1 + x), that
//   is 1/x <- 1/2 + 1/2 1/x with the fixed point 1:  1 / x(n) = 1 + 2^-n.
// Link 1 fills by halves and never quite; what does hold is that R(n) tends to a Pareto-optimal R.
TEST(Recursion, IsNotConstantAfterAsManyStepsAsLinks) {
  const Network n{{1, 2}, {{{0, 1}}, {{1}}}};
  Rates r{2, 1};
  for (int step = 1; step <= 30; ++step) {
    r = next_rates(n, r);
    expect_near(r, {1, 1 / (1 + std::pow(2.0, -step))}, 1e-14);
  }
  const Settled s = settle(n, {2, 1});
  // the first relative change of at most 1e-12: 2^-(n+1) <= 1e-12 for n >= 38.9
  EXPECT_EQ(s.steps, 39);
  EXPECT_TRUE(pareto_optimal(n, s.rates));
}

TEST(Recursion, TellsThatItDidNotSettle) {
  const Network n{{1, 2}, {{{0, 1}}, {{1}}}};
  const Settled s = settle(n, {2, 1}, 0, 10);
  EXPECT_FALSE(s.settled);
  EXPECT_EQ(s.steps, 10);
  expect_near(s.rates, {1, 1 / (1 + std::pow(2.0, -10))}, 1e-14);
}

// With an increase it settles at the equilibrium that progressive filling finds. Slowly: a / R of the way per step.
TEST(Recursion, SettlesAtTheAdditiveEquilibrium) {
  for (std::uint32_t number = 0; number < 60; ++number) {
    Draws draw(number);
    const Network n = random_network(draw, number % 2 == 1);
    const Settled s = settle(n, random_rates(draw, n), 0.05);
    ASSERT_TRUE(s.settled) << number;
    const Rates wanted = additive_equilibrium(n, 0.05).rates;
    for (std::size_t j = 0; j < wanted.size(); ++j) ASSERT_NEAR(s.rates[j], wanted[j], 1e-9 * wanted[j]) << number;
  }
}

// n links of capacity C with a flow each, and one over all: all registers have the same R, the long flow gets
// R n^(-1/alpha), the others R. R = a / (1 - 1 / U) with U = R (1 + n^(-1/alpha)) / C gives
// R = a + C / (1 + n^(-1/alpha)): here 0.001 + 1 / (1 + 1 / sqrt(3)), and 0.001 + 1 / 2.
TEST(Registers, EquilibriumOfAParkingLot) {
  const Network n = parking_lot(3, 1);
  const double r = 0.001 + 1 / (1 + 1 / std::sqrt(3.0));
  const Settled two = settle_registers(n, 2, 0.001);
  ASSERT_TRUE(two.settled);
  expect_near(two.rates, {r / std::sqrt(3.0), r, r, r}, 1e-8);
  const Settled infinite = settle_registers(n, std::numeric_limits<double>::infinity(), 0.001);
  expect_near(infinite.rates, {0.501, 0.501, 0.501, 0.501}, 1e-8);
}

TEST(Registers, TendToTheAlphaFairRates) {
  const Network n{{1, 0.4, 0.7}, {{{0, 1, 2}}, {{0}}, {{1}, 2}, {{1, 2}}, {{2}}}};
  for (const double alpha : {0.5, 1.0, 2.0, 8.0}) {
    const Rates wanted = alpha_fair(n, alpha).rates;
    double last = 1;
    for (const double a : {1e-3, 1e-4}) {
      const Settled s = settle_registers(n, alpha, a);
      ASSERT_TRUE(s.settled);
      double error = 0;
      for (std::size_t j = 0; j < wanted.size(); ++j) error = std::max(error, std::abs(s.rates[j] / wanted[j] - 1));
      EXPECT_LT(error, last / 8) << alpha;  // in proportion to a
      last = error;
    }
    EXPECT_LT(last, 0.01) << alpha;
  }
}

}  // namespace
}  // namespace weir::theory
