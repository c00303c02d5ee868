#include "weir/theory/alpha_fair.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>

#include "tests/theory/near.h"
#include "weir/base/error.h"
#include "weir/theory/max_min.h"
#include "weir/theory/random_network.h"
#include "weir/theory/recursion.h"

namespace weir::theory {
namespace {

using Rates = std::vector<double>;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

// A parking lot of n links: the price p is the same everywhere, a short flow has p^(-1/alpha) and the long one
// (n p)^(-1/alpha), together C. Hence short / long = n^(1/alpha) and long = C / (1 + n^(1/alpha)):
// alpha = 1, n = 4: 1/5 and 4/5; alpha = 2, n = 4: 1/3 and 2/3; alpha = 0.5, n = 2: 1/5 and 4/5.
TEST(AlphaFair, ParkingLot) {
  const auto lot = [](std::uint32_t n, double alpha) { return alpha_fair(parking_lot(n, 1), alpha); };
  expect_near(lot(4, 1).rates, {0.2, 0.8, 0.8, 0.8, 0.8}, 1e-9);
  expect_near(lot(4, 2).rates, {1 / 3.0, 2 / 3.0, 2 / 3.0, 2 / 3.0, 2 / 3.0}, 1e-9);
  expect_near(lot(2, 0.5).rates, {0.2, 0.8, 0.8}, 1e-9);
  expect_near(lot(4, 2).registers, {2 / 3.0, 2 / 3.0, 2 / 3.0, 2 / 3.0}, 1e-9);
  expect_near(lot(4, kInfinite).rates, {0.5, 0.5, 0.5, 0.5, 0.5}, 1e-15);
  for (const double alpha : {0.01, 0.1, 3.0, 50.0, 1000.0}) {
    const double l = 1 / (1 + std::pow(4, 1 / alpha));
    expect_near(lot(4, alpha).rates, {l, 1 - l, 1 - l, 1 - l, 1 - l}, 1e-8);
  }
}

// Two links of 100 and 40; one flow on both (x), one on the first (100 - x), two on the second (20 - x / 2 each).
// alpha = 1: 1/x = 1/(100 - x) + 1/(20 - x/2), that is (100 - x)(20 - x/2) = x (120 - 1.5 x),
// 2 x^2 - 190 x + 2000 = 0, x = (190 - sqrt(20100)) / 4 = 12.05638...
TEST(AlphaFair, UnequalLinks) {
  const Network n{{100, 40}, {{{0, 1}}, {{0}}, {{1}, 2}}};
  const double x = (190 - std::sqrt(20100.0)) / 4;
  const AlphaFair fair = alpha_fair(n, 1);
  expect_near(fair.rates, {x, 100 - x, 40 - x}, 1e-9);
  expect_near(fair.registers, {100 - x, 20 - x / 2}, 1e-9);
}

// A link that would be full only beyond what the flows get elsewhere has no price.
TEST(AlphaFair, ALinkThatIsNotFull) {
  const AlphaFair fair = alpha_fair({{1, 5, 2}, {{{0, 1}}, {{0, 2}}}}, 1);
  expect_near(fair.rates, {0.5, 0.5}, 1e-9);
  EXPECT_NEAR(fair.registers[0], 0.5, 1e-9);
  EXPECT_EQ(fair.registers[1], kInfinite);
  EXPECT_EQ(fair.registers[2], kInfinite);
}

// Link 1 is just full without a price: flow 0 has all of link 0, 1, and of link 1's 2 that is the half it would get.
TEST(AlphaFair, ALinkThatIsJustFull) {
  for (const double alpha : {0.5, 1.0, 2.0})
    expect_near(alpha_fair({{1, 2}, {{{0, 1}}, {{1}}}}, alpha).rates, {1, 1}, 1e-9);
}

// x is optimal exactly if sum_j (y_j - x_j) (w_j / x_j)^alpha <= 0 for all rates y that fit (Mo and Walrand, section
// II).
TEST(AlphaFair, NoOtherRatesAreBetter) {
  for (std::uint32_t number = 0; number < 200; ++number) {
    Draws draw(number);
    const Network n = random_network(draw, number % 2 == 1);
    const double alpha = std::vector{0.2, 0.5, 1.0, 2.0, 5.0}[number % 5];
    const Rates x = alpha_fair(n, alpha).rates;
    ASSERT_TRUE(pareto_optimal(n, x, 1e-9)) << number;
    double scale = 0;
    for (std::size_t j = 0; j < x.size(); ++j) scale += x[j] * std::pow(n.flows[j].weight / x[j], alpha);
    for (int other = 0; other < 20; ++other) {
      const Rates y = other == 0 ? max_min(n).rates : settle(n, random_rates(draw, n)).rates;
      double gain = 0;
      for (std::size_t j = 0; j < x.size(); ++j) gain += (y[j] - x[j]) * std::pow(n.flows[j].weight / x[j], alpha);
      ASSERT_LE(gain, 1e-8 * scale) << number;
    }
  }
}

TEST(AlphaFair, TendsToMaxMin) {
  for (std::uint32_t number = 0; number < 50; ++number) {
    Draws draw(number);
    const Network n = random_network(draw, true);
    const Rates fair = max_min(n).rates;
    expect_near(alpha_fair(n, kInfinite).rates, fair, 0);
    // prices of a path differ by a factor of at most the number of flows and links, whose 1000th root is near 1
    expect_near(alpha_fair(n, 1000).rates, fair, 0.02);
  }
}

TEST(AlphaFair, AWeightIsACount) {
  const Rates one = alpha_fair({{7, 5}, {{{0}, 3}, {{0, 1}}, {{1}, 2}}}, 1.5).rates;
  const Rates many = alpha_fair({{7, 5}, {{{0}}, {{0}}, {{0}}, {{0, 1}}, {{1}}, {{1}}}}, 1.5).rates;
  expect_near(one, {many[0] + many[1] + many[2], many[3], many[4] + many[5]}, 1e-9);
}

TEST(AlphaFair, UnitsDoNotMatter) {
  Draws draw(1);
  Network n = random_network(draw);
  const Rates small = alpha_fair(n, 3).rates;
  for (double& c : n.capacities) c *= 1e11;
  Rates large = alpha_fair(n, 3).rates;
  for (double& r : large) r /= 1e11;
  expect_near(large, small, 1e-8);
}

TEST(AlphaFair, RefusesAlphaOutOfRange) {
  for (const double alpha : {0.0, -1.0, 1e-3, 2000.0, -kInfinite, std::nan("")})
    EXPECT_THROW(alpha_fair(parking_lot(2, 1), alpha), InputError) << alpha;
}

}  // namespace
}  // namespace weir::theory
