// Credits: what receivers grant, and how fast.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <vector>

#include "tests/engine/scenario.h"
#include "weir/engine/time/simulation.h"
#include "weir/host/credits.h"

namespace weir::engine {
namespace {

using namespace literals;

class CreditsOf : public testing::TestWithParam<host::RecoveryKind> {
 protected:
  // A star of links of 100 Gb/s and 1 us: a full packet of 1,048 bytes lasts 83,840 ps.
  CreditsOf() {
    scenario_.topology = build(net::Star{9});
    scenario_.profiles = {unlimited()};
    scenario_.profiles[0].recovery.kind = GetParam();
    scenario_.profiles[0].unsolicited = 2'500_B;  // three packets
  }
  static constexpr Time kPacket{83'840};

  Scenario scenario_;
};

// One for each packet but the first three, and none too many.
TEST_P(CreditsOf, AreAsManyAsPackets) {
  scenario_.add_flow(0, 8, 20'000_B);
  scenario_.add_flow(1, 8, 3'000_B);
  scenario_.add_flow(2, 8, 3'001_B);
  scenario_.add_flow(3, 8, 1_B);
  const Outcome out = run(scenario_);
  EXPECT_EQ(out.counters.data_packets, 20u + 3 + 4 + 1);
  EXPECT_EQ(out.counters.packet_hops, 2 * (2 * (20u + 3 + 4 + 1) + 17 + 1));
  EXPECT_EQ(out.counters.timeouts, 0u);
  EXPECT_EQ(out.flows.size(), 4u);
}

// The port to the receiver holds no more than what nobody has granted.
TEST_P(CreditsOf, KeepQueuesShort) {
  for (std::uint32_t h = 0; h < 8; ++h) scenario_.add_flow(h, 8, 500'000_B);
  const auto longest = [&] {
    const auto model = scenario_.model();
    const auto traffic = scenario_.traffic();
    Simulation run(*model, *traffic, {});
    std::uint32_t out = 0;
    const std::uint32_t port = net::Topology::reverse(model->routing.nic(8));
    run.every(1_us, [&](Time) { out = std::max(out, run.queued_bytes(port)); });
    while (!run.advance()) {
    }
    return out;
  };
  EXPECT_LE(longest(), 8u * 3 * 1'048);
  scenario_.profiles[0].unsolicited = {};
  EXPECT_GT(longest(), 300'000u);  // IRN has a window of its own
}

// The link of the receiver is full, and the flows, which take turns, end together.
TEST_P(CreditsOf, FillTheLinkInTurns) {
  scenario_.profiles[0].unsolicited = 60'000_B;
  for (std::uint32_t h = 0; h < 8; ++h) scenario_.add_flow(h, 8, 500'000_B);
  const Outcome out = run(scenario_);
  ASSERT_EQ(out.flows.size(), 8u);
  const Time first = out.flows.front().finish;
  const Time last = out.flows.back().finish;
  EXPECT_LT(last, 8 * 500 * kPacket + 10_us);
  EXPECT_LT(last - first, 8 * 60 * kPacket);
}

// Acknowledgements, credits and data are lost.
TEST_P(CreditsOf, MayBeLost) {
  scenario_.transport.min_rto = 100_us;
  scenario_.faults.loss.push_back({.probability = 0.02});
  for (std::uint32_t h = 0; h < 4; ++h) scenario_.add_flow(h, 8, 200'000_B);
  const Outcome out = run(scenario_);
  EXPECT_EQ(out.flows.size(), 4u);
  EXPECT_GT(out.counters.lost, 50u);
  EXPECT_LT(out.end, 50_ms);
}

INSTANTIATE_TEST_SUITE_P(Recovery, CreditsOf,
                         testing::Values(host::RecoveryKind::go_back_n, host::RecoveryKind::irn,
                                         host::RecoveryKind::sack));

net::Packet asking(std::uint32_t src, std::uint32_t slot, std::uint32_t generation) {
  net::Packet out;
  out.src = src;
  out.slot = slot;
  out.generation = generation;
  return out;
}

TEST(Credits, GoToFlowsInTurn) {
  host::Credits credits;
  for (int i = 0; i < 3; ++i) credits.ask(asking(1, 0, 0));
  for (int i = 0; i < 2; ++i) credits.ask(asking(2, 5, 0));
  std::vector<std::uint32_t> to;
  std::vector<std::int64_t> packets;
  while (credits.has_waiting()) {
    const auto& account = credits.grant();
    to.push_back(account.src);
    packets.push_back(account.packets);
  }
  EXPECT_EQ(to, (std::vector<std::uint32_t>{1, 2, 1, 2, 1}));
  EXPECT_EQ(packets, (std::vector<std::int64_t>{1, 1, 2, 2, 3}));
}

// What the flow before it was owed, nobody gets.
TEST(Credits, ANewFlowOfASlotBeginsAnew) {
  host::Credits credits;
  for (int i = 0; i < 3; ++i) credits.ask(asking(1, 0, 0));
  credits.grant();
  credits.ask(asking(1, 0, 1));
  ASSERT_TRUE(credits.has_waiting());
  EXPECT_EQ(credits.grant().packets, 1);
  EXPECT_FALSE(credits.has_waiting());
}

}  // namespace
}  // namespace weir::engine
