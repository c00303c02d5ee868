// Links that lose packets, links that go down, hosts that stall.
#include "weir/engine/faults.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "tests/engine/scenario.h"

namespace weir::engine {
namespace {

using namespace literals;

// Two hosts at one switch, node 2: ports 0 and 2 are the hosts', 1 and 3 the switch's.
Scenario pair(Bytes size) {
  Scenario s;
  s.topology = build(net::Star{.hosts = 2});
  s.profiles = {profile("fixed-window", {{"window", "50 KB"}})};
  s.transport.min_rto = 100_us;
  s.transport.nack_interval = 20_us;
  s.add_flow(0, 1, size);
  return s;
}

TEST(Loss, IsBinomialAndTakesTheDrawsOfItsPort) {
  Scenario s = pair(5_MB);
  const double p = 0.02;
  s.faults.loss = {{"0-2", p}};
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {});
  simulation.advance();
  ASSERT_EQ(simulation.counters().flows_completed, 1u);

  std::uint64_t lost = 0;
  for (const std::uint32_t port : {0u, 1u}) {
    const net::Port& state = simulation.port(port);
    const std::uint64_t sent = state.tx_packets + (state.cursor - state.ring.head);
    ASSERT_GT(sent, 5'000u);
    const double expected = p * static_cast<double>(sent);
    const double deviation = std::sqrt(expected * (1 - p));
    EXPECT_NEAR(static_cast<double>(simulation.lost(port)), expected, 4 * deviation);
    const RandomStream random(model->seed, port, Purpose::link_loss);
    std::uint64_t drawn = 0;
    for (std::uint64_t i = 0; i < sent; ++i) drawn += random.uniform(i) < p;
    EXPECT_EQ(simulation.lost(port), drawn);
    lost += drawn;
  }
  EXPECT_EQ(simulation.lost(2), 0u);
  EXPECT_EQ(simulation.lost(3), 0u);
  EXPECT_LE(simulation.counters().lost, lost);  // what is still on the wire is lost when it gets to its end
  EXPECT_GE(simulation.counters().lost + 50, lost);
  EXPECT_EQ(simulation.counters().dropped, 0u);
}

TEST(Loss, OfAllLosesTheFlow) {
  Scenario s = pair(10_KB);
  s.faults.loss = {{"all", 1}};
  s.stop = 1_ms;
  const Outcome out = run(s);
  EXPECT_EQ(out.flows.size(), 0u);
  EXPECT_EQ(out.counters.packet_hops, 0u);
  EXPECT_EQ(out.counters.lost, out.counters.data_packets);
}

TEST(Loss, OfProbabilityZeroChangesNothing) {
  Scenario s = pair(1_MB);
  const Outcome without = run(s);
  s.faults.loss = {{"all", 0.5}, {"all", 0}};  // the later row counts
  const Outcome with = run(s);
  EXPECT_EQ(with.counters.lost, 0u);
  ASSERT_EQ(with.flows.size(), 1u);
  EXPECT_EQ(with.flows[0].finish, without.flows[0].finish);
}

}  // namespace
}  // namespace weir::engine
