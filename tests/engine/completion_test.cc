// The least completion times of small programs, by hand.
#include "weir/engine/endings/completion.h"

#include <gtest/gtest.h>

#include "tests/engine/scenario.h"
#include "weir/traffic/collectives.h"

namespace weir::engine {
namespace {

using namespace literals;
using traffic::Event;
using traffic::Program;

// Wire sizes: data 1000 + 48, acknowledgement 60 bytes. Two links of 100 Gb/s, 80 ps per byte, and 1 us.
constexpr Time kData{1048 * 80};
constexpr Time kAck{60 * 80};
constexpr Time there(std::int64_t packets) { return 2_us + (packets + 1) * kData; }
constexpr Time kBack = 2_us + 2 * kAck;

Scenario star(std::uint32_t hosts) {
  Scenario s;
  s.topology = build(net::Star{hosts, 100_Gbps, 1_us});
  s.profiles = {profile("fixed-window")};
  return s;
}

Program::Node message(std::uint32_t src, std::uint32_t dst, Bytes size, Time delay = {}) {
  return {.src = src, .dst = dst, .size = size, .delay = delay};
}

CompletionBound bound(const Scenario& s) {
  const auto model = s.model();
  const auto bounds = completion_bounds(*model, s.program);
  EXPECT_EQ(bounds.size(), 1u);
  return bounds.at(0);
}

CompletionBound bound_on_star(std::uint32_t hosts, std::vector<Program::Node> nodes,
                              const std::vector<Program::Edge>& edges = {}) {
  Scenario s = star(hosts);
  s.program = Program(std::move(nodes), edges, 0);
  return bound(s);
}

TEST(CompletionBound, OfAPermutationIsThatOfAFlow) {
  const auto b = bound_on_star(3, {message(0, 1, 3_KB), message(1, 2, 3_KB), message(2, 0, 3_KB)});
  EXPECT_EQ(b.received, there(3));
  EXPECT_EQ(b.acknowledged, there(3) + kBack);
}

TEST(CompletionBound, OfAnIncastIsThatOfItsDownlink) {
  const auto b = bound_on_star(4, {message(0, 3, 3_KB), message(1, 3, 3_KB), message(2, 3, 3_KB)});
  EXPECT_EQ(b.received, 2_us + 10 * kData);
  EXPECT_EQ(b.acknowledged, 2_us + 10 * kData + kBack);
}

TEST(CompletionBound, OfManyReceiversIsThatOfTheUplink) {
  EXPECT_EQ(bound_on_star(3, {message(0, 1, 3_KB), message(0, 2, 3_KB)}).received, 2_us + 7 * kData);
}

// The second incast message comes late: the link idles in between.
TEST(CompletionBound, LinksWaitForWhatStartsLate) {
  EXPECT_EQ(bound_on_star(3, {message(0, 2, 3_KB), message(1, 2, 3_KB, 50_us)}).received, 50_us + there(3));
  EXPECT_EQ(bound_on_star(3, {message(0, 2, 3_KB), message(1, 2, 3_KB, kData)}).received, 2_us + 7 * kData);
}

TEST(CompletionBound, FollowsTheLongestPath) {
  const std::vector<Program::Node> nodes{
      message(0, 1, 1_KB), message(1, 2, 3_KB, 5_us), message(2, 0, 1_KB), {.src = 2, .dst = 2, .delay = 7_us}};
  EXPECT_EQ(
      bound_on_star(3, nodes, {{0, Event::received, 1}, {1, Event::received, 2}, {1, Event::received, 3}}).received,
      there(1) + 5_us + there(3) + 7_us);
  EXPECT_EQ(bound_on_star(3, nodes, {{0, Event::sent, 1}, {1, Event::started, 2}}).received,
            there(1) + kBack + 5_us + there(3));
}

// What starts after an incast starts when all of it is there.
TEST(CompletionBound, OfAMessageBehindAnIncast) {
  const auto b = bound_on_star(3, {message(1, 0, 3_KB), message(2, 0, 3_KB), message(0, 1, 1_KB)},
                               {{0, Event::received, 2}, {1, Event::received, 2}});
  EXPECT_EQ(b.received, 2_us + 7 * kData + there(1));
}

// Two steps on a ring of 3, as the engine test has it: the engine needs 60 bytes of an acknowledgement more.
TEST(CompletionBound, OfARing) {
  traffic::Context context;
  context.host_rates.assign(3, 100_Gbps);
  Scenario s = star(3);
  s.program = traffic::make_collective({.operation = traffic::Operation::ring_all_gather, .size = 3_KB}, context);
  EXPECT_EQ(bound(s).received, 2 * there(1));
  const Outcome o = run(s);
  Time last;
  for (const NodeTimes& t : o.nodes) last = std::max(last, t.received);
  EXPECT_EQ(last, 2 * there(1) + kAck);
}

// Links of 25 and 100 Gb/s: the slow one takes 4 kData for each packet.
TEST(CompletionBound, OfLinksOfTwoRates) {
  Scenario s = star(3);
  s.topology.links[1].rate = 25_Gbps;
  s.program = Program({message(0, 1, 3_KB)}, {}, 0);
  EXPECT_EQ(bound(s).received, 2_us + 13 * kData);
  s.program = Program({message(1, 0, 3_KB), message(2, 0, 3_KB)}, {}, 0);
  EXPECT_EQ(bound(s).received, 2_us + 13 * kData);
}

// Four flows of 100 Gb/s leave a rack by two links of 100 Gb/s, 40 packets each: these links are busy for as long as
// 80 packets take on one of them, from when the first packets are there to when the last one reaches its receiver's
// link.
TEST(CompletionBound, OfANarrowFabricIsThatOfItsCut) {
  Scenario s;
  s.topology = build(net::LeafSpine{.leaves = 2, .spines = 2, .hosts_per_leaf = 4, .fabric_rate = 100_Gbps});
  s.profiles = {profile("fixed-window")};
  s.program = Program({message(0, 4, 40_KB), message(1, 5, 40_KB), message(2, 6, 40_KB), message(3, 7, 40_KB)}, {}, 0);
  EXPECT_EQ(bound(s).received, 1_us + kData + 80 * kData + 1_us + kData);
  // What stays in the rack does not cross.
  s.program = Program({message(0, 1, 40_KB), message(1, 2, 40_KB), message(2, 3, 40_KB), message(3, 0, 40_KB)}, {}, 0);
  EXPECT_EQ(bound(s).received, there(40));
}

TEST(CompletionBound, BeyondTheRangeOfTimeSaturates) {
  Scenario s = star(2);
  for (net::Link& link : s.topology.links) link.rate = 100_Mbps;
  s.program = Program({message(0, 1, {1'000'000'000'000'000})}, {}, 0);
  EXPECT_EQ(bound(s).received, Time::max());
  EXPECT_EQ(bound(s).acknowledged, Time::max());
}

// Spraying IV-A: 3,344 packets of 4096 B at 800 Gb/s are 137 us, and six links of 0.5 us with a packet's store and
// forward at each switch.
TEST(CompletionBound, OfThePapersHsdpStep) {
  traffic::Context context;
  context.host_rates.assign(128, 800_Gbps);
  Scenario s;
  s.topology = build(net::FatTree{8, 800_Gbps, 500_ns});
  s.profiles = {profile("fixed-window")};
  s.transport.payload = 4096_B;
  s.transport.header = {};
  s.program = traffic::make_hsdp({}, context);
  const Time packet{4096 * 10};
  EXPECT_EQ(bound(s).received, 3344 * packet + 6 * 500_ns + 5 * packet);
  EXPECT_NEAR((3344 * packet).seconds(), 137e-6, 0.1e-6);
}

}  // namespace
}  // namespace weir::engine
