#include "weir/cc/nscc.h"

#include <gtest/gtest.h>

#include "tests/cc/loss_driven.h"

namespace weir::cc::nscc_test {
namespace {

using namespace literals;

// 100 Gb/s and 12 us, the network that the constants are for: a = 1, 150,000 B in flight. With a target of 12 us b = 1,
// alpha = 4 * 1,000 B / 12 us for a byte and a delay: 4 packets a round trip for a byte that has no delay.
FlowFacts facts() {
  FlowFacts f = loss_facts();
  f.base_rtt = f.network_rtt = 12_us;
  return f;
}

// The window begins with 75,000 B; the first acknowledgement of a test comes long after the start, and so adds eta, 150
// B, and what it brings itself.
struct Flow : Driven<Nscc> {
  explicit Flow(Nscc::Params p = {}, FlowFacts f = facts()) : Driven(with_window(p), f) {}
  static Nscc::Params with_window(Nscc::Params p) {
    p.initial_window = 0.5;
    return p;
  }
};

TEST(Nscc, StartsWithOneAndAHalfBandwidthDelayProducts) {
  EXPECT_EQ(Driven<Nscc>({}, facts()).control.window, 225'000_B);
  EXPECT_EQ(Driven<Nscc>(preset_of<Nscc::Params>(Nscc::presets(), "spraying"), facts()).control.window, 150'000_B);
  EXPECT_EQ(Driven<Nscc>({}, facts()).control.rate, Rate{});
}

// The network's round trip, or three quarters of it where switches trim, unless it is given.
TEST(Nscc, Target) {
  FlowFacts f = facts();
  EXPECT_EQ(Flow({}, f).a.target(), 12_us);
  f.trimming = true;
  EXPECT_EQ(Flow({}, f).a.target(), 9_us);
  EXPECT_EQ(Flow({.target_qdelay = 1_us}, f).a.target(), 1_us);
}

// At half the target: 1,000 B * (4,000 / 12 us) * 6 us = 2,000,000, divided by the window: 26 B, and 150 B.
TEST(Nscc, GrowsInProportionToTheMissingDelay) {
  Flow f;
  f.ack(1'000_us, {.rtt = 18_us});
  EXPECT_EQ(f.control.window, 75'176_B);
  // No more before 8 packets of 1,048 B are acknowledged, or a round trip has passed: nine packets bring 18,000,000 /
  // 75,176 = 239 B.
  f.acks(8, 1'001_us, {.rtt = 18_us});
  EXPECT_EQ(f.control.window, 75'176_B);
  f.ack(1'001_us, {.rtt = 18_us});
  EXPECT_EQ(f.control.window, 75'415_B);
  // A round trip after the last step: 2,000,000 / 75,415 = 26, and eta.
  f.ack(1'013_us, {.rtt = 18_us});
  EXPECT_EQ(f.control.window, 75'591_B);
}

// 5 packets a round trip: 1,000 B * 5,000 / 75,000 B = 66 B, and eta.
TEST(Nscc, GrowsFairlyAtLongDelaysWithoutMarks) {
  Flow f;
  f.ack(1'000_us, {.rtt = 24_us});
  EXPECT_EQ(f.control.window, 75'216_B);
}

TEST(Nscc, MarksWithoutDelayChangeNothing) {
  Flow f;
  f.ack(1'000_us, {.ecn = true, .rtt = 23_us});
  EXPECT_EQ(f.control.window, 75'150_B);  // eta
  f.acks(100, 1'001_us, {.ecn = true, .rtt = 23_us});
  EXPECT_EQ(f.control.window, 75'150_B);
}

// With the delay as it is, 24 us: 1 - 0.8 * 12/24 = 0.6. 45,000 and eta. Then not for a round trip; then 0.6 of 45,150
// and eta: 27,240. A delay of 47 us: 1 - 0.8 * 35/47 < 0.5.
TEST(Nscc, DecreasesByTheSmoothedDelayOncePerRoundTrip) {
  Flow f({.delay_gain = 1});
  f.ack(1'000_us, {.ecn = true, .rtt = 36_us});
  EXPECT_EQ(f.control.window, 45'150_B);
  f.acks(50, 1'012_us, {.ecn = true, .rtt = 36_us});
  EXPECT_EQ(f.control.window, 45'150_B + 150_B);
  Flow g({.delay_gain = 1});
  g.ack(1'000_us, {.ecn = true, .rtt = 36_us});
  g.ack(1'013_us, {.ecn = true, .rtt = 36_us});
  EXPECT_EQ(g.control.window, 27'240_B);
  Flow h({.delay_gain = 1});
  h.ack(1'000_us, {.ecn = true, .rtt = 59_us});
  EXPECT_EQ(h.control.window, 37'650_B);
}

// 0.0125 * 24 us = 0.3 us; without a mark it counts as a quarter of 12 us: 0.0125 * 3 us = 37,500 ps, and 0.9875 of
// what was. Below the target nothing decreases.
TEST(Nscc, SmoothsTheDelay) {
  Flow f;
  f.ack(1'000_us, {.ecn = true, .rtt = 36_us});
  EXPECT_EQ(f.a.average_delay(), 300_ns);
  EXPECT_EQ(f.control.window, 75'150_B);
  f.ack(1'001_us, {.rtt = 36_us});
  EXPECT_EQ(f.a.average_delay(), 333'750_ps);
  f.ack(1'002_us, {.rtt = 11_us});  // less than the path takes: a short packet
  EXPECT_EQ(f.a.average_delay(), 333'750_ps);
}

// After a window without delay, here from 76 packets on, each byte adds a quarter of itself.
TEST(Nscc, FastIncrease) {
  Flow f({.alpha = 0, .eta = 0});
  f.acks(75, 1'000_us, {.rtt = 12_us});
  EXPECT_EQ(f.control.window, 75'000_B);
  f.ack(1'000_us, {.rtt = 12_us});
  EXPECT_EQ(f.control.window, 75'250_B);
  f.ack(1'000_us, {.rtt = 12_us});
  EXPECT_EQ(f.control.window, 75'500_B);
  EXPECT_TRUE(f.a.fast());
  f.ack(1'000_us, {.rtt = 13_us});  // one delay ends it
  EXPECT_FALSE(f.a.fast());
  f.acks(75, 1'000_us, {.rtt = 12_us});
  EXPECT_EQ(f.control.window, 75'500_B);
}

// The first acknowledgement begins a period of 24 us. The delay is above 4 targets, and 9,000 B are less than 225,000 /
// 8: the window becomes those. Then marks of 30,000 B do not count, but what is not marked does.
TEST(Nscc, QuickAdapt) {
  Flow f({.delay_gain = 1});
  f.ack(1'000_us, {.rtt = 18_us});
  const auto before = f.control.window;
  f.acks(8, 1'010_us, {.ecn = true, .rtt = 20_us});
  EXPECT_EQ(f.control.window, before);
  f.ack(1'025_us, {.ecn = true, .in_flight = 30'000_B, .rtt = 61_us});
  EXPECT_EQ(f.control.window, 9'000_B);
  f.acks(29, 1'040_us, {.ecn = true, .rtt = 61_us});
  EXPECT_EQ(f.control.window, 9'000_B);
  f.ack(1'040_us, {.ecn = true, .rtt = 61_us});
  EXPECT_LT(f.control.window, 9'000_B);

  Flow off({.delay_gain = 1, .quick_adapt = false});
  off.ack(1'000_us, {.rtt = 18_us});
  off.ack(1'025_us, {.ecn = true, .in_flight = 30'000_B, .rtt = 61_us});
  EXPECT_GT(off.control.window, 30'000_B);
}

// Enough has arrived: 29,000 B are more than 225,000 / 8.
TEST(Nscc, QuickAdaptHasAGate) {
  Flow f;
  f.ack(1'000_us, {.rtt = 18_us});
  f.acks(28, 1'010_us, {.ecn = true, .rtt = 20_us});
  f.ack(1'025_us, {.ecn = true, .rtt = 61_us});
  EXPECT_GT(f.control.window, 75'000_B);
}

TEST(Nscc, LossesTakeTheirBytes) {
  Flow f;
  f.lose(1'000_us, 5'000_B, Loss::Kind::sack_hole);
  EXPECT_EQ(f.control.window, 70'000_B);
  f.lose(1'001_us, 5'000_B, Loss::Kind::timeout);
  EXPECT_EQ(f.control.window, 65'000_B);
  f.lose(1'002_us, 100'000_B, Loss::Kind::timeout);
  EXPECT_EQ(f.control.window, 1'048_B);  // one packet with its headers
}

// A trimmed packet counts as a delay of the network's round trip, and lets the next period adapt the window.
TEST(Nscc, Trimming) {
  Flow f;
  f.ack(1'000_us, {.rtt = 12_us});
  const auto before = f.control.window;
  f.lose(1'001_us, 1'000_B, Loss::Kind::trim);
  EXPECT_EQ(f.control.window, before - 1'000_B);
  EXPECT_EQ(f.a.average_delay(), 150_ns);  // 0.0125 * 12 us
  f.ack(1'025_us, {.rtt = 12_us});         // the period's end: 1,000 B of this one
  EXPECT_EQ(f.control.window, 1'048_B);
  // Or at once, if the period is over.
  Flow g;
  g.acks(5, 1'000_us, {.rtt = 12_us});
  g.acks(3, 1'001_us, {.rtt = 12_us});
  g.lose(1'030_us, 1'000_B, Loss::Kind::trim);
  EXPECT_EQ(g.control.window, 7'000_B);  // of the 8 the first began the period
}

TEST(Nscc, Snapshot) {
  expect_snapshot("nscc", answers_to_losses<Nscc>({}));
  expect_snapshot("nscc_spraying", answers_to_losses<Nscc>(preset_of<Nscc::Params>(Nscc::presets(), "spraying")));
}

}  // namespace
}  // namespace weir::cc::nscc_test
