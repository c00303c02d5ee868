// A pair of clocks: what its probes tell (H1), and what coded probes leave out (H2).
#include "hosts/clock/pair_fit.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "hosts/clock/coded.h"
#include "tests/hosts/clock_random.h"

namespace weir::hosts::clock {
namespace {

double percentile(std::vector<double> values, double share) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

// 10 us/s of drift, an offset of 1 ms, at least 10 us each way, 70 % of packets queued for Exp(20 us), stamps wrong by
// 50 ns, 500 coded probes in 2 s.
struct Window {
  std::vector<Observation> ours;
  std::vector<Observation> theirs;
};

Window window(Random& random, std::int64_t begin, double offset, double drift) {
  constexpr std::int64_t apart = 10'000;
  Window w;
  for (int direction : {1, -1}) {
    std::vector<Observation>& list = direction > 0 ? w.ours : w.theirs;
    for (int i = 0; i < 500; ++i) {
      const std::int64_t t = begin + 4'000'000 * i + static_cast<std::int64_t>(random.below(1'000'000));
      const double theta = offset + drift * static_cast<double>(t - begin);
      const auto delay = [&] {
        return 10'000 + (random.uniform() < 0.7 ? random.exponential(20'000) : 0) + random.normal(50) +
               random.normal(50);
      };
      const double first = delay();
      const double second = delay();
      const bool pure = is_pure(apart, apart + std::llround(second - first), 1'000);
      list.push_back({t, std::llround(direction * std::min(first, second) + theta), pure});
    }
  }
  return w;
}

TEST(PairFit, FindsOffsetAndDriftOfQueuedProbes) {
  Random random(1);
  std::vector<double> offsets;
  std::vector<double> drifts;
  std::size_t covered = 0;
  constexpr int rounds = 300;
  for (int round = 0; round < rounds; ++round) {
    const std::int64_t begin = 1'000'000'000'000 + random.below(1'000'000'000);
    const Window w = window(random, begin, 1e6, 10e-6);
    const auto fit = fit_pair(w.ours, w.theirs, 1'000'000'000);
    ASSERT_TRUE(fit);
    EXPECT_EQ(fit->dropped, 0u);
    EXPECT_TRUE(fit->pure);
    // that of two stamps is 100 ns of noise at most times
    const PairLine line = fit->judged(10'000, 200);
    EXPECT_NEAR(line.margin, 10'000, 500);
    for (const std::int64_t t : {begin, begin + 1'000'000'000, begin + 2'000'000'000}) {
      const double error = line.offset_at(t) - (1e6 + 10e-6 * static_cast<double>(t - begin));
      offsets.push_back(std::abs(error));
      covered += std::abs(error) <= line.error_at(t);
    }
    drifts.push_back(std::abs(line.drift - 10e-6) * 1e9);
  }
  RecordProperty("offset_p99_ns", std::to_string(percentile(offsets, 0.99)));
  RecordProperty("drift_p99_ns_per_s", std::to_string(percentile(drifts, 0.99)));
  EXPECT_LT(percentile(offsets, 0.99), 300);
  EXPECT_LT(percentile(drifts, 0.99), 200);
  EXPECT_GE(covered, rounds * 3 * 0.99);
}

TEST(PairFit, AsksForEnough) {
  Random random(2);
  Window w = window(random, 0, 0, 0);
  const std::span all(w.ours);
  EXPECT_FALSE(fit_pair(all.first(kFewestObservations - 1), w.theirs, 0));
  EXPECT_FALSE(fit_pair({}, {}, 0));
  // directions that were not seen at the same time
  EXPECT_FALSE(fit_pair(all.first(250), std::span(w.theirs).last(250), 1));
  EXPECT_FALSE(fit_pair(w.ours, w.theirs, 3'000'000'000));
  EXPECT_TRUE(fit_pair(w.ours, w.theirs, 1'900'000'000));
}

TEST(PairFit, TakesImpurePairsWhereThereAreTooFewPureOnes) {
  Random random(3);
  Window w = window(random, 0, 5'000, 0);
  for (auto* list : {&w.ours, &w.theirs}) {
    for (Observation& o : *list) o.pure = false;
  }
  const auto fit = fit_pair(w.ours, w.theirs, 1'000'000'000);
  ASSERT_TRUE(fit);
  EXPECT_FALSE(fit->pure);
  EXPECT_NEAR(fit->judged(10'000, 100).offset_at(1'000'000'000), 5'000, 300);
}

TEST(PairFit, OffsetsOfAnySize) {
  Random random(4);
  const double days = -86'400e9 * 30;
  const Window w = window(random, 5'000'000'000'000'000, days, -30e-6);
  const auto fit = fit_pair(w.ours, w.theirs, 1'000'000'000);
  ASSERT_TRUE(fit);
  EXPECT_NEAR(fit->judged(10'000, 100).offset_at(5'000'000'000'000'000), days, 300);
}

TEST(CodedProbes, LeaveOutWhatQueuedAsDerived) {
  // each packet is queued with probability p for Exp(10 us); epsilon = 100 ns
  const double a = 1 - std::exp(-0.01);
  Random random(5);
  for (const double p : {0.3, 0.5, 0.7}) {
    std::size_t accepted = 0;
    std::size_t impure = 0;
    constexpr int pairs = 1'000'000;
    for (int i = 0; i < pairs; ++i) {
      const double first = random.uniform() < p ? random.exponential(10'000) : 0;
      const double second = random.uniform() < p ? random.exponential(10'000) : 0;
      if (!is_pure(10'000, std::llround(10'000 + second - first), 100)) continue;
      ++accepted;
      impure += first > 0 || second > 0;
    }
    const double both_free = (1 - p) * (1 - p);
    const double share = both_free + a * (1 - both_free);
    EXPECT_NEAR(static_cast<double>(accepted) / pairs, share, 0.005) << p;
    EXPECT_NEAR(static_cast<double>(impure) / static_cast<double>(accepted), a * (1 - both_free) / share, 0.005) << p;
  }
}

}  // namespace
}  // namespace weir::hosts::clock
