// Links that lose packets, links that go down, hosts that stall.
#include "weir/engine/model/faults.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

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

// The NIC never waits for anything but its link, so the end of its last transmission tells how long that has taken.
TEST(LinkRetry, TakesATransmissionAndARoundTripOfTheLinkForEachFailure) {
  Scenario s = pair(5_MB);
  s.profiles = {profile("fixed-window", {{"window", "100 MB"}})};
  const double p = 0.3;
  s.faults.loss = {{"0-2", p, true}};
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {});
  simulation.advance();
  ASSERT_EQ(simulation.counters().flows_completed, 1u);
  EXPECT_EQ(simulation.counters().lost, 0u);

  const net::Port& port = simulation.port(0);
  const RandomStream random(model->seed, 0, Purpose::link_loss);
  const std::uint64_t sent = port.tx_packets + (port.ring.cursor - port.ring.head);
  EXPECT_EQ(sent, 5'000u);  // none twice
  std::uint64_t failures = 0;
  for (std::uint64_t i = 0; i < sent; ++i)
    for (double all_fail = p; random.uniform(i) < all_fail; all_fail *= p) ++failures;
  EXPECT_NEAR(static_cast<double>(failures), 5'000 * p / (1 - p), 200);
  const Time transmission = port.serialisation(static_cast<std::uint32_t>(model->largest_wire().count));
  const Time round_trip = 2 * port.delay;
  EXPECT_EQ(port.free_at, static_cast<std::int64_t>(sent + failures) * transmission +
                              static_cast<std::int64_t>(failures) * round_trip);
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
    const std::uint64_t sent = state.tx_packets + (state.ring.cursor - state.ring.head);
    ASSERT_GT(sent, 5'000u);
    const double expected = p * static_cast<double>(sent);
    const double deviation = std::sqrt(expected * (1 - p));
    EXPECT_NEAR(static_cast<double>(simulation.port_figures(port).lost), expected, 4 * deviation);
    const RandomStream random(model->seed, port, Purpose::link_loss);
    std::uint64_t drawn = 0;
    for (std::uint64_t i = 0; i < sent; ++i) drawn += random.uniform(i) < p;
    EXPECT_EQ(simulation.port_figures(port).lost, drawn);
    lost += drawn;
  }
  EXPECT_EQ(simulation.port_figures(2).lost, 0u);
  EXPECT_EQ(simulation.port_figures(3).lost, 0u);
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

// Links of 100 Gb/s and 1 us: a full packet lasts 83,840 ps and its acknowledgement 4,800.
constexpr Time kLink{1'083'840};
constexpr Time kAckLink{1'004'800};

// The host sends a packet every 83.84 us. Its NIC holds the second one from 80 us to 180 us, and the third one then
// keeps its distance from it.
TEST(HostPause, HoldsTheNic) {
  Scenario s = pair(3'000_B);
  s.profiles = {profile("fixed-window", {{"window", "1 GB"}, {"rate", "100 Mbps"}})};
  s.transport.min_rto = 1_ms;
  const Time gap{83'840'000};
  const Time alone = 2 * kLink + 2 * kAckLink;
  ASSERT_EQ(run(s).flows.at(0).finish, 2 * gap + alone);
  s.faults.host_pauses = {{.host = 0, .start = 80_us, .duration = 100_us}};
  EXPECT_EQ(run(s).flows.at(0).finish, 180_us + gap + alone);
}

// The receiver takes the packet, but its acknowledgement waits. What is being sent when the pause begins is sent whole.
TEST(HostPause, HoldsAcknowledgements) {
  Scenario s = pair(1'000_B);
  s.transport.min_rto = 1_ms;
  s.faults.host_pauses = {{.host = 1, .start = 1_us, .duration = 50_us}, {.host = 1, .start = 2_us, .duration = 1_us}};
  EXPECT_EQ(run(s).flows.at(0).finish, 51_us + 2 * kAckLink);
  s.faults.host_pauses = {{.host = 0, .start = Time{1}, .duration = 50_us}};
  EXPECT_EQ(run(s).flows.at(0).finish, 2 * kLink + 2 * kAckLink);
  s.faults.host_pauses = {{.host = 0, .start = 0_us, .duration = 50_us}};  // acts before the flow's start
  EXPECT_EQ(run(s).flows.at(0).finish, 50_us + 2 * kLink + 2 * kAckLink);
}

TEST(HostPause, NothingIsSentMeanwhile) {
  Scenario s = pair(5_MB);
  s.faults.host_pauses = {{.host = 0, .start = 100_us, .duration = 60_us}};
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {});
  simulation.advance(100_us);
  const std::uint64_t before = simulation.port_figures(0).sent_bytes;
  EXPECT_GT(before, 1'000'000u);
  simulation.advance(160_us);
  EXPECT_EQ(simulation.port_figures(0).sent_bytes, before);
  simulation.advance(170_us);
  EXPECT_GT(simulation.port_figures(0).sent_bytes, before + 100'000);
  simulation.advance();
  EXPECT_EQ(simulation.counters().flows_completed, 1u);
}

// Two leaves, nodes 4 and 5, and two spines, 6 and 7; hosts 0 and 1 at the one, 2 and 3 at the other.
Scenario two_paths(Bytes size) {
  Scenario s;
  s.topology = build(net::LeafSpine{.leaves = 2, .spines = 2, .hosts_per_leaf = 2});
  s.profiles = {profile("fixed-window", {{"window", "50 KB"}})};
  s.transport.min_rto = 100_us;
  s.transport.nack_interval = 20_us;
  s.add_flow(0, 2, size);
  s.flows[0].sport = 10'000;
  s.flows[0].dport = 100;
  return s;
}

// The spine that the packets of the flow cross.
std::uint32_t spine_of(const Scenario& s) {
  const auto model = s.model();
  const auto path = model->routing.path(0, 2, net::flow_entropy(0, 2, 10'000, 100));
  return model->topology.port_peer(path.at(1));
}

TEST(LinkDown, TheFlowTakesTheOtherPath) {
  Scenario s = two_paths(5_MB);
  const Time undisturbed = run(s).flows.at(0).finish;
  s.faults.link_events = {{.time = 100_us, .a = 4, .b = spine_of(s), .state = LinkState::down}};
  const Outcome out = run(s);
  ASSERT_EQ(out.flows.size(), 1u);
  EXPECT_GT(out.counters.lost, 0u);
  EXPECT_LE(out.counters.lost, 60u);  // no more than a window
  EXPECT_LT(out.flows[0].finish, undisturbed + 2 * s.transport.min_rto);
}

TEST(LinkDown, RoutesConvergeAfterTheirDelay) {
  Scenario s = two_paths(5_MB);
  s.network.reroute_delay = 1_ms;
  s.faults.link_events = {{.time = 100_us, .a = 4, .b = spine_of(s), .state = LinkState::down}};
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {});
  simulation.advance(150_us);
  const std::uint32_t last_port = net::Topology::reverse(model->routing.nic(2));
  const std::uint64_t stuck_at = simulation.port_figures(last_port).sent_bytes;
  EXPECT_GT(stuck_at, 0u);
  simulation.advance(1'100_us);
  EXPECT_EQ(simulation.port_figures(last_port).sent_bytes, stuck_at);
  EXPECT_GT(simulation.counters().timeouts, 0u);
  simulation.advance();  // the link stays down
  EXPECT_EQ(simulation.counters().flows_completed, 1u);
}

TEST(LinkDown, WithoutReroutingItStallsAndResumesByTimeout) {
  Scenario s = two_paths(5_MB);
  s.network.reroute = false;
  s.faults.link_events = {{.time = 100_us, .a = 4, .b = spine_of(s), .state = LinkState::down},
                          {.time = 2_ms, .a = spine_of(s), .b = 4, .state = LinkState::up}};
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {});
  std::vector<host::FlowRecord> flows;
  simulation.on_finish([&](const host::FlowRecord& f) { flows.push_back(f); });
  simulation.advance(200_us);
  const std::uint32_t last_port = net::Topology::reverse(model->routing.nic(2));
  const std::uint64_t stuck_at = simulation.port_figures(last_port).sent_bytes;
  simulation.advance(2_ms);
  EXPECT_EQ(simulation.port_figures(last_port).sent_bytes, stuck_at);
  EXPECT_GE(simulation.counters().timeouts, 2u);
  simulation.advance();
  ASSERT_EQ(flows.size(), 1u);
  EXPECT_GT(flows[0].finish, 2_ms);
  EXPECT_LT(flows[0].finish, 10_ms);
}

// Without any path, packets end at the dead link; with the link, the flow goes on.
TEST(LinkDown, OfAHostCutsItOff) {
  Scenario s = two_paths(5_MB);
  s.faults.link_events = {{.time = 100_us, .a = 2, .b = 5, .state = LinkState::down},
                          {.time = 1_ms, .a = 2, .b = 5, .state = LinkState::up}};
  const Outcome out = run(s);
  ASSERT_EQ(out.flows.size(), 1u);
  EXPECT_GT(out.flows[0].finish, 1_ms);
  EXPECT_GT(out.counters.lost, 0u);
  EXPECT_EQ(out.counters.dropped, 0u);
}

// An incast so wide that the leaf pauses both spines; one of them is paused when its link goes down. Neither end may
// stay paused, and all buffers are empty in the end.
TEST(LinkDown, LeavesNobodyPaused) {
  Scenario s = two_paths(2_MB);
  s.add_flow(1, 2, 2_MB);
  s.add_flow(3, 2, 2_MB);
  s.profiles = {profile("fixed-window", {{"window", "1 GB"}})};
  s.buffer.size = {s.set_aside() + 100'000};
  for (const Time at : {50_us, 60_us, 70_us, 80_us})
    for (const std::uint32_t spine : {6u, 7u}) {
      Scenario one = s;
      one.faults.link_events = {{.time = at, .a = 5, .b = spine, .state = LinkState::down},
                                {.time = at + 5_us, .a = 5, .b = spine, .state = LinkState::up}};
      const auto model = one.model();
      const auto traffic = one.traffic();
      Simulation simulation(*model, *traffic, {.stop = 1_s});
      simulation.advance();
      EXPECT_EQ(simulation.counters().flows_completed, 3u);
      EXPECT_GT(simulation.counters().pauses, 0u);
      for (std::uint32_t id = 0; id < model->topology.ports(); ++id) {
        EXPECT_FALSE(simulation.port(id).paused) << "port " << id;
        EXPECT_EQ(simulation.port(id).queued, 0u) << "port " << id;
      }
    }
}

std::string complaint(const FaultRows& rows) {
  try {
    work_out(rows, build(net::LeafSpine{.leaves = 2, .spines = 2, .hosts_per_leaf = 2}), 1);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(FaultRows, SayWhatIsWrong) {
  const auto down = [](Time t, std::uint32_t a, std::uint32_t b) {
    return LinkEventRow{.time = t, .a = a, .b = b, .state = LinkState::down};
  };
  const auto up = [](Time t, std::uint32_t a, std::uint32_t b) {
    return LinkEventRow{.time = t, .a = a, .b = b, .state = LinkState::up};
  };
  EXPECT_EQ(complaint({.loss = {{"all", 0}, {"spines", 0}}, .link_events = {}, .host_pauses = {}}),
            "network.loss.1.links: 'spines' names no links; valid is all, hosts, fabric, or two nodes as 320-0, or "
            "320-0#2 for the second link between them");
  EXPECT_EQ(complaint({.loss = {{"all", 1, true}}, .link_events = {}, .host_pauses = {}}),
            "network.loss.0.probability: a link that loses every packet would retry for ever; valid with retry is less "
            "than 1");
  EXPECT_EQ(complaint({.loss = {{"0-5", 0}}, .link_events = {}, .host_pauses = {}}),
            "network.loss.0.links: there is no link 0-5; 0 is linked to 4");
  EXPECT_EQ(complaint({.loss = {{"4->0", 0}}, .link_events = {}, .host_pauses = {}}),
            "network.loss.0.links: '4->0' is one direction, and links lose packets in both; write two nodes as 320-0");
  EXPECT_EQ(complaint({.loss = {{"4-8", 0}}, .link_events = {}, .host_pauses = {}}),
            "network.loss.0.links: there is no node 8; nodes are 0 to 7");
  EXPECT_EQ(complaint({.loss = {}, .link_events = {up(1_us, 4, 6)}, .host_pauses = {}}),
            "network.link_event.0.state: the link 4-6 is up already at 1 us");
  // in order of time, whatever the order of the rows
  EXPECT_EQ(complaint({.loss = {}, .link_events = {up(3_us, 6, 4), down(2_us, 4, 6)}, .host_pauses = {}}), "");
  EXPECT_EQ(complaint({.loss = {}, .link_events = {down(3_us, 6, 4), down(2_us, 4, 6)}, .host_pauses = {}}),
            "network.link_event.0.state: the link 6-4 is down already at 3 us");
  EXPECT_EQ(complaint({.loss = {}, .link_events = {down(2_us, 6, 4), up(2_us, 4, 6)}, .host_pauses = {}}),
            "network.link_event.1.time: the link 4-6 goes down at that instant; write a later time");
  EXPECT_EQ(complaint({.loss = {}, .link_events = {}, .host_pauses = {{.host = 4, .start = {}, .duration = 1_us}}}),
            "host.pause.0.host: there is no host 4; hosts are 0 to 3");
}

// All links of a switch or of a plane, as if each had been named.
TEST(LinkEvents, OfASwitchOrAPlaneAreThoseOfItsLinks) {
  const net::Topology t = build(net::LeafSpine{.leaves = 2, .spines = 2, .hosts_per_leaf = 2, .planes = 2});
  const auto of = [&](const LinkEventRow& row) { return work_out({.link_events = {row}}, t, 1); };
  const auto named = [&](auto&& wanted) {
    std::vector<LinkEventRow> rows;
    for (const net::Link& l : t.links)
      if (wanted(l)) rows.push_back({.time = 3_us, .a = l.a, .b = l.b});
    return work_out({.link_events = rows}, t, 1);
  };
  const auto same = [](const Faults& x, const Faults& y) {
    return std::equal(x.changes.begin(), x.changes.end(), y.changes.begin(), y.changes.end(),
                      [](const LinkChange& a, const LinkChange& b) {
                        return a.time == b.time && a.link == b.link && a.state == b.state;
                      }) &&
           x.links.size() == y.links.size();
  };
  // Hosts 0 to 3; leaves 4 and 5 and spines 6 and 7; 8 to 11 the same of the second plane.
  const auto by_switch = named([](const net::Link& l) { return l.a == 9 || l.b == 9; });
  EXPECT_EQ(by_switch.changes.size(), 4u);
  EXPECT_TRUE(same(of({.time = 3_us, .at_switch = 9}), by_switch));
  for (const std::int64_t plane : {0, 1}) {
    const auto by_plane = named([&](const net::Link& l) { return (std::max(l.a, l.b) >= 8) == (plane == 1); });
    EXPECT_EQ(by_plane.changes.size(), 8u);
    EXPECT_TRUE(same(of({.time = 3_us, .plane = plane}), by_plane));
  }
}

// A link is down while it, its switch or its plane is.
TEST(LinkEvents, LinksAreDownWhileAnythingOfThemIs) {
  const net::Topology t = build(net::LeafSpine{.leaves = 2, .spines = 2, .hosts_per_leaf = 2});
  const auto row = [](Time time, LinkState state) { return LinkEventRow{.time = time, .state = state}; };
  std::vector<LinkEventRow> rows{row(1_us, LinkState::down), row(5_us, LinkState::up),   row(2_us, LinkState::down),
                                 row(7_us, LinkState::up),   row(7_us, LinkState::down), row(9_us, LinkState::up)};
  for (const std::size_t i : {0u, 1u}) {
    rows[i].a = 0;
    rows[i].b = 4;
  }
  for (const std::size_t i : {2u, 3u}) rows[i].at_switch = 4;
  for (const std::size_t i : {4u, 5u}) rows[i].plane = 0;
  const Faults faults = work_out({.link_events = rows}, t, 1);
  const auto outages = [&](std::uint32_t link) { return faults.links.at(link).outages; };
  // That of host 0 by itself, then by its switch, then by its plane, without a break; that of host 2 by its plane.
  ASSERT_EQ(outages(0).size(), 1u);
  EXPECT_EQ(outages(0)[0].down, 1_us);
  EXPECT_EQ(outages(0)[0].up, 9_us);
  ASSERT_EQ(outages(2).size(), 1u);
  EXPECT_EQ(outages(2)[0].down, 7_us);
  EXPECT_EQ(outages(2)[0].up, 9_us);
  EXPECT_TRUE(std::is_sorted(faults.changes.begin(), faults.changes.end(),
                             [](const LinkChange& a, const LinkChange& b) { return a.time < b.time; }));
  EXPECT_EQ(std::count_if(faults.changes.begin(), faults.changes.end(), [](const auto& c) { return c.link == 0; }), 2);
}

TEST(LinkEvents, OfSwitchesAndPlanesSayWhatIsWrong) {
  const auto says = [](const LinkEventRow& row) {
    return complaint({.loss = {}, .link_events = {row}, .host_pauses = {}});
  };
  EXPECT_EQ(says({.time = 1_us}),
            "network.link_event.0: write the two nodes a and b of links, or a switch, or a plane");
  EXPECT_EQ(
      says({.time = 1_us, .a = 0, .b = 4, .plane = 0}),
      "network.link_event.0: it names links by a and b and by plane; write one of these ways, and a row for each");
  EXPECT_EQ(says({.time = 1_us, .a = 4}),
            "network.link_event.0: b is missing; links are those between two nodes, a and b");
  EXPECT_EQ(says({.time = 1_us, .at_switch = 3}),
            "network.link_event.0.switch: there is no switch 3; switches are 4 to 7");
  EXPECT_EQ(says({.time = 1_us, .at_switch = 8}),
            "network.link_event.0.switch: there is no switch 8; switches are 4 to 7");
  EXPECT_EQ(says({.time = 1_us, .plane = 1}),
            "network.link_event.0.plane: there is no plane 1; this network has one, number 0");
  EXPECT_EQ(says({.time = 1_us, .parallel = 1, .at_switch = 4}),
            "network.link_event.0.parallel: it is one of the links between a and b; leave it out, or write those");
  EXPECT_EQ(says({.time = 1_us, .state = LinkState::up, .at_switch = 4}),
            "network.link_event.0.state: switch 4 is up already at 1 us");
}

// A link that comes up forgets that it was paused, and data that waited leaves at that instant, while an
// acknowledgement that went ahead of it is on the wire. Links go down so often that this happens.
TEST(LinkEvents, DataThatWaitedForAPauseLeavesBehindAnAcknowledgement) {
  Scenario s;
  s.topology = build(net::Dumbbell{4, 4, 100_Gbps, 1_us, 100_Gbps, 1_us});
  s.buffer.size = 400_KB;
  s.transport.ack_class = host::AckClass::priority;
  s.transport.min_rto = 50_us;
  s.profiles = {profile("fixed-window", {{"window", "1 MB"}}),
                profile("fixed-window", {{"window", "1 MB"}, {"rate", "3 Gbps"}})};
  for (const std::uint32_t src : {4, 5, 6, 2, 3}) s.add_flow(src, 0, 3'000_KB);
  s.add_flow(1, 7, 300_KB, {}, 1);
  for (Time t = 61'300_ns; t < 900_us; t = t + 11'170_ns) {
    s.faults.link_events.push_back({.time = t, .a = 8, .b = 9, .state = LinkState::down});
    s.faults.link_events.push_back({.time = t + 100_ns, .a = 8, .b = 9, .state = LinkState::up});
  }
  s.stop = 8_ms;
  const Outcome plain = run(s, {net::PortKind::queued, SchedulerKind::heap, 1});
  EXPECT_EQ(plain.flows.size(), 6u);
  for (const SchedulerKind scheduler : {SchedulerKind::automatic, SchedulerKind::wheel})
    for (const std::uint32_t threads : {1u, 2u}) {
      const Way way{net::PortKind::fifo, scheduler, threads};
      EXPECT_EQ(difference(plain, run(s, way)), "") << name_of(way);
    }
}

}  // namespace
}  // namespace weir::engine
