#include "weir/theory/queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "weir/theory/random_network.h"

namespace weir::theory {
namespace {

// One source: the work is 1 - age while the last packet is younger than 1. P(V > x) = (1 - x) / D, D = 1 / load.
TEST(PeriodicQueue, OneSource) {
  const PeriodicQueue q{1, 0.4};
  for (const double x : {0.0, 0.3, 0.9}) EXPECT_NEAR(q.tail(x), 0.4 * (1 - x), 1e-15);
  EXPECT_EQ(q.tail(1), 0);
  EXPECT_NEAR(q.mean_work(), 0.2, 1e-15);  // 0.4 / 2
  EXPECT_EQ(q.mean_waiting(), 0);
}

// Two sources with D = 4. For 1 <= x < 2 both packets must be younger than 2 - x: ((2 - x) / 4)^2.
// For x < 1 besides that: one is younger than 1 - x, and the other older than 2 - x,
//   2 (1 - x) / 4 (1 - (2 - x) / 4) = (1 - x) (2 + x) / 8.
// Waiting: P(V > 1) = 1/16.
TEST(PeriodicQueue, TwoSources) {
  const PeriodicQueue q{2, 0.5};
  for (const double x : {1.0, 1.5, 1.9}) EXPECT_NEAR(q.tail(x), (2 - x) * (2 - x) / 16, 1e-15) << x;
  for (const double x : {0.0, 0.25, 0.99})
    EXPECT_NEAR(q.tail(x), (2 - x) * (2 - x) / 16 + (1 - x) * (2 + x) / 8, 1e-15) << x;
  EXPECT_NEAR(q.mean_waiting(), 1 / 16.0, 1e-15);
  EXPECT_NEAR(q.mean_packets(), 9 / 16.0, 1e-15);
  EXPECT_NEAR(q.mean_work(), 5 / 16.0, 1e-15);
}

TEST(PeriodicQueue, IsBusyAsMuchAsItIsLoaded) {
  for (const std::uint32_t n : {1u, 3u, 50u, 1000u})
    for (const double load : {0.1, 0.5, 0.95, 1.0}) EXPECT_NEAR((PeriodicQueue{n, load}).tail(0), load, 1e-10);
}

// The integral of the tail, by Simpson's rule with 100 points per packet.
TEST(PeriodicQueue, MeanIsTheIntegralOfTheTail) {
  for (const auto& q : {PeriodicQueue{7, 0.6}, PeriodicQueue{50, 0.95}, PeriodicQueue{20, 1}}) {
    double integral = 0;
    for (int i = 0; i < 50 * static_cast<int>(q.sources); ++i) {
      const double x = i / 50.0;  // the tail bends at whole numbers, which end intervals
      const double end = q.tail(x + 0.02 - 1e-12);
      integral += 0.02 / 6 * (q.tail(x) + 4 * q.tail(x + 0.01) + end);
    }
    EXPECT_NEAR(q.mean_work(), integral, 1e-8) << q.sources;
  }
}

// Work at time 0 of sources with a packet `age` ago and one every `period` before that:
// the most of (packets since then) - (time since then), over all packets (Reich's formula).
double work(const std::vector<double>& ages) {
  double out = 0;
  for (std::size_t n = 0; n < ages.size(); ++n) out = std::max(out, static_cast<double>(n + 1) - ages[n]);
  return out;
}

// 100,000 draws of 50 phases. The mean's standard error is about 2.5 / sqrt(100,000) = 0.008.
TEST(PeriodicQueue, AgreesWithDraws) {
  const PeriodicQueue q{50, 0.95};
  const double period = 50 / 0.95;
  Draws draw(1);
  constexpr int kDraws = 100'000;
  double sum = 0;
  int above5 = 0;
  std::vector<double> ages(50);
  for (int i = 0; i < kDraws; ++i) {
    for (double& a : ages) a = draw.between(0, period);
    std::sort(ages.begin(), ages.end());
    const double v = work(ages);
    sum += v;
    above5 += v > 5;
  }
  EXPECT_NEAR(sum / kDraws, q.mean_work(), 3 * 0.008);
  const double p = q.tail(5);
  EXPECT_NEAR(above5 / static_cast<double>(kDraws), p, 3 * std::sqrt(p * (1 - p) / kDraws));
}

// A.1: "A superposition of homogeneous streams yields the greatest buffer requirement for a given load": 40 sources of
// period D, and in the mix 10 with half of it instead of 20 of them, 20 / D + 10 / (D / 2) = 40 / D.
TEST(PeriodicQueue, AMixOfPeriodsHasTheShorterQueue) {
  const PeriodicQueue alike{40, 0.95};
  const double period = 40 / 0.95;
  Draws draw(2);
  constexpr int kDraws = 50'000;
  double sum = 0;
  std::vector<double> ages;
  for (int i = 0; i < kDraws; ++i) {
    ages.clear();
    for (int s = 0; s < 20; ++s) ages.push_back(draw.between(0, period));
    for (int s = 0; s < 10; ++s) {
      ages.push_back(draw.between(0, period / 2));
      ages.push_back(ages.back() + period / 2);
    }
    std::sort(ages.begin(), ages.end());
    sum += work(ages);
  }
  EXPECT_LT(sum / kDraws, 0.95 * alike.mean_work());
}

// exp(-2 * 20 (20 / 50 + 0.05)) = exp(-18); at load 1 the mean is sqrt(50 pi / 8) = 4.4311.
TEST(PeriodicQueue, BrownianBridge) {
  EXPECT_NEAR((PeriodicQueue{50, 0.95}).bridge_tail(20), std::exp(-18.0), 1e-20);
  EXPECT_NEAR((PeriodicQueue{50, 1}).bridge_mean(), 4.4311, 5e-5);
  // its integral, by the trapezoidal rule
  const PeriodicQueue q{50, 0.9};
  double integral = 0.5 * 1e-3;
  for (int i = 1; i < 50'000; ++i) integral += 1e-3 * q.bridge_tail(i * 1e-3);
  EXPECT_NEAR(q.bridge_mean(), integral, 1e-6);
  // far from load 1 it is 1 / (2 (1 - rho)) (1 - 1 / (N (1 - rho)^2) + ...), here with N (1 - rho)^2 = 9801
  EXPECT_NEAR((PeriodicQueue{10'000, 0.01}).bridge_mean(), 0.50505051 * (1 - 1 / 9801.0), 1e-7);
  // and both ways of computing it meet: y = 20 at (1 - rho)^2 N = 800
  const double below = (PeriodicQueue{3200, 0.5001}).bridge_mean();
  const double above = (PeriodicQueue{3200, 0.4999}).bridge_mean();
  EXPECT_NEAR(below / above, 1 + 4e-4, 2e-6);
}

// "accurate in heavy traffic": relative to the exact mean, the better the more sources.
TEST(PeriodicQueue, TheBridgeGetsBetterWithMoreSources) {
  double last = 1;
  for (const std::uint32_t n : {10u, 100u, 1000u, 10'000u}) {
    const PeriodicQueue q{n, 1};
    const double error = q.bridge_mean() / q.mean_work() - 1;
    EXPECT_GT(error, 0);
    EXPECT_LT(error, last / 2.5) << n;  // about as 1 / sqrt(N)
    last = error;
  }
}

// P(V > 0) = rho. The sum of P(V > k) is the mean number of packets, rho + rho^2 / (2 (1 - rho)).
TEST(PoissonQueue, TailHasTheKnownMoments) {
  for (const double load : {0.1, 0.5, 0.95}) {
    const PoissonQueue q{load};
    EXPECT_NEAR(q.tail(0), load, 1e-9);
    double sum = 0;
    for (int k = 0; k < 600; ++k) sum += q.tail(k);
    EXPECT_NEAR(sum, load + load * load / (2 * (1 - load)), 1e-8);
    EXPECT_NEAR(q.mean_work(), load / (2 * (1 - load)), 1e-15);
  }
  // 0 <= x < 1: P(V <= x) = (1 - rho) e^(rho x) (Erlang)
  EXPECT_NEAR(PoissonQueue{0.5}.tail(0.5), 1 - 0.5 * std::exp(0.25), 1e-12);
}

TEST(PoissonQueue, IsTheLimitOfManySources) {
  const PoissonQueue limit{0.8};
  double last = 10;
  for (const std::uint32_t n : {100u, 1000u, 10'000u}) {
    const double error = limit.tail(3) / (PeriodicQueue{n, 0.8}).tail(3) - 1;
    EXPECT_GT(error, 0);
    EXPECT_LT(error, last / 8);  // about as 1 / N
    last = error;
  }
}

}  // namespace
}  // namespace weir::theory
