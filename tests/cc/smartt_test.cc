#include "weir/cc/smartt.h"

#include <gtest/gtest.h>

#include "tests/cc/loss_driven.h"

namespace weir::cc::smartt_test {
namespace {

using namespace literals;

constexpr double kTiny = 1e-6;

// 100 Gb/s and 12 us: a bandwidth-delay product of 150,000 B, 150 packets, where windows begin. The target is 18 us.
FlowFacts facts() {
  FlowFacts f = loss_facts();
  f.base_rtt = f.network_rtt = 12_us;
  return f;
}

struct Flow : Driven<Smartt> {
  explicit Flow(Smartt::Params p = preset_of<Smartt::Params>(Smartt::presets(), "model")) : Driven(p, facts()) {}
};

// r = 15 us: 2 * 3/15 + 0.25 = 0.65 packets per window, as A of theorem 4 with alpha = 15/12: (12 - 7 * 1.25) / 5.
TEST(Smartt, IncreasesByBothBelowTheTarget) {
  Flow f;
  EXPECT_EQ(f.a.window(), 150'000);
  f.ack(1'000_us, {.rtt = 15_us});
  EXPECT_NEAR(f.a.window(), 150'000 + 0.65 * 1'000 / 150, kTiny);
}

TEST(Smartt, IncreasesFairlyAboveTheTarget) {
  Flow f;
  f.ack(1'000_us, {.rtt = 18_us});
  EXPECT_NEAR(f.a.window(), 150'000 + 0.25 * 1'000 / 150, kTiny);
}

// At twice the target: 2 * (36 - 18) / 36 = 1, the packet itself; then 0.8 / 150 of the window. A longer delay is no
// more.
TEST(Smartt, DecreasesByBothAboveTheTarget) {
  for (const Time rtt : {36_us, 90_us}) {
    Flow f;
    f.ack(1'000_us, {.ecn = true, .rtt = rtt});
    EXPECT_NEAR(f.a.window(), 149'000 * (1 - 0.8 / 150), kTiny);
  }
  auto params = Flow().params;
  params.decrease_limit = Smartt::Decrease::sum;
  Flow sum(params);
  sum.ack(1'000_us, {.ecn = true, .rtt = 36_us});
  EXPECT_NEAR(sum.a.window(), 149'000, kTiny);
  Flow less(params);  // 2 * 2/20 + 0.8 is just one
  less.ack(1'000_us, {.ecn = true, .rtt = 20_us});
  EXPECT_NEAR(less.a.window(), 149'000, kTiny);
}

TEST(Smartt, DecreasesFairlyBelowTheTarget) {
  Flow f;
  f.ack(1'000_us, {.ecn = true, .rtt = 17_us});
  EXPECT_NEAR(f.a.window(), 150'000 - 0.8 * 1'000, kTiny);
}

// Smoothed by 1/8, marks exceed a quarter with the third in a row: 0.125, 0.234, 0.330.
TEST(Smartt, WaitsToDecrease) {
  auto params = Flow().params;
  params.wait_to_decrease = true;
  Flow f(params);
  f.acks(2, 1'000_us, {.ecn = true, .rtt = 36_us});
  EXPECT_EQ(f.a.window(), 150'000);
  f.ack(1'000_us, {.ecn = true, .rtt = 36_us});
  EXPECT_NEAR(f.a.marked(), 0.330078125, kTiny);
  EXPECT_NEAR(f.a.window(), 149'000 * (1 - 0.8 / 150), kTiny);
}

// No queue is less than five packets' time, 5 * 83.84 ns. After 150 packets of that, two for each.
TEST(Smartt, FastIncrease) {
  auto params = Flow().params;
  params.fast_increase = 2;
  params.mi = params.fi = 0;
  params.max_window = 2;
  Flow f(params);
  f.acks(150, 1'000_us, {.rtt = 12'419_ns});
  EXPECT_EQ(f.a.window(), 150'000);
  f.ack(1'000_us, {.rtt = 12'419_ns});
  EXPECT_EQ(f.a.window(), 152'000);
  f.ack(1'000_us, {.rtt = 12'419_ns});
  EXPECT_EQ(f.a.window(), 154'000);
  f.ack(1'000_us, {.rtt = 12'420_ns});
  f.ack(1'000_us, {.rtt = 12'419_ns});
  EXPECT_EQ(f.a.window(), 154'000);
}

// Lost within a period of 18 us that began with the acknowledgement at 1,000 us: at its end the window is what has
// arrived in it, four packets. What is in flight then does not count.
TEST(Smartt, QuickAdapt) {
  Flow f;
  f.ack(1'000_us, {.rtt = 18_us});
  f.lose(1'001_us, 10'000_B);
  f.acks(3, 1'010_us, {.rtt = 18_us});
  EXPECT_GT(f.a.window(), 150'000);
  f.ack(1'018_us, {.in_flight = 5'000_B, .rtt = 18_us});
  EXPECT_EQ(f.a.window(), 4'000);
  f.acks(5, 1'019_us, {.ecn = true, .rtt = 36_us});
  EXPECT_EQ(f.a.window(), 4'000);
  f.ack(1'019_us, {.ecn = true, .rtt = 36_us});
  EXPECT_LT(f.a.window(), 4'000);
  auto params = Flow().params;
  params.quick_adapt = false;
  Flow off(params);
  off.lose(1'000_us, 10'000_B);
  EXPECT_EQ(off.a.window(), 150'000);
}

TEST(Smartt, WindowStaysWithinItsBounds) {
  Flow f;
  f.acks(10'000, 1'000_us, {.rtt = 12_us});
  f.acks(10'000, 1'000_us, {.rtt = 12_us});
  EXPECT_NEAR(f.a.window(), 187'500, 1);
  f.acks(10'000, 1'000_us, {.ecn = true, .rtt = 100_us});
  EXPECT_EQ(f.a.window(), 1'000);
}

TEST(Smartt, Snapshot) {
  expect_snapshot("smartt", answers_to_losses<Smartt>({}));
  expect_snapshot("smartt_model", answers_to_losses<Smartt>(Flow().params));
}

}  // namespace
}  // namespace weir::cc::smartt_test
