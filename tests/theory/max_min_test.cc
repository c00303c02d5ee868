#include "weir/theory/max_min.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/theory/near.h"
#include "weir/theory/random_network.h"
#include "weir/theory/recursion.h"

namespace weir::theory {
namespace {

using Rates = std::vector<double>;
using Links = std::vector<std::uint32_t>;

// Link 0 (6) has flows 0, 1, 2: 6 / 3 = 2 each is the lowest level.
// Link 1 (9) has flows 2, 3, 4: (9 - 2) / 2 = 3.5. Link 2 (20) has 4 and 5: 20 - 3.5 = 16.5.
TEST(MaxMin, FillsLevelByLevel) {
  const Network n{{6, 9, 20}, {{{0}}, {{0}}, {{0, 1}}, {{1}}, {{1, 2}}, {{2}}}};
  const Filling f = max_min(n);
  EXPECT_EQ(f.rates, (Rates{2, 2, 2, 3.5, 3.5, 16.5}));
  EXPECT_EQ(f.bottlenecks, (Links{0, 0, 0, 1, 1, 2}));
  EXPECT_EQ(f.levels, (Rates{2, 3.5, 16.5}));
}

TEST(MaxMin, ALinkWithoutFlowsAndEqualLevels) {
  // both links have level 5; link 1 has nobody
  const Network n{{10, 1, 15}, {{{0}}, {{0, 2}}, {{2}}, {{2}}}};
  const Filling f = max_min(n);
  EXPECT_EQ(f.rates, (Rates{5, 5, 5, 5}));
  EXPECT_EQ(f.levels, Rates{5});
  EXPECT_TRUE(max_min({{1, 2}, {}}).rates.empty());
}

// Link 0 would be full at level 12 / (1 + 3) = 3, link 1 at 12 / (3 + 2) = 2.4 and hence first: flow 1 gets 3 * 2.4
// = 7.2, flow 2 gets 2 * 2.4 = 4.8, and flow 0 the rest of link 0, 4.8.
TEST(MaxMin, WeightsShareInProportion) {
  const Network n{{12, 12}, {{{0}, 1}, {{0, 1}, 3}, {{1}, 2}}};
  expect_near(max_min(n).rates, {4.8, 7.2, 4.8}, 1e-15);
}

// A flow of weight 3 is three flows.
TEST(MaxMin, AWeightIsACount) {
  const Network one{{7, 5}, {{{0}, 3}, {{0, 1}}, {{1}, 2}}};
  const Network many{{7, 5}, {{{0}}, {{0}}, {{0}}, {{0, 1}}, {{1}}, {{1}}}};
  const Rates a = max_min(one).rates;
  const Rates b = max_min(many).rates;
  expect_near(a, {b[0] + b[1] + b[2], b[3], b[4] + b[5]}, 1e-15);
}

// Forty levels, each of which depends on the one before.
TEST(MaxMin, RoundingDoesNotAddUp) {
  // link i: flow i - 1, known by then, and two more flows
  Network n;
  std::vector<long double> wanted;
  long double before = 0;
  for (std::uint32_t i = 0; i < 40; ++i) {
    n.capacities.push_back(1 + i);
    n.flows.push_back({i + 1 < 40 ? Links{i, i + 1} : Links{i}});
    n.flows.push_back({{i}});
    const long double level = (static_cast<long double>(1 + i) - before) / 2;
    wanted.insert(wanted.end(), {level, level});
    before = level;
  }
  const Rates got = max_min(n).rates;
  for (std::size_t j = 0; j < got.size(); ++j) EXPECT_NEAR(got[j], static_cast<double>(wanted[j]), 4e-16 * got[j]) << j;
}

// What defines max-min fairness holds: no overload, and a bottleneck link for each flow.
TEST(MaxMin, EachFlowHasABottleneck) {
  for (std::uint32_t number = 0; number < 500; ++number) {
    Draws draw(number);
    const Network n = random_network(draw, number % 2 == 1);
    const Filling f = max_min(n);
    ASSERT_TRUE(pareto_optimal(n, f.rates, 1e-12)) << number;
    for (const auto& b : bottlenecks(n, f.rates, 1e-12)) ASSERT_TRUE(b.has_value()) << number;
    ASSERT_TRUE(std::is_sorted(f.levels.begin(), f.levels.end())) << number;
    // and none for all of them once the rates are a little different
    Rates other = f.rates;
    other[draw.below(static_cast<std::uint32_t>(other.size()))] *= 1 - 1e-6;
    const auto found = bottlenecks(n, other, 1e-12);
    ASSERT_FALSE(std::all_of(found.begin(), found.end(), [](const auto& b) { return b.has_value(); })) << number;
  }
}

// HPCC A.3 with U_target in the capacity: C = 0.95 of 1, two flows, a = 0.01.
// U = (C + 2 a) / C, hence R = a / (1 - C / (C + 2 a)) = (C + 2 a) / 2 = 0.485, and the link is at 0.97.
TEST(AdditiveEquilibrium, EqualFlowsOnOneLink) {
  const Filling f = additive_equilibrium({{0.95}, {{{0}}, {{0}}}}, 0.01);
  expect_near(f.rates, {0.485, 0.485}, 1e-15);
}

// Link 0 (C = 10) has flows 0 and 1, link 1 (C = 20) flows 0 and 2; a = 1.
// Link 0: r = (10 + 2 * 1) / 2 = 6, U = 1.2, and indeed 1 / (1 - 1 / 1.2) = 6.
// Link 1 then has F = 6 and one more flow: r^2 + (6 - 20 - 1) r - 6 = 0, r = (15 + sqrt(249)) / 2 = 15.3899...;
// check: U = 21.3899 / 20 = 1.069495, 1 / (1 - 1 / U) = 15.3899.
TEST(AdditiveEquilibrium, OfTwoLinks) {
  const Filling f = additive_equilibrium({{10, 20}, {{{0, 1}}, {{0}}, {{1}}}}, 1);
  expect_near(f.rates, {6, 6, (15 + std::sqrt(249.0)) / 2}, 1e-15);
  EXPECT_EQ(f.bottlenecks, (Links{0, 0, 1}));
  const double u = (6 + f.rates[2]) / 20;
  EXPECT_NEAR(f.rates[2], 1 / (1 - 1 / u), 1e-12);
}

// Each flow's rate is a w / (1 - 1 / U) of its own worst link, on any network and for any a.
TEST(AdditiveEquilibrium, IsAFixedPoint) {
  for (std::uint32_t number = 0; number < 500; ++number) {
    Draws draw(number);
    const Network n = random_network(draw, number % 2 == 1);
    const double a = std::vector{1e-4, 0.1, 10.0}[number % 3];
    const Filling f = additive_equilibrium(n, a);
    const auto next = next_rates(n, f.rates, a);
    for (std::size_t j = 0; j < next.size(); ++j) ASSERT_NEAR(next[j], f.rates[j], 1e-11 * next[j]) << number;
    ASSERT_TRUE(std::is_sorted(f.levels.begin(), f.levels.end())) << number;
  }
}

TEST(AdditiveEquilibrium, TendsToMaxMin) {
  for (std::uint32_t number = 0; number < 100; ++number) {
    Draws draw(number);
    const Network n = random_network(draw, true);
    const Rates fair = max_min(n).rates;
    double last = 1;
    for (const double a : {1e-4, 1e-6, 1e-8}) {
      const Rates r = additive_equilibrium(n, a).rates;
      double error = 0;
      for (std::size_t j = 0; j < r.size(); ++j) error = std::max(error, std::abs(r[j] / fair[j] - 1));
      ASSERT_LT(error, last / 20) << number;  // in proportion to a
      last = error;
    }
  }
}

}  // namespace
}  // namespace weir::theory
