#include "weir/cc/timely.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <initializer_list>

#include "tests/cc/preset.h"
#include "tests/cc/snapshot.h"

namespace weir::cc::timely_test {
namespace {

using namespace literals;

constexpr double kMbit = 1e6;

FlowFacts facts(Rate line = 10_Gbps) {
  FlowFacts f;
  f.line_rate = line;
  f.path_rate = line;
  f.base_rtt = 12_us;
  f.network_rtt = 13_us;
  return f;
}

// One flow on a NIC of 10 Gb/s: delta = 10 Mb/s. Each acknowledgement is a completion event unless told otherwise.
struct Flow {
  explicit Flow(Timely::Params p, const FlowFacts& f = facts()) : params(p), flow(f), timely(p, f, control) {}

  void rtts(std::initializer_list<Time> list) {
    for (const Time rtt : list) {
      Ack a;
      a.rtt = rtt;
      a.seq = {seq += 1'000};
      a.snd_nxt = {seq};
      timely.on_ack(params, flow, a, control);
    }
  }
  double mbps() const { return timely.rate() / kMbit; }

  Timely::Params params;
  FlowFacts flow;
  Control control;
  Timely timely;
  std::int64_t seq = 0;
};

// At 1 Gb/s, every acknowledgement is an event, the last difference counts alone.
Timely::Params simple() {
  return {.event = Timely::Event::ack,
          .alpha = 1,
          .hyper_increase = Timely::Hyper::never,
          .r_min = 1_Mbps,
          .initial_rate = 1_Gbps};
}

TEST(Timely, StartsAtLineRate) {
  const Flow f({});
  EXPECT_EQ(f.control.rate, 10_Gbps);
  EXPECT_EQ(f.control.window, kNoWindow);
  EXPECT_EQ(f.control.timer, kNoTimer);
  EXPECT_EQ(Flow({.initial_rate = 3_Gbps}).control.rate, 3_Gbps);
  EXPECT_EQ(Flow({.initial_rate = 30_Gbps}).control.rate, 10_Gbps);
}

TEST(Timely, TheFirstRttIsOnlyRemembered) {
  Flow f(simple());
  f.rtts({5_ms});
  EXPECT_EQ(f.control.rate, 1_Gbps);
}

// Algorithm 1: below T_low = 50 us additive increase, though the RTT rises; above T_high = 500 us, R (1 - 0.8 (1 -
// 500/800)) = 0.7 R, though it falls.
TEST(Timely, ThresholdsOverruleTheGradient) {
  Flow f(simple());
  f.rtts({20_us, 49_us});
  EXPECT_NEAR(f.mbps(), 1'010, 1e-6);
  Flow g(simple());
  g.rtts({900_us, 800_us});
  EXPECT_NEAR(g.mbps(), 700, 1e-6);
  EXPECT_EQ(g.control.rate, 700_Mbps);
}

// Between them the gradient counts, over minRTT = 20 us: a rise of 5 us is 0.25, R (1 - 0.8 * 0.25) = 0.8 R.
TEST(Timely, FollowsTheGradient) {
  Flow f(simple());
  f.rtts({100_us, 105_us});
  EXPECT_NEAR(f.mbps(), 800, 1e-6);
  f.rtts({105_us});  // no gradient: increase
  EXPECT_NEAR(f.mbps(), 810, 1e-6);
  f.rtts({90_us});
  EXPECT_NEAR(f.mbps(), 820, 1e-6);
  // A rise of 30 us would be a factor of 1 - 0.8 * 1.5 < 0: only the lower bound is left.
  f.rtts({120_us});
  EXPECT_EQ(f.control.rate, 1_Mbps);
}

// T_low and T_high themselves belong to the range between.
TEST(Timely, ThresholdsAreWithinTheRange) {
  Flow f(simple());
  f.rtts({45_us, 50_us});
  EXPECT_NEAR(f.mbps(), 800, 1e-6);
  Flow g(simple());
  g.rtts({505_us, 500_us});
  EXPECT_NEAR(g.mbps(), 1'010, 1e-6);
}

// diff = (1 - 0.875) diff + 0.875 new: 0.875 * 8 = 7 us, then 0.125 * 7 - 0.875 * 2 = -0.875 us.
TEST(Timely, SmoothsTheDifference) {
  auto params = simple();
  params.alpha = 0.875;
  Flow f(params);
  f.rtts({100_us, 108_us});
  EXPECT_NEAR(f.timely.rtt_diff(), 7e6, 1e-3);
  EXPECT_NEAR(f.mbps(), 1'000 * (1 - 0.8 * 0.35), 1e-6);
  f.rtts({106_us});
  EXPECT_NEAR(f.timely.rtt_diff(), -0.875e6, 1e-3);
  EXPECT_NEAR(f.mbps(), 730, 1e-6);
}

// The paper: the fifth event in a row on whose gradient is not positive adds 5 delta; below T_low it is always delta.
TEST(Timely, HyperIncreaseByTheGradient) {
  auto params = simple();
  params.hyper_increase = Timely::Hyper::gradient;
  Flow f(params);
  f.rtts({100_us, 99_us, 98_us, 97_us, 96_us});
  EXPECT_NEAR(f.mbps(), 1'040, 1e-6);
  f.rtts({95_us, 95_us});
  EXPECT_NEAR(f.mbps(), 1'140, 1e-6);
  f.rtts({40_us});
  EXPECT_NEAR(f.mbps(), 1'150, 1e-6);
  f.rtts({40'100_ns, 100_us, 99_us});  // one rises
  EXPECT_LT(f.mbps(), 1'150);
  const double before = f.mbps();
  f.rtts({98_us});
  EXPECT_NEAR(f.mbps(), before + 10, 1e-6);
}

// The HPCC artifact: after five increases of any kind.
TEST(Timely, HyperIncreaseByTheStage) {
  auto params = simple();
  params.hyper_increase = Timely::Hyper::stage;
  Flow f(params);
  f.rtts({20_us, 21_us, 22_us, 23_us, 24_us, 25_us});
  EXPECT_NEAR(f.mbps(), 1'050, 1e-6);
  f.rtts({26_us});
  EXPECT_NEAR(f.mbps(), 1'100, 1e-6);
  f.rtts({100_us, 99_us});
  EXPECT_NEAR(f.mbps(), 11, 1e-6);  // R_min, and one step
}

// ECN or Delay: w(g) = 0 up to -1/4, 2 g + 1/2 between, 1 from 1/4 on.
TEST(Timely, WeightOfThePatch) {
  for (const auto& [gradient, weight] :
       {std::pair{-9.0, 0.0}, {-0.25, 0.0}, {-0.125, 0.25}, {0.0, 0.5}, {0.1, 0.7}, {0.25, 1.0}, {9.0, 1.0}})
    EXPECT_DOUBLE_EQ(Timely::weight(gradient), weight) << gradient;
}

// R = delta (1 - w) + R (1 - beta w (rtt - ref) / ref), with ref = T_low = 50 us.
TEST(Timely, PatchedByHand) {
  auto params = simple();
  params.form = Timely::Form::patched;
  params.beta = 0.008;
  Flow f(params);
  f.rtts({100_us, 100_us});  // w = 0.5, error = 1: 5 + 1,000 (1 - 0.004) = 1,001
  EXPECT_NEAR(f.mbps(), 1'001, 1e-6);
  f.rtts({102_us});  // w = 0.7, error = 1.04: 3 + 1,001 (1 - 0.005824) = 998.170176
  EXPECT_NEAR(f.mbps(), 998.170176, 1e-6);
  f.rtts({90_us});  // w = 0
  EXPECT_NEAR(f.mbps(), 1'008.170176, 1e-6);
  params.rtt_ref = 100_us;
  Flow g(params);
  g.rtts({150_us, 150_us});  // error 0.5: 5 + 1,000 (1 - 0.002)
  EXPECT_NEAR(g.mbps(), 1'003, 1e-6);
  // Beyond the thresholds it is TIMELY.
  g.rtts({40_us});
  EXPECT_NEAR(g.mbps(), 1'013, 1e-6);
  g.rtts({800_us});
  EXPECT_NEAR(g.mbps(), 1'013 * (1 - 0.008 * 0.375), 1e-6);
}

// The patch has a fixed point where TIMELY has none: gradient 0, w = 1/2, and beta R (rtt - ref) / ref = delta. With R
// = 1 Gb/s and beta = 0.008 that is an error of 10 / 8 = 1.25, a constant RTT of 112.5 us.
TEST(Timely, PatchedHasAFixedPoint) {
  auto params = simple();
  params.form = Timely::Form::patched;
  params.beta = 0.008;
  Flow f(params);
  for (int i = 0; i < 100; ++i) f.rtts({112'500_ns});
  EXPECT_NEAR(f.mbps(), 1'000, 1e-6);
}

TEST(Timely, EventsComeWithRoundTripsOrSegments) {
  const auto steps = [](Timely::Event event, Bytes segment) {
    auto params = simple();
    params.event = event;
    params.segment = segment;
    Flow f(params);
    Ack a;
    a.rtt = 20_us;
    for (std::int64_t seq = 1'000; seq <= 100'000; seq += 1'000) {
      a.seq = {seq};
      a.snd_nxt = {seq + 25'000};
      f.timely.on_ack(f.params, f.flow, a, f.control);
      f.timely.on_ack(f.params, f.flow, a, f.control);  // a duplicate
    }
    return f.mbps() / 10 - 100;
  };
  EXPECT_NEAR(steps(Timely::Event::ack, 1_B), 199, 1e-6);
  // Events at 1,000, then more than 26,000 (27,000), more than 52,000, more than 78,000: four, the first a memory.
  EXPECT_NEAR(steps(Timely::Event::rtt, 1_B), 3, 1e-6);
  // At 1,000, 17,000, 33,000, ... 97,000: seven.
  EXPECT_NEAR(steps(Timely::Event::segment, 16'000_B), 6, 1e-6);
}

// 10 Mb/s for a NIC of 10 Gb/s are 100 Mb/s at 100 Gb/s.
TEST(Timely, StepsScaleWithTheNic) {
  auto params = simple();
  Flow f(params, facts(100_Gbps));
  f.rtts({20_us, 20_us});
  EXPECT_NEAR(f.mbps(), 1'100, 1e-6);
  params.scale_rate = {};
  Flow g(params, facts(100_Gbps));
  g.rtts({20_us, 20_us});
  EXPECT_NEAR(g.mbps(), 1'010, 1e-6);
}

TEST(Timely, RateStaysWithinItsBounds) {
  Flow f({.event = Timely::Event::ack, .r_min = 1_Gbps});
  for (int i = 0; i < 10; ++i) f.rtts({20_us});
  EXPECT_EQ(f.control.rate, 10_Gbps);
  for (int i = 0; i < 50; ++i) f.rtts({5_ms});
  EXPECT_EQ(f.control.rate, 1_Gbps);
}

// TIMELY+win (HPCC 5.1): T = 13 us at 10 Gb/s are 16,250 B; at a rate of 7 Gb/s 11,375 B.
TEST(Timely, MayHaveAWindow) {
  Timely::Params params{.event = Timely::Event::ack};
  params.window.kind = RateWindow::Kind::variable;
  Flow f(params);
  EXPECT_EQ(f.control.window, 16'250_B);
  f.rtts({800_us, 800_us});
  EXPECT_EQ(f.control.window, 11'375_B);
  params.window.kind = RateWindow::Kind::bdp;
  Flow g(params);
  g.rtts({800_us, 800_us});
  EXPECT_EQ(g.control.rate, 7_Gbps);
  EXPECT_EQ(g.control.window, 16'250_B);
}

TEST(Timely, StateIsSmall) { EXPECT_LE(sizeof(Timely), 64u); }

// The stream holds delays of a path that gets congested, by and by and at once.
TEST(Timely, Snapshot) {
  for (const auto name : {"hpcc", "paper", "patched", "onramp-0.2"}) {
    auto params = preset<Timely>(name);
    params.window.kind = RateWindow::Kind::variable;
    const auto f = facts(100_Gbps);
    Control control;
    Timely timely(params, f, control);
    std::string out = "time_ps,window,rate_bps\n";
    for (const auto& row : read_stream("delays")) {
      if (row[1] != "ack") continue;
      Ack ack;
      ack.now = {whole(row[0])};
      ack.rtt = {whole(row[2])};
      ack.seq = {whole(row[4])};
      ack.snd_nxt = {whole(row[6])};
      timely.on_ack(params, f, ack, control);
      out += fmt::format("{},{},{}\n", ack.now.ps, control.window.count, control.rate.bits_per_second);
    }
    expect_snapshot(fmt::format("timely_{}", name), out);
  }
}

}  // namespace
}  // namespace weir::cc::timely_test
