// What switches do for sprayed packets, and receivers, by hand.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <span>

#include "tests/engine/scenario.h"
#include "weir/engine/time/simulation.h"

namespace weir::engine {
namespace {

using namespace literals;

host::Profile spraying(host::Balancing kind = host::Balancing::ecmp) {
  host::Profile p = unlimited();
  p.recovery.kind = host::RecoveryKind::sack;
  p.recovery.reordering = 1_ms;
  p.balancing.kind = kind;
  return p;
}

// A star with links of 100 Gb/s and 1 us. A full packet of 1048 bytes lasts 83,840 ps; host 1's port has room for one
// that waits. Host 6's packet is being sent there, host 7's waits, and host 0's comes 900 ps after the former: only 64
// bytes of it are left, which leave when host 6's has left.
class Trimming : public testing::TestWithParam<host::RecoveryKind> {};

TEST_P(Trimming, IsToldAtOnce) {
  constexpr Time kStart = 10_us;
  constexpr Time kToSwitch{1'083'840};
  constexpr Time kAckLink{1'004'800};
  constexpr Time kTrimmedLink{1'005'120};
  Scenario s;
  s.topology = build(net::Star{8});
  s.profiles = {spraying()};
  s.profiles[0].recovery.kind = GetParam();
  s.network.trimming = true;
  s.buffer.mode = net::BufferMode::per_port;
  s.buffer.size = {2'000};
  s.add_flow(6, 1, 1'000_B, kStart - Time{900});
  s.add_flow(7, 1, 1'000_B, kStart - Time{800});
  s.add_flow(0, 1, 1'000_B, kStart);
  const Outcome out = run(s);
  EXPECT_EQ(out.counters.trimmed, 1u);
  EXPECT_EQ(out.counters.dropped, 0u);
  EXPECT_EQ(out.counters.retransmitted, 1u);
  EXPECT_EQ(out.counters.timeouts, 0u);
  const Time told = kToSwitch + Time{83'840 - 900} + kTrimmedLink + 2 * kAckLink;
  const Time again = 2 * kToSwitch + 2 * kAckLink;
  for (const auto& f : out.flows)
    if (f.src == 0) {
      EXPECT_EQ((f.finish - f.start).ps, (told + again).ps);
    }
}

INSTANTIATE_TEST_SUITE_P(Recovery, Trimming,
                         testing::Values(host::RecoveryKind::go_back_n, host::RecoveryKind::irn,
                                         host::RecoveryKind::sack));

// Of eight packets the first is acknowledged, the four behind it together, and the last, which asks.
TEST(CoalescedAcks, AreFew) {
  Scenario s;
  s.topology = build(net::Star{2});
  s.profiles = {spraying()};
  s.profiles[0].ack_every = 4'000_B;
  s.add_flow(0, 1, 8'000_B);
  const Outcome out = run(s);
  EXPECT_EQ(out.counters.data_packet_hops, 8u * 2);
  EXPECT_EQ(out.counters.packet_hops, (8u + 3) * 2);
  EXPECT_EQ(out.counters.timeouts, 0u);
}

// Two leaves and two spines: the packets that leaf 0 (node 6) has sent to each spine.
class TwoUplinks : public testing::Test {
 protected:
  TwoUplinks() {
    scenario_.topology = build(
        net::LeafSpine{.leaves = 2, .spines = 2, .hosts_per_leaf = 3, .host_rate = 100_Gbps, .fabric_rate = 100_Gbps});
    scenario_.buffer.mode = net::BufferMode::per_port;
  }
  std::vector<std::uint64_t> sent() {
    const auto model = scenario_.model();
    const auto traffic = scenario_.traffic();
    Simulation simulation(*model, *traffic, {});
    simulation.advance();
    std::vector<std::uint64_t> out;
    for (const std::uint32_t port : model->routing.next_hops(0, 3)) out.push_back(simulation.port(port).tx_packets);
    return out;
  }
  Scenario scenario_;
};

TEST_F(TwoUplinks, TakenInTurn) {
  scenario_.profiles = {spraying(host::Balancing::round_robin)};
  scenario_.add_flow(0, 3, 10'000_B);
  EXPECT_EQ(sent(), (std::vector<std::uint64_t>{5, 5}));
}

// Single packets, 10 us apart: of each two one goes by either uplink. Which is first is drawn, or always the same.
TEST_F(TwoUplinks, EachRoundHasAnOrderOfItsOwn) {
  constexpr int kRounds = 20;
  scenario_.profiles = {spraying(host::Balancing::round_robin)};
  for (int i = 0; i < 2 * kRounds; ++i) scenario_.add_flow(0, 3, 1'000_B, 10_us * i);
  for (const net::Rounds rounds : {net::Rounds::shuffled, net::Rounds::fixed}) {
    scenario_.network.rounds = rounds;
    const auto model = scenario_.model();
    const auto traffic = scenario_.traffic();
    Simulation simulation(*model, *traffic, {});
    const std::uint32_t uplink = model->routing.next_hops(0, 3)[0];
    int first_by_it = 0;
    for (int round = 0; round < kRounds; ++round) {
      simulation.advance(10_us * (2 * round + 1));
      first_by_it += simulation.port(uplink).tx_packets == static_cast<std::uint64_t>(round + 1) ? 1 : 0;
      simulation.advance(10_us * (2 * round + 2));
      ASSERT_EQ(simulation.port(uplink).tx_packets, static_cast<std::uint64_t>(round + 1));
    }
    if (rounds == net::Rounds::shuffled) {
      EXPECT_GT(first_by_it, 3);
      EXPECT_LT(first_by_it, kRounds - 3);
    } else {
      EXPECT_EQ(first_by_it % kRounds, 0);
    }
  }
}

// Packets that come without a gap go by one uplink; whichever it is, the way back may be another.
TEST_F(TwoUplinks, AFlowletKeepsItsUplink) {
  scenario_.profiles = {spraying(host::Balancing::flowlets)};
  scenario_.add_flow(0, 3, 50'000_B);
  auto packets = sent();
  std::sort(packets.begin(), packets.end());
  EXPECT_EQ(packets, (std::vector<std::uint64_t>{0, 50}));
}

// Single packets of one connection, 10 us apart: with a gap below that each has an uplink of its own, else all have
// one.
TEST_F(TwoUplinks, AfterAGapAnUplinkIsDrawn) {
  constexpr int kPackets = 60;
  scenario_.profiles = {spraying(host::Balancing::flowlets)};
  for (int i = 0; i < kPackets; ++i) {
    scenario_.add_flow(0, 3, 1'000_B, 10_us * i);
    scenario_.flows.back().sport = scenario_.flows.back().dport = 100;
  }
  for (const Time gap : {9_us, 11_us}) {
    scenario_.network.flowlet_gap = gap;
    const auto packets = sent();
    EXPECT_EQ(packets[0] + packets[1], static_cast<std::uint64_t>(kPackets));
    if (gap == 9_us)
      EXPECT_NEAR(static_cast<double>(packets[0]), kPackets / 2., 4 * std::sqrt(kPackets / 4.));
    else
      EXPECT_EQ(packets[0] % kPackets, 0u);
  }
}

// Two flows on one uplink make a queue there; a third one that comes later goes by the other.
TEST_F(TwoUplinks, TheShorterQueueIsTaken) {
  scenario_.profiles = {spraying(), spraying(host::Balancing::adaptive)};
  scenario_.adaptive = {.quantised = false, .refresh = {}};
  const auto model = scenario_.model();
  const auto uplink = [&](std::uint32_t src, std::uint16_t sport) {
    return model->routing.egress(0, 3 + src, net::flow_entropy(src, 3 + src, sport, 100));
  };
  std::uint16_t same = 1;
  while (uplink(1, same) != uplink(0, 1)) ++same;
  scenario_.add_flow(0, 3, 100'000_B);
  scenario_.flows.back().sport = 1;
  scenario_.add_flow(1, 4, 100'000_B);
  scenario_.flows.back().sport = same;
  for (auto& f : scenario_.flows) f.dport = 100;
  scenario_.add_flow(2, 5, 20'000_B, 5_us, 1);
  auto packets = sent();
  std::sort(packets.begin(), packets.end());
  EXPECT_EQ(packets, (std::vector<std::uint64_t>{20, 200}));
}

// The same with one that comes from the other leaf: its acknowledgements leave leaf 0. By their hash they would share
// both uplinks; adaptively they go by the one without a queue.
TEST_F(TwoUplinks, AcknowledgementsMayTakeTheShorterQueueToo) {
  const auto on_busy_uplink = [this](host::AckRouting acks) {
    scenario_.profiles = {spraying(), spraying(host::Balancing::adaptive)};
    scenario_.profiles[1].balancing.acks = acks;
    scenario_.adaptive = {.quantised = false, .refresh = {}};
    scenario_.flows.clear();
    for (const std::uint32_t src : {0u, 1u}) scenario_.add_flow(src, 3 + src, 100'000_B);
    scenario_.add_flow(5, 2, 20'000_B, 5_us, 1);
    const auto model = scenario_.model();
    const auto uplink = [&](std::uint32_t src, std::uint16_t sport) {
      return model->routing.egress(0, 3 + src, net::flow_entropy(src, 3 + src, sport, 100));
    };
    std::uint16_t same = 1;
    while (uplink(1, same) != uplink(0, 1)) ++same;
    scenario_.flows[0].sport = 1;
    scenario_.flows[1].sport = same;
    for (auto& f : scenario_.flows) f.dport = 100;
    const auto packets = sent();
    EXPECT_EQ(packets[0] + packets[1], 220u);
    return std::max(packets[0], packets[1]) - 200;
  };
  EXPECT_GT(on_busy_uplink(host::AckRouting::hash), 3u);
  EXPECT_EQ(on_busy_uplink(host::AckRouting::adaptive), 0u);
}

// A star. Host 0 sends 200 packets to host 1, ten at a time, beside two hosts that make a queue at a port: host 1's,
// which marks its data, or its own, which marks its acknowledgements where the profile asks for that.
class WhoseMark : public testing::Test {
 protected:
  struct Seen {
    std::uint64_t marked_data = 0;
    std::uint64_t marked_acks = 0;
    std::size_t entropies = 0;  // different ones of host 0's packets
  };
  static Seen seen(host::PathMarks marks, std::uint32_t port_with_queue) {
    Scenario s;
    s.topology = build(net::Star{4});
    s.profiles = {profile("fixed-window", {{"window", "40 KB"}}), profile("fixed-window", {{"window", "10 KB"}})};
    for (host::Profile& p : s.profiles) p.recovery.kind = host::RecoveryKind::sack;
    s.profiles[1].balancing.kind = host::Balancing::reps;
    s.profiles[1].balancing.marks = marks;
    s.ecn = {.enabled = true, .k_min = 5'000_B, .k_max = 5'000_B};
    s.ecn.at_rate = {};
    s.buffer.mode = net::BufferMode::per_port;
    for (const std::uint32_t src : {2u, 3u}) s.add_flow(src, port_with_queue, 2'000'000_B);
    s.add_flow(0, 1, 200'000_B, 20_us, 1);
    const auto model = s.model();
    const auto traffic = s.traffic();
    Simulation simulation(*model, *traffic, {.traced = true});
    Seen out;
    std::set<std::uint32_t> entropies;
    std::uint64_t all_marked = 0;
    simulation.trace({}, [&](net::TraceEvents events) {
      for (const net::TraceEvent& e : events) {
        const bool of_flow = e.packet.profile == 1;
        if (e.kind == net::EventKind::marked) {
          ++all_marked;
          if (of_flow) ++(e.packet.kind == net::PacketKind::data ? out.marked_data : out.marked_acks);
        }
        if (e.kind == net::EventKind::accepted && of_flow && e.packet.kind == net::PacketKind::data)
          entropies.insert(e.packet.entropy);
      }
    });
    while (!simulation.advance()) {
    }
    std::uint64_t counted = 0;
    for (std::uint32_t id = 0; id < model->topology.ports(); ++id) counted += simulation.port_figures(id).marked;
    EXPECT_EQ(counted, all_marked);
    out.entropies = entropies.size();
    return out;
  }
};

TEST_F(WhoseMark, OfData) {
  for (const host::PathMarks marks : {host::PathMarks::data, host::PathMarks::ack, host::PathMarks::none}) {
    const Seen s = seen(marks, 1);
    EXPECT_GT(s.marked_data, 150u);
    EXPECT_EQ(s.marked_acks, 0u);
    if (marks == host::PathMarks::data)
      EXPECT_GT(s.entropies, 150u);
    else
      EXPECT_LT(s.entropies, 50u);
  }
}

TEST_F(WhoseMark, OfAcknowledgements) {
  for (const host::PathMarks marks : {host::PathMarks::data, host::PathMarks::ack, host::PathMarks::none}) {
    const Seen s = seen(marks, 0);
    EXPECT_EQ(s.marked_data, 0u);
    if (marks == host::PathMarks::ack) {
      EXPECT_GT(s.marked_acks, 150u);
      EXPECT_GT(s.entropies, 150u);
    } else {
      EXPECT_EQ(s.marked_acks, 0u);
      EXPECT_LT(s.entropies, 50u);
    }
  }
}

// A link that fails at random is one between switches, and none fails twice.
TEST(Failures, AreOfTheFabric) {
  const net::Topology t = build(net::FatTree{4});
  const Faults all = work_out({.failures = {{1, 0_us}, {1, 5_us}}}, t, 1);
  EXPECT_EQ(all.changes.size(), t.links.size() - t.hosts);
  for (const LinkChange& c : all.changes) {
    EXPECT_GE(std::min(t.links[c.link].a, t.links[c.link].b), t.hosts);
    EXPECT_EQ(c.time, 0_us);
  }
  std::size_t failed = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed)
    failed += work_out({.failures = {{0.01, 0_us}}}, t, seed).changes.size();
  EXPECT_NEAR(static_cast<double>(failed), 0.01 * 32 * 1'000, 3 * std::sqrt(320));
}

}  // namespace
}  // namespace weir::engine
