#include "weir/cc/hpcc.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>
#include <random>
#include <vector>

#include "tests/cc/preset.h"
#include "tests/cc/snapshot.h"

namespace weir::cc::hpcc_test {
namespace {

using namespace literals;

constexpr std::uint32_t k100G = 100'000;  // Mb/s

// The network of HPCC section 5.1: 100 Gb/s NICs, T = 13 us, so that B T = W_init = 162,500 B.
FlowFacts facts() {
  FlowFacts f;
  f.line_rate = 100_Gbps;
  f.path_rate = 100_Gbps;
  f.base_rtt = 12_us;
  f.network_rtt = 13_us;
  return f;
}

// One flow, told of acknowledgements by hand. `round` says whether the acknowledged packet was the first one sent
// after the last update of the reference window.
struct Flow {
  explicit Flow(const Hpcc::Params& p = {}, const FlowFacts& f = facts()) : params(p), flow(f), hpcc(p, f, control) {}

  enum Round { within_round, new_round };

  void ack(Time now, Round round, std::initializer_list<HopTelemetry> hops, bool path_changed = false) {
    Telemetry records;
    std::size_t n = 0;
    for (const auto& h : hops) records.hop[n++] = flow.telemetry.quantise(h);
    Ack a;
    a.now = now;
    a.hops = static_cast<std::uint8_t>(n);
    a.telemetry = n > 0 ? &records : nullptr;
    a.sent_at = now;
    path += path_changed ? std::uint64_t{1} << kPathIdShift : 0;
    records.path = path;
    if (round == new_round) {
      acked = next + 1;
      next = acked + 100'000;
    }
    a.seq = {acked};
    a.snd_nxt = {next};
    hpcc.on_ack(params, flow, a, control);
  }

  Hpcc::Params params;
  FlowFacts flow;
  Control control;
  Hpcc hpcc;
  std::uint64_t path = 0;
  std::int64_t acked = 0;
  std::int64_t next = 0;
};

HopTelemetry at(Time t, std::int64_t tx, std::int32_t queue, std::uint32_t rate = k100G) {
  return {t.ps, tx, queue, rate};
}

// A1: HPCC section 5.1 footnote 4 (81.25 B, "80"), and the 16-to-1 and 100-flow cases of section 5.4.
TEST(Hpcc, RuleForTheAdditiveStep) {
  EXPECT_NEAR(Hpcc::additive_step(100e9 / 8 * 13e-6, 0.95, 100), 81.25, 1e-9);  // 162,500 * 0.05 / 100
  EXPECT_NEAR(Hpcc::additive_step(100e9 / 8 * 4e-6, 0.95, 16), 156.25, 1e-9);   // 50,000 * 0.05 / 16
  EXPECT_NEAR(Hpcc::additive_step(100e9 / 8 * 4e-6, 0.95, 100), 25, 1e-9);      // 50,000 * 0.05 / 100
}

TEST(Hpcc, ThreeWaysToSetTheAdditiveStep) {
  EXPECT_EQ(Flow().hpcc.step(), 80);
  EXPECT_EQ(Flow({.additive_increase = Hpcc::Increase::window, .w_ai = 0_B}).hpcc.step(), 0);
  // 50e6 / 8 * 13e-6 = 81.25.
  EXPECT_NEAR(Flow({.additive_increase = Hpcc::Increase::rate, .r_ai = 50_Mbps}).hpcc.step(), 81.25, 1e-9);
  EXPECT_NEAR(Flow({.additive_increase = Hpcc::Increase::rule, .flows = 50}).hpcc.step(), 162.5, 1e-9);
}

TEST(Hpcc, StartsAtLineRate) {
  const Flow f;
  EXPECT_EQ(f.control.window, 162'500_B);
  EXPECT_EQ(f.control.rate, 100_Gbps);
  EXPECT_EQ(f.control.timer, kNoTimer);
  EXPECT_TRUE(f.control.repace);
  // T may be given: 100e9 / 8 * 9e-6 = 112,500.
  EXPECT_EQ(Flow({.base_rtt = 9_us}).control.window, 112'500_B);
}

// With the parts of other papers; five cache lines together with the records.
TEST(Hpcc, StateIsSmall) { EXPECT_LE(sizeof(Hpcc) - sizeof(HopTelemetry) * kMaxTelemetryHops, 128u); }

TEST(Hpcc, FirstAckOnlyLeavesItsRecords) {
  Flow f;
  f.ack(13_us, Flow::new_round, {at(5_us, 1'000, 1'000'000)});
  EXPECT_EQ(f.control.window, 162'500_B);
  EXPECT_EQ(f.control.rate, 100_Gbps);
  EXPECT_EQ(f.hpcc.utilisation(), 1);
}

TEST(Hpcc, WithoutSwitchesTheWindowStays) {
  Flow f;
  for (int i = 1; i < 10; ++i) f.ack(i * 13_us, Flow::new_round, {});
  EXPECT_EQ(f.control.window, 162'500_B);
}

// dt = 1.3 us = T / 10; 13,000 B in it are 80 % of the 16,250 B that the link could send; the smaller queue is
// 65,000 B = 0.4 B T. u' = 0.4 + 0.8 = 1.2, U = 0.9 * 1 + 0.1 * 1.2 = 1.02.
// W = 162,500 * 0.95 / 1.02 + 80 = 151,348.0392 + 80 = 151,428.0392; R = 8 W / 13 us = 93.18648 Gb/s.
TEST(Hpcc, MeasuresInflightAndMultiplies) {
  Flow f;
  f.ack(20_us, Flow::new_round, {at(10_us, 1'000'000, 65'000)});
  f.ack(22_us, Flow::within_round, {at(11'300_ns, 1'013'000, 97'500)});
  EXPECT_NEAR(f.hpcc.utilisation(), 1.02, 1e-12);
  EXPECT_EQ(f.control.window, 151'428_B);
  EXPECT_NEAR(static_cast<double>(f.control.rate.bits_per_second), 151'428.0392156863 * 8 / 13e-6, 1);
  EXPECT_EQ(f.hpcc.reference_window(), 162'500);
}

// The same with this queue length, 97,500 B = 0.6 B T, instead of the smaller one: U = 0.9 + 0.1 * 1.4 = 1.04.
TEST(Hpcc, QueueFilterCanBeSwitchedOff) {
  Flow f({.min_queue = false});
  f.ack(20_us, Flow::new_round, {at(10_us, 1'000'000, 65'000)});
  f.ack(22_us, Flow::within_round, {at(11'300_ns, 1'013'000, 97'500)});
  EXPECT_NEAR(f.hpcc.utilisation(), 1.04, 1e-12);
}

TEST(Hpcc, SmoothingCanBeSwitchedOff) {
  Flow f({.ewma = false});
  f.ack(20_us, Flow::new_round, {at(10_us, 1'000'000, 65'000)});
  f.ack(22_us, Flow::within_round, {at(11'300_ns, 1'013'000, 97'500)});
  EXPECT_NEAR(f.hpcc.utilisation(), 1.2, 1e-12);
}

// Hop 0: dt = 5.2 us, 32,500 of 65,000 B, no queue: 0.5. Hop 1, 400 Gb/s: dt = 2.6 us, all of its 130,000 B and a
// queue of 325,000 B = 0.5 B T: 1.5. The weight is that of hop 1: 0.2. U = 0.8 + 0.2 * 1.5 = 1.1.
TEST(Hpcc, FullestHopCountsWithItsOwnWeight) {
  Flow f;
  f.ack(20_us, Flow::new_round, {at(10_us, 0, 0), at(11_us, 0, 325'000, 400'000)});
  f.ack(25_us, Flow::within_round, {at(15'200_ns, 32'500, 0), at(13'600_ns, 130'000, 325'000, 400'000)});
  EXPECT_NEAR(f.hpcc.utilisation(), 1.1, 1e-12);
}

// A gap of 26 us = 2 T weighs 1, not 2.
TEST(Hpcc, WeightIsAtMostOne) {
  Flow f;
  f.ack(20_us, Flow::new_round, {at(10_us, 0, 0)});
  f.ack(50_us, Flow::within_round, {at(36_us, 162'500, 0)});
  EXPECT_NEAR(f.hpcc.utilisation(), 0.5, 1e-12);
}

TEST(Hpcc, HopsOfOneInstantAreSkipped) {
  Flow f;
  f.ack(20_us, Flow::new_round, {at(10_us, 0, 0), at(11_us, 0, 0)});
  f.ack(22_us, Flow::within_round, {at(10_us, 0, 50'000), at(24_us, 81'250, 0)});
  EXPECT_NEAR(f.hpcc.utilisation(), 0.5, 1e-12);
  // Nothing measured at all: U stays.
  f.ack(24_us, Flow::within_round, {at(10_us, 0, 50'000), at(24_us, 81'250, 0)});
  EXPECT_NEAR(f.hpcc.utilisation(), 0.5, 1e-12);
}

// All records are replaced by every acknowledgement, also within a round: the second difference is 13 us, not 26.
TEST(Hpcc, EveryAckReplacesTheRecords) {
  Flow f;
  f.ack(20_us, Flow::new_round, {at(10_us, 0, 0)});
  f.ack(33_us, Flow::within_round, {at(23_us, 0, 0)});
  f.ack(46_us, Flow::within_round, {at(36_us, 130'000, 0)});
  EXPECT_NEAR(f.hpcc.utilisation(), 0.8, 1e-12);
}

// Algorithm 1, lines 11 to 20: with U < eta five rounds add W_AI each, the sixth multiplies.
TEST(Hpcc, StagesOfIncrease) {
  Flow f;
  Time t = 10_us;
  std::int64_t tx = 0;
  const auto round = [&](std::int64_t bytes) {
    t += 13_us;
    tx += bytes;
    f.ack(t + 3_us, Flow::new_round, {at(t, tx, 0)});
  };
  f.ack(13_us, Flow::new_round, {at(10_us, 0, 0)});
  round(2 * 162'500);  // U = 2: W = 162,500 * 0.95 / 2 + 80 = 77,267.5
  EXPECT_NEAR(f.hpcc.reference_window(), 77'267.5, 1e-9);
  EXPECT_EQ(f.hpcc.stage(), 0);
  for (int stage = 1; stage <= 5; ++stage) {
    round(81'250);  // U = 0.5
    EXPECT_NEAR(f.hpcc.reference_window(), 77'267.5 + 80 * stage, 1e-9);
    EXPECT_EQ(f.hpcc.stage(), stage);
  }
  round(81'250);  // (77,267.5 + 400) * 0.95 / 0.5 + 80 = 147,648.25
  EXPECT_NEAR(f.hpcc.reference_window(), 147'648.25, 1e-9);
  EXPECT_EQ(f.hpcc.stage(), 0);
  EXPECT_EQ(f.control.window, 147'648_B);
}

TEST(Hpcc, NoStagesInTheArtifact) {
  Flow f({.max_stage = 0, .w_ai = 0_B});
  f.ack(20_us, Flow::new_round, {at(10_us, 0, 0)});
  f.ack(33_us, Flow::new_round, {at(23_us, 325'000, 0)});           // U = 2: 77,187.5
  f.ack(46_us, Flow::new_round, {at(36_us, 325'000 + 81'250, 0)});  // U = 0.5: 77,187.5 * 1.9 = 146,656.25
  EXPECT_NEAR(f.hpcc.reference_window(), 146'656.25, 1e-9);
}

// A17, HPCC section 3.2 and figure 5: two acknowledgements that describe the same queue both give W_0 / 2 with the
// reference window, and W_0 / 4 when each one starts from the current window (equation 3). U = 2 eta = 1.9.
TEST(Hpcc, ReferenceWindowAvoidsOverreaction) {
  const auto second_window = [](Hpcc::Reaction reaction) {
    Flow f({.additive_increase = Hpcc::Increase::window, .w_ai = 0_B, .reaction = reaction, .ewma = false});
    f.ack(20_us, Flow::new_round, {at(10_us, 0, 146'250)});
    f.ack(33_us, Flow::within_round, {at(23_us, 162'500, 146'250)});  // 1 + 146,250 / 162,500 = 1.9
    EXPECT_EQ(f.control.window, 81'250_B);
    f.ack(34_us, Flow::within_round, {at(36_us, 325'000, 146'250)});
    return f.control.window;
  };
  EXPECT_EQ(second_window(Hpcc::Reaction::hpcc), 81'250_B);
  EXPECT_EQ(second_window(Hpcc::Reaction::per_ack), 40'625_B);
}

// Algorithm 1, line 15: the acknowledgement that ends a round also moves the reference, so that the next one, though
// it may describe the same queue, starts from the new reference.
TEST(Hpcc, EndOfARoundMovesTheReference) {
  Flow f({.w_ai = 0_B, .ewma = false});
  f.ack(20_us, Flow::new_round, {at(10_us, 0, 146'250)});
  f.ack(33_us, Flow::new_round, {at(23_us, 162'500, 146'250)});
  EXPECT_NEAR(f.hpcc.reference_window(), 81'250, 1e-9);
  f.ack(34_us, Flow::within_round, {at(36_us, 325'000, 146'250)});
  EXPECT_EQ(f.control.window, 40'625_B);
  EXPECT_NEAR(f.hpcc.reference_window(), 81'250, 1e-9);
}

TEST(Hpcc, PerRttChangesTheWindowOncePerRound) {
  Flow f({.w_ai = 0_B, .reaction = Hpcc::Reaction::per_rtt, .ewma = false});
  f.ack(20_us, Flow::new_round, {at(10_us, 0, 146'250)});
  f.ack(33_us, Flow::within_round, {at(23_us, 162'500, 146'250)});
  EXPECT_EQ(f.control.window, 162'500_B);
  EXPECT_NEAR(f.hpcc.utilisation(), 1.9, 1e-12);
  f.ack(46_us, Flow::new_round, {at(36_us, 325'000, 146'250)});
  EXPECT_EQ(f.control.window, 81'250_B);
}

// A round ends with the first acknowledgement above snd_nxt as it was at the end of the previous one.
TEST(Hpcc, RoundsEndBySequence) {
  const Hpcc::Params params{.w_ai = 0_B, .ewma = false};
  const auto f = facts();
  Control control;
  Hpcc hpcc(params, f, control);
  Telemetry records;
  Ack ack;
  ack.telemetry = &records;
  ack.hops = 1;
  const auto tell = [&](std::int64_t seq, std::int64_t snd_nxt) {
    records.hop[0].time += (13_us).ps;
    records.hop[0].tx_bytes += 325'000;  // U = 2 always
    records.hop[0].rate_mbps = k100G;
    ack.seq = {seq};
    ack.snd_nxt = {snd_nxt};
    hpcc.on_ack(params, f, ack, control);
    return hpcc.reference_window();
  };
  EXPECT_EQ(tell(1'000, 100'000), 162'500);    // first: the round lasts until more than 100,000 is acknowledged
  EXPECT_EQ(tell(100'000, 200'000), 162'500);  // exactly 100,000: the packets before the mark
  EXPECT_EQ(tell(100'001, 200'000), 77'187.5);
  EXPECT_EQ(tell(200'000, 300'000), 77'187.5);
  EXPECT_EQ(tell(201'000, 50'000), 77'187.5 * 0.475);  // go-back-N took snd_nxt back; the mark stays at 200,000
  EXPECT_EQ(tell(201'001, 300'000), 77'187.5 * 0.475 * 0.475);
}

TEST(Hpcc, ANewPathStartsOver) {
  Flow f({.ewma = false});
  f.ack(20_us, Flow::new_round, {at(10_us, 0, 0)});
  f.ack(33_us, Flow::new_round, {at(23_us, 81'250, 0)});
  ASSERT_EQ(f.hpcc.stage(), 1);
  ASSERT_NEAR(f.hpcc.utilisation(), 0.5, 1e-12);
  const auto before = f.control.window;
  // Its counters have nothing to do with the old ones; only the next difference counts.
  f.ack(40_us, Flow::new_round, {at(30_us, 77'000'000, 1'000'000)}, true);
  EXPECT_EQ(f.hpcc.stage(), 0);
  EXPECT_EQ(f.hpcc.utilisation(), 1);
  EXPECT_EQ(f.control.window, before);
  f.ack(53_us, Flow::within_round, {at(43_us, 77'130'000, 0)});
  EXPECT_NEAR(f.hpcc.utilisation(), 0.8, 1e-12);
  // Another number of hops is another path, told or not.
  f.ack(60_us, Flow::within_round, {at(50_us, 0, 0), at(51_us, 0, 0)});
  EXPECT_EQ(f.hpcc.utilisation(), 1);
}

TEST(Hpcc, WindowStaysWithinItsBounds) {
  // R_min = 100 Mb/s: W_min = 1e8 / 8 * 13e-6 = 162.5 B.
  Flow f({.w_ai = 0_B, .ewma = false});
  f.ack(20_us, Flow::new_round, {at(10_us, 0, 1'000'000'000)});
  f.ack(33_us, Flow::new_round, {at(23_us, 162'500, 1'000'000'000)});
  f.ack(46_us, Flow::new_round, {at(36_us, 325'000, 1'000'000'000)});
  EXPECT_EQ(f.control.window, 162_B);
  EXPECT_EQ(f.control.rate, 100_Mbps);
  // An idle link asks for an infinite window; the line rate is all there is.
  Flow g({.max_stage = 0});
  g.ack(20_us, Flow::new_round, {at(10_us, 0, 0)});
  g.ack(33_us, Flow::new_round, {at(23_us, 325'000, 0)});
  ASSERT_LT(g.control.window, 162'500_B);
  g.ack(46_us, Flow::new_round, {at(36_us, 325'000, 0)});
  g.ack(59_us, Flow::new_round, {at(49_us, 325'000, 0)});
  EXPECT_EQ(g.control.window, 162'500_B);
  EXPECT_EQ(g.control.rate, 100_Gbps);
}

// Bytes that entered the queue = bytes that left the port + growth of the queue: 13,000 + 32,500 in T / 10 are 2.8 B.
TEST(Hpcc, RxRateCountsWhatEnteredTheQueue) {
  Flow f({.signal = Hpcc::Signal::rx_rate, .ewma = false});
  f.ack(20_us, Flow::new_round, {at(10_us, 0, 65'000)});
  f.ack(22_us, Flow::within_round, {at(11'300_ns, 13'000, 97'500)});
  EXPECT_NEAR(f.hpcc.utilisation(), 0.4 + 2.8, 1e-12);
  // A queue that drains faster than packets enter counts as nothing entering.
  f.ack(24_us, Flow::within_round, {at(12'600_ns, 26'000, 0)});
  EXPECT_NEAR(f.hpcc.utilisation(), 0, 1e-12);
}

// The counters of the wire format wrap: 16.777216 ms, and 134,217,728 B.
TEST(Hpcc, WireCountersMayWrap) {
  auto wire = facts();
  wire.telemetry = IntFormat::wire();
  Flow f({.ewma = false}, wire);
  f.ack(20_us, Flow::new_round, {at(16'777'216_ns - 3_us, 134'217'728 - 1'280, 80)});
  f.ack(33_us, Flow::within_round, {at(16'777'216_ns + 10_us, 134'217'728 + 128 * 1'000, 80)});
  // 13 us, 129,280 B: 129,280 / 162,500 + 80 / 162,500.
  EXPECT_NEAR(f.hpcc.utilisation(), 129'360.0 / 162'500, 1e-12);
}

TEST(Hpcc, ALongSilenceMakesWireCountersAmbiguous) {
  const auto utilisation_after = [](Time silence, std::uint32_t mbps, IntFormat format) {
    auto wire = facts();
    wire.telemetry = format;
    Flow f({.ewma = false}, wire);
    f.ack(1_ms, Flow::new_round, {at(1_ms, 0, 0, mbps)});
    f.ack(1_ms + silence, Flow::within_round, {at(1_ms + silence, 1'280'000, 0, mbps)});
    return f.hpcc.utilisation();
  };
  // At 25 Gb/s txBytes wraps after 42.9 ms, TS after 16.8 ms: half of that is 8.39 ms.
  EXPECT_NE(utilisation_after(8'380_us, 25'000, IntFormat::wire()), 1);
  EXPECT_EQ(utilisation_after(8'390_us, 25'000, IntFormat::wire()), 1);
  // At 400 Gb/s txBytes wraps after 134,217,728 * 8 / 400e9 = 2.684 ms: half is 1.342 ms.
  EXPECT_NE(utilisation_after(1'342_us, 400'000, IntFormat::wire()), 1);
  EXPECT_EQ(utilisation_after(1'343_us, 400'000, IntFormat::wire()), 1);
  EXPECT_NE(utilisation_after(1'343_us, 400'000, IntFormat::wire(4)), 1);
  EXPECT_NE(utilisation_after(1'000_ms, 400'000, IntFormat::exact()), 1);
}

// With the wire format the measure is that of the exact one but for the truncation: one unit of each counter, over a
// difference of 13 us and about 100 KB.
TEST(Hpcc, WireFormatMeasuresTheSame) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 2'000; ++i) {
    auto wire = facts();
    wire.telemetry = IntFormat::wire(4);
    Flow exact({.ewma = false});
    Flow coarse({.ewma = false}, wire);
    const Time start{static_cast<std::int64_t>(random() % 1'000'000'000'000)};
    const auto tx = static_cast<std::int64_t>(random() % 1'000'000'000'000);
    const auto queue = static_cast<std::int32_t>(random() % 1'000'000);
    const auto sent = static_cast<std::int64_t>(random() % 162'500);
    for (Flow* f : {&exact, &coarse}) {
      f->ack(20_us, Flow::new_round, {at(start, tx, queue)});
      f->ack(33_us, Flow::within_round, {at(start + 13_us, tx + sent, queue)});
    }
    const double unit = (512.0 + 320.0) / 162'500 + 1e-4;
    ASSERT_NEAR(coarse.hpcc.utilisation(), exact.hpcc.utilisation(), unit);
  }
}

// A7, HPCC appendix A.2: on one bottleneck a single step takes any load to the target. A fluid of flows with NICs of
// different speeds, all told of the same link once per T; W_AI = 0.
TEST(Hpcc, OneStepReachesTheTargetOnOneBottleneck) {
  const double product = 162'500;  // B T of the link
  std::vector<Flow> flows;
  for (int i = 0; i < 12; ++i) {
    auto f = facts();
    f.line_rate = i % 3 == 0 ? 25_Gbps : i % 3 == 1 ? 50_Gbps : 100_Gbps;
    flows.emplace_back(Hpcc::Params{.max_stage = 0, .w_ai = 0_B}, f);
  }
  Time t = 10_us;
  std::int64_t tx = 0;
  const auto inflight = [&] {
    double sum = 0;
    for (const auto& f : flows) sum += f.hpcc.reference_window();
    return sum;
  };
  // One T passes with all windows in flight; then everybody hears of it.
  const auto round = [&](double eta) {
    const auto in = static_cast<std::int64_t>(inflight() + 0.5);
    t += 13_us;
    tx += std::min<std::int64_t>(in, 162'500);
    const auto queue = static_cast<std::int32_t>(std::max<std::int64_t>(0, in - 162'500));
    for (auto& f : flows) {
      f.params.eta = eta;
      f.ack(t, Flow::new_round, {at(t, tx, queue)});
    }
    return inflight() / product;
  };
  for (auto& f : flows) f.ack(t, Flow::new_round, {at(t, tx, 2'000'000'000)});
  ASSERT_NEAR(inflight() / product, 7, 1e-9);  // 4 (0.25 + 0.5 + 1)
  EXPECT_NEAR(round(0.95), 0.95, 1e-9);        // from overload
  EXPECT_NEAR(round(0.5), 0.5, 1e-9);
  EXPECT_NEAR(round(0.95), 0.95, 1e-9);  // from underload
  EXPECT_NEAR(round(0.95), 0.95, 1e-9);  // and stays
}

TEST(Hpcc, StateCopiesAsBytes) {
  Flow a;
  a.ack(20_us, Flow::new_round, {at(10_us, 0, 0)});
  Flow b = a;
  for (Flow* f : {&a, &b}) f->ack(30_us, Flow::within_round, {at(20_us, 200'000, 5'000)});
  EXPECT_EQ(a.control.window, b.control.window);
}

// A flow that once per T = 13 us hears of one link.
struct Loaded : Flow {
  using Flow::Flow;

  // Overload: U = 1 + 146,250 / 162,500 = 1.9 = 2 eta, and W = W_c / 2.
  void congest(int times, Round round = within_round) {
    for (int i = 0; i < times; ++i) hear(round, 162'500, 146'250);
  }
  // Half the load and no queue: U = 0.5, W = W_c + W_AI.
  void relax(Round round) { hear(round, 81'250, 0); }

  void hear(Round round, std::int64_t sent, std::int32_t queue) {
    time += 13_us;
    tx += sent;
    ack(time, round, {at(time, tx, queue)});
  }

  Time time;
  std::int64_t tx = 0;
};

// Fast Convergence IV-B, V-B: the reference halves with each third acknowledgement, whether or not a round has ended;
// between, all windows are computed from it. The first acknowledgement of a flow only leaves its records.
TEST(Hpcc, SamplingFrequencyDecreasesByAcks) {
  Loaded f({.w_ai = 0_B, .ewma = false, .reference = {.sf = {.acks = 3}}});
  f.congest(1);
  f.congest(1, Flow::new_round);
  EXPECT_NEAR(f.hpcc.reference_window(), 162'500, 1e-9);
  EXPECT_EQ(f.control.window, 81'250_B);
  f.congest(1);
  EXPECT_NEAR(f.hpcc.reference_window(), 162'500, 1e-9);
  f.congest(1);
  EXPECT_NEAR(f.hpcc.reference_window(), 81'250, 1e-9);
  EXPECT_EQ(f.control.window, 81'250_B);
  f.congest(1);
  EXPECT_NEAR(f.hpcc.reference_window(), 81'250, 1e-9);
  EXPECT_EQ(f.control.window, 40'625_B);
  f.congest(2);
  EXPECT_NEAR(f.hpcc.reference_window(), 40'625, 1e-9);
}

TEST(Hpcc, SamplingFrequencyLeavesIncreasesToRoundTrips) {
  Loaded f({.w_ai = 1'000_B, .ewma = false, .reference = {.sf = {.acks = 3}}});
  f.congest(4, Flow::new_round);  // the third that counts: 162,500 / 2 + 1,000
  ASSERT_NEAR(f.hpcc.reference_window(), 82'250, 1e-9);
  for (int i = 0; i < 9; ++i) f.relax(Flow::within_round);
  EXPECT_NEAR(f.hpcc.reference_window(), 82'250, 1e-9);
  EXPECT_EQ(f.control.window, 83'250_B);
  EXPECT_EQ(f.hpcc.stage(), 0);
  f.relax(Flow::new_round);
  EXPECT_NEAR(f.hpcc.reference_window(), 83'250, 1e-9);
  EXPECT_EQ(f.hpcc.stage(), 1);
}

// Fast Convergence algorithms 1 and 2 with HPCC's measures (V-A). The second acknowledgement begins the round trip that
// ends with the fourth. The longest queue of the path in it, 120,000 B, is above 50 KB: 120 tokens, dampener 2.4, of
// which 100 tokens make 100 / 1.3 = 76.923 steps of 80 B, 6,153.846 B. The queue of that acknowledgement, 32,500 B, is
// 0.2 B T, so U = 1.2 and W = 162,500 * 0.95 / 1.2 + 6,153.846 = 128,645.833 + 6,153.846 = 134,799.679. The reference
// moves, so the tokens are spent; the next W, with 20 / 1.3 steps, is
// 134,799.679 * 0.95 / 1.2 + 1,230.769 = 106,716.413 + 1,230.769 = 107,947.182.
TEST(Hpcc, VariableAiAddsSteps) {
  Flow f({.min_queue = false, .ewma = false, .vai = {.enabled = true}});
  f.ack(13_us, Flow::new_round, {at(10_us, 0, 500'000), at(11_us, 0, 0)});  // only records
  const auto next = [&](Flow::Round round, Time t, std::int32_t queue0, std::int32_t queue1) {
    const std::int64_t tx = (t - 10_us).ps / 80;  // 100 Gb/s: a byte in 80 ps
    f.ack(t + 3_us, round, {at(t, tx, queue0), at(t + 1_us, tx, queue1)});
  };
  next(Flow::within_round, 23_us, 0, 120'000);
  EXPECT_EQ(f.hpcc.variable_ai().bank(), 0);
  next(Flow::within_round, 36_us, 60'000, 0);
  next(Flow::new_round, 49_us, 32'500, 0);
  EXPECT_NEAR(f.hpcc.reference_window(), 134'799.679, 1e-3);
  EXPECT_EQ(f.hpcc.variable_ai().bank(), 20);
  EXPECT_NEAR(f.hpcc.variable_ai().dampener(), 2.4, 1e-6);
  next(Flow::within_round, 62_us, 32'500, 0);
  EXPECT_EQ(f.control.window, 107'947_B);
  EXPECT_EQ(f.hpcc.variable_ai().bank(), 20);  // the reference has not moved
}

// The other reading of section IV-A: 120,000 - 50,000 B make 70 tokens; the dampener is the same.
TEST(Hpcc, VariableAiMayMintByTheExcess) {
  Flow f({.ewma = false, .vai = {.enabled = true}, .vai_tokens = Hpcc::Tokens::excess});
  f.ack(13_us, Flow::new_round, {at(10_us, 0, 0)});
  f.ack(26_us, Flow::within_round, {at(23_us, 162'500, 120'000)});
  f.ack(39_us, Flow::new_round, {at(36_us, 325'000, 0)});
  EXPECT_EQ(f.hpcc.variable_ai().bank(), 0);  // 70 tokens, all spent: U = 1 = W_c 0.95 + 70 / 1.3 * 80
  EXPECT_NEAR(f.hpcc.reference_window(), 154'375 + 70 / 1.3 * 80, 1e-3);
}

// Token_Thresh = 0: base_rtt * path_rate = 12 us * 100 Gb/s = 150,000 B.
TEST(Hpcc, VariableAiKnowsThePathsProduct) {
  for (const auto& [queue, dampener] : {std::pair{150'000, 0.0}, {300'000, 2.0}}) {
    Flow f({.ewma = false, .vai = {.enabled = true}, .vai_token_thresh = 0_B});
    f.ack(13_us, Flow::new_round, {at(10_us, 0, 0)});
    f.ack(26_us, Flow::within_round, {at(23_us, 162'500, queue)});
    f.ack(39_us, Flow::new_round, {at(36_us, 325'000, 0)});
    EXPECT_NEAR(f.hpcc.variable_ai().dampener(), dampener, 1e-6);
  }
}

// Fast Convergence III-D: W_c < rand() % W_init, drawn once a round where the reference would decrease; then, as
// without congestion, W_c grows by W_AI. With W_c = W_init it never happens.
TEST(Hpcc, ProbabilisticFeedbackIgnoresDecreases) {
  auto random_facts = facts();
  random_facts.random = RandomStream(11, 3, Purpose::algorithm);
  using Probabilistic = ReferenceUpdate::Probabilistic;
  for (const auto mode : {Probabilistic::increase, Probabilistic::keep}) {
    Loaded f({.w_ai = 1'000_B, .ewma = false, .reference = {.probabilistic = mode}}, random_facts);
    f.congest(1);
    int ignored = 0;
    for (std::uint64_t draw = 0; draw < 100; ++draw) {
      f.congest(3);  // no draws within a round
      double w_c = f.hpcc.reference_window();
      const bool ignore = w_c < random_facts.random.uniform(draw) * 162'500;
      if (!ignore)
        w_c = w_c / 2 + 1'000;
      else if (mode == Probabilistic::increase)
        w_c += 1'000;
      ignored += ignore;
      f.congest(1, Flow::new_round);
      ASSERT_NEAR(f.hpcc.reference_window(), w_c, 1e-6) << draw;
      ASSERT_TRUE(draw > 0 || !ignore);  // at first the window is full
      while (f.hpcc.reference_window() < 50'000) f.relax(Flow::new_round);
    }
    EXPECT_GT(ignored, 20);
    EXPECT_LT(ignored, 80);
  }
}

// HPCC 4.3: the window is that of the division, or larger by less than epsilon / (1 - epsilon) and the step of U / eta,
// 2^-14.
TEST(Hpcc, ReciprocalsInsteadOfDivision) {
  Flow exact({.w_ai = 0_B, .ewma = false});
  Flow table({.w_ai = 0_B, .ewma = false, .reciprocal = 0.02});
  int different = 0;
  for (Flow* f : {&exact, &table}) f->ack(20_us, Flow::new_round, {at(10_us, 0, 0)});
  for (std::int32_t i = 1; i <= 200; ++i) {
    for (Flow* f : {&exact, &table})
      f->ack(20_us + i * 13_us, Flow::within_round, {at(10_us + i * 13_us, 162'500 * i, 1'000 * i)});
    const auto w = static_cast<double>(exact.control.window.count);
    const auto approximate = static_cast<double>(table.control.window.count);
    ASSERT_GE(approximate, w - 1);
    ASSERT_LE(approximate, w * (1 + 0.02 / 0.98 + 1e-4) + 1);
    different += approximate > w + 1;
  }
  EXPECT_GT(different, 100);
}

// The stream holds what two switches wrote into the packets of a flow that another one joins and leaves; then the path
// changes.
std::string answers(const Hpcc::Params& params, const IntFormat& format) {
  auto f = facts();
  f.telemetry = format;
  f.random = RandomStream(1, 1, Purpose::algorithm);
  Control control;
  Hpcc hpcc(params, f, control);
  std::string out = "time_ps,window,rate_bps\n";
  std::uint64_t path = 0;
  for (const auto& row : read_stream("hpcc")) {
    Telemetry records;
    path += whole(row[3]) != 0 ? std::uint64_t{1} << kPathIdShift : 0;
    records.path = path;
    for (std::size_t h = 0; h < 2; ++h)
      records.hop[h] = format.quantise(
          {whole(row[4 + 3 * h]), whole(row[5 + 3 * h]), static_cast<std::int32_t>(whole(row[6 + 3 * h])), k100G});
    Ack ack;
    ack.now = {whole(row[0])};
    ack.seq = {whole(row[1])};
    ack.snd_nxt = {whole(row[2])};
    ack.sent_at = ack.now;
    ack.hops = 2;
    ack.telemetry = &records;
    hpcc.on_ack(params, f, ack, control);
    out += fmt::format("{},{},{}\n", ack.now.ps, control.window.count, control.rate.bits_per_second);
  }
  return out;
}

TEST(Hpcc, Snapshot) {
  expect_snapshot("hpcc", answers({}, IntFormat::exact()));
  expect_snapshot(
      "hpcc_ns3_wire",
      answers({.max_stage = 0, .additive_increase = Hpcc::Increase::rate, .r_min = 1'000_Mbps}, IntFormat::wire(4)));
  // Its queue of 46 KB is too short for Token_Thresh.
  auto vai_sf = preset<Hpcc>("fast-convergence-vai-sf");
  vai_sf.vai_token_thresh = 10_KB;
  expect_snapshot("hpcc_vai_sf", answers(vai_sf, IntFormat::exact()));
  expect_snapshot("hpcc_probabilistic", answers(preset<Hpcc>("fast-convergence-probabilistic"), IntFormat::exact()));
}

// The parts take another way through the code. Where they have nothing to do, it leads to the same windows.
TEST(Hpcc, IdlePartsChangeNothing) {
  for (const auto reaction : {Hpcc::Reaction::hpcc, Hpcc::Reaction::per_ack, Hpcc::Reaction::per_rtt}) {
    const Hpcc::Params plain{.reaction = reaction};
    auto idle = plain;
    idle.vai.enabled = true;
    idle.vai_token_thresh = 1_GB;
    EXPECT_EQ(answers(plain, IntFormat::exact()), answers(idle, IntFormat::exact()));
  }
}

}  // namespace
}  // namespace weir::cc::hpcc_test
