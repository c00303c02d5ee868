#include "weir/cc/vai_sf_algorithms.h"

#include <gtest/gtest.h>

#include "tests/cc/loss_driven.h"
#include "tests/cc/preset.h"

namespace weir::cc::vai_sf_algorithms_test {
namespace {

using namespace literals;

template <class A>
VaiSfParams<A> without_parts(const typename A::Params& algorithm) {
  VaiSfParams<A> p{.algorithm = algorithm};
  p.parts.vai.enabled = false;
  p.parts.sf.acks = 0;
  return p;
}

TEST(VaiSfAlgorithms, WithoutTheirPartsAreThePlainOnes) {
  for (const char* name : {"paper", "hpcc"}) {
    EXPECT_EQ(answers_to_losses<DctcpVaiSf>(without_parts<Dctcp>(preset<Dctcp>(name))),
              answers_to_losses<Dctcp>(preset<Dctcp>(name)));
  }
  Driven<Timely> timely(preset<Timely>("hpcc"));
  Driven<TimelyVaiSf> timely_too(without_parts<Timely>(preset<Timely>("hpcc")));
  for (int i = 1; i <= 400; ++i) {
    const Heard heard{.in_flight = 5'000_B, .rtt = Time{(10 + i * i * 7 % 600) * 1'000'000}};
    timely.ack(1_us * i, heard);
    timely_too.ack(1_us * i, heard);
    ASSERT_EQ(timely_too.control.rate, timely.control.rate) << i;
  }
  EXPECT_LT(timely.control.rate, 100_Gbps);
  for (const char* name : {"paper", "vendor", "hpcc"}) {
    const auto params = preset<Dcqcn>(name);
    Driven<Dcqcn> plain(params);
    Driven<DcqcnVaiSf> same(without_parts<Dcqcn>(params));
    for (int i = 1; i <= 400; ++i) {
      const Time now = 7_us * i;
      const auto tell = [&](auto& flow) {
        if (i % 50 < 3) flow.a.on_cnp(flow.params, flow.flow, now, flow.control);
        if (flow.control.timer <= now) flow.a.on_timer(flow.params, flow.flow, now, flow.control);
        flow.ack(now);
      };
      tell(plain);
      tell(same);
      ASSERT_EQ(same.control.rate, plain.control.rate) << name << ' ' << i;
    }
    EXPECT_LT(plain.control.rate, 100_Gbps);
  }
}

// A delay of 20 us above the unloaded 10 us mints 666.7 tokens at the end of a round trip; Token_Thresh is 4 us, so
// that the dampener is 30 / 14, and 100 tokens at a time are worth 100 / (30 / 14 / 8 + 1) = 78.87 steps.
TEST(VaiSf, MintsTokensOfDelays) {
  VaiSf parts;
  VaiSf::Params p;
  const auto hear = [&](std::int64_t seq, Time rtt) {
    Ack ack;
    ack.rtt = rtt;
    ack.seq = {seq};
    ack.snd_nxt = {seq};
    return parts.hear(p, loss_facts(), ack, true);
  };
  EXPECT_FALSE(hear(1, 30_us));  // ends no round trip
  EXPECT_EQ(parts.steps(p), 1);
  EXPECT_TRUE(hear(2, 10_us));
  EXPECT_NEAR(parts.variable_ai().bank(), 20'000 / 30.0, 1e-9);
  EXPECT_NEAR(parts.steps(p), 100 / (30.0 / 14 / 8 + 1), 1e-5);
  parts.spend(p);
  EXPECT_NEAR(parts.variable_ai().bank(), 20'000 / 30.0 - 100, 1e-9);
}

// A decrease needs three acknowledgements, and no round trip: all packets were sent before the first one.
TEST(TimelyVaiSf, DecreasesByAcknowledgements) {
  auto params = without_parts<Timely>(preset<Timely>("hpcc"));
  params.parts.sf.acks = 3;
  Driven<TimelyVaiSf> f(params);
  f.una = {};
  const auto ack = [&] { f.ack(1_us, {.acked = {1}, .in_flight = {1'000'000}, .rtt = 1_ms}); };
  ack();  // leaves its round-trip time, and is the first of three
  for (int decrease = 1; decrease <= 3; ++decrease) {
    const double before = f.a.algorithm().rate();
    ack();
    if (decrease > 1) ack();
    EXPECT_EQ(f.a.algorithm().rate(), before);
    ack();
    // above T_high: 1 - 0.8 (1 - 500 us / 1 ms)
    EXPECT_NEAR(f.a.algorithm().rate(), 0.6 * before, 1);
  }
}

// Without congestion all of it stands still but the increases: 10 Mb/s at 10 Gb/s are 100 Mb/s here.
TEST(TimelyVaiSf, IncreasesByTokensOncePerRoundTrip) {
  auto params = without_parts<Timely>(preset<Timely>("hpcc"));
  params.algorithm.initial_rate = 50_Gbps;
  params.parts.vai.enabled = true;
  Driven<TimelyVaiSf> f(params);
  f.ack(1_us, {.in_flight = 0_B, .rtt = 40_us});
  f.ack(2_us, {.in_flight = 0_B, .rtt = 40_us});
  const double steps = f.a.parts().steps(params.parts);
  EXPECT_GT(steps, 50);
  const double before = f.a.algorithm().rate();
  f.ack(3_us, {.in_flight = 0_B, .rtt = 40_us});
  EXPECT_NEAR(f.a.algorithm().rate(), before + steps * 100e6, 1);
}

// alpha = 1: the window is halved after two marks, whether or not a round trip has passed.
TEST(DctcpVaiSf, DecreasesByAcknowledgements) {
  auto params = without_parts<Dctcp>(preset<Dctcp>("hpcc"));
  params.parts.sf.acks = 2;
  Driven<DctcpVaiSf> f(params);
  const auto mark = [&] { f.ack(1_us, {.ecn = true, .sent_at = 0_us}); };
  EXPECT_EQ(f.control.window, 162'500_B);
  mark();
  EXPECT_EQ(f.control.window, 162'500_B);
  mark();
  EXPECT_EQ(f.control.window, 81'250_B);
  mark();
  EXPECT_EQ(f.control.window, 81'250_B);
  mark();
  EXPECT_EQ(f.control.window, 40'625_B);
}

// In congestion avoidance a window of 81,250 B grows by one packet and as many more as there are further steps.
TEST(DctcpVaiSf, GrowsByTokens) {
  auto params = without_parts<Dctcp>(preset<Dctcp>("hpcc"));
  Driven<DctcpVaiSf> plain(params);
  params.parts.vai.enabled = true;
  params.parts.vai.ai_cap = 10;
  params.parts.vai.dampener_constant = 1e9;
  Driven<DctcpVaiSf> f(params);
  for (auto* flow : {&plain, &f}) {
    flow->ack(1_us, {.ecn = true, .in_flight = 0_B, .rtt = 30_us});
    flow->ack(2_us, {.sent_at = 2_us, .in_flight = 0_B, .rtt = 30_us});  // ends the round trip
    flow->acks(20, 3_us, {.rtt = 10_us});
  }
  const double share = 20'000 / 81'250.0;  // of a round trip
  EXPECT_EQ(plain.control.window, 81'250_B);
  EXPECT_NEAR(static_cast<double>(f.control.window.count), 81'250 + 9 * 1'000 * share, 150);
}

// The CNP is remembered until the third acknowledgement: alpha = 1 halves the rate.
TEST(DcqcnVaiSf, CutsByAcknowledgements) {
  auto params = without_parts<Dcqcn>(preset<Dcqcn>("hpcc"));
  params.parts.sf.acks = 3;
  Driven<DcqcnVaiSf> f(params);
  f.acks(2, 1_us);
  f.a.on_cnp(f.params, f.flow, 2_us, f.control);
  EXPECT_EQ(f.control.rate, 100_Gbps);
  f.ack(3_us);
  EXPECT_EQ(f.control.rate, 50_Gbps);
  f.acks(10, 4_us);  // no CNP
  EXPECT_EQ(f.control.rate, 50_Gbps);
}

// R_AI of 5 Mb/s at 25 Gb/s is 20 Mb/s here, and with the tokens of 20 us 78.87 times that, which spends 100 of them.
// Two cuts by a half leave R_T at 50 and R_C at 25 Gb/s.
TEST(DcqcnVaiSf, RaisesByTokens) {
  auto params = without_parts<Dcqcn>(preset<Dcqcn>("hpcc"));
  params.algorithm.rate_decrease = Dcqcn::Decrease::on_cnp;
  params.algorithm.clamp_target = true;
  params.algorithm.fast_recovery = 0;
  params.parts.vai.enabled = true;
  Driven<DcqcnVaiSf> f(params);
  for (int cut = 0; cut < 2; ++cut) f.a.on_cnp(f.params, f.flow, 1_us, f.control);
  EXPECT_EQ(f.control.rate, 25_Gbps);
  f.ack(10_us, {.in_flight = 0_B, .rtt = 30_us});
  f.ack(11_us, {.in_flight = 0_B, .rtt = 30_us});
  const double bank = f.a.parts().variable_ai().bank();
  ASSERT_GT(bank, 600);
  const double steps = f.a.parts().steps(params.parts);
  EXPECT_NEAR(steps, 78.87, 0.01);
  f.a.on_timer(f.params, f.flow, 301_us, f.control);
  EXPECT_NEAR(static_cast<double>(f.a.algorithm().target_rate().bits_per_second), 50e9 + 20e6 * steps, 10);
  EXPECT_EQ(f.a.parts().variable_ai().bank(), bank - 100);
}

}  // namespace
}  // namespace weir::cc::vai_sf_algorithms_test
