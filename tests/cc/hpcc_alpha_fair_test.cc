#include "weir/cc/hpcc_alpha_fair.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "tests/cc/snapshot.h"
#include "weir/cc/hpcc.h"

namespace weir::cc::hpcc_alpha_fair_test {
namespace {

using namespace literals;
using Alpha = HpccAlphaFair::Alpha;

constexpr std::array kAll{Alpha::eighth, Alpha::quarter, Alpha::half,  Alpha::one,
                          Alpha::two,    Alpha::four,    Alpha::eight, Alpha::infinite};

FlowFacts facts() {
  FlowFacts f;
  f.line_rate = 100_Gbps;
  f.path_rate = 100_Gbps;
  f.base_rtt = 12_us;
  f.network_rtt = 13_us;  // B T = 162,500 B
  return f;
}

struct Flow {
  explicit Flow(const HpccAlphaFair::Params& p) : params(p), hpcc(p, flow, control) {}

  void ack(std::int64_t round, const std::vector<HopTelemetry>& hops) {
    Telemetry records;
    std::copy(hops.begin(), hops.end(), records.hop.begin());
    Ack a;
    a.now = {records.hop[0].time};
    a.hops = static_cast<std::uint8_t>(hops.size());
    a.telemetry = &records;
    a.seq = {round + 1};
    a.snd_nxt = {round + 1};
    hpcc.on_ack(params, flow, a, control);
  }
  double window() const { return static_cast<double>(control.window.count); }

  HpccAlphaFair::Params params;
  FlowFacts flow = facts();
  Control control;
  HpccAlphaFair hpcc;
};

double combine(Alpha alpha, std::vector<double> w) { return HpccAlphaFair::combine(alpha, w.data(), w.size()); }

// Equation 7. 1 / (1/3 + 1/6) = 2; 1 / sqrt(1/9 + 1/16) = 12/5; 1 / (1/3 + 1/6)^2 = 4; 1 / (1/2 + 1/4)^4 = 256/81.
TEST(HpccAlphaFair, CombinesRegisters) {
  EXPECT_NEAR(combine(Alpha::one, {3, 6}), 2, 1e-14);
  EXPECT_NEAR(combine(Alpha::two, {3, 4}), 2.4, 1e-14);
  EXPECT_NEAR(combine(Alpha::half, {9, 36}), 4, 1e-14);
  EXPECT_NEAR(combine(Alpha::quarter, {16, 256}), 256.0 / 81, 1e-14);
  EXPECT_EQ(combine(Alpha::infinite, {7, 5, 6}), 5);
  // n equal registers: W n^(-1/alpha).
  EXPECT_NEAR(combine(Alpha::four, std::vector<double>(16, 10.0)), 5, 1e-13);
  EXPECT_NEAR(combine(Alpha::eight, std::vector<double>(256, 10.0)), 5, 1e-13);
  EXPECT_NEAR(combine(Alpha::eighth, {1e6, 1e6}), 1e6 / 256, 1e-6);
  for (const auto alpha : kAll) EXPECT_NEAR(combine(alpha, {12'345}), 12'345, 1e-7);
}

TEST(HpccAlphaFair, StartsAtLineRate) {
  for (const auto alpha : kAll) {
    Flow f({.alpha = alpha});
    EXPECT_EQ(f.control.window, 162'500_B);
    EXPECT_EQ(f.control.rate, 100_Gbps);
    f.ack(0, {{0, 0, 0, 100'000}, {0, 0, 0, 100'000}, {0, 0, 0, 100'000}});
    EXPECT_EQ(f.control.window, 162'500_B);  // records only
  }
}

// alpha = 1 on two links, U = 0.5 and 2. Registers begin at 2 * 162,500, so that together they are the window. One
// round trip later: 325,000 * 0.95 / 0.5 + 80 = 617,580 and 325,000 * 0.95 / 2 + 80 = 154,455; W = 1 / (1 / 617,580 + 1
// / 154,455) = 123,554.40.
TEST(HpccAlphaFair, OneRegisterForEachLink) {
  Flow f({.ewma = false});
  f.ack(0, {{0, 0, 0, 100'000}, {0, 0, 0, 100'000}});
  f.ack(1, {{13'000'000, 81'250, 0, 100'000}, {13'000'000, 325'000, 0, 100'000}});
  EXPECT_NEAR(f.hpcc.reference(0), 617'580, 1e-6);
  EXPECT_NEAR(f.hpcc.reference(1), 154'455, 1e-6);
  EXPECT_EQ(f.control.window, 123'554_B);
}

// Over one link every alpha is HPCC without stages.
TEST(HpccAlphaFair, OneLinkIsPlainHpcc) {
  for (const auto alpha : kAll) {
    Flow f({.alpha = alpha});
    const Hpcc::Params params{.max_stage = 0};
    Control control;
    Hpcc hpcc(params, f.flow, control);
    std::int64_t tx = 0;
    for (std::int64_t i = 0; i < 200; ++i) {
      Telemetry records;
      tx += 1'000 + i * 7'919 % 31'000;
      records.hop[0] = {i * 1'300'000, tx, static_cast<std::int32_t>(i * 104'729 % 90'000), 100'000};
      f.ack(i / 10, {records.hop[0]});
      Ack a;
      a.now = {records.hop[0].time};
      a.hops = 1;
      a.telemetry = &records;
      a.seq = a.snd_nxt = {i / 10 + 1};
      hpcc.on_ack(params, f.flow, a, control);
      // U is kept in single precision.
      ASSERT_NEAR(f.window(), static_cast<double>(control.window.count), 2) << i;
    }
  }
}

// A parking lot: n links, one flow over all of them and one over each. A fluid: all are told of their links once per T.
// Returns the long flow's share of a link.
double share_of_long_flow(Alpha alpha, int n) {
  const HpccAlphaFair::Params params{.alpha = alpha, .w_ai = 1'000_B, .ewma = false};
  std::vector<Flow> flows(static_cast<std::size_t>(n) + 1, Flow(params));
  std::vector<HopTelemetry> links(static_cast<std::size_t>(n), {0, 0, 0, 100'000});
  for (std::int64_t round = 0; round < 3'000; ++round) {
    for (std::size_t i = 0; i < links.size(); ++i) {
      const auto in = static_cast<std::int64_t>(flows.back().window() + flows[i].window());
      links[i].time += 13'000'000;
      links[i].tx_bytes += std::min<std::int64_t>(in, 162'500);
      links[i].queue = static_cast<std::int32_t>(std::max<std::int64_t>(0, in - 162'500));
    }
    for (std::size_t i = 0; i < links.size(); ++i) flows[i].ack(round, {links[i]});
    flows.back().ack(round, links);
  }
  // Nobody gains from an idle link: all are at their target, and a little more for the additive increase.
  for (std::size_t i = 0; i < links.size(); ++i)
    EXPECT_NEAR((flows.back().window() + flows[i].window()) / 162'500, 0.96, 0.015);
  return flows.back().window() / (flows.back().window() + flows[0].window());
}

// A10: proportional fairness gives the long flow C / (n + 1) and the others n C / (n + 1).
TEST(HpccAlphaFair, OneIsProportionallyFair) {
  for (const int n : {1, 2, 3, 5}) {
    const double fair = 1.0 / (n + 1);
    EXPECT_NEAR(share_of_long_flow(Alpha::one, n), fair, 0.03 * fair) << n;
  }
}

// A11: a large alpha is max-min fair, a small one gives the link to the flows that use only one.
TEST(HpccAlphaFair, ExtremesAreMaxMinAndLargestSum) {
  EXPECT_NEAR(share_of_long_flow(Alpha::infinite, 3), 0.5, 0.025);
  EXPECT_NEAR(share_of_long_flow(Alpha::eight, 3), 1 / (1 + std::pow(3, 0.125)), 0.025);
  EXPECT_NEAR(share_of_long_flow(Alpha::eighth, 3), 0, 0.05);
}

// An idle link leaves its register at the bound, where it hardly counts, and the flow keeps what the others give it.
TEST(HpccAlphaFair, IdleLinksDoNotCount) {
  Flow f({.w_ai = 0_B, .ewma = false});
  std::vector<HopTelemetry> links(2, {0, 0, 0, 100'000});
  for (std::int64_t round = 0; round < 300; ++round) {
    f.ack(round, links);
    for (auto& link : links) link.time += 13'000'000;
    links[1].tx_bytes += 154'375;  // U = eta
  }
  // Its own register is still 2 * 162,500; that of the idle link is 128 times W_init: 1 / (1/325,000 + 1/20,800,000).
  EXPECT_NEAR(f.hpcc.reference(0), 20'800'000, 1);
  EXPECT_EQ(f.control.window, 162'500_B);
  // Overload for one round: the register halves, and 1 / (1/162,500 + 1/20,800,000) = 161,240.3.
  links[1].tx_bytes += 154'375;
  f.ack(300, links);
  EXPECT_EQ(f.control.window, 161'240_B);
}

TEST(HpccAlphaFair, FitsTheBudgetOfAFlow) {
  EXPECT_LE(sizeof(HpccAlphaFair) - sizeof(HopTelemetry) * kMaxTelemetryHops, 192u);
}

TEST(HpccAlphaFair, Snapshot) {
  const HpccAlphaFair::Params params;
  const auto f = facts();
  Control control;
  HpccAlphaFair hpcc(params, f, control);
  std::string out = "time_ps,window,rate_bps\n";
  std::uint64_t path = 0;
  for (const auto& row : read_stream("hpcc")) {
    Telemetry records;
    path += whole(row[3]) != 0 ? std::uint64_t{1} << kPathIdShift : 0;
    records.path = path;
    for (std::size_t h = 0; h < 2; ++h)
      records.hop[h] = {whole(row[4 + 3 * h]), whole(row[5 + 3 * h]), static_cast<std::int32_t>(whole(row[6 + 3 * h])),
                        100'000};
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
  expect_snapshot("hpcc_alpha_fair", out);
}

}  // namespace
}  // namespace weir::cc::hpcc_alpha_fair_test
