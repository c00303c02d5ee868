// What switches do for sprayed packets, and receivers, by hand.
#include <gtest/gtest.h>

#include "tests/engine/scenario.h"
#include "weir/engine/simulation.h"

namespace weir::engine {
namespace {

using namespace literals;

host::Profile unlimited(host::Balancing kind = host::Balancing::ecmp) {
  host::Profile p = profile("fixed-window", {{"window", "1 GB"}});
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
  s.profiles = {unlimited()};
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
  s.profiles = {unlimited()};
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
  scenario_.profiles = {unlimited(host::Balancing::round_robin)};
  scenario_.add_flow(0, 3, 10'000_B);
  EXPECT_EQ(sent(), (std::vector<std::uint64_t>{5, 5}));
}

// Single packets, 10 us apart: of each two one goes by either uplink. Which is first is drawn, or always the same.
TEST_F(TwoUplinks, EachRoundHasAnOrderOfItsOwn) {
  constexpr int kRounds = 20;
  scenario_.profiles = {unlimited(host::Balancing::round_robin)};
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

// Two flows on one uplink make a queue there; a third one that comes later goes by the other.
TEST_F(TwoUplinks, TheShorterQueueIsTaken) {
  scenario_.profiles = {unlimited(), unlimited(host::Balancing::adaptive)};
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
