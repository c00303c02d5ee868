#include "weir/probe/rate_probe.h"

#include "tests/probe/helpers.h"
#include "weir/base/csv.h"

namespace weir::probe {
namespace {

using namespace weir::literals;

struct Steps {
  Convergence c{0.95, 30_us};
  Time now;
  void add(double index, Time last_start) {
    c.add(now, now + 10_us, index, last_start);
    now += 10_us;
  }
};

TEST(Convergence, BeginsWithTheFirstLastingInterval) {
  Steps s;
  for (const double j : {0.5, 0.96, 0.97, 0.9, 0.95, 0.99, 0.98}) s.add(j, 0_us);
  EXPECT_FALSE(s.c.time());  // high from 50 us on, at 70 us
  s.add(1, 0_us);
  ASSERT_TRUE(s.c.time());
  EXPECT_EQ(*s.c.time(), 50_us);
  s.add(0.1, 0_us);
  EXPECT_EQ(*s.c.time(), 50_us);  // the first time counts
}

TEST(Convergence, StartsAgainWithANewFlow) {
  Steps s;
  for (int i = 0; i < 5; ++i) s.add(1, 0_us);
  EXPECT_EQ(*s.c.time(), 10_us);
  s.add(1, 45_us);  // 50 to 60 us: whole, after the start
  EXPECT_FALSE(s.c.time());
  s.add(1, 65_us);  // began before the start
  s.add(1, 65_us);
  s.add(-1, 65_us);  // nothing to compare
  for (int i = 0; i < 4; ++i) s.add(1, 65_us);
  ASSERT_TRUE(s.c.time());
  EXPECT_EQ(*s.c.time(), 100_us - 65_us);
}

std::vector<std::vector<std::string>> read_rows(const std::string& text) {
  CsvReader reader(text, "");
  std::vector<std::vector<std::string>> rows;
  std::vector<std::string> fields;
  while (reader.next(fields)) rows.push_back(fields);
  return rows;
}

// Three flows of which one starts and one ends within an interval.
TEST(RateProbe, AddsUpToWhatWasDelivered) {
  const Lab::Flows flows{flow(0_us, 0, 3, 1_MB), flow(0_us, 1, 3, 300_KB), flow(25_us, 2, 3, 500_KB, 1)};
  ProbeParams params;
  params.set(RatesParams{.interval = 10_us});
  const Scratch scratch;
  ResultDirectory out(scratch / "a");
  Lab lab(net::build(net::Star{.hosts = 4}), flows, "hpcc");
  const Summary s = lab.run(params, &out);
  out.commit();

  const auto rates = read_rows(text_of(scratch / "a/rates.csv"));
  ASSERT_EQ(rates[0], (std::vector<std::string>{"time_ps", "flow_id", "rate_bps", "pacing_bps", "window_bytes"}));
  std::map<std::string, double> bytes;
  for (std::size_t i = 1; i < rates.size(); ++i) bytes[rates[i][1]] += std::stod(rates[i][2]) * 10e-6 / 8;
  EXPECT_NEAR(bytes["0"], 1e6, 1);
  EXPECT_NEAR(bytes["1"], 3e5, 1);
  EXPECT_NEAR(bytes["2"], 5e5, 1);

  // flow 2 starts at 25 us: it is in the rates of 30 us, but active throughout only after that
  const auto fairness = read_rows(text_of(scratch / "a/fairness.csv"));
  ASSERT_GE(fairness.size(), 6u);
  EXPECT_EQ(fairness[3][0], "30000000");
  EXPECT_EQ(fairness[3][1], "2");
  EXPECT_EQ(fairness[4][1], "3");
  for (std::size_t i = 1; i < fairness.size(); ++i) {
    if (fairness[i][2].empty()) continue;
    std::vector<double> x;
    for (const auto& row : rates)
      if (row[0] == fairness[i][0] && !row[4].empty() && (i != 3 || row[1] != "2")) x.push_back(std::stod(row[2]));
    EXPECT_NEAR(std::stod(fairness[i][2]), jain(x), 1e-6) << fairness[i][0];
  }
  ASSERT_TRUE(s.fairness.has_value());
  EXPECT_EQ(s.fairness->last_start, 25_us);
  EXPECT_GT(s.fairness->intervals, 4u);
  EXPECT_LE(s.fairness->min_jain, s.fairness->mean_jain);
}

// What arrives behind a lost packet counts when the sender learns of it, not when the gap closes. No interval then has
// more than its link carries, but for acknowledgements of one interval that come in the next.
TEST(RateProbe, CountsWhatArrivesBehindAGap) {
  const Lab::Flows flows{flow(0_us, 0, 1, 4_MB)};
  ProbeParams params;
  params.set(RatesParams{.interval = 10_us});
  const Scratch scratch;
  ResultDirectory out(scratch / "a");
  Lab lab(net::build(net::Star{.hosts = 2}), flows, "fixed-window", [](engine::Model& m) {
    for (std::uint32_t link = 0; link < 2; ++link) m.faults.links[link].loss = net::LinkFaults::scaled(0.01);
    m.profiles[0].recovery.kind = host::RecoveryKind::sack;
    m.profiles[0].recovery.duplicates = 1000;  // lost packets are told late
  });
  lab.run(params, &out);
  out.commit();
  const auto rates = read_rows(text_of(scratch / "a/rates.csv"));
  ASSERT_GT(rates.size(), 30u);
  double bytes = 0;
  for (std::size_t i = 1; i < rates.size(); ++i) {
    EXPECT_LT(std::stod(rates[i][2]), 110e9) << rates[i][0];
    bytes += std::stod(rates[i][2]) * 10e-6 / 8;
  }
  EXPECT_GT(lab.simulation->counters().retransmitted, 10u);
  EXPECT_NEAR(bytes, 4e6, 0.05 * 4e6);  // the last interval is shorter
}

// A lone flow of fixed window: 119 packets acknowledged in each full interval of 10 us.
TEST(RateProbe, LooksAtOneTagAndOneSpan) {
  const Lab::Flows flows{flow(0_us, 0, 1, 1_MB, 0), flow(0_us, 2, 3, 1_MB, 1)};
  ProbeParams params;
  params.set(RatesParams{.tag = "incast", .interval = 10_us, .start = 20_us, .stop = 40_us});
  const Scratch scratch;
  ResultDirectory out(scratch / "a");
  Lab(net::build(net::Star{.hosts = 4}), flows).run(params, &out);
  out.commit();
  const auto rates = read_rows(text_of(scratch / "a/rates.csv"));
  ASSERT_EQ(rates.size(), 3u);
  EXPECT_EQ(rates[1][0], "30000000");
  EXPECT_EQ(rates[2][0], "40000000");
  for (const std::size_t i : {1u, 2u}) {
    EXPECT_EQ(rates[i][1], "1");
    EXPECT_NEAR(std::stod(rates[i][2]), 100e9 * 1000 / 1048, 1e9);
    EXPECT_EQ(rates[i][3], "");  // not paced
    EXPECT_EQ(rates[i][4], "1000000000");
  }
}

// Two of three flows are of one host, and one ends too early: over 20 to 40 us the two that are left have what
// rates.csv says of both intervals.
TEST(RateProbe, SharesTheTimeObserved) {
  const Lab::Flows flows{flow(0_us, 0, 3, 1_MB), flow(0_us, 0, 3, 100_KB), flow(0_us, 1, 3, 1_MB)};
  ProbeParams params;
  params.set(RatesParams{.interval = 10_us, .start = 20_us, .stop = 40_us});
  const Scratch scratch;
  ResultDirectory out(scratch / "a");
  const Summary s = Lab(net::build(net::Star{.hosts = 4}), flows, "hpcc").run(params, &out);
  out.commit();
  std::map<std::string, double> rates;
  for (const auto& row : read_rows(text_of(scratch / "a/rates.csv")))
    if (row[0] == "30000000" || row[0] == "40000000") rates[row[1]] += std::stod(row[2]) / 2;
  ASSERT_TRUE(s.fairness.has_value());
  EXPECT_EQ(s.fairness->begin, 20_us);
  EXPECT_EQ(s.fairness->end, 40_us);
  const Shares& f = s.fairness->flows;
  std::vector<double> of_flows{rates["0"], rates["2"]};
  if (rates.count("1") > 0 && f.count == 3) of_flows.push_back(rates["1"]);
  ASSERT_EQ(f.count, of_flows.size());
  const auto [least, most] = std::minmax_element(of_flows.begin(), of_flows.end());
  EXPECT_NEAR(f.least_bps, *least, 2);
  EXPECT_NEAR(f.most_bps, *most, 2);
  EXPECT_NEAR(f.min_over_max, *least / *most, 1e-6);
  EXPECT_NEAR(f.jain, jain(of_flows), 1e-6);
  EXPECT_EQ(s.fairness->senders.count, 2u);
}

// Three flows of two hosts that all last: the shares of senders are sums of flows.
TEST(RateProbe, SharesOfSendersAreSums) {
  const Lab::Flows flows{flow(0_us, 0, 3, 10_MB), flow(0_us, 0, 3, 10_MB), flow(0_us, 1, 3, 10_MB)};
  ProbeParams params;
  params.set(RatesParams{.interval = 10_us, .start = 50_us, .stop = 150_us});
  const Summary s = Lab(net::build(net::Star{.hosts = 4}), flows, "hpcc").run(params, nullptr);
  ASSERT_TRUE(s.fairness.has_value());
  const Shares& of_flows = s.fairness->flows;
  const Shares& of_senders = s.fairness->senders;
  EXPECT_EQ(of_flows.count, 3u);
  EXPECT_EQ(of_senders.count, 2u);
  EXPECT_NEAR(of_senders.mean_bps, of_flows.mean_bps * 3 / 2, 1);
  EXPECT_GT(of_flows.least_bps, 10e9);
  EXPECT_LT(of_senders.min_over_max, 0.8);  // two flows of one host, one of the other
}

}  // namespace
}  // namespace weir::probe
