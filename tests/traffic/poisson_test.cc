#include "weir/traffic/poisson.h"

#include <malloc.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "tests/traffic/helpers.h"
#include "weir/traffic/arrivals.h"

namespace weir::traffic::poisson_test {
namespace {

using namespace literals;

Poisson::Params params(const std::string& sizes, double load, Time stop) {
  Poisson::Params p;
  p.sizes = sizes;
  p.load = load;
  p.stop = stop;
  return p;
}

TEST(Poisson, RatesOfTheUsualWorkloads) {
  struct Case {
    const char* sizes;
    double load;
    double flows_per_second;
  };
  const Case cases[] = {{"WebSearch", 0.5, 3652}, {"FB_Hadoop", 0.5, 51'901}, {"AliStorage2019", 0.5, 152'925},
                        {"WebSearch", 0.3, 2191}, {"FB_Hadoop", 0.3, 31'141}, {"AliStorage2019", 0.3, 91'755}};
  for (const auto& c : cases) {
    const double gap = mean_gap_ps(SizeDistribution::named(c.sizes).mean(), c.load, 100e9);
    EXPECT_EQ(std::round(1e12 / gap), c.flows_per_second) << c.sizes << " " << c.load;
  }
}

// 320 hosts for 50 ms at 50 % of 100 Gb/s: 830,000 flows of 100 GB. The count is Poisson; the
// bytes are compound Poisson, with the variance count * E[size^2].
TEST(Poisson, LoadIsAsAskedWithinThreeSigma) {
  Poisson source(params("FB_Hadoop", 0.5, 50_ms), uniform_hosts(320, 3));
  double flows = 0;
  double bytes = 0;
  double squares = 0;
  std::vector<double> per_host(320);
  while (const auto flow = source.next()) {
    const auto size = static_cast<double>(flow->size.count);
    ++flows;
    bytes += size;
    squares += size * size;
    ++per_host[flow->src];
  }
  const double expected = 320 * 50e9 / mean_gap_ps(120'420.75, 0.5, 100e9);
  EXPECT_NEAR(expected, 830'422, 1);
  EXPECT_NEAR(flows, expected, 3 * std::sqrt(expected));
  EXPECT_NEAR(bytes, 100e9, 3 * std::sqrt(squares));
  // every host alone: 5 sigma, as there are 320 of them
  for (const double n : per_host) EXPECT_NEAR(n, expected / 320, 5 * std::sqrt(expected / 320));
}

TEST(Poisson, GapsAreExponential) {
  auto p = params("1 KB", 0.5, 100_ms);
  p.hosts = "0";
  Poisson source(p, uniform_hosts(2, 5));
  const double mean = mean_gap_ps(1000, 0.5, 100e9);
  std::vector<double> gaps;
  Time last;
  while (const auto flow = source.next()) {
    gaps.push_back(static_cast<double>((flow->start - last).ps) / mean);
    last = flow->start;
  }
  std::sort(gaps.begin(), gaps.end());
  const auto n = static_cast<double>(gaps.size());
  ASSERT_GT(n, 600'000);
  // Dvoretzky, Kiefer, Wolfowitz and Massart with a chance of 1e-6
  const double tolerance = std::sqrt(std::log(2e6) / (2 * n));
  for (double x = 0.05; x < 6; x += 0.05) {
    const auto below = std::lower_bound(gaps.begin(), gaps.end(), x) - gaps.begin();
    EXPECT_NEAR(static_cast<double>(below) / n, 1 - std::exp(-x), tolerance) << x;
  }
}

TEST(Poisson, DestinationsAreUniformAmongTheOthers) {
  constexpr std::uint32_t hosts = 8;
  Poisson source(params("1 KB", 0.5, 2_ms), uniform_hosts(hosts));
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> count;
  double n = 0;
  while (const auto flow = source.next()) {
    ASSERT_NE(flow->src, flow->dst);
    ASSERT_LT(flow->dst, hosts);
    ++count[{flow->src, flow->dst}];
    ++n;
  }
  const double expected = n / (hosts * (hosts - 1));
  ASSERT_EQ(count.size(), hosts * (hosts - 1));
  double chi2 = 0;
  for (const auto& [pair, k] : count) chi2 += (k - expected) * (k - expected) / expected;
  // 56 cells, 55 degrees of freedom: mean 55, deviation sqrt(110); 5 deviations above
  EXPECT_LT(chi2, 55 + 5 * std::sqrt(110.0));
}

TEST(Poisson, FlowsAreInOrderAndInsideTheWindow) {
  auto p = params("FB_Hadoop", 1, 3_ms);
  p.start = 1_ms;
  Poisson source(p, uniform_hosts(32));
  const auto flows = drain(source);
  ASSERT_GT(flows.size(), 1000u);
  EXPECT_GT(flows.front().start, 1_ms);
  EXPECT_LT(flows.back().start, 3_ms);
  for (std::size_t i = 1; i < flows.size(); ++i)
    EXPECT_LT(std::pair(flows[i - 1].start, flows[i - 1].src), std::pair(flows[i].start, flows[i].src));
  EXPECT_FALSE(source.next());
}

TEST(Poisson, SendersAndReceiversCanBeChosen) {
  auto p = params("1 KB", 0.2, 1_ms);
  p.hosts = "4-7,1";
  p.to = "0-2";
  Poisson source(p, uniform_hosts(8));
  std::map<std::uint32_t, std::map<std::uint32_t, int>> to;
  while (const auto flow = source.next()) ++to[flow->src][flow->dst];
  ASSERT_EQ(to.size(), 5u);
  EXPECT_EQ(to[1].size(), 2u);
  EXPECT_FALSE(to[1].contains(1));
  for (const std::uint32_t src : {4u, 5u, 6u, 7u}) EXPECT_EQ(to[src].size(), 3u) << src;
}

TEST(Poisson, LoadIsOfEachSendersOwnLink) {
  auto context = uniform_hosts(4, 2);
  context.host_rates[1] = 25_Gbps;
  Poisson source(params("1 KB", 0.5, 20_ms), context);
  std::vector<double> n(4);
  while (const auto flow = source.next()) ++n[flow->src];
  EXPECT_NEAR(n[1], 31'250, 4 * std::sqrt(31'250.0));
  EXPECT_NEAR(n[2], 125'000, 4 * std::sqrt(125'000.0));
}

TEST(Poisson, FlowsAreAFunctionOfSeedSourceAndHost) {
  const auto p = params("WebSearch", 0.5, 20_ms);
  const auto flows = [&](const Poisson::Params& with, const Context& context) {
    Poisson source(with, context);
    return drain(source);
  };
  const auto first = flows(p, uniform_hosts(16, 1, 0));
  EXPECT_TRUE(same(first, flows(p, uniform_hosts(16, 1, 0))));
  EXPECT_FALSE(same(first, flows(p, uniform_hosts(16, 2, 0))));
  EXPECT_FALSE(same(first, flows(p, uniform_hosts(16, 1, 1))));

  // who else sends does not matter
  auto only = p;
  only.hosts = "3";
  std::vector<Flow> of_3;
  for (const auto& flow : first)
    if (flow.src == 3) of_3.push_back(flow);
  EXPECT_TRUE(same(of_3, flows(only, uniform_hosts(16, 1, 0))));
}

// These draws are part of every digest: they may only change with a note to the users.
TEST(Poisson, FirstFlowsAreLocked) {
  Poisson source(params("FB_Hadoop", 0.5, 1_ms), uniform_hosts(16));
  std::string out;
  for (int i = 0; i < 4; ++i) {
    const auto flow = source.next();
    out += std::to_string(flow->start.ps) + " " + std::to_string(flow->src) + " " + std::to_string(flow->dst) + " " +
           std::to_string(flow->size.count) + "\n";
  }
  EXPECT_EQ(out, "2647493 5 14 882\n6418135 6 5 254\n6822667 14 1 432\n8331779 14 8 330\n");
}

TEST(Poisson, AllocatesNothingPerFlow) {
  Poisson source(params("FB_Hadoop", 0.5, 1'000_ms), uniform_hosts(64));
  for (int i = 0; i < 1000; ++i) source.next();
  const auto before = mallinfo2();
  for (int i = 0; i < 1'000'000; ++i) source.next();
  const auto after = mallinfo2();
  EXPECT_EQ(before.uordblks, after.uordblks);
  EXPECT_EQ(before.arena + before.hblkhd, after.arena + after.hblkhd);
}

TEST(Poisson, RefusesBadParameters) {
  struct Case {
    const char* what;
    Poisson::Params params;
    const char* message;
  };
  const auto with = [](auto change) {
    auto p = params("1 KB", 0.5, 1_ms);
    change(p);
    return p;
  };
  const Case cases[] = {
      {"no load", with([](auto& p) { p.load = 0; }), "load: 0 is out of range; valid is 1e-09 to 1"},
      {"load above 1", with([](auto& p) { p.load = 1.2; }), "load: 1.2 is out of range; valid is 1e-09 to 1"},
      {"load not a number", with([](auto& p) { p.load = std::nan(""); }),
       "load: nan is out of range; valid is 1e-09 to 1"},
      {"no stop", with([](auto& p) { p.stop = {}; }), "stop: 0 ps is not after start = 0 ps"},
      {"stop before start", with([](auto& p) { p.start = 2_ms; }), "stop: 1 ms is not after start = 2 ms"},
      {"host beyond", with([](auto& p) { p.hosts = "0-16"; }),
       "hosts: '0-16': host 16 does not exist: hosts are 0 to 15"},
      {"receiver beyond", with([](auto& p) { p.to = "400"; }), "to: '400': host 400 does not exist: hosts are 0 to 15"},
      {"alone", with([](auto& p) { p.to = "3"; }), "to: host 3 has no other host to send to; add receivers"},
  };
  const auto context = uniform_hosts(16);
  for (const auto& c : cases) EXPECT_EQ(error_of([&] { Poisson(c.params, context); }), c.message) << c.what;
}

TEST(Poisson, RefusesArrivalsFasterThanTheClock) {
  auto context = uniform_hosts(2);
  context.host_rates[1] = {10'000'000'000'000'000};
  EXPECT_EQ(error_of([&] { Poisson(params("1 B", 1, 1_ms), context); }),
            "load: the mean time between arrivals is 0.0008 ps, at least 1 ps is possible; use larger flows or a "
            "smaller load");
}

TEST(Poisson, TheParameterListRefusesLoadAboveOne) {
  const auto* load = params_of<Poisson::Params>().find("load");
  ASSERT_NE(load, nullptr);
  EXPECT_EQ(error_of([&] { parse_value(*load, "1.2"); }), "load: 1.2 is out of range; valid is 1e-09 to 1");
}

TEST(Poisson, RefusesMoreHostsOrSourcesThanStreams) {
  const auto p = params("1 KB", 0.5, 1_ms);
  EXPECT_EQ(error_of([&] { Poisson(p, uniform_hosts(2, 1, kMaxSources)); }),
            "at most 1024 traffic sources are possible");
  EXPECT_EQ(error_of([&] { Poisson(p, uniform_hosts(kMaxHosts + 1)); }), "traffic can address at most 2097152 hosts");
}

TEST(Arrivals, GapsBeyondTheClockEndTheStream) {
  const RandomStream stream(1, 0, Purpose::flow_arrival);
  EXPECT_FALSE(next_arrival({}, Time::max(), stream, 0, 1e300));
  EXPECT_FALSE(next_arrival({}, Time::max(), stream, 0, std::numeric_limits<double>::infinity()));
  EXPECT_FALSE(next_arrival(5_ps, 5_ps, stream, 0, 1));
  EXPECT_TRUE(next_arrival({}, Time::max(), stream, 0, 1e6));
}

}  // namespace
}  // namespace weir::traffic::poisson_test
