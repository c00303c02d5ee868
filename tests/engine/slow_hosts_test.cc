// Hosts that take data slowly: rates, pauses and how they spread, drops, and that all ways of running agree.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tests/engine/scenario.h"
#include "weir/engine/model/faults.h"

namespace weir::engine::slow_hosts_test {
namespace {

using namespace literals;

// All hosts of two leaves, nodes 8 and 9, send to host 0, which takes 10 of its 100 Gb/s. With windows that are never
// full, nothing but pauses holds senders back.
Scenario slow_incast() {
  Scenario s = two_leaves(4);
  s.profiles = {unlimited()};
  s.transport.min_rto = 100_ms;
  for (std::uint32_t h = 1; h < 8; ++h) s.add_flow(h, 0, 2_MB);
  s.faults.slow_hosts = {{"0", 10_Gbps, {}, {}}};
  return s;
}

// Of all flows together, until the last acknowledgement.
double gigabits_per_second(const Outcome& out, Bytes wire) {
  return 8e3 * static_cast<double>(out.counters.data_packets) * static_cast<double>(wire.count) /
         static_cast<double>(out.flows.back().finish.ps);
}

TEST(SlowHost, TakesDataAtItsRate) {
  const Scenario s = slow_incast();
  const Outcome out = run(s);
  ASSERT_EQ(out.flows.size(), 7u);
  EXPECT_EQ(out.counters.dropped, 0u);
  EXPECT_EQ(out.counters.retransmitted, 0u);
  EXPECT_NEAR(gigabits_per_second(out, s.transport.payload + s.transport.header), 10, 0.01);
}

// One packet is taken as long as it lasts at that rate, and is acknowledged then.
TEST(SlowHost, DelaysAPacketByItsTime) {
  Scenario s;
  s.topology = build(net::Star{.hosts = 2});
  s.profiles = {unlimited()};
  s.add_flow(0, 1, 1'000_B);
  const Time fast = run(s).flows.at(0).finish;
  const auto with = [&](Time from, Time until) {
    s.faults.slow_hosts = {{"1", 1_Gbps, from, until}};
    return run(s).flows.at(0).finish;
  };
  EXPECT_EQ(with({}, {}), fast + Time{8'384'000});  // 1,048 bytes
  // the packet is there at 2.17 us
  EXPECT_EQ(with(5_us, {}), fast);
  EXPECT_EQ(with({}, 2_us), fast);
  // and is taken at once when the host is quick again
  EXPECT_LT(with({}, 5_us), fast + 3_us);
  EXPECT_GT(with({}, 5_us), fast + 2_us);
}

// The switch of the slow host is paused, then those behind it, then hosts that send to others.
TEST(SlowHost, SpreadsPauses) {
  Scenario s = slow_incast();
  s.buffer.size = {s.set_aside() + 200'000};
  s.add_flow(5, 1, 1_MB);  // it shares the fabric only
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {});
  simulation.advance();
  EXPECT_EQ(simulation.counters().flows_completed, 8u);
  EXPECT_EQ(simulation.counters().dropped, 0u);
  std::vector<std::uint64_t> pauses(model->topology.nodes());  // of the ports of a node
  for (std::uint32_t id = 0; id < model->topology.ports(); ++id) {
    pauses[model->topology.port_owner(id)] += simulation.port(id).pauses;
    EXPECT_FALSE(simulation.port(id).paused) << "port " << id;
  }
  for (const std::uint32_t node : {1u, 5u, 8u, 9u}) EXPECT_GT(pauses[node], 0u) << "node " << node;
  // its own link, from the switch, is paused for nine tenths of the time
  const net::Port& down = simulation.port(net::Topology::reverse(model->routing.nic(0)));
  EXPECT_GT(down.pauses, 10u);
  EXPECT_NEAR(static_cast<double>(down.paused_total.ps) / static_cast<double>(simulation.now().ps), 0.9, 0.05);
  // without a slow host nobody waits for so long
  Scenario quick = s;
  quick.faults.slow_hosts.clear();
  EXPECT_LT(run(quick).flows.back().finish, simulation.now() / 5);
}

// In a lossy network its NIC drops what it has no room for.
TEST(SlowHost, DropsInALossyNetwork) {
  Scenario s = slow_incast();
  s.buffer.mode = net::BufferMode::lossy;
  s.host.receive_buffer = 100_KB;
  s.transport.min_rto = 1_ms;
  s.profiles = {profile("newreno")};
  s.profiles[0].recovery.kind = host::RecoveryKind::sack;
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {.stop = 1_s});
  simulation.advance();
  EXPECT_EQ(simulation.counters().flows_completed, 7u);
  EXPECT_EQ(simulation.counters().pauses, 0u);
  std::uint64_t at_switches = 0;
  for (std::uint32_t sw = 0; sw < model->topology.switches; ++sw) at_switches += simulation.switch_state(sw).drops;
  EXPECT_GT(simulation.counters().dropped, at_switches);
}

TEST(SlowHost, IsTheSameInAllWays) {
  Scenario lossy = slow_incast();
  lossy.buffer.mode = net::BufferMode::lossy;
  lossy.host.receive_buffer = 100_KB;
  lossy.transport.min_rto = 1_ms;
  lossy.stop = 20_ms;
  for (const Scenario& s : {slow_incast(), lossy}) {
    const Outcome plain = run(s, {net::PortKind::queued, SchedulerKind::heap, 1});
    for (const Way& way : {Way{}, Way{.scheduler = SchedulerKind::wheel}, Way{.threads = 2}, Way{.threads = 3},
                           Way{.port = net::PortKind::queued, .threads = 2}, Way{.step = 3_us}})
      EXPECT_EQ(difference(plain, run(s, way)), "") << name_of(way);
  }
}

std::string complaint(const std::vector<SlowHostRow>& rows) {
  FaultRows all;
  all.slow_hosts = rows;
  try {
    work_out(all, build(net::Star{.hosts = 4}), 1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(SlowHost, RowsSayWhatIsWrong) {
  EXPECT_EQ(complaint({{"0-1", 1_Gbps, {}, 5_us}, {"1", 2_Gbps, 5_us, {}}, {"all", 1_Gbps, 3_us, 4_us}}),
            "host.slow.2.hosts: host 0 is slow already from 0 ps on; one row for each time");
  EXPECT_EQ(complaint({{"2,7", 1_Gbps, {}, {}}}), "host.slow.0.hosts: '2,7': host 7 does not exist: hosts are 0 to 3");
  EXPECT_EQ(complaint({{"2", 1_Gbps, 5_us, 5_us}}),
            "host.slow.0.until: 5 us is not after from = 5 us; valid is later, or 0 for ever");
  EXPECT_EQ(complaint({{"2", 1_Gbps, 5_us, 9_us}, {"2", 1_Gbps, {}, 5_us}, {"2", 2_Gbps, 9_us, {}}}), "");
}

}  // namespace
}  // namespace weir::engine::slow_hosts_test
