#include "weir/traffic/incast.h"

#include <cmath>
#include <map>
#include <set>

#include "tests/traffic/helpers.h"

namespace weir::traffic::incast_test {
namespace {

using namespace literals;

TEST(Incast, IsTheStaggeredIncastOfTheHpccArtifact) {
  Incast::Params p;
  p.size = 1_MB;
  p.stagger = 20_us;
  p.stagger_every = 2;
  Incast source(p, uniform_hosts(17));
  const auto flows = drain(source);
  ASSERT_EQ(flows.size(), 16u);
  for (std::uint32_t i = 0; i < 16; ++i) {
    EXPECT_EQ(flows[i].src, i);
    EXPECT_EQ(flows[i].dst, 16u);
    EXPECT_EQ(flows[i].size, 1_MB);
    EXPECT_EQ(flows[i].start, 20_us * (i / 2));
  }
  EXPECT_FALSE(source.next());
}

TEST(Incast, TakesTheFirstSendersBesidesTheReceiver) {
  Incast::Params p;
  p.size = 1_B;
  p.receiver = "1";
  p.fan_in = 3;
  p.start = 5_us;
  Incast source(p, uniform_hosts(8));
  std::vector<std::uint32_t> senders;
  for (const auto& flow : drain(source)) {
    senders.push_back(flow.src);
    EXPECT_EQ(flow.start, 5_us);
  }
  EXPECT_EQ(senders, (std::vector<std::uint32_t>{0, 2, 3}));
}

TEST(Incast, TakesGivenSendersInTheirOrder) {
  Incast::Params p;
  p.size = 1_B;
  p.receiver = "0";
  p.senders = "7,2-3";
  p.stagger = 1_us;
  Incast source(p, uniform_hosts(8));
  const auto flows = drain(source);
  ASSERT_EQ(flows.size(), 3u);
  EXPECT_EQ(flows[0].src, 7u);
  EXPECT_EQ(flows[2].src, 3u);
  EXPECT_EQ(flows[2].start, 2_us);
}

TEST(Incast, DealsFlowsToSendersInTurnAtRandomTimes) {
  Incast::Params p;
  p.size = 1_B;
  p.receiver = "0";
  p.senders = "1-3";
  p.flows = 7;
  Incast at_once(p, uniform_hosts(4));
  std::vector<std::uint32_t> senders;
  for (const auto& flow : drain(at_once)) senders.push_back(flow.src);
  EXPECT_EQ(senders, (std::vector<std::uint32_t>{1, 2, 3, 1, 2, 3, 1}));

  p.flows = 3000;
  p.start = 10_us;
  p.spread = 5_us;
  Incast source(p, uniform_hosts(4));
  const auto flows = drain(source);
  ASSERT_EQ(flows.size(), 3000u);
  std::map<std::uint32_t, int> of;
  double sum = 0;
  for (std::size_t i = 0; i < flows.size(); ++i) {
    EXPECT_GE(flows[i].start, 10_us);
    EXPECT_LT(flows[i].start, 15_us);
    if (i > 0) {
      EXPECT_LE(flows[i - 1].start, flows[i].start);
    }
    ++of[flows[i].src];
    sum += static_cast<double>(flows[i].start.ps) * 1e-6;
  }
  for (const auto& [src, count] : of) EXPECT_EQ(count, 1000) << src;
  EXPECT_NEAR(sum / 3000, 12.5, 4 * 5 / std::sqrt(12 * 3000.0));  // four standard errors
}

TEST(Incast, RefusesBadParameters) {
  struct Case {
    void (*change)(Incast::Params&);
    const char* message;
  };
  const Case cases[] = {
      {[](auto& p) { p.size = {}; }, "size: 0 B is out of range; valid is 1 B to 1 PB"},
      {[](auto& p) { p.receiver = "17"; }, "receiver: '17': host 17 does not exist: hosts are 0 to 16"},
      {[](auto& p) { p.senders = "10-16"; }, "senders: '10-16' has the receiver, host 16, in it"},
      {[](auto& p) { p.fan_in = 17; }, "fan_in: 17 is out of range; there are 16 senders"},
      {[](auto& p) { p.senders = "0-3", p.fan_in = 5; }, "fan_in: 5 is out of range; there are 4 senders"},
      {[](auto& p) { p.spread = 1_us, p.stagger = 1_us; }, "spread: it excludes stagger: write one of them"},
      {[](auto& p) { p.stagger_every = 0; }, "stagger_every: 0 is out of range; valid is at least 1"},
  };
  const auto context = uniform_hosts(17);
  for (const auto& c : cases) {
    Incast::Params p;
    p.size = 1_MB;
    c.change(p);
    EXPECT_EQ(error_of([&] { Incast(p, context); }), c.message);
  }
  Incast::Params p;
  p.size = 1_MB;
  p.stagger = Time::max();
  const auto end = format_value(Time::max());
  EXPECT_EQ(error_of([&] { Incast(p, context); }),
            "stagger: " + end + " puts the last flow beyond the end of time, " + end);
  EXPECT_EQ(error_of([&] { Incast(p, uniform_hosts(1)); }), "senders: host 0 has no other host to receive from");
}

PoissonIncast::Params hpcc_incast() {
  PoissonIncast::Params p;
  p.size = 500_KB;
  p.fan_in = 60;
  p.load = 0.02;
  p.stop = 1'000_ms;
  return p;
}

TEST(PoissonIncast, MeanGapsOfThePapers) {
  EXPECT_DOUBLE_EQ(PoissonIncast(hpcc_incast(), uniform_hosts(320)).mean_gap_ps(), 375e6);

  // On-Ramp: each of 40 + 1 or more servers is the receiver of its own requests, 2 % of 10 Gb/s
  // per server: every 3.2 ms with 2 KB, every 800 ms with 500 KB
  auto context = uniform_hosts(100);
  context.host_rates.assign(100, 10_Gbps);
  PoissonIncast::Params p = hpcc_incast();
  p.fan_in = 40;
  p.size = 2_KB;
  EXPECT_DOUBLE_EQ(PoissonIncast(p, context).mean_gap_ps() * 100, 3.2e9);
  p.size = 500_KB;
  EXPECT_DOUBLE_EQ(PoissonIncast(p, context).mean_gap_ps() * 100, 800e9);
}

TEST(PoissonIncast, EventsAreDistinctSendersToOneReceiver) {
  PoissonIncast source(hpcc_incast(), uniform_hosts(320));
  const auto flows = drain(source);
  ASSERT_EQ(flows.size() % 60, 0u);
  const auto events = static_cast<double>(flows.size()) / 60;
  // Poisson with 1 s / 375 us = 2,667 events: 3 sigma
  EXPECT_NEAR(events, 2666.7, 3 * std::sqrt(2666.7));

  std::vector<double> sends(320);
  std::vector<double> receives(320);
  for (std::size_t i = 0; i < flows.size(); i += 60) {
    std::set<std::uint32_t> senders;
    for (std::size_t k = i; k < i + 60; ++k) {
      EXPECT_EQ(flows[k].start, flows[i].start);
      EXPECT_EQ(flows[k].dst, flows[i].dst);
      EXPECT_EQ(flows[k].size, 500_KB);
      if (k > i) {
        EXPECT_LT(flows[k - 1].src, flows[k].src);
      }
      senders.insert(flows[k].src);
      ++sends[flows[k].src];
    }
    EXPECT_EQ(senders.size(), 60u);
    EXPECT_FALSE(senders.contains(flows[i].dst));
    ++receives[flows[i].dst];
  }
  // binomial counts of 320 hosts: 5 sigma
  for (const double n : sends) EXPECT_NEAR(n, events * 60 / 320, 5 * std::sqrt(events * 60 / 320));
  for (const double n : receives) EXPECT_NEAR(n, events / 320, 5 * std::sqrt(events / 320));
}

TEST(PoissonIncast, AllOthersCanSend) {
  auto p = hpcc_incast();
  p.hosts = "2-5";
  p.fan_in = 3;
  p.stop = 10_ms;
  PoissonIncast source(p, uniform_hosts(8));
  const auto flows = drain(source);
  ASSERT_GT(flows.size(), 12u);
  for (std::size_t i = 0; i < flows.size(); i += 3) {
    std::set<std::uint32_t> all{flows[i].dst, flows[i].src, flows[i + 1].src, flows[i + 2].src};
    EXPECT_EQ(all, (std::set<std::uint32_t>{2, 3, 4, 5}));
  }
}

TEST(PoissonIncast, FlowsAreAFunctionOfSeedAndSource) {
  const auto flows = [](std::uint64_t seed, std::uint32_t source) {
    PoissonIncast incast(hpcc_incast(), uniform_hosts(320, seed, source));
    return drain(incast);
  };
  EXPECT_TRUE(same(flows(1, 0), flows(1, 0)));
  EXPECT_FALSE(same(flows(1, 0), flows(2, 0)));
  EXPECT_FALSE(same(flows(1, 0), flows(1, 1)));
}

TEST(PoissonIncast, RefusesBadParameters) {
  struct Case {
    void (*change)(PoissonIncast::Params&);
    const char* message;
  };
  const Case cases[] = {
      {[](auto& p) { p.size = {}; }, "size: 0 B is out of range; valid is 1 B to 1 PB"},
      {[](auto& p) { p.load = 0; }, "load: 0 is out of range; valid is 1e-09 to 1"},
      {[](auto& p) { p.load = 1.01; }, "load: 1.01 is out of range; valid is 1e-09 to 1"},
      {[](auto& p) { p.start = 2'000_ms; }, "stop: 1 s is not after start = 2 s"},
      {[](auto& p) { p.fan_in = 0; },
       "fan_in: 0 is out of range; valid is 1 to 99, one less than the hosts that take part"},
      {[](auto& p) { p.fan_in = 100; },
       "fan_in: 100 is out of range; valid is 1 to 99, one less than the hosts that take part"},
      {[](auto& p) { p.hosts = "90-100"; }, "hosts: '90-100': host 100 does not exist: hosts are 0 to 99"},
  };
  const auto context = uniform_hosts(100);
  for (const auto& c : cases) {
    auto p = hpcc_incast();
    c.change(p);
    EXPECT_EQ(error_of([&] { PoissonIncast(p, context); }), c.message);
  }
}

}  // namespace
}  // namespace weir::traffic::incast_test
