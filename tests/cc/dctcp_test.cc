#include "weir/cc/dctcp.h"

#include <gtest/gtest.h>

#include "tests/cc/loss_driven.h"

namespace weir::cc::dctcp_test {
namespace {

using namespace literals;

struct Flow : Driven<Dctcp> {
  using Driven::Driven;
  // A window of ten packets, the first `marked` of which come back marked: all sent after the last one's end. After
  // the first acknowledgement of a flow, which is an observation window by itself.
  void window(Time now, int marked) {
    for (int i = 0; i < 10; ++i) ack(now, {.ecn = i < marked, .in_flight = 9'000_B});
  }
};

Dctcp::Params preset(std::string_view name) { return preset_of<Dctcp::Params>(Dctcp::presets(), name); }

TEST(Dctcp, Starts) {
  const Flow f;
  EXPECT_EQ(f.control.window, 10'000_B);
  EXPECT_EQ(f.control.rate, 0_bps);
  EXPECT_EQ(f.a.alpha(), 1);
  // Without slow start: 100e9 / 8 * 13e-6 = 162,500 B, the network's largest round trip; or what T says.
  const Flow g(preset("hpcc"));
  EXPECT_EQ(g.control.window, 162'500_B);
  EXPECT_EQ(g.a.threshold(), 162'500_B);
  EXPECT_EQ(Flow({.start = Dctcp::Start::line_rate, .base_rtt = 4_us}).control.window, 50'000_B);
}

TEST(Dctcp, StateIsSmall) { EXPECT_LE(sizeof(Dctcp), 128u); }

// RFC 8257, section 3.3. The first acknowledgement ends a window: alpha = 15/16. The next ends when more than snd_nxt
// = 10,000 is acknowledged: ten packets, four of them marked. alpha = 15/16 * 15/16 + 0.4/16 = 0.87890625 + 0.025.
// A window without marks: 0.90390625 * 15/16 = 0.847412109375.
TEST(Dctcp, AlphaByHand) {
  Flow f;
  f.ack(10_us, {.in_flight = 9'000_B});
  EXPECT_NEAR(f.a.alpha(), 0.9375, 1e-15);
  f.window(20_us, 4);
  EXPECT_NEAR(f.a.alpha(), 0.90390625, 1e-15);
  f.window(30_us, 0);
  EXPECT_NEAR(f.a.alpha(), 0.847412109375, 1e-15);
}

// Bytes count, not acknowledgements: 3,000 of 10,000 B.
TEST(Dctcp, AlphaCountsBytes) {
  Flow f({.g = 0.5});
  f.ack(10_us, {.in_flight = 9'000_B});
  ASSERT_EQ(f.a.alpha(), 0.5);
  f.ack(20_us, {.acked = 3'000_B, .ecn = true, .in_flight = 6'000_B});
  f.ack(20_us, {.acked = 6'000_B, .in_flight = 0_B});
  f.ack(20_us, {.acked = 1'000_B, .in_flight = 9'000_B});
  EXPECT_NEAR(f.a.alpha(), 0.25 + 0.15, 1e-15);
}

// The cut takes alpha as the same acknowledgement left it: 10,000 + 1,000 of slow start, then alpha = 15/16 * 15/16 +
// 1/160 = 0.88515625 at the end of the window, whose last packet alone is marked, and 9 more packets of slow start:
// 20,000 (1 - 0.442578125) = 11,148.4375.
TEST(Dctcp, CutsInProportion) {
  Flow f;
  f.ack(10_us, {.in_flight = 9'000_B});
  f.acks(9, 20_us, {.in_flight = 9'999_B});
  ASSERT_EQ(f.control.window, 20'000_B);
  f.ack(20_us, {.ecn = true, .in_flight = 10'000_B});
  EXPECT_NEAR(f.a.alpha(), 0.88515625, 1e-15);
  EXPECT_EQ(f.control.window, 11'148_B);
  EXPECT_EQ(f.a.threshold(), 11'148_B);
  // Congestion avoidance from here: one packet for 11,148 B acknowledged.
  f.acks(11, 30_us);
  EXPECT_EQ(f.control.window, 11'148_B);
  f.ack(30_us);
  EXPECT_EQ(f.control.window, 12'148_B);
}

// Once per window of data, whether marks or losses tell (RFC 8257, section 3.5), and no growth until it is over.
TEST(Dctcp, OneCutPerWindow) {
  Flow f({.g = 0});  // alpha stays 1: every cut halves
  f.ack(10_us, {.ecn = true});
  EXPECT_EQ(f.control.window, 5'000_B);
  f.acks(4, 12_us, {.ecn = true, .sent_at = 9_us});
  f.acks(40, 12_us, {.sent_at = 9_us});
  f.lose(13_us, 5'000_B);
  EXPECT_EQ(f.control.window, 5'000_B);
  f.ack(20_us, {.ecn = true});
  EXPECT_EQ(f.control.window, 2'500_B);
}

// A loss halves whatever alpha is; a timeout leaves one packet, and a mark then does not raise the window.
TEST(Dctcp, LossesAreRenos) {
  Flow f({.initial_alpha = 0});
  f.lose(10_us, 10'000_B);
  EXPECT_EQ(f.control.window, 5'000_B);
  f.ack(20_us, {.in_flight = 4'000_B});
  f.lose(30_us, 5'000_B, Loss::Kind::timeout);
  EXPECT_EQ(f.control.window, 1'000_B);
  EXPECT_EQ(f.a.threshold(), 2'500_B);
  f.ack(40_us, {.ecn = true});
  EXPECT_EQ(f.control.window, 1'000_B);
}

TEST(Dctcp, MarksLeaveALeastWindow) {
  for (const std::int64_t least : {1, 2}) {
    Flow f({.g = 0, .min_window = least});
    for (int i = 1; i < 10; ++i) f.ack(i * 10_us, {.ecn = true});
    EXPECT_EQ(f.control.window.count, 1'000 * least);
  }
}

// Where alpha has died down a cut is small, and growth makes up for it in a round or two: 162,500 (1 - 0.02) = 159,250.
TEST(Dctcp, WithoutSlowStartItNeverExceedsItsFirstWindow) {
  auto params = preset("hpcc");
  params.g = 0;
  params.initial_alpha = 0.04;
  Flow f(params);
  f.acks(500, 10_us);
  EXPECT_EQ(f.control.window, 162'500_B);
  f.ack(20_us, {.ecn = true});
  EXPECT_EQ(f.control.window, 159'250_B);
  f.acks(159, 30_us);
  EXPECT_EQ(f.control.window, 159'250_B);
  f.ack(30_us);
  EXPECT_EQ(f.control.window, 160'250_B);
  f.acks(1'000, 40_us);
  EXPECT_EQ(f.control.window, 162'500_B);
}

// SIGCOMM'10 section 3.3 in a fluid: where the fraction F of marks is constant, alpha tends to it, whatever it was.
TEST(Dctcp, AlphaTendsToTheFractionOfMarks) {
  for (const int marked : {0, 3, 10}) {
    Flow f;
    f.ack(10_us, {.in_flight = 9'000_B});
    for (int i = 1; i <= 200; ++i) f.window(i * 10_us + 10_us, marked);
    EXPECT_NEAR(f.a.alpha(), marked / 10.0, 3e-6);  // (15/16)^200 = 2.5e-6
  }
}

TEST(Dctcp, Snapshot) {
  expect_snapshot("dctcp", answers_to_losses<Dctcp>({}));
  expect_snapshot("dctcp_hpcc", answers_to_losses<Dctcp>(preset("hpcc")));
}

}  // namespace
}  // namespace weir::cc::dctcp_test
