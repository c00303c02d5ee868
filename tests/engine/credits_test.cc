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
  for (int i = 0; i < 3; ++i) credits.ask(asking(1, 0, 0), 9'000, 9);
  for (int i = 0; i < 2; ++i) credits.ask(asking(2, 5, 0), 9'000, 9);
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
  for (int i = 0; i < 3; ++i) credits.ask(asking(1, 0, 0), 9'000, 9);
  credits.grant();
  credits.ask(asking(1, 0, 1), 9'000, 9);
  ASSERT_TRUE(credits.has_waiting());
  EXPECT_EQ(credits.grant().packets, 1);
  EXPECT_FALSE(credits.has_waiting());
}

std::vector<std::uint32_t> granted(host::Credits& credits) {
  std::vector<std::uint32_t> out;
  while (credits.has_waiting()) out.push_back(credits.grant().src);
  return out;
}

TEST(Credits, OfSrptGoToTheFlowWithTheFewestBytesLeft) {
  host::Credits credits({.credit_order = host::CreditOrder::srpt});
  net::Packet data = asking(1, 0, 0);
  data.payload = 1'000;
  for (int i = 0; i < 2; ++i) credits.ask(data, 9'000, 9);
  data.src = 2;
  for (int i = 0; i < 2; ++i) credits.ask(data, 8'000, 8);
  EXPECT_EQ(granted(credits), (std::vector<std::uint32_t>{2, 2, 1, 1}));
  data.src = 1;
  for (int i = 0; i < 2; ++i) credits.ask(data, 9'000, 9);  // 5,000 bytes of it are left, and 6,000 of the other
  data.src = 2;
  credits.ask(data, 8'000, 8);  // 5,000 of either: the first goes first
  EXPECT_EQ(granted(credits), (std::vector<std::uint32_t>{1, 1, 2}));
}

// The second one gets nothing while the first one is not granted whole, though it does not ask.
TEST(Credits, OfSrptAreForSoManyFlows) {
  host::Credits credits({.credit_order = host::CreditOrder::srpt, .overcommitment = 1});
  net::Packet data = asking(1, 0, 0);
  data.payload = 1'000;
  credits.ask(data, 3'000, 2);
  EXPECT_EQ(granted(credits), (std::vector<std::uint32_t>{1}));
  data.src = 2;
  credits.ask(data, 9'000, 8);
  EXPECT_EQ(granted(credits), (std::vector<std::uint32_t>{}));
  data.src = 1;
  credits.ask(data, 3'000, 2);
  EXPECT_EQ(granted(credits), (std::vector<std::uint32_t>{1, 2}));
}

class SrptCredits : public testing::Test {
 protected:
  SrptCredits() {
    scenario_.topology = build(net::Star{9});
    scenario_.profiles = {unlimited()};
    scenario_.profiles[0].recovery.kind = host::RecoveryKind::sack;
    scenario_.profiles[0].unsolicited = 60'000_B;
    scenario_.transport.credit_order = host::CreditOrder::srpt;
  }
  Scenario scenario_;
};

// A short flow that comes when seven long ones have the link ends in less than twice the time that it takes alone: only
// one of them has packets under way.
TEST_F(SrptCredits, LetShortFlowsEndFirst) {
  scenario_.transport.overcommitment = 1;
  for (std::uint32_t h = 0; h < 7; ++h) scenario_.add_flow(h, 8, 2'000'000_B);
  scenario_.add_flow(7, 8, 200'000_B, 300_us);
  const auto time_of_short = [&] {
    for (const auto& f : run(scenario_).flows)
      if (f.src == 7) return f.finish - f.start;
    return Time::max();
  };
  const Time alone{200 * 83'840};
  EXPECT_LT(time_of_short(), 2 * alone);
  scenario_.transport.credit_order = host::CreditOrder::fair;
  EXPECT_GT(time_of_short(), 4 * alone);
}

// Host 0's flow has the fewest bytes left when its host stalls. Only if others may have credits as well do they end
// before it.
TEST_F(SrptCredits, WithOvercommitmentOthersFillTheLink) {
  for (std::uint32_t h = 0; h < 4; ++h) scenario_.add_flow(h, 8, 1'000'000_B + h * 10'000_B);
  scenario_.faults.host_pauses = {{.host = 0, .start = 50_us, .duration = 2_ms}};
  const auto first_end = [&](std::int64_t overcommitment) {
    scenario_.transport.overcommitment = overcommitment;
    const Outcome out = run(scenario_);
    EXPECT_EQ(out.flows.size(), 4u);
    return out.flows.front().finish;
  };
  EXPECT_LT(first_end(8), 400_us);
  EXPECT_GT(first_end(1), 2'050_us);
}

}  // namespace
}  // namespace weir::engine
