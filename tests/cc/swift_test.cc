#include "weir/cc/swift.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <string_view>
#include <tuple>

#include "tests/cc/preset.h"
#include "tests/cc/snapshot.h"

namespace weir::cc::swift_test {
namespace {

using namespace literals;

// T = 10.48 us, so that 125 full packets of 1,048 B are the line rate of 100 Gb/s for T: 131,000 B.
FlowFacts facts(int switch_hops = 1) {
  FlowFacts f;
  f.line_rate = 100_Gbps;
  f.path_rate = 100_Gbps;
  f.base_rtt = 10_us;
  f.network_rtt = 10'480_ns;
  f.payload = 1'000_B;
  f.wire = 1'048_B;
  f.switch_hops = switch_hops;
  f.random = RandomStream(5, 9, Purpose::algorithm);
  return f;
}

// One flow, told of acknowledgements by hand, 1 us apart unless told otherwise.
struct Flow {
  explicit Flow(const Swift::Params& p, const FlowFacts& f = facts()) : params(p), flow(f), swift(p, f, control) {}

  enum Round { within_round, new_round };

  void ack(Time rtt, Round round = within_round, Time endpoint = {}) {
    now += 1_us;
    Ack a;
    a.now = now;
    a.rtt = rtt;
    a.endpoint_delay = endpoint;
    a.acked = 1'000_B;
    if (round == new_round) {
      acked = next + 1;
      next = acked + 100'000;
    }
    a.seq = {acked};
    a.snd_nxt = {next};
    swift.on_ack(params, flow, a, control);
  }
  void acks(int n, Time rtt) {
    for (int i = 0; i < n; ++i) ack(rtt);
  }
  void lose(Loss::Kind kind) {
    now += 1_us;
    swift.on_loss(params, flow, {.kind = kind, .now = now}, control);
  }

  Swift::Params params;
  FlowFacts flow;
  Control control;
  Swift swift;
  Time now = 1_ms;
  std::int64_t acked = 1;
  std::int64_t next = 100'000;
};

// Target 25 us on every path; the window begins with 16 packets, for round numbers.
Swift::Params simple() { return {.base_target = 25_us, .hop_target = {}, .fs_range = {}, .initial_cwnd = 16}; }

constexpr double kTiny = 1e-9;

TEST(Swift, StartsWithWholePackets) {
  const Flow f(preset<Swift>("paper"));
  EXPECT_EQ(f.swift.cwnd(), 15);
  EXPECT_EQ(f.control.window, 15'000_B);
  EXPECT_EQ(f.control.rate, Rate{});
  EXPECT_EQ(f.control.timer, kNoTimer);
}

TEST(Swift, StartsAtLineRateInFastConvergence) {
  for (const auto name :
       {"fast-convergence", "fast-convergence-1g", "fast-convergence-probabilistic", "fast-convergence-vai-sf"}) {
    const Flow f(preset<Swift>(name));
    EXPECT_NEAR(f.swift.cwnd(), 125, kTiny);
    EXPECT_EQ(f.control.window, 125'000_B);
    EXPECT_EQ(f.control.rate, 100_Gbps);
  }
  // 50 Mb/s * 10.48 us = 65.5 B = 0.0625 packets of 1,048 B.
  EXPECT_NEAR(Flow(preset<Swift>("fast-convergence")).swift.additive_increase(), 0.0625, kTiny);
  EXPECT_NEAR(Flow(preset<Swift>("fast-convergence-1g")).swift.additive_increase(), 1.25, kTiny);
  // T may be given: 100 Gb/s * 5.24 us = 65,500 B = 62.5 packets.
  auto half = preset<Swift>("fast-convergence");
  half.base_rtt = 5'240_ns;
  EXPECT_NEAR(Flow(half).swift.cwnd(), 62.5, kTiny);
}

// Section 3.5: base + hops h-bar, without flow-based scaling.
TEST(Swift, TargetGrowsWithTheHopsOfThePath) {
  auto params = preset<Swift>("fast-convergence-vai-sf");
  for (const auto& [hops, target] : {std::pair{1, 7_us}, {3, 11_us}, {5, 15_us}}) {
    const Flow f(params, facts(hops));
    EXPECT_EQ(f.swift.target_delay(params, 1), static_cast<double>(target.ps));
  }
  // It acts: 10 us is too long on one hop, and short on five.
  params.reference_window = false;
  params.always_ai = false;
  params.reference.sf.acks = 0;
  Flow near(params, facts(1));
  Flow far(params, facts(5));
  for (Flow* f : {&near, &far}) {
    f->lose(Loss::Kind::nack);  // 62.5 packets are left
    f->now += 1_ms;
    f->ack(10_us);
  }
  EXPECT_LT(near.swift.cwnd(), 62.5);
  EXPECT_GT(far.swift.cwnd(), 62.5);
}

// Section 3.5: alpha = 100 us / (1/sqrt(0.1) - 1/sqrt(100)) = 100 / (3.16228 - 0.1) = 32.65543 us, beta = -alpha / 10 =
// -3.26554 us. At one packet: 29.38989 us; at 16: 32.65543 / 4 - 3.26554 = 4.89831 us.
TEST(Swift, TargetGrowsAsTheWindowShrinks) {
  auto params = simple();
  params.fs_range = 100_us;
  const Flow f(params);
  const auto added = [&](double cwnd) { return f.swift.target_delay(params, cwnd) * 1e-6 - 25; };
  EXPECT_NEAR(added(0.1), 100, 1e-9);
  EXPECT_EQ(added(0.01), 100);  // not more than fs_range
  EXPECT_NEAR(added(1), 29.389889, 1e-6);
  EXPECT_NEAR(added(16), 4.898315, 1e-6);
  EXPECT_NEAR(added(100), 0, 1e-9);
  EXPECT_EQ(added(1'000), 0);
}

// Algorithm 1, lines 8 to 12: ai / cwnd for each packet, so one packet per round trip.
TEST(Swift, IncreasesByOnePacketPerRoundTrip) {
  Flow f(simple());
  f.ack(24_us);
  EXPECT_NEAR(f.swift.cwnd(), 16 + 1.0 / 16, kTiny);
  f.acks(15, 24_us);
  EXPECT_NEAR(f.swift.cwnd(), 17, 0.05);
  EXPECT_LT(f.swift.cwnd(), 17);
  EXPECT_EQ(f.control.window, 16'000_B);
  f.ack(24_us);
  EXPECT_EQ(f.control.window, 17'000_B);
}

// Fast Convergence VI-B, "like in Timely": after two round trips without a long delay each step is five times as large,
// until there is one.
TEST(Swift, MayIncreaseFasterAfterQuietRoundTrips) {
  auto params = simple();
  params.hai_after = 2;
  Flow f(params);
  const auto step = [&](Flow::Round round, Time rtt) {
    const double before = f.swift.cwnd();
    f.ack(rtt, round);
    return (f.swift.cwnd() - before) * before;  // of a whole window
  };
  EXPECT_NEAR(step(Flow::within_round, 24_us), 1, kTiny);  // ends the first one
  EXPECT_NEAR(step(Flow::within_round, 24_us), 1, kTiny);
  EXPECT_NEAR(step(Flow::new_round, 24_us), 5, kTiny);
  EXPECT_NEAR(step(Flow::within_round, 24_us), 5, kTiny);
  EXPECT_LT(step(Flow::within_round, 50_us), 0);
  EXPECT_NEAR(step(Flow::new_round, 24_us), 1, kTiny);
  EXPECT_NEAR(step(Flow::new_round, 24_us), 5, kTiny);
}

// Algorithm 1, line 16, beta = 0.8: delay 50 us, target 25 us: 1 - 0.8 * 25/50 = 0.6. 100 us: 1 - 0.8 * 75/100 = 0.4,
// but max_mdf = 0.5 bounds it.
TEST(Swift, DecreasesByTheExcessOfTheDelay) {
  Flow f(simple());
  f.ack(50_us);
  EXPECT_NEAR(f.swift.cwnd(), 9.6, kTiny);
  EXPECT_EQ(f.control.window, 9'000_B);
  Flow g(simple());
  g.ack(100_us);
  EXPECT_NEAR(g.swift.cwnd(), 8, kTiny);
}

// Algorithm 1, line 3: not before rtt has passed since the last decrease. Acknowledgements come 1 us apart.
TEST(Swift, DecreasesOncePerRoundTrip) {
  Flow f(simple());
  f.ack(50_us);
  f.acks(49, 50_us);
  EXPECT_NEAR(f.swift.cwnd(), 9.6, kTiny);
  f.ack(50_us);
  EXPECT_NEAR(f.swift.cwnd(), 9.6 * 0.6, kTiny);
  // The target exactly is no decrease, and delays none.
  Flow g(simple());
  g.ack(25_us);
  EXPECT_EQ(g.swift.cwnd(), 16);
  g.ack(50_us);
  EXPECT_NEAR(g.swift.cwnd(), 9.6, kTiny);
}

// csg-htsim compares with the smoothed round trip, 7/8 of the former and 1/8 of the new one, as it was before this
// acknowledgement. It is 25 us until one of 50 us makes it 28.125, and 25 more of 25 us 25.11: 26 us after the decrease
// another one may follow, although its own round trip is 50 us and would make the smoothed one 28.2.
TEST(Swift, DecreasesOncePerSmoothedRoundTrip) {
  auto params = simple();
  params.decrease_guard = Swift::Guard::srtt;
  const auto second = [&params](int acks_between) {
    Flow f(params);
    f.acks(8, 25_us);
    f.ack(50_us);
    EXPECT_NEAR(f.swift.cwnd(), 9.6, kTiny);
    f.acks(acks_between, 25_us);  // the target exactly
    f.ack(50_us);
    return f.swift.cwnd();
  };
  EXPECT_NEAR(second(24), 9.6, kTiny);
  EXPECT_NEAR(second(25), 9.6 * 0.6, kTiny);
  params.decrease_guard = Swift::Guard::rtt;
  EXPECT_NEAR(second(48), 9.6, kTiny);
  EXPECT_NEAR(second(49), 9.6 * 0.6, kTiny);
}

// It guards against losses and slow hosts as well.
TEST(Swift, SmoothedRoundTripGuardsAllDecreases) {
  auto params = simple();
  params.decrease_guard = Swift::Guard::srtt;
  params.max_cwnd = 40;
  params.endpoint_target = 10_us;
  const auto cut = [&params] {
    Flow f(params);
    f.acks(8, 25_us);
    f.ack(50_us);  // 28.125 us from now on
    f.now += 27_us;
    return f;
  };
  Flow f = cut();
  f.lose(Loss::Kind::sack_hole);
  EXPECT_NEAR(f.swift.cwnd(), 9.6, kTiny);
  f.lose(Loss::Kind::sack_hole);
  EXPECT_NEAR(f.swift.cwnd(), 4.8, kTiny);
  // A slow host halves its window. The round trip of 60 us has made the smoothed one 29.375 us.
  Flow g(params);
  g.acks(8, 25_us);
  g.ack(60_us, Flow::within_round, 40_us);
  EXPECT_NEAR(g.swift.endpoint_cwnd(), 20, kTiny);
  g.now += 28_us;
  g.ack(60_us, Flow::within_round, 40_us);
  EXPECT_NEAR(g.swift.endpoint_cwnd(), 20, kTiny);
  g.now += 40_us;
  g.ack(60_us, Flow::within_round, 40_us);
  EXPECT_NEAR(g.swift.endpoint_cwnd(), 10, kTiny);
}

// Section 3.4: one packet in flight, and rtt / cwnd from one to the next. 0.25 packets at 40 us are one in 160 us:
// 1,048 * 8 b / 160 us = 52.4 Mb/s. From 1 packet on there is no pacing.
TEST(Swift, PacesWindowsBelowOnePacket) {
  auto params = simple();
  params.initial_cwnd = 0.5;
  Flow f(params);
  EXPECT_EQ(f.control.window, 1_B);
  EXPECT_EQ(f.control.rate, 419'200_Kbps);  // 8,384 b in 20 us, by the base RTT
  f.ack(1_ms);
  EXPECT_EQ(f.swift.cwnd(), 0.25);
  f.ack(40_us);
  EXPECT_EQ(f.control.window, 1_B);
  EXPECT_EQ(f.control.rate, 52'400_Kbps);
  EXPECT_TRUE(f.control.repace);
  f.ack(20_us);  // below one packet, ai for each: 1.25
  EXPECT_EQ(f.swift.cwnd(), 1.25);
  EXPECT_EQ(f.control.window, 1'000_B);
  EXPECT_EQ(f.control.rate, Rate{});
}

TEST(Swift, WindowStaysWithinItsBounds) {
  auto params = simple();
  params.max_cwnd = 16.5;
  Flow f(params);
  f.acks(100, 10_us);
  EXPECT_EQ(f.swift.cwnd(), 16.5);
  for (int i = 0; i < 50; ++i) {
    f.now += 1_ms;
    f.ack(1_ms);
  }
  EXPECT_EQ(f.swift.cwnd(), 0.01);
  // A window that stays at its bound has not decreased: the next true decrease is not late.
  f.ack(20_us);
  f.ack(1_ms);
  EXPECT_LT(f.swift.cwnd(), 1);
}

// Section 3.3. RTT 60 us, of which 50 us in the receiving host: the fabric is fine. The endpoint window decreases from
// max_cwnd = 40 by 1 - 0.8 * 40/50 = 0.36, at most by half.
TEST(Swift, HostsHaveAWindowOfTheirOwn) {
  auto params = simple();
  params.max_cwnd = 40;
  params.endpoint_target = 10_us;
  Flow f(params);
  f.ack(60_us, Flow::within_round, 50_us);
  EXPECT_NEAR(f.swift.endpoint_cwnd(), 20, kTiny);
  EXPECT_NEAR(f.swift.fabric_cwnd(), 16 + 1.0 / 16, kTiny);
  EXPECT_EQ(f.control.window, 16'000_B);
  f.now += 1_ms;
  f.ack(25_us, Flow::within_round, 12_us);  // 1 - 0.8 * 2/12 = 0.866667
  EXPECT_NEAR(f.swift.endpoint_cwnd(), 20 * (1 - 1.6 / 12), kTiny);
  for (int i = 0; i < 2; ++i) {
    f.now += 1_ms;
    f.ack(60_us, Flow::within_round, 50_us);
  }
  EXPECT_NEAR(f.swift.cwnd(), 20 * (1 - 1.6 / 12) / 4, kTiny);
  EXPECT_EQ(f.control.window, 4'000_B);
  // It opens again, by one packet per round trip, also when hosts are not slow at all.
  double before = f.swift.endpoint_cwnd();
  f.ack(30_us, Flow::within_round, 9_us);
  EXPECT_NEAR(f.swift.endpoint_cwnd(), before + 1 / before, kTiny);
  for (int i = 0; i < 3; ++i) {
    before = f.swift.endpoint_cwnd();
    f.ack(20_us);
    EXPECT_NEAR(f.swift.endpoint_cwnd(), before + 1 / before, kTiny);
  }
}

// A loss cuts the window that counts.
TEST(Swift, LossCutsTheSmallerWindow) {
  auto params = simple();
  params.max_cwnd = 40;
  Flow f(params);
  f.lose(Loss::Kind::nack);
  EXPECT_EQ(f.swift.fabric_cwnd(), 8);
  EXPECT_EQ(f.swift.endpoint_cwnd(), 40);
  params.initial_cwnd = 30;
  params.endpoint_target = 10_us;
  Flow g(params);
  g.ack(60_us, Flow::within_round, 50_us);
  ASSERT_EQ(g.swift.endpoint_cwnd(), 20);
  const double fabric = g.swift.fabric_cwnd();
  g.now += 1_ms;
  g.lose(Loss::Kind::nack);
  EXPECT_EQ(g.swift.endpoint_cwnd(), 10);
  EXPECT_EQ(g.swift.fabric_cwnd(), fabric);
}

// Smoothed by 1/2: 25, 37.5 us of 50.
TEST(Swift, EndpointDelayMayBeSmoothed) {
  auto params = simple();
  params.max_cwnd = 40;
  params.endpoint_target = 30_us;
  params.endpoint_gain = 0.5;
  Flow f(params);
  f.ack(60_us, Flow::within_round, 50_us);
  EXPECT_EQ(f.swift.endpoint_cwnd(), 40);
  f.ack(60_us, Flow::within_round, 50_us);
  EXPECT_NEAR(f.swift.endpoint_cwnd(), 40 * (1 - 0.8 * 7.5 / 37.5), kTiny);
}

// Algorithm 1, "On fast recovery": at most once per round trip, together with decreases by delay.
TEST(Swift, LossDecreasesOncePerRoundTrip) {
  Flow f(simple());
  f.ack(20_us);
  f.lose(Loss::Kind::nack);
  const double after = (16 + 1.0 / 16) / 2;
  EXPECT_NEAR(f.swift.cwnd(), after, kTiny);
  f.lose(Loss::Kind::sack_hole);
  f.ack(50_us);
  EXPECT_NEAR(f.swift.cwnd(), after, kTiny);
  f.now += 50_us;
  f.lose(Loss::Kind::trim);
  EXPECT_NEAR(f.swift.cwnd(), after / 2, kTiny);
}

TEST(Swift, LossDecreasesTheReference) {
  auto params = simple();
  params.reference_window = true;
  Flow f(params);
  f.ack(20_us);  // 16 + 1
  f.lose(Loss::Kind::nack);
  EXPECT_EQ(f.swift.reference_cwnd(), 8.5);
  EXPECT_EQ(f.swift.cwnd(), 8.5);
  f.ack(1_ms);
  EXPECT_EQ(f.swift.cwnd(), 4.25);
  f.lose(Loss::Kind::nack);  // within a round trip
  EXPECT_EQ(f.swift.reference_cwnd(), 8.5);
}

// Algorithm 1, "On retransmit timeout": the fifth in a row without an acknowledgement sets min_cwnd, at any time.
TEST(Swift, FiveTimeoutsReset) {
  Flow f(simple());
  for (int i = 1; i <= 4; ++i) {
    f.now += 1_ms;
    f.lose(Loss::Kind::timeout);
    EXPECT_NEAR(f.swift.cwnd(), std::ldexp(16.0, -i), kTiny);
  }
  f.lose(Loss::Kind::timeout);
  EXPECT_EQ(f.swift.cwnd(), 0.01);
  EXPECT_EQ(f.control.window, 1_B);
  // An acknowledgement begins a new row, and so does a loss that is found in another way.
  for (int i = 0; i < 2; ++i) {
    Flow g(simple());
    for (int n = 0; n < 4; ++n) g.lose(Loss::Kind::timeout);
    if (i == 0) g.ack(20_us);
    if (i == 1) g.lose(Loss::Kind::nack);
    for (int n = 0; n < 4; ++n) g.lose(Loss::Kind::timeout);
    EXPECT_GT(g.swift.cwnd(), 7);
  }
}

// LSwift: of a hole, only five packets in succession count. Where the transport does not say how many are, all that are
// lost do. A timeout counts as it is.
TEST(Swift, LswiftWaitsForFiveInARow) {
  auto params = simple();
  params.lost_in_a_row = 5;
  Flow f(params);
  const auto lose = [&f](Loss::Kind kind, Bytes lost, Bytes in_a_row) {
    f.now += 1_ms;
    f.swift.on_loss(f.params, f.flow, {.kind = kind, .now = f.now, .lost = lost, .in_a_row = in_a_row}, f.control);
  };
  lose(Loss::Kind::sack_hole, 4'000_B, {});
  lose(Loss::Kind::sack_hole, 9'000_B, 4'000_B);
  lose(Loss::Kind::nack, 4'999_B, {});
  EXPECT_EQ(f.swift.cwnd(), 16);
  lose(Loss::Kind::sack_hole, 9'000_B, 5'000_B);
  EXPECT_EQ(f.swift.cwnd(), 8);
  lose(Loss::Kind::sack_hole, 5'000_B, {});
  EXPECT_EQ(f.swift.cwnd(), 4);
  lose(Loss::Kind::timeout, 1'000_B, {});
  EXPECT_EQ(f.swift.cwnd(), 2);
  // Delays decrease as ever.
  f.now += 1_ms;
  f.ack(50_us);
  EXPECT_NEAR(f.swift.cwnd(), 1.2, kTiny);
}

// The other reading: the fifth long delay in a row decreases, and one below the target begins anew. In between the
// window stays.
TEST(Swift, LswiftMayWaitForFiveDelays) {
  auto params = simple();
  params.delayed_in_a_row = 5;
  Flow f(params);
  f.acks(4, 50_us);
  EXPECT_EQ(f.swift.cwnd(), 16);
  f.ack(20_us);
  const double grown = 16 + 1.0 / 16;
  f.acks(4, 50_us);
  EXPECT_NEAR(f.swift.cwnd(), grown, kTiny);
  f.ack(50_us);
  EXPECT_NEAR(f.swift.cwnd(), grown * 0.6, kTiny);
  f.acks(20, 50_us);  // within a round trip
  EXPECT_NEAR(f.swift.cwnd(), grown * 0.6, kTiny);
}

// 1 us of queueing on each path of the network of Spraying IV-A, flow-based scaling aside.
TEST(Swift, TargetsOfSpraying) {
  for (const auto& [name, lost, delayed] : {std::tuple{"spraying", 1, 1}, {"lswift", 5, 1}, {"lswift-delayed", 5, 5}}) {
    const auto params = preset<Swift>(name);
    EXPECT_EQ(params.lost_in_a_row, lost);
    EXPECT_EQ(params.delayed_in_a_row, delayed);
    EXPECT_EQ(params.decrease_guard, Swift::Guard::srtt);
    for (const auto& [hops, rtt] : {std::pair{1, 2'084'480}, {3, 4'168'960}, {5, 6'253'440}})
      EXPECT_NEAR(Flow(params, facts(hops)).swift.target_delay(params, 152), rtt + 1e6, 2e3);
  }
}

// Fast Convergence V-B, its example: R, congestion: R / 2; again: still R / 2, for the reference is R. After a round
// trip the reference is R / 2, and the next acknowledgement gives R / 4. Here with delays that halve, and no increase.
TEST(Swift, ReferenceWindow) {
  auto params = simple();
  params.reference_window = true;
  params.ai = 0;
  Flow f(params);
  f.ack(1_ms, Flow::new_round);
  EXPECT_EQ(f.swift.reference_cwnd(), 8);
  f.ack(1_ms);
  f.ack(1_ms);
  EXPECT_EQ(f.swift.cwnd(), 4);
  EXPECT_EQ(f.swift.reference_cwnd(), 8);
  f.ack(1_ms, Flow::new_round);
  EXPECT_EQ(f.swift.reference_cwnd(), 4);
  f.ack(1_ms);
  EXPECT_EQ(f.swift.cwnd(), 2);
  f.ack(20_us);  // and back, within the round
  EXPECT_EQ(f.swift.cwnd(), 4);
}

// Fast Convergence V-B: the increase of a round trip is added to each window, also to one that decreases:
// 16 * 0.6 + 2 = 11.6.
TEST(Swift, AlwaysIncreases) {
  auto params = simple();
  params.reference_window = true;
  params.ai = 2;
  Flow f(params);
  f.ack(50_us);
  EXPECT_NEAR(f.swift.cwnd(), 9.6, kTiny);
  f.ack(20_us);
  EXPECT_NEAR(f.swift.cwnd(), 11.6, kTiny);  // the first acknowledgement ended a round trip
  params.always_ai = true;
  Flow g(params);
  g.ack(50_us);
  EXPECT_NEAR(g.swift.cwnd(), 11.6, kTiny);
  // Without a reference: ai / cwnd for the packet. 16 * 0.6 + 2 / 9.6.
  params.reference_window = false;
  Flow h(params);
  h.ack(50_us);
  EXPECT_NEAR(h.swift.cwnd(), 9.6 + 2 / 9.6, kTiny);
}

// Decreases every third acknowledgement, increases once per round trip.
TEST(Swift, SamplingFrequencyWithAReference) {
  auto params = simple();
  params.reference_window = true;
  params.ai = 0.5;
  params.reference.sf.acks = 3;
  Flow f(params);
  f.ack(1_ms, Flow::new_round);
  f.ack(1_ms, Flow::new_round);
  EXPECT_EQ(f.swift.reference_cwnd(), 16);
  EXPECT_EQ(f.swift.cwnd(), 8);
  f.ack(1_ms);
  EXPECT_EQ(f.swift.reference_cwnd(), 8);
  f.acks(2, 1_ms);
  EXPECT_EQ(f.swift.cwnd(), 4);
  EXPECT_EQ(f.swift.reference_cwnd(), 8);
  f.acks(5, 20_us);
  EXPECT_EQ(f.swift.reference_cwnd(), 8);
  f.ack(20_us, Flow::new_round);
  EXPECT_EQ(f.swift.reference_cwnd(), 8.5);
}

// Without a reference it takes the place of the round trip between decreases.
TEST(Swift, SamplingFrequencyWithoutAReference) {
  auto params = simple();
  params.reference.sf.acks = 3;
  Flow f(params);
  f.acks(2, 1_ms);
  EXPECT_EQ(f.swift.cwnd(), 16);
  f.ack(1_ms);
  EXPECT_EQ(f.swift.cwnd(), 8);
  f.acks(3, 1_ms);
  EXPECT_EQ(f.swift.cwnd(), 4);
}

// Fast Convergence V-A, VI-A: target 7 us, Token_Thresh 7 + 4 = 11 us. The longest delay of the round trip is 22 us, 12
// us above the base RTT: 12 us / 30 ns = 400 tokens, dampener 22 / 11 = 2, divisor 1.25: 100 tokens make 80 steps of
// 0.0625 packets = 5. At 14 us the factor is 1 - 0.8 * 7/14 = 0.6.
TEST(Swift, VariableAiMintsByQueueingDelay) {
  auto params = preset<Swift>("fast-convergence-vai-sf");
  params.reference.sf.acks = 0;
  Flow f(params);
  f.ack(10_us, Flow::new_round);  // factor 1 - 0.8 * 3/10 = 0.76: 125 * 0.76 + 0.0625
  EXPECT_NEAR(f.swift.reference_cwnd(), 95.0625, kTiny);
  f.ack(22_us);
  f.ack(14_us, Flow::new_round);
  EXPECT_NEAR(f.swift.reference_cwnd(), 95.0625 * 0.6 + 5, 1e-5);
  EXPECT_NEAR(f.swift.variable_ai().bank(), 300, 1e-9);
  EXPECT_NEAR(f.swift.variable_ai().dampener(), 2, 1e-6);
}

TEST(Swift, VariableAiMayMintInOtherWays) {
  const auto bank = [](Swift::Tokens tokens) {
    auto params = preset<Swift>("fast-convergence-vai-sf");
    params.vai_tokens = tokens;
    params.reference.sf.acks = 1'000;  // nothing is spent
    Flow f(params);
    f.ack(22_us, Flow::new_round);
    f.ack(22_us, Flow::new_round);
    return f.swift.variable_ai().bank();
  };
  EXPECT_NEAR(bank(Swift::Tokens::queueing), 400, 1e-9);                // (22 - 10) us / 30 ns
  EXPECT_NEAR(bank(Swift::Tokens::delay), 22.0 / 0.03, 1e-9);           // 22 us / 30 ns
  EXPECT_NEAR(bank(Swift::Tokens::excess), (22.0 - 7.0) / 0.03, 1e-9);  // (22 - 7) us / 30 ns
}

// The dampener resets after a round trip within the target, when there are no tokens.
TEST(Swift, VariableAiResetsWithinTheTarget) {
  auto params = preset<Swift>("fast-convergence-vai-sf");
  params.reference.sf.acks = 0;
  params.vai.bank_cap = 50;
  Flow f(params);
  f.ack(22_us, Flow::new_round);  // begins a round trip
  f.ack(22_us, Flow::new_round);  // 50 tokens, spent at once, and 22 / 11 for the dampener
  f.ack(22_us, Flow::new_round);
  EXPECT_EQ(f.swift.variable_ai().bank(), 0);
  EXPECT_NEAR(f.swift.variable_ai().dampener(), 4, 1e-6);
  f.ack(6_us);
  f.ack(8_us, Flow::new_round);  // congestion, but below the threshold
  EXPECT_NEAR(f.swift.variable_ai().dampener(), 3, 1e-6);
  f.ack(6_us);
  f.ack(7_us, Flow::new_round);  // exactly the target is none
  EXPECT_EQ(f.swift.variable_ai().dampener(), 0);
}

// Without a reference the tokens of a round trip are spent at its end.
TEST(Swift, VariableAiWithoutAReference) {
  auto params = simple();
  params.vai.enabled = true;
  params.vai.ai_cap = 10;
  params.vai.bank_cap = 12;
  params.max_mdf = 0;
  Flow f(params);
  f.ack(100_us, Flow::new_round);
  f.ack(100_us, Flow::new_round);  // 12 tokens; M / Token_Thresh = 100 / (25 + 4), divisor 1.431034
  EXPECT_EQ(f.swift.variable_ai().bank(), 12);
  f.ack(20_us);
  EXPECT_NEAR(f.swift.cwnd(), 16 + 10 / 1.431034 / 16, 1e-6);
  EXPECT_EQ(f.swift.variable_ai().bank(), 12);
  f.ack(20_us, Flow::new_round);
  EXPECT_EQ(f.swift.variable_ai().bank(), 2);
}

// Fast Convergence III-D: the decrease of 25 packets of 125 is taken in one of five cases. Ignored, the acknowledgement
// is as good as none, and the next one may decrease.
TEST(Swift, ProbabilisticFeedback) {
  auto params = preset<Swift>("fast-convergence-probabilistic");
  params.initial_cwnd = 25;
  std::uint64_t draw = 0;
  Flow f(params);
  double cwnd = 25;
  int taken = 0;
  for (int i = 0; i < 30; ++i) {
    f.now += 1_ms;
    f.ack(1_ms);
    if (cwnd >= f.flow.random.uniform(draw++) * 125) {
      cwnd /= 2;
      ++taken;
    }
    ASSERT_NEAR(f.swift.cwnd(), cwnd, 1e-6);
  }
  EXPECT_GT(taken, 1);
  EXPECT_LT(taken, 15);
}

TEST(Swift, FitsTheBudgetOfAFlow) { EXPECT_LE(sizeof(Swift), 192u); }

// The stream holds delays of a path that gets congested, by and by and at once, a slow host, and losses.
TEST(Swift, Snapshot) {
  for (const auto name : {"paper", "fast-convergence", "fast-convergence-1g", "fast-convergence-probabilistic",
                          "fast-convergence-vai-sf"}) {
    const auto params = preset<Swift>(name);
    const auto f = facts(3);
    Control control;
    Swift swift(params, f, control);
    std::string out = "time_ps,event,window,rate_bps\n";
    for (const auto& row : read_stream("delays")) {
      const Time now{whole(row[0])};
      if (row[1] == "ack") {
        Ack ack;
        ack.now = now;
        ack.rtt = {whole(row[2])};
        ack.endpoint_delay = {whole(row[3])};
        ack.seq = {whole(row[4])};
        ack.acked = {whole(row[5])};
        ack.snd_nxt = {whole(row[6])};
        swift.on_ack(params, f, ack, control);
      } else {
        const auto kind = row[1] == "nack" ? Loss::Kind::nack : Loss::Kind::timeout;
        swift.on_loss(params, f, {.kind = kind, .now = now}, control);
      }
      out += fmt::format("{},{},{},{}\n", now.ps, row[1], control.window.count, control.rate.bits_per_second);
    }
    expect_snapshot(fmt::format("swift_{}", name), out);
  }
}

}  // namespace
}  // namespace weir::cc::swift_test
