// What a model makes of its parameters: headroom, pause thresholds, marking thresholds.
#include "weir/engine/model/network.h"

#include <gtest/gtest.h>

#include "tests/engine/scenario.h"

namespace weir::engine {
namespace {

using namespace literals;

// Threshold of a port's ingress, as a share of one million free bytes.
std::int64_t threshold(const Network& n, const Model& m, std::uint32_t port) {
  const std::uint32_t s = m.topology.port_owner(port) - m.topology.hosts;
  return n.switches[s].buffer.threshold(n.ports[port].local, 1'000'000);
}

TEST(Network, HeadroomFollowsTheLink) {
  // 3 * 100 Gb/s * 1 us = 37,500 B for each of two ports, and a reserve.
  Scenario s;
  s.topology = build(net::Star{2});
  EXPECT_EQ(Network(*s.model()).switches[0].buffer.shared_capacity(), 32'000'000 - 2 * (37'500 + 4'096));
  EXPECT_EQ(s.set_aside(), 2 * (37'500 + 4'096));
  s.topology = build(net::Star{2, 400_Gbps, 500_ns});
  s.buffer.headroom_delays = 2.5;
  EXPECT_EQ(Network(*s.model()).switches[0].buffer.shared_capacity(), 32'000'000 - 2 * (62'500 + 4'096));
  s.buffer.mode = net::BufferMode::lossy;
  EXPECT_EQ(Network(*s.model()).switches[0].buffer.shared_capacity(), 32'000'000);
}

TEST(Network, PauseThresholdsDoubleWithTheRate) {
  Scenario s;
  net::LeafSpine topology;  // 100 Gb/s below, 400 above
  s.topology = build(topology);
  auto m = s.model();
  Network n(*m);
  const std::uint32_t down = net::Topology::reverse(m->routing.nic(0));
  const std::uint32_t up = m->routing.ports(0).back();
  EXPECT_EQ(threshold(n, *m, down), 125'000);
  EXPECT_EQ(threshold(n, *m, up), 500'000);
  EXPECT_EQ(threshold(n, *m, net::Topology::reverse(up)), 500'000);

  topology.fabric_rate = 250_Gbps;  // doubled once
  s.topology = build(topology);
  m = s.model();
  EXPECT_EQ(threshold(Network(*m), *m, up), 250'000);
  topology.fabric_rate = 40_Gbps;  // never less than for hosts
  s.topology = build(topology);
  m = s.model();
  EXPECT_EQ(threshold(Network(*m), *m, up), 125'000);

  topology.fabric_rate = 400_Gbps;
  s.topology = build(topology);
  s.buffer.pfc_scale_alpha = false;
  m = s.model();
  EXPECT_EQ(threshold(Network(*m), *m, up), 125'000);
}

TEST(Network, RefusesABufferThatIsTooSmall) {
  Scenario s;
  s.topology = build(net::Star{4});
  s.buffer.size = {s.set_aside()};
  EXPECT_NO_THROW(Network(*s.model()));
  s.buffer.size = {s.set_aside() - 77};
  try {
    Network n(*s.model());
    FAIL() << "no error";
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("valid is " + std::to_string(s.set_aside()) + " B or more"),
              std::string::npos)
        << error.what();
  }
}

TEST(Network, MarkingThresholdsFollowTheRate) {
  Scenario s;
  s.topology = build(net::LeafSpine{});
  auto m = s.model();
  const std::uint32_t down = net::Topology::reverse(m->routing.nic(0));
  const std::uint32_t up = m->routing.ports(0).back();
  EXPECT_EQ(Network(*m).ports[up].ecn_min, ~0u) << "marks although ECN is off";

  s.ecn.enabled = true;  // 100 KB and 400 KB at 25 Gb/s
  s.ecn_overrides.push_back({.rate = 40_Gbps, .k_min = 1_B, .k_max = 2_B});
  m = s.model();
  Network n(*m);
  EXPECT_EQ(n.ports[down].ecn_min, 400'000u);
  EXPECT_EQ(n.ports[down].ecn_max, 1'600'000u);
  EXPECT_EQ(n.ports[up].ecn_min, 1'600'000u);
  EXPECT_EQ(n.ports[up].ecn_max, 6'400'000u);
  EXPECT_EQ(n.ports[up].ecn_probability, 0.2);
  EXPECT_EQ(n.ports[m->routing.nic(0)].ecn_min, ~0u) << "a host marks";

  s.ecn_overrides.push_back({.rate = 400_Gbps, .k_min = 7_KB, .k_max = 9_KB, .p_max = 0.5});
  s.ecn.at_rate = {};
  m = s.model();
  Network other(*m);
  EXPECT_EQ(other.ports[down].ecn_min, 100'000u);
  EXPECT_EQ(other.ports[up].ecn_min, 7'000u);
  EXPECT_EQ(other.ports[up].ecn_max, 9'000u);
  EXPECT_EQ(other.ports[up].ecn_probability, 0.5);

  // Nothing overflows, and "never" is never reached by accident.
  s.ecn.k_min = s.ecn.k_max = 4_GB;
  s.ecn.at_rate = 1_Gbps;
  m = s.model();
  EXPECT_EQ(Network(*m).ports[down].ecn_min, 0xfffffffeu);
}

TEST(Network, PortsKnowTheirPlace) {
  Scenario s;
  s.topology = build(net::Dumbbell{2, 3, 33_Gbps, 300_ns, 100_Gbps, 700_ns});
  const auto m = s.model(net::PortKind::queued);
  Network n(*m);
  for (std::uint32_t id = 0; id < s.topology.ports(); ++id) {
    const net::Port& p = n.ports[id];
    EXPECT_EQ(p.owner, s.topology.port_owner(id));
    EXPECT_EQ(p.peer, s.topology.port_peer(id));
    EXPECT_EQ(p.at_switch, p.owner >= s.topology.hosts);
    EXPECT_EQ(p.kind == net::PortKind::queued, p.at_switch);
    EXPECT_EQ(p.delay, id / 2 < 5 ? 300_ns : 700_ns);
    EXPECT_EQ(p.rate_mbps, id / 2 < 5 ? 33'000u : 100'000u);
    EXPECT_EQ(p.ps_per_byte, id / 2 < 5 ? 0u : 80u);
    if (p.peer >= s.topology.hosts) {
      EXPECT_EQ(m->routing.ports(p.peer - s.topology.hosts)[p.index_at_peer], net::Topology::reverse(id));
    }
  }
  EXPECT_EQ(n.queues.size(), 7u);  // five hosts and the two ends of the bottleneck
}

}  // namespace
}  // namespace weir::engine
