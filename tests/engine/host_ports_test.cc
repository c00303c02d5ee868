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

// A flow keeps to the port that its source port names, whatever its hash, and no other flow comes near it.
TEST(HostPorts, ALaneIsTheSourcePortsNumber) {
  Scenario all = pairs(4);
  all.profiles[0].balancing.ports = host::PortChoice::lane;
  std::map<std::pair<std::uint32_t, std::uint32_t>, Time> finish;
  const auto model = all.model();
  const auto entropy_of = [&](const traffic::Flow& f) {
    return model->entropy_of(f.src, f.dst, f.sport, f.dport, f.profile);
  };
  for (const auto& f : run(all).flows) finish[{f.src, f.entropy}] = f.finish;
  ASSERT_EQ(finish.size(), all.flows.size());
  for (const traffic::Flow& f : all.flows) {
    const auto ports = model->routing.ports_of(f.src);
    EXPECT_EQ(model->routing.nic(f.src, f.dst, entropy_of(f)), ports[f.sport % ports.size()]);
  }
  for (std::uint32_t plane = 0; plane < 4; ++plane) {
    Scenario one = pairs(1);
    std::erase_if(one.flows, [&](const traffic::Flow& f) { return f.sport % 4 != plane; });
    std::map<std::pair<std::uint32_t, std::uint16_t>, Time> alone;
    for (const auto& f : run(one).flows)
      for (const traffic::Flow& g : one.flows)
        if (g.src == f.src && net::flow_entropy(g.src, g.dst, g.sport, g.dport) == f.entropy)
          alone[{g.src, g.sport}] = f.finish;
    EXPECT_EQ(alone.size(), 12u);
    for (const traffic::Flow& f : one.flows) EXPECT_EQ((alone[{f.src, f.sport}]), (finish[{f.src, entropy_of(f)}]));
  }
}

// With one of eight planes dead from the start, flows that spray by whichever port is free take 8/7 of the time and no
// more than 5 % on top, once routes have changed. Though none does, REPS learns which entropies name a bad port.
TEST(HostPorts, FlowsThatSprayDoWithoutADeadPlane) {
  const auto outcome = [](host::PortChoice choice, bool reroute, bool dead) {
    Scenario s;
    s.topology = build(net::LeafSpine{.leaves = 2, .spines = 1, .hosts_per_leaf = 2, .planes = 8});
    s.profiles = {profile("nscc")};
    s.ecn = {.enabled = true, .k_min = {50'000}, .k_max = {200'000}, .p_max = 1};
    s.profiles[0].balancing.kind = host::Balancing::reps;
    s.profiles[0].balancing.entropies = 256;
    s.profiles[0].balancing.ports = choice;
    s.profiles[0].recovery = {.kind = host::RecoveryKind::sack, .reordering = 20_us};
    s.network.reroute = reroute;
    for (std::uint32_t h = 0; h < 4; ++h) s.add_flow(h, (h + 2) % 4, 20_MB);
    const std::uint32_t spine = s.topology.hosts + 2;  // of the first plane: two leaves and a spine
    if (dead)
      for (const std::uint32_t leaf : {spine - 2, spine - 1})
        s.faults.link_events.push_back({.time = 1_us, .a = leaf, .b = spine});
    Outcome out = run(s);
    EXPECT_EQ(out.flows.size(), 4u);
    return out;
  };
  const auto time_of = [&](host::PortChoice choice, bool reroute, bool dead) {
    Time last;
    for (const auto& f : outcome(choice, reroute, dead).flows) last = std::max(last, f.finish);
    return last;
  };
  const auto lost = [&](host::PortChoice choice) { return outcome(choice, false, true).counters.retransmitted; };
  const Time whole = time_of(host::PortChoice::free, true, false);
  const Time without = time_of(host::PortChoice::free, true, true);
  EXPECT_GT(without, whole * 110 / 100);
  EXPECT_LT(without, whole * 120 / 100);
  // Where no route changes, a sender that does not know of ports goes on to lose an eighth of its packets.
  const std::uint64_t blind = lost(host::PortChoice::free);
  EXPECT_LT(2 * lost(host::PortChoice::entropy), blind);
}

// All ports together send no faster than the NIC takes packets: 10,000 packets of 1,048 B at 150 Gb/s.
TEST(HostPorts, ANicMayBeSlowerThanItsPorts) {
  const auto time_of = [](std::uint32_t links, Rate rate) {
    Scenario s;
    s.topology = build(net::Star{.hosts = 2, .host_links = links});
    s.profiles = {unlimited()};
    s.host = {.rate_tolerance = 0, .send_jitter = 0, .nic_rate = rate};
    s.profiles[0].balancing.kind = links == 1 ? host::Balancing::ecmp : host::Balancing::ops;
    s.profiles[0].recovery = {.kind = host::RecoveryKind::sack, .reordering = 1_ms};
    s.add_flow(0, 1, 10_MB);
    const Outcome out = run(s);
    for (const Way& way : {Way{.scheduler = SchedulerKind::wheel}, Way{.step = 30_us}})
      EXPECT_EQ(difference(out, run(s, way)), "") << name_of(way);
    return out.flows.at(0).finish;
  };
  const Time alone = time_of(1, Rate{});
  EXPECT_EQ(time_of(1, 200_Gbps), alone);
  const Time all = transmission_time(Bytes{1'048 * 10'000}, 150_Gbps);
  EXPECT_NEAR(static_cast<double>((time_of(4, 150_Gbps)).ps), static_cast<double>(all.ps),
              0.01 * static_cast<double>(all.ps));
  EXPECT_GT(time_of(1, 50_Gbps), alone * 19 / 10);
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
