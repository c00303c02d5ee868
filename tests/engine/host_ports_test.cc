// Hosts with several ports: which port a flow leaves by, planes that do not disturb each other, links that fail, and
// that all ways of running agree.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/engine/scenario.h"
#include "weir/net/link/packet.h"

namespace weir::engine::host_ports_test {
namespace {

using namespace literals;

std::uint32_t port_of(const net::Routing& routing, const traffic::Flow& f) {
  const auto ports = routing.ports_of(f.src);
  const std::uint32_t port = routing.nic(f.src, f.dst, net::flow_entropy(f.src, f.dst, f.sport, f.dport));
  return static_cast<std::uint32_t>(std::find(ports.begin(), ports.end(), port) - ports.begin());
}

// Sixteen hosts, each of which sends to another and answers for a third, on so many planes of two leaves and a spine:
// one path a plane.
Scenario pairs(std::uint32_t planes) {
  Scenario s;
  s.topology = build(net::LeafSpine{.leaves = 2, .spines = 1, .hosts_per_leaf = 8, .planes = planes});
  s.profiles = {profile("dctcp")};
  s.ecn = {.enabled = true, .k_min = {30'000}, .k_max = {30'000}, .p_max = 1};
  s.host.rate_tolerance = s.host.send_jitter = 0;
  for (std::uint32_t h = 0; h < 16; ++h)
    for (std::uint16_t n = 0; n < 3; ++n) {
      s.add_flow(h, (h + 5 + 3 * n) % 16, Bytes{400'000 + 1'000 * n}, Time{1'000'000 * n});
      s.flows.back().sport = static_cast<std::uint16_t>(1'000 + 37 * h + n);
      s.flows.back().dport = 4'791;
    }
  return s;
}

// Planes have nothing in common but their hosts. A flow keeps to one of them, so it ends as if the others were not
// there.
TEST(HostPorts, PlanesAreIndependent) {
  for (const std::uint32_t planes : {2u, 3u}) {
    Scenario all = pairs(planes);
    const Outcome together = run(all);
    ASSERT_EQ(together.flows.size(), all.flows.size());
    std::map<std::pair<std::uint32_t, std::uint32_t>, Time> finish;
    for (const auto& f : together.flows) finish[{f.src, f.entropy}] = f.finish;

    const auto model = all.model();
    for (std::uint32_t plane = 0; plane < planes; ++plane) {
      Scenario one = pairs(1);
      std::erase_if(one.flows, [&](const traffic::Flow& f) { return port_of(model->routing, f) != plane; });
      EXPECT_GT(one.flows.size(), 10u);
      for (const auto& f : run(one).flows)
        EXPECT_EQ(f.finish, (finish[{f.src, f.entropy}])) << f.src << " plane " << plane;
    }
  }
}

// Two links to one switch: a flow that keeps to one takes as long as by one link, one that sprays half as long, and
// what it takes the switch more that its hash is not even.
TEST(HostPorts, AFlowThatSpraysUsesAllLinks) {
  const auto time_of = [](std::uint32_t links, host::Balancing balancing) {
    Scenario s;
    s.topology = build(net::Star{.hosts = 2, .host_links = links});
    s.profiles = {unlimited()};
    s.host.rate_tolerance = s.host.send_jitter = 0;
    s.profiles[0].balancing.kind = balancing;
    s.profiles[0].recovery.kind = host::RecoveryKind::sack;
    s.profiles[0].recovery.reordering = 1_ms;
    s.add_flow(0, 1, 10_MB);
    const Outcome out = run(s);
    EXPECT_EQ(out.flows.size(), 1u);
    EXPECT_EQ(out.counters.retransmitted, 0u);
    return out.flows.at(0).finish;
  };
  const Time one = time_of(1, host::Balancing::ecmp);
  EXPECT_EQ(time_of(2, host::Balancing::ecmp), one);
  const Time two = time_of(2, host::Balancing::ops);
  EXPECT_LT(two, one * 55 / 100);
  EXPECT_GT(two, one / 2);
}

// A link of a host fails and comes back. What was on it is lost; after the routes have changed, all goes by the other.
TEST(HostPorts, FlowsMoveFromALinkThatIsDown) {
  Scenario s;
  s.topology = build(net::LeafSpine{.leaves = 2, .spines = 2, .hosts_per_leaf = 2, .tors = 2});
  s.profiles = {profile("dctcp")};
  s.transport.min_rto = 1_ms;
  for (std::uint32_t h = 0; h < 4; ++h)
    for (std::uint16_t n = 0; n < 4; ++n) {
      s.add_flow(h, (h + 2) % 4, 2_MB);
      s.flows.back().sport = n;
    }
  s.faults.link_events = {{.time = 100_us, .a = 0, .b = 4}};
  const Outcome out = run(s);
  EXPECT_FALSE(out.stall);
  ASSERT_EQ(out.flows.size(), 16u);
  EXPECT_GT(out.counters.retransmitted, 0u);
  for (const Way& way : {Way{.scheduler = SchedulerKind::wheel}, Way{.scheduler = SchedulerKind::heap},
                         Way{.threads = 2}, Way{.step = 30_us}})
    EXPECT_EQ(difference(out, run(s, way)), "") << name_of(way);

  // With the last port gone, nothing goes on.
  s.faults.link_events.push_back({.time = 200_us, .a = 0, .b = 5});
  const Outcome cut = run(s);
  EXPECT_TRUE(cut.stall);
}

}  // namespace
}  // namespace weir::engine::host_ports_test
