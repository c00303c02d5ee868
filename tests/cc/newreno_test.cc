#include "weir/cc/newreno.h"

#include <gtest/gtest.h>

#include "tests/cc/loss_driven.h"

namespace weir::cc::newreno_test {
namespace {

using namespace literals;

using Flow = Driven<NewReno>;

TEST(NewReno, StartsWithTheInitialWindow) {
  EXPECT_EQ(Flow().control.window, 10'000_B);
  EXPECT_EQ(Flow({.initial_window = 3}).control.window, 3'000_B);
  EXPECT_EQ(Flow().control.rate, 0_bps);
  EXPECT_EQ(Flow().control.timer, kNoTimer);
}

TEST(NewReno, StateIsSmall) { EXPECT_LE(sizeof(NewReno), 64u); }

// RFC 5681 equation 2: the bytes acknowledged, but one packet at most for each acknowledgement; RFC 3465 allows two.
TEST(NewReno, SlowStartCountsBytes) {
  Flow f;
  f.acks(10, 10_us);
  EXPECT_EQ(f.control.window, 20'000_B);
  f.ack(11_us, {.acked = 400_B});
  EXPECT_EQ(f.control.window, 20'400_B);
  f.ack(12_us, {.acked = 5'000_B});
  EXPECT_EQ(f.control.window, 21'400_B);
  Flow g({.abc_limit = 2});
  g.ack(12_us, {.acked = 5'000_B});
  EXPECT_EQ(g.control.window, 12'000_B);
}

// A loss with 20,000 B in flight: window and threshold 10,000 B. Then one packet for each window acknowledged: after
// 10 packets 11,000 B, after 11 more 12,000 B. Three times 5,500 B are 12,000 B, and 4,500 B of the 13,000 B that the
// next one takes: nine packets more.
TEST(NewReno, CongestionAvoidanceCountsBytes) {
  Flow f;
  f.lose(10_us, 20'000_B);
  EXPECT_EQ(f.control.window, 10'000_B);
  EXPECT_EQ(f.a.threshold(), 10'000_B);
  f.acks(9, 20_us);
  EXPECT_EQ(f.control.window, 10'000_B);
  f.ack(20_us);
  EXPECT_EQ(f.control.window, 11'000_B);
  f.acks(10, 30_us);
  EXPECT_EQ(f.control.window, 11'000_B);
  f.ack(30_us);
  EXPECT_EQ(f.control.window, 12'000_B);
  f.acks(2, 40_us, {.acked = 5'500_B});
  EXPECT_EQ(f.control.window, 12'000_B);
  f.ack(40_us, {.acked = 5'500_B});
  EXPECT_EQ(f.control.window, 13'000_B);
  f.acks(8, 50_us);
  EXPECT_EQ(f.control.window, 13'000_B);
  f.ack(50_us);
  EXPECT_EQ(f.control.window, 14'000_B);
}

// Until something sent after the reduction has been heard of, nothing reduces the window again and nothing raises it.
TEST(NewReno, OneReductionPerRoundTrip) {
  Flow f;
  f.acks(10, 10_us);
  f.lose(20_us, 20'000_B);
  ASSERT_EQ(f.control.window, 10'000_B);
  f.acks(30, 25_us, {.sent_at = 19_us});
  f.lose(26_us, 10'000_B);
  EXPECT_EQ(f.control.window, 10'000_B);
  EXPECT_EQ(f.a.threshold(), 10'000_B);
  // A packet sent after it: now the loss of one is news (RFC 5681, section 4.3), though go-back-N sends it again.
  f.ack(30_us, {.sent_at = 20_us});
  f.lose(31_us, 10'000_B);
  EXPECT_EQ(f.control.window, 5'000_B);
  EXPECT_EQ(f.a.threshold(), 5'000_B);
}

// Where single packets are repaired, holes below what had been sent at the reduction are of one event (RFC 6582).
TEST(NewReno, HolesOfOneWindowAreOneEvent) {
  Flow f;
  f.lose(20_us, 20'000_B, Loss::Kind::sack_hole);
  ASSERT_EQ(f.control.window, 10'000_B);
  f.acks(19, 30_us, {.acked = 1'000_B, .in_flight = 10'000_B});
  f.lose(31_us, 10'000_B, Loss::Kind::sack_hole);
  EXPECT_EQ(f.control.window, 11'000_B);  // ten packets made it grow
  f.ack(32_us, {.in_flight = 10'000_B});  // the first byte missing is now 20,000
  f.lose(33_us, 12'000_B, Loss::Kind::sack_hole);
  EXPECT_EQ(f.control.window, 6'000_B);
}

// RFC 5681 equation 4: max(FlightSize / 2, 2 SMSS). What is in flight counts, not the window.
TEST(NewReno, HalvesWhatIsInFlight) {
  Flow f;
  f.lose(10_us, 7'000_B);
  EXPECT_EQ(f.control.window, 3'500_B);
  f.ack(20_us, {.in_flight = 2'500_B});
  f.lose(21_us, 3'000_B);
  EXPECT_EQ(f.control.window, 2'000_B);
  EXPECT_EQ(f.a.threshold(), 2'000_B);
}

// A timeout leaves one packet; slow start up to half of what was in flight, 8,000 B; then one packet per window.
TEST(NewReno, TimeoutStartsSlowly) {
  Flow f;
  f.acks(6, 10_us);
  f.lose(20_us, 16'000_B, Loss::Kind::timeout);
  EXPECT_EQ(f.control.window, 1'000_B);
  EXPECT_EQ(f.a.threshold(), 8'000_B);
  f.acks(7, 30_us);
  EXPECT_EQ(f.control.window, 8'000_B);
  f.acks(7, 40_us);
  EXPECT_EQ(f.control.window, 8'000_B);
  f.ack(40_us);
  EXPECT_EQ(f.control.window, 9'000_B);
}

// RFC 5681, section 3.1: the threshold stays where the same packet times out again.
TEST(NewReno, TimeoutsInARowKeepTheThreshold) {
  Flow f;
  f.lose(20_us, 16'000_B, Loss::Kind::timeout);
  f.lose(40_us, 1'000_B, Loss::Kind::timeout);
  EXPECT_EQ(f.control.window, 1'000_B);
  EXPECT_EQ(f.a.threshold(), 8'000_B);
  f.ack(50_us);
  f.lose(70_us, 2'000_B, Loss::Kind::timeout);
  EXPECT_EQ(f.control.window, 1'000_B);
  EXPECT_EQ(f.a.threshold(), 2'000_B);
}

// NACKs of what was sent before a timeout do not count either; a window of one packet is never raised by a loss.
TEST(NewReno, LossesAfterATimeout) {
  Flow f;
  f.lose(20_us, 16'000_B, Loss::Kind::timeout);
  f.ack(21_us, {.acked = 0_B, .sent_at = 10_us});
  f.lose(21_us, 1'000_B);
  EXPECT_EQ(f.a.threshold(), 8'000_B);
  f.ack(30_us, {.acked = 0_B});
  f.lose(30_us, 1'000_B);
  EXPECT_EQ(f.control.window, 1'000_B);
  EXPECT_EQ(f.a.threshold(), 2'000_B);
}

// RFC 7661: a window that is not even half used does not grow, neither in slow start nor later.
TEST(NewReno, AnUnusedWindowDoesNotGrow) {
  Flow f;
  f.acks(20, 10_us, {.in_flight = 4'000_B});  // 5,000 B before the acknowledgement
  EXPECT_EQ(f.control.window, 10'000_B);
  f.ack(10_us, {.in_flight = 4'001_B});
  EXPECT_EQ(f.control.window, 11'000_B);
  f.lose(20_us, 20'000_B);
  f.acks(20, 30_us, {.in_flight = 4'000_B});
  EXPECT_EQ(f.control.window, 10'000_B);
}

TEST(NewReno, MarksCountIfAskedTo) {
  Flow deaf;
  deaf.ack(10_us, {.ecn = true});
  EXPECT_EQ(deaf.control.window, 11'000_B);
  Flow f({.ecn = true});
  f.ack(10_us, {.ecn = true, .in_flight = 9'000_B});  // 10,000 B before it
  EXPECT_EQ(f.control.window, 5'000_B);
  f.acks(5, 12_us, {.ecn = true, .sent_at = 9_us});
  EXPECT_EQ(f.control.window, 5'000_B);
  f.ack(20_us, {.ecn = true, .in_flight = 4'000_B});
  EXPECT_EQ(f.control.window, 2'500_B);
}

// RFC 3168, section 6.1.2: down to one packet; Linux stops at two.
TEST(NewReno, MarksLeaveALeastWindow) {
  for (const std::int64_t least : {1, 2}) {
    Flow f({.ecn = true, .min_window = least});
    for (int i = 1; i < 10; ++i) f.ack(i * 10_us, {.ecn = true});
    EXPECT_EQ(f.control.window.count, 1'000 * least);
  }
}

TEST(NewReno, Snapshot) {
  expect_snapshot("newreno", answers_to_losses<NewReno>({}));
  expect_snapshot("newreno_ecn", answers_to_losses<NewReno>({.abc_limit = 2, .ecn = true}));
}

}  // namespace
}  // namespace weir::cc::newreno_test
