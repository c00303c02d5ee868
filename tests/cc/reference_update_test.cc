#include "weir/cc/reference_update.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weir::cc::reference_update_test {
namespace {

using Restart = SamplingFrequency::Restart;
using Probabilistic = ReferenceUpdate::Probabilistic;

struct Reference {
  // An acknowledgement that asks for a decrease or an increase.
  ReferenceUpdate::Verdict ack(bool decrease, bool round_ended = false) {
    update.count();
    return update.judge(params, random, decrease, round_ended, window, 100);
  }
  bool decreases(bool round_ended = false) { return ack(true, round_ended).move; }
  bool increases(bool round_ended = false) { return ack(false, round_ended).move; }

  ReferenceUpdate::Params params;
  double window = 50;
  RandomStream random{7, 1, Purpose::algorithm};
  ReferenceUpdate update;
};

TEST(ReferenceUpdate, OncePerRoundTrip) {
  Reference r;
  EXPECT_TRUE(r.params.per_round());
  for (const bool decrease : {true, false}) {
    EXPECT_FALSE(r.ack(decrease, false).move);
    EXPECT_FALSE(r.ack(decrease, false).new_round);
    const auto verdict = r.ack(decrease, true);
    EXPECT_TRUE(verdict.move);
    EXPECT_TRUE(verdict.new_round);
    EXPECT_FALSE(verdict.ignore);
  }
}

// Fast Convergence IV-B: each third acknowledgement may decrease, rounds or not; increases keep to round trips.
TEST(SamplingFrequency, DecreasesOnceInSoManyAcks) {
  Reference r;
  r.params.sf.acks = 3;
  EXPECT_FALSE(r.params.per_round());
  for (int period = 0; period < 3; ++period) {
    EXPECT_FALSE(r.decreases());
    EXPECT_FALSE(r.decreases(true));
    EXPECT_TRUE(r.decreases());
  }
  EXPECT_FALSE(r.increases());
  EXPECT_FALSE(r.increases());
  EXPECT_FALSE(r.increases());
  EXPECT_TRUE(r.increases(true));
}

TEST(SamplingFrequency, CountsAcksOfBothKinds) {
  Reference r;
  r.params.sf.acks = 3;
  EXPECT_FALSE(r.increases());
  EXPECT_TRUE(r.increases(true));  // restart = decrease: the period goes on
  EXPECT_TRUE(r.decreases());
  r.params.sf.restart = Restart::any;
  EXPECT_FALSE(r.decreases());
  EXPECT_TRUE(r.increases(true));  // and here it begins anew
  EXPECT_FALSE(r.decreases());
  EXPECT_FALSE(r.decreases());
  EXPECT_TRUE(r.decreases());
}

TEST(SamplingFrequency, ADecreaseMayLeaveTheRoundTripAlone) {
  Reference r;
  r.params.sf.acks = 1;
  EXPECT_TRUE(r.ack(true).new_round);
  r.params.sf.restart = Restart::separate;
  EXPECT_TRUE(r.ack(true).move);
  EXPECT_FALSE(r.ack(true).new_round);
  EXPECT_TRUE(r.ack(false, true).new_round);
}

TEST(SamplingFrequency, MayDecreaseEveryRoundTripAsWell) {
  Reference r;
  r.params.sf = {.acks = 30, .every_round = true};
  EXPECT_FALSE(r.decreases());
  EXPECT_TRUE(r.decreases(true));
}

// Fast Convergence III-B: of two flows, the one with twice as many acknowledgements decreases twice as often.
TEST(SamplingFrequency, FastFlowsDecreaseMoreOften) {
  Reference fast;
  Reference slow;
  fast.params.sf.acks = slow.params.sf.acks = 30;
  int fast_decreases = 0;
  int slow_decreases = 0;
  for (int i = 0; i < 6'000; ++i) {
    fast_decreases += fast.decreases(i % 50 == 0);
    if (i % 2 == 0) slow_decreases += slow.decreases(i % 50 == 0);
  }
  EXPECT_EQ(fast_decreases, 200);
  EXPECT_EQ(slow_decreases, 100);
}

// Fast Convergence III-D: Current Window < rand() % Max Window; each decrease that is due takes one draw.
TEST(ProbabilisticFeedback, IsDrawnByTheWindow) {
  Reference r;
  r.params.probabilistic = Probabilistic::keep;
  EXPECT_FALSE(r.params.per_round());
  for (std::uint64_t draw = 0; draw < 1'000; ++draw) {
    EXPECT_FALSE(r.ack(true, false).ignore);  // nothing is due
    EXPECT_TRUE(r.ack(false, true).move);     // an increase is never ignored
    ASSERT_EQ(r.ack(true, true).ignore, 0.5 < r.random.uniform(draw));
  }
}

// 10,000 draws with probability p: five standard deviations are 500 sqrt(p (1 - p)).
TEST(ProbabilisticFeedback, IsUsedInProportionToTheWindow) {
  for (const double window : {0.0, 10.0, 25.0, 50.0, 90.0, 100.0}) {
    Reference r;
    r.params.probabilistic = Probabilistic::retry;
    r.window = window;
    int used = 0;
    for (int i = 0; i < 10'000; ++i) used += r.decreases(true);
    const double p = window / 100;
    EXPECT_NEAR(used, 10'000 * p, 500 * std::sqrt(p * (1 - p))) << window;
  }
}

TEST(ProbabilisticFeedback, ThreeThingsCanReplaceADecrease) {
  Reference r;
  r.window = 0;
  r.params.probabilistic = Probabilistic::increase;
  auto v = r.ack(true, true);
  EXPECT_TRUE(v.ignore && v.move && v.new_round);
  r.params.probabilistic = Probabilistic::keep;
  v = r.ack(true, true);
  EXPECT_TRUE(v.ignore && !v.move && v.new_round);
  r.params.probabilistic = Probabilistic::retry;
  v = r.ack(true, true);
  EXPECT_TRUE(v.ignore && !v.move && !v.new_round);
}

}  // namespace
}  // namespace weir::cc::reference_update_test
