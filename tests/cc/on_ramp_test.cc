// On-Ramp's rule, with figures computed by hand (claim C11).
#include "weir/cc/on_ramp.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace weir::cc::on_ramp_test {
namespace {

using namespace literals;

constexpr Time kT = 30_us;

OnRamp shim(const OnRamp::Params& params = {}) {
  OnRamp out;
  out.start(params, kT, 1_KB);
  return out;
}

TEST(OnRamp, DoesNothingBelowTheThreshold) {
  OnRamp o = shim();
  o.on_send(0, 1_KB, 0_us);
  o.on_or_ack(0, 30_us, 40_us);
  EXPECT_LE(o.next_packet(1'000), 40_us);
  EXPECT_EQ(o.paused(100_us), 0_us);
}

TEST(OnRamp, StrawmanPausesForTheExcessEachTime) {
  OnRamp o = shim({.rule = OnRamp::Rule::strawman});
  o.on_send(0, 1_KB, 0_us);
  o.on_send(1'000, 1_KB, 1_us);
  o.on_or_ack(0, 50_us, 60_us);
  EXPECT_EQ(o.next_packet(2'000), 80_us);
  o.on_or_ack(1'000, 55_us, 70_us);
  EXPECT_EQ(o.next_packet(2'000), 95_us);  // equation 2: what it has paused already does not count
  EXPECT_EQ(o.paused(70_us), 10_us);
  EXPECT_EQ(o.paused(200_us), 35_us);
}

// Equation 2 sets t_NextPkt, and does not only move it on.
TEST(OnRamp, ASmallerExcessShortensThePause) {
  OnRamp o = shim({.rule = OnRamp::Rule::strawman});
  o.on_send(0, 1_KB, 0_us);
  o.on_send(1'000, 1_KB, 1_us);
  o.on_or_ack(0, 130_us, 60_us);
  EXPECT_EQ(o.next_packet(2'000), 160_us);
  o.on_or_ack(1'000, 35_us, 70_us);
  EXPECT_EQ(o.next_packet(2'000), 75_us);
  EXPECT_EQ(o.paused(200_us), 15_us);
}

TEST(OnRamp, AShortDelayDoesNotEndThePause) {
  OnRamp o = shim({.rule = OnRamp::Rule::strawman});
  o.on_send(0, 1_KB, 0_us);
  o.on_send(1'000, 1_KB, 1_us);
  o.on_or_ack(0, 130_us, 60_us);
  o.on_or_ack(1'000, 10_us, 70_us);
  EXPECT_EQ(o.next_packet(2'000), 160_us);
}

// Equation 4 with beta = 1/2: half of what was paused within the packet's round trip is taken off.
TEST(OnRamp, TakesOffItsOwnPauses) {
  OnRamp o = shim({.initial_beta = 0.5});
  o.on_send(0, 1_KB, 0_us);
  o.on_send(1'000, 1_KB, 1_us);
  o.on_or_ack(0, 70_us, 80_us);  // no pause so far: 40 us
  EXPECT_EQ(o.next_packet(2'000), 120_us);
  // 1,000 left before the pause, so between the two packets there was none, and beta stays; of the pause 20 us have
  // passed
  o.on_or_ack(1'000, 70_us, 100_us);
  EXPECT_EQ(o.beta(), 0.5);
  EXPECT_EQ(o.next_packet(2'000), 100_us + 40_us - 10_us);
}

// Unless it is written, beta begins at 1: all of the 20 us that have passed are taken off, and the pause ends when the
// first OR-ACK said.
TEST(OnRamp, BeginsWithItsPausesInFull) {
  OnRamp o = shim();
  o.on_send(0, 1_KB, 0_us);
  o.on_send(1'000, 1_KB, 1_us);
  o.on_or_ack(0, 70_us, 80_us);
  o.on_or_ack(1'000, 70_us, 100_us);
  EXPECT_EQ(o.beta(), 1);
  EXPECT_EQ(o.next_packet(2'000), 120_us);
}

// Equation 3: beta_m = (O_B - O_G) / P_BG, within 0 and 1.
TEST(OnRamp, LearnsWhatAPauseDoes) {
  OnRamp o = shim({.gain = 0.25, .initial_beta = 0});
  o.on_send(0, 1_KB, 0_us);
  o.on_or_ack(0, 70_us, 80_us);    // pause from 80 to 120
  o.on_send(1'000, 1_KB, 120_us);  // P_BG = 40 us
  o.on_or_ack(1'000, 50_us, 200_us);
  EXPECT_DOUBLE_EQ(o.beta(), 0.25 * (20.0 / 40.0));
  // no pause within the round trip of 1,000: 20 us
  EXPECT_EQ(o.next_packet(2'000), 220_us);
  o.on_send(2'000, 1_KB, 220_us);  // P_BG = 20 us
  o.on_or_ack(2'000, 80_us, 300_us);
  EXPECT_DOUBLE_EQ(o.beta(), 0.75 * 0.125) << "a longer delay counts as 0";
  o.on_send(3'000, 1_KB, 350_us);  // P_BG = 50 us
  o.on_or_ack(3'000, 10_us, 400_us);
  EXPECT_DOUBLE_EQ(o.beta(), 0.75 * 0.09375 + 0.25) << "70 us less for 50 us of pause count as 1";
}

TEST(OnRamp, LateOrAcksCountForNothing) {
  OnRamp o = shim({.rule = OnRamp::Rule::strawman, .gain = 0.25, .initial_beta = 0});
  o.on_send(0, 1_KB, 0_us);
  o.on_send(1'000, 1_KB, 1_us);
  o.on_or_ack(1'000, 70_us, 80_us);
  for (const std::int64_t late : {0, 1'000}) {
    EXPECT_FALSE(o.departure(late));
    o.on_or_ack(late, 40_us, 81_us);
    o.on_or_ack(late, 900_us, 81_us);
  }
  EXPECT_EQ(o.beta(), 0);
  EXPECT_EQ(o.next_packet(2'000), 120_us);
  EXPECT_EQ(o.last_report().heard, 80_us);
}

TEST(OnRamp, UnknownPacketsAreIgnored) {
  OnRamp o = shim();
  o.on_or_ack(5'000, 90_us, 100_us);
  EXPECT_EQ(o.paused(1_ms), 0_us);
  EXPECT_FALSE(o.departure(5'000));
}

TEST(OnRamp, ASegmentIsTimedAndHeldAsAWhole) {
  OnRamp o = shim({.segment = 3_KB});
  o.on_send(0, 1_KB, 0_us);
  o.on_send(1'000, 1_KB, 5_us);
  EXPECT_EQ(o.departure(1'000).sent(), 0_us);
  o.on_or_ack(0, 70_us, 80_us);
  EXPECT_EQ(o.next_packet(2'000), 0_us) << "the rest of the segment has left On-Ramp's hands";
  EXPECT_EQ(o.next_packet(3'000), 120_us);
  o.on_send(2'000, 1_KB, 81_us);
  o.on_send(3'000, 1_KB, 120_us);
  EXPECT_EQ(o.departure(3'000).sent(), 120_us);
  o.on_send(4'000, 1_KB, 130_us);
  o.on_send(3'000, 1_KB, 500_us, true);
  EXPECT_FALSE(o.departure(3'000)) << "of one sent again an OR-ACK tells nothing";
  EXPECT_EQ(o.departure(4'000).sent(), 120_us);
}

// Of a host's stack each segment has a size of its own, the last ones often that of a packet.
TEST(OnRamp, SegmentsHaveSizesOfTheirOwn) {
  OnRamp o = shim();
  o.next_segment(2_KB);
  o.on_send(0, 1_KB, 0_us);
  o.next_segment(1_KB);
  o.on_send(1'000, 1_KB, 5_us);
  EXPECT_EQ(o.departure(1'000).sent(), 0_us);
  o.next_segment(1_KB);
  o.on_send(2'000, 1_KB, 6_us);
  EXPECT_EQ(o.departure(2'000).sent(), 6_us);
  o.next_segment(3_KB);
  o.on_send(3'000, 1_KB, 7_us);
  o.on_or_ack(0, 70_us, 80_us);
  EXPECT_EQ(o.next_packet(4'000), 0_us);
  EXPECT_EQ(o.next_packet(6'000), 120_us);
  EXPECT_EQ(o.pause_end(), 120_us);  // for what is sent again
}

TEST(OnRamp, RemembersForTheNextFlow) {
  OnRamp o = shim();
  o.remember(70_us, 100_us);
  EXPECT_EQ(o.next_packet(0), 140_us);
  o = shim();
  o.remember(20_us, 100_us);
  EXPECT_EQ(o.next_packet(0), 0_us);
}

// Bytes that have left before in the midst of a segment end it: the rest leaves later, and may be held.
TEST(OnRamp, ARepetitionEndsItsSegment) {
  OnRamp o = shim({.segment = 4_KB});
  o.on_send(0, 1_KB, 0_us);
  o.on_send(1'000, 1_KB, 1_us);
  o.on_or_ack(0, 70_us, 80_us);
  o.on_send(0, 1_KB, 81_us, true);
  EXPECT_EQ(o.next_packet(2'000), 120_us);
  EXPECT_EQ(o.departure(1'000).sent(), 0_us);
  o.on_send(1'000, 1_KB, 120_us, true);
  o.on_send(2'000, 1_KB, 121_us);
  EXPECT_FALSE(o.departure(1'000));
  EXPECT_EQ(o.departure(2'000).sent(), 121_us);
}

TEST(OnRamp, KnowsWhenAllThatIsInFlightHasLeft) {
  OnRamp o = shim();
  for (std::int64_t n = 0; n < 1'000; ++n) {
    o.on_send(n * 1'000, 1_KB, n * 1_us);
    if (n >= 700) o.on_or_ack((n - 700) * 1'000, 10_us, n * 1_us);
  }
  int exact = 0;
  for (std::int64_t n = 300; n < 980; ++n) {
    const OnRamp::Departure departure = o.departure(n * 1'000);
    ASSERT_TRUE(departure) << n;
    EXPECT_LE(std::abs((departure.sent() - n * 1_us).ps), 200);
    exact += departure.sent() == n * 1_us;
  }
  EXPECT_GT(exact, 50);
}

// Packets shorter than others are noted like them.
TEST(OnRamp, PacketsMayBeOfAnyLength) {
  OnRamp o = shim();
  for (std::int64_t n = 0; n < 100; ++n) o.on_send(n * 10, 10_B, n * 1_us);
  EXPECT_EQ(o.departure(990).sent(), 99_us);
}

// A flow of more than 4 GiB: the rule counts bytes modulo 2^32.
TEST(OnRamp, FlowsAreOfAnySize) {
  OnRamp o = shim({.rule = OnRamp::Rule::strawman});
  for (std::int64_t n = 0; n < 5'000; ++n) {
    const Time at = n * 100_us;
    o.on_send(n * 1'000'000, 1_MB, at);
    o.on_or_ack(n * 1'000'000, 40_us, at + 50_us);
    ASSERT_EQ(o.next_packet((n + 1) * 1'000'000), at + 60_us) << n;
  }
}

TEST(OnRamp, ThresholdIsGivenOrDerived) {
  EXPECT_EQ(threshold_of({.T = 50_us}, 6_us), 50_us);
  EXPECT_EQ(threshold_of({}, 6_us), 16_us);
}

}  // namespace
}  // namespace weir::cc::on_ramp_test
