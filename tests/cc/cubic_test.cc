#include "weir/cc/cubic.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>

#include "tests/cc/loss_driven.h"

namespace weir::cc::cubic_test {
namespace {

using namespace literals;

// Round trips of a second, as if to the moon, where the curve matters.
FlowFacts far() {
  FlowFacts f = loss_facts();
  f.base_rtt = 1_s;
  return f;
}
constexpr Heard kFar{.rtt = 1'000'000_us};

using Flow = Driven<Cubic>;

TEST(Cubic, StartsSlowly) {
  Flow f;
  EXPECT_EQ(f.control.window, 10'000_B);
  f.acks(10, 10_us);
  EXPECT_EQ(f.control.window, 20'000_B);
  f.ack(10_us, {.acked = 3'000_B});
  EXPECT_EQ(f.control.window, 21'000_B);
}

TEST(Cubic, StateIsSmall) { EXPECT_LE(sizeof(Cubic), 128u); }

// W_max = 36 packets, beta = 0.7: cwnd_epoch = 25.2 and K = cbrt(10.8 / 0.4) = cbrt(27) = 3 s. The first
// acknowledgement of congestion avoidance begins the epoch; each moves the window to W(t + RTT) = 0.4 (t + 1 - 3)^3 +
// 36, in a window:
//   t = 0  W(1) = 32.8   25.2 + 7.6 / 25.2                    = 25.501587...
//   t = 2  W(3) = 36     25.501587 + 10.498413 / 25.501587    = 25.913264...
//   t = 5  W(6) = 46.8   but 1.5 cwnd = 38.869896: + 0.5      = 26.413264...
TEST(Cubic, TheCurveByHand) {
  Flow f({.reno_friendly = false, .initial_window = 36}, far());
  f.lose(10_s, 36'000_B);
  EXPECT_NEAR(f.a.window(), 25.2, 1e-12);
  EXPECT_NEAR(f.a.threshold(), 25.2, 1e-12);
  EXPECT_EQ(f.a.w_max(), 36);
  f.ack(20_s, kFar);
  EXPECT_NEAR(f.a.k(), 3, 1e-12);
  double w = 25.2 + 7.6 / 25.2;
  EXPECT_NEAR(f.a.window(), w, 1e-12);
  f.ack(22_s, {.sent_at = 20_s, .rtt = 1_s});
  w += (36 - w) / w;
  EXPECT_NEAR(f.a.window(), w, 1e-12);
  EXPECT_NEAR(f.a.window(), 25.913264, 1e-6);
  f.ack(25_s, {.sent_at = 22_s, .rtt = 1_s});
  EXPECT_NEAR(f.a.window(), w + 0.5, 1e-12);
  EXPECT_EQ(f.control.window, 26'413_B);
}

// Where the curve is flat the window stays, and never falls: at t + RTT = K the target is W_max exactly.
TEST(Cubic, StaysAtTheTop) {
  Flow f({.reno_friendly = false, .initial_window = 36}, far());
  f.lose(10_s, 36'000_B);
  f.ack(20_s, kFar);
  Time now = 20_s;
  for (int i = 0; i < 20'000; ++i) f.ack(22_s, {.sent_at = 20_s, .rtt = 1_s});
  EXPECT_NEAR(f.a.window(), 36, 1e-6);
  // Beyond, W(4) = 36.4: the same distance as W(2) below.
  now = 23_s;
  for (int i = 0; i < 20'000; ++i) f.ack(now, {.sent_at = 22_s, .rtt = 1_s});
  EXPECT_NEAR(f.a.window(), 36.4, 1e-6);
}

// A loss below the previous W_max: W_max = cwnd (1 + beta) / 2.
TEST(Cubic, FastConvergence) {
  for (const bool fast : {true, false}) {
    Flow f({.fast_convergence = fast, .reno_friendly = false, .initial_window = 36}, far());
    f.lose(10_s, 36'000_B);
    f.ack(20_s, kFar);
    const double w = f.a.window();
    f.lose(21_s, Bytes{25'000});
    EXPECT_NEAR(f.a.w_max(), fast ? w * 0.85 : w, 1e-12);
    EXPECT_NEAR(f.a.window(), 17.5, 1e-12);
  }
}

// Section 4.3. Round trips of 10 us: the curve has not moved, W(t) = 25.2 + 32 us * 10.8 / s, so that the window is
// W_est, which gains 9/17 of a packet per window: alpha = 3 * 0.3 / 1.7.
//   25.2 + 9/17 / 25.2 = 25.221008...,  + 9/17 / 25.221008 = 25.241999...
TEST(Cubic, ReachesForRenoWhereRoundTripsAreShort) {
  Flow f({.initial_window = 36});
  f.lose(10_us, 36'000_B);
  f.ack(20_us);
  double w = 25.2 + 9.0 / 17 / 25.2;
  EXPECT_NEAR(f.a.window(), w, 1e-12);
  f.ack(21_us, {.sent_at = 10_us});
  w += 9.0 / 17 / w;
  EXPECT_NEAR(f.a.window(), w, 1e-12);
  EXPECT_NEAR(f.a.window(), 25.241999, 1e-6);
  EXPECT_EQ(f.a.window(), f.a.w_est());
}

// alpha = 1 from where the window was at the loss, 36 packets, on; Reno's window, no more and no less.
TEST(Cubic, IsRenoBeyondThePreviousWindow) {
  Flow f({.initial_window = 36});
  f.lose(10_us, 36'000_B);
  for (int i = 0; f.a.window() < 36 && i < 2'000; ++i) f.ack(20_us, {.sent_at = 10_us});
  ASSERT_GE(f.a.window(), 36);
  for (int i = 0; i < 100; ++i) {
    const double w = f.a.window();
    f.ack(20_us, {.sent_at = 10_us});
    ASSERT_NEAR(f.a.window(), w + 1 / w, 1e-12);
  }
}

// Several packets in one acknowledgement are so many acknowledgements, but for the window that they see.
TEST(Cubic, CountsPackets) {
  Flow f({.initial_window = 36});
  f.lose(10_us, 36'000_B);
  f.ack(20_us, {.acked = 2'500_B});
  EXPECT_NEAR(f.a.window(), 25.2 + 9.0 / 17 * 2.5 / 25.2, 1e-12);
}

// Section 4.6: flight size, and no less than two packets, one for marks; the threshold two.
TEST(Cubic, ReducesWhatIsInFlight) {
  Flow f;
  f.lose(10_us, 6'000_B);
  EXPECT_NEAR(f.a.window(), 4.2, 1e-12);
  f.ack(20_us, {.acked = 0_B});
  f.lose(20_us, 2'000_B);
  EXPECT_EQ(f.control.window, 2'000_B);
  EXPECT_EQ(f.a.threshold(), 2);
  Flow g({.ecn = true});
  g.ack(10_us, {.ecn = true, .in_flight = 0_B});
  EXPECT_EQ(g.control.window, 1'000_B);
  EXPECT_EQ(g.a.threshold(), 2);
}

// Whole packets are in flight, more than the window if that is not whole; they do not keep it above one packet.
TEST(Cubic, MarksLeaveALeastWindow) {
  for (const std::int64_t least : {1, 2}) {
    Flow f({.ecn = true, .min_window = least});
    for (int i = 1; i < 20; ++i) {
      const std::int64_t packets = (f.control.window.count + 999) / 1'000;
      f.ack(i * 10_us, {.ecn = true, .in_flight = Bytes{1'000 * (packets - 1)}});
    }
    EXPECT_EQ(f.control.window.count, 1'000 * least);
    EXPECT_EQ(f.a.threshold(), 2);
  }
}

TEST(Cubic, OneReductionPerRoundTrip) {
  Flow f({.ecn = true});
  f.ack(10_us, {.ecn = true, .in_flight = 9'000_B});
  EXPECT_NEAR(f.a.window(), 7, 1e-12);
  f.acks(20, 15_us, {.ecn = true, .sent_at = 9_us});
  f.lose(16_us, 7'000_B);
  EXPECT_NEAR(f.a.window(), 7, 1e-12);
  f.ack(20_us, {.ecn = true, .in_flight = 6'000_B});
  EXPECT_NEAR(f.a.window(), 4.9, 1e-12);
  Flow deaf;
  deaf.ack(10_us, {.ecn = true});
  EXPECT_EQ(deaf.control.window, 11'000_B);
}

// Section 4.8: one packet, threshold 0.7 * 36; where slow start ends, at 26 packets, the curve starts, flat.
TEST(Cubic, Timeouts) {
  Flow f({.reno_friendly = false, .initial_window = 36}, far());
  f.lose(10_s, 36'000_B, Loss::Kind::timeout);
  EXPECT_EQ(f.control.window, 1'000_B);
  EXPECT_NEAR(f.a.threshold(), 25.2, 1e-12);
  f.lose(20_s, 1'000_B, Loss::Kind::timeout);
  EXPECT_EQ(f.control.window, 1'000_B);
  EXPECT_NEAR(f.a.threshold(), 25.2, 1e-12);
  f.acks(25, 30_s, kFar);
  EXPECT_EQ(f.control.window, 26'000_B);
  f.ack(30_s, kFar);
  EXPECT_EQ(f.a.k(), 0);
  EXPECT_EQ(f.a.w_max(), 26);
  EXPECT_NEAR(f.a.window(), 26 + 0.4 / 26, 1e-12);  // W(1) = 26 + 0.4
}

// Section 5.8: the curve does not run on while nothing is in flight, or while the window is not used. 2 s of each, and
// the window is where it would have been without them.
TEST(Cubic, IdleTimesDoNotCount) {
  Flow a({.reno_friendly = false, .initial_window = 36}, far());
  Flow b = a;
  Flow c = a;
  for (Flow* f : {&a, &b, &c}) {
    f->lose(10_s, 36'000_B);
    f->ack(20_s, kFar);
  }
  a.ack(22_s, {.sent_at = 20_s, .rtt = 1_s});
  b.ack(24_s, {.sent_at = 22_s, .rtt = 1_s});
  EXPECT_EQ(a.a.window(), b.a.window());
  c.ack(22_s, {.sent_at = 20_s, .in_flight = 5'000_B, .rtt = 1_s});
  c.ack(24_s, {.sent_at = 22_s, .rtt = 1_s});
  EXPECT_EQ(a.a.window(), c.a.window());
  EXPECT_GT(a.a.window(), 25.9);
}

// HyStart. A flow in slow start with 16 packets in its window.
Flow starting(Time rtt, std::uint32_t id = 0) {
  FlowFacts f = loss_facts();
  f.base_rtt = rtt;
  f.random = RandomStream(1, id, Purpose::algorithm);
  return Flow({.initial_window = 16, .hystart = true}, f);
}
bool in_slow_start(const Flow& f) { return f.a.window() < f.a.threshold(); }
// Acknowledgements one `gap` after another; when slow start has ended, or `until`.
Time end_of_slow_start(Flow f, Time gap, Time rtt, Time until) {
  Time now = gap;
  for (; now < until; now += gap) {
    f.ack(now, {.rtt = rtt});
    if (!in_slow_start(f)) break;
  }
  return now;
}

// The clock goes on by a millisecond at an instant of the flow's own, and rounds of much less are not told apart by it.
// Ten thousand acknowledgements per millisecond are a single train, and that of the next tick ends slow start.
TEST(CubicHyStart, TrainsEndWhereTheClockOfAMillisecondGoesOn) {
  Time sum;
  for (std::uint32_t id = 0; id < 200; ++id) {
    const Time end = end_of_slow_start(starting(100_us, id), 100_ns, 100_us, 10_ms);
    ASSERT_LE(end, 1_ms + 100_ns) << id;
    sum += end;
  }
  EXPECT_NEAR(static_cast<double>((sum / 200).ps), 5e8, 0.6e8);  // 0.5 ms, with a standard error of 20 us
}

// Half of 16 ms on the clock: a train of more than 8 ms. All of it belongs to the first round, of 16 packets.
TEST(CubicHyStart, TrainsLastHalfOfTheLeastRoundTrip) {
  Flow f = starting(16_ms);
  f.ack(20_ms, {.in_flight = 1'000'000_B, .rtt = 16_ms});
  Time now = 20_ms;
  while (in_slow_start(f) && now < 40_ms) {
    now += 500_us;
    f.ack(now, {.in_flight = 900'000_B, .rtt = 17_ms});
  }
  EXPECT_GT(now, 20_ms + 8_ms);
  EXPECT_LE(now, 20_ms + 9_ms + 500_us);
}

// Acknowledgements of packets that are more than 2 ms apart are no train; with 3 ms from one to the next the clock
// always says so.
TEST(CubicHyStart, GapsEndTrains) { EXPECT_EQ(end_of_slow_start(starting(100_us), 3_ms, 100_us, 300_ms), 300_ms); }

// Each acknowledgement is of twenty packets and begins a round of its own; 2 ms on, the train has lasted for 2 ms of
// this round, and for all since the flow's start only if rounds did not begin anew.
TEST(CubicHyStart, RoundsBeginAnew) {
  Flow f = starting(16_ms);
  for (int i = 1; i < 20; ++i) f.ack(i * 2_ms, {.acked = 20'000_B, .in_flight = 0_B, .rtt = 16_ms});
  EXPECT_GT(f.a.window(), 24);
  EXPECT_TRUE(in_slow_start(f));
}

TEST(CubicHyStart, WindowsOfLessThan16PacketsAreLeftAlone) {
  FlowFacts facts = loss_facts();
  facts.base_rtt = 100_us;
  Flow f({.initial_window = 10, .hystart = true}, facts);
  for (int i = 1; i <= 5; ++i) f.ack(i * 1_ms, {.in_flight = 20'000_B, .rtt = 100_us});
  EXPECT_EQ(f.a.window(), 15);
  EXPECT_TRUE(in_slow_start(f));
}

// The least of a round's first eight round trips is above the least of all by more than an eighth of it, between 4 and
// 16 ms, in whole eighths of a millisecond; the ninth acknowledgement tells.
TEST(CubicHyStart, DelaysEndSlowStart) {
  struct Case {
    Time least;
    Time limit;  // the largest that does not count as an increase
  };
  for (const Case& c : {Case{10_ms, 14_ms}, Case{96_ms, 108_ms}, Case{200_ms, 216_ms}}) {
    for (const Time rtt : {c.limit, c.limit + 125_us}) {
      Flow f = starting(c.least);
      f.ack(1_s, {.in_flight = 1'000'000_B, .rtt = c.least});  // begins a round
      f.acks(8, 1_s, {.in_flight = 900'000_B, .rtt = rtt});
      EXPECT_TRUE(in_slow_start(f));
      f.ack(1_s, {.in_flight = 900'000_B, .rtt = rtt});
      EXPECT_EQ(in_slow_start(f), rtt == c.limit) << c.least.ps << ' ' << rtt.ps;
    }
  }
}

// Up to a loss tcp_cubic adds a twentieth of what is acknowledged, although the curve and Reno are slower.
TEST(Cubic, GrowsByATwentiethUntilTheFirstLoss) {
  FlowFacts facts = loss_facts();
  Flow f(preset_of<Cubic::Params>(Cubic::presets(), "linux"), facts);
  EXPECT_TRUE(f.params.hystart);
  f.params.initial_window = 100;
  f = Flow(f.params, facts);
  for (Time now = 1_us; in_slow_start(f); now += 1_us) f.ack(now);
  const double w = f.a.window();
  f.ack(2_ms);
  EXPECT_NEAR(f.a.window(), w + 0.05, 1e-12);
  f.lose(3_ms, 200'000_B);
  const double reduced = f.a.window();
  f.ack(4_ms, {.sent_at = 3_ms});
  EXPECT_LT(f.a.window(), reduced + 0.02);
}

// After a timeout slow start is looked at anew: it ends before the threshold that the timeout has left.
TEST(CubicHyStart, BeginsAnewAfterATimeout) {
  Flow f({.initial_window = 1'000, .hystart = true});
  f.lose(1_us, 1'000'000_B, Loss::Kind::timeout);
  EXPECT_EQ(f.a.threshold(), 700);
  for (Time now = 2_us; in_slow_start(f) && now < 5_ms; now += 2_us) f.ack(now, {.rtt = 100_us});
  EXPECT_LT(f.a.threshold(), 600);
}

TEST(Cubic, Snapshot) {
  expect_snapshot("cubic", answers_to_losses<Cubic>({}));
  expect_snapshot("cubic_curve", answers_to_losses<Cubic>({.c = 1e12, .reno_friendly = false}));
}

}  // namespace
}  // namespace weir::cc::cubic_test
