// Messages that wait for each other, on networks small enough for arithmetic.
#include <gtest/gtest.h>

#include <random>

#include "tests/engine/scenario.h"
#include "weir/traffic/program.h"

namespace weir::engine::program_test {
namespace {

using namespace literals;
using traffic::Event;
using traffic::Program;

Program::Node message(std::uint32_t src, std::uint32_t dst, Bytes size, Time delay = {}) {
  return {.src = src, .dst = dst, .size = size, .delay = delay};
}
Program::Node computation(std::uint32_t host, Time duration) { return {.src = host, .dst = host, .delay = duration}; }

// 100 Gb/s is 80 ps per byte. Wire sizes: data 1000 + 48, acknowledgement 60 bytes. Two links of 1 us.
constexpr Time kByte{80};
constexpr Time kData = 1048 * kByte;
constexpr Time kAck = 60 * kByte;
constexpr Time kDelay{1'000'000};
// From the start of a message of n full packets until the receiver has it, and until the sender knows.
constexpr Time there(std::int64_t packets) { return 2 * kDelay + (packets + 1) * kData; }
constexpr Time and_back(std::int64_t packets) { return there(packets) + 2 * (kDelay + kAck); }

Scenario star(std::uint32_t hosts) {
  Scenario s;
  s.topology = build(net::Star{hosts, 100_Gbps, 1_us});
  s.profiles = {profile("fixed-window")};
  return s;
}

// Two hosts each on two switches; all links 100 Gb/s, 1 us.
Scenario dumbbell() {
  Scenario s;
  s.topology = build(net::Dumbbell{2, 2, 100_Gbps, 1_us, 100_Gbps, 1_us});
  s.profiles = {profile("fixed-window")};
  return s;
}

Program program(std::vector<Program::Node> nodes, const std::vector<Program::Edge>& edges) {
  return {std::move(nodes), edges, 0};
}

TEST(Program, AMessageStartsWhenAnotherIsReceived) {
  Scenario s = star(3);
  s.program = program({message(0, 1, 3000_B), message(1, 2, 1000_B)}, {{0, Event::received, 1}});
  const Outcome o = run(s);
  ASSERT_EQ(o.nodes.size(), 2u);
  EXPECT_EQ(o.nodes[0].started, Time{});
  EXPECT_EQ(o.nodes[0].received, there(3));
  EXPECT_EQ(o.nodes[0].sent, and_back(3));
  EXPECT_EQ(o.nodes[1].started, there(3));
  // The acknowledgement of the last packet goes first; both leave by the link of host 1.
  EXPECT_EQ(o.nodes[1].received, there(3) + kAck + there(1));
}

TEST(Program, AMessageStartsWhenAnotherIsSent) {
  Scenario s = star(3);
  s.program = program({message(0, 1, 3000_B), message(0, 2, 1000_B, 5_us)}, {{0, Event::sent, 1}});
  const Outcome o = run(s);
  EXPECT_EQ(o.nodes[1].started, and_back(3) + 5_us);
  EXPECT_EQ(o.nodes[1].received, and_back(3) + 5_us + there(1));
}

TEST(Program, AMessageStartsWhenAnotherStarts) {
  Scenario s = star(3);
  s.program = program({message(0, 1, 1000_B, 7_us), message(0, 2, 1000_B, 3_us)}, {{0, Event::started, 1}});
  const Outcome o = run(s);
  EXPECT_EQ(o.nodes[0].started, 7_us);
  EXPECT_EQ(o.nodes[1].started, 10_us);
}

TEST(Program, ComputationsTakeTheirTime) {
  Scenario s = star(2);
  s.program = program({computation(0, 4_us), computation(0, 6_us), message(0, 1, 1000_B), computation(1, 2_us)},
                      {{0, Event::received, 1}, {1, Event::sent, 2}, {2, Event::received, 3}});
  const Outcome o = run(s);
  EXPECT_EQ(o.nodes[0].started, Time{});
  EXPECT_EQ(o.nodes[0].sent, 4_us);
  EXPECT_EQ(o.nodes[1].started, 4_us);
  EXPECT_EQ(o.nodes[1].received, 10_us);
  EXPECT_EQ(o.nodes[2].started, 10_us);
  EXPECT_EQ(o.nodes[3].started, 10_us + there(1));
  EXPECT_EQ(o.nodes[3].sent, 12_us + there(1));
  EXPECT_EQ(o.counters.flows_completed, 1u);
}

// The last of several events counts, however they come.
TEST(Program, AMessageWaitsForAllThatItNames) {
  Scenario s = star(4);
  s.program = program(
      {message(0, 3, 1000_B), message(1, 3, 1000_B, 50_us), message(2, 3, 1000_B, 20_us), message(3, 0, 1000_B)},
      {{0, Event::received, 3}, {1, Event::received, 3}, {2, Event::received, 3}});
  EXPECT_EQ(run(s).nodes[3].started, 50_us + there(1));
}

// Ring all-gather of 3 hosts on one switch, segments of one packet. Hosts are alike, and in the second step the
// acknowledgement of the first one goes ahead.
TEST(Program, ARingOfThree) {
  Scenario s = star(3);
  s.program = program({message(0, 1, 1000_B), message(1, 2, 1000_B), message(2, 0, 1000_B), message(0, 1, 1000_B),
                       message(1, 2, 1000_B), message(2, 0, 1000_B)},
                      {{0, Event::received, 4}, {1, Event::received, 5}, {2, Event::received, 3}});
  const Outcome o = run(s);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(o.nodes[i].received, there(1));
  for (std::size_t i = 3; i < 6; ++i) EXPECT_EQ(o.nodes[i].received, there(1) + kAck + there(1));
}

// What another host has to be told takes an epoch where there is a link between switches, 1 us here.
TEST(Program, NewsOfAnotherHostTakeAnEpoch) {
  Scenario s = dumbbell();
  s.program = program({message(0, 1, 1000_B), message(2, 3, 1000_B), message(3, 0, 1000_B)},
                      {{0, Event::received, 1}, {0, Event::sent, 2}});
  for (const std::uint32_t threads : {1u, 2u}) {
    const Outcome o = run(s, {.threads = threads});
    EXPECT_EQ(o.threads, threads);
    EXPECT_EQ(o.nodes[1].started, there(1) + 1_us);
    EXPECT_EQ(o.nodes[2].started, and_back(1) + 1_us);
  }
}

// Nothing is pending anywhere but what has just been handed over.
TEST(Program, NewsAloneKeepARunGoing) {
  Scenario s = dumbbell();
  std::vector<Program::Node> nodes;
  std::vector<Program::Edge> edges;
  for (std::uint32_t i = 0; i < 500; ++i) {
    nodes.push_back(computation(i % 2 == 0 ? 0 : 2, {}));
    if (i > 0) edges.push_back({i - 1, Event::sent, i});
  }
  s.program = program(nodes, edges);
  for (const std::uint32_t threads : {1u, 2u}) EXPECT_EQ(run(s, {.threads = threads}).nodes[499].sent, 499 * 1_us);
}

// On one switch nothing is cut, and news are as quick as a link.
TEST(Program, NewsOnOneSwitchTakeTheDelayOfALink) {
  Scenario s = star(3);
  s.topology = build(net::Star{3, 100_Gbps, 300_ns});
  s.program = program({computation(0, 5_us), message(1, 2, 1000_B)}, {{0, Event::sent, 1}});
  EXPECT_EQ(run(s).nodes[1].started, 5_us + 300_ns);
}

TEST(Program, ALongComputationIsNoTrouble) {
  Scenario s = dumbbell();
  s.topology = build(net::Dumbbell{2, 2, 100_Gbps, 1_us, 100_Gbps, 10_us});
  s.program = program({computation(0, Time{100'000'000'000}), message(0, 2, 1000_B)}, {{0, Event::sent, 1}});
  EXPECT_EQ(run(s).nodes[1].started, Time{100'000'000'000});
}

// Flows of programs have the numbers of their nodes, others follow.
TEST(Program, FlowsAreNumberedBehindTheNodes) {
  Scenario s = star(3);
  s.program = program({computation(0, 1_us), message(0, 1, 1000_B)}, {{0, Event::sent, 1}});
  s.add_flow(1, 2, 1000_B);
  const Outcome o = run(s);
  ASSERT_EQ(o.flows.size(), 2u);
  EXPECT_EQ(o.flows[0].id, 2u);
  EXPECT_EQ(o.flows[1].id, 1u);
  EXPECT_EQ(o.flows[1].start, 1_us);
}

TEST(Program, ARunCanEndWithIt) {
  Scenario s = star(3);
  s.program = program({message(0, 1, 1000_B)}, {});
  s.add_flow(1, 2, 100_MB);
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {.until_program = true});
  EXPECT_TRUE(simulation.advance());
  EXPECT_EQ(simulation.counters().flows_completed, 1u);
  EXPECT_LT(simulation.now(), 20_us);
}

// Random programs among random networks and flows: every way to compute them agrees.
Program random_program(std::uint32_t hosts, std::size_t profiles, std::uint64_t seed) {
  std::mt19937_64 draw(seed);
  const auto below = [&](std::uint64_t n) { return static_cast<std::uint32_t>(draw() % n); };
  std::vector<Program::Node> nodes;
  std::vector<Program::Edge> edges;
  const std::uint32_t count = 20 + below(60);
  for (std::uint32_t i = 0; i < count; ++i) {
    Program::Node n = message(below(hosts), below(hosts), Bytes{1 + below(30'000)});
    if (below(2) == 0) n.delay = Time{below(4) * 250'000};
    n.profile = static_cast<std::uint16_t>(below(profiles));
    // mostly what the host knows itself
    for (std::uint32_t k = below(4); k > 0 && i > 0; --k) {
      const std::uint32_t other = below(i);
      const Event event = below(4) == 0 ? Event::started : nodes[other].dst == n.src ? Event::received : Event::sent;
      edges.push_back({other, event, i});
    }
    nodes.push_back(n);
  }
  return {std::move(nodes), edges, 0};
}

class RandomPrograms : public testing::TestWithParam<std::uint64_t> {};

TEST_P(RandomPrograms, AllWaysAgree) {
  Scenario scenario = random_scenario(GetParam());
  scenario.program = random_program(scenario.topology.hosts, scenario.profiles.size(), GetParam());
  SCOPED_TRACE(scenario.text);
  const Outcome plain = run(scenario, {net::PortKind::queued, SchedulerKind::heap, 1});
  constexpr Way kWays[] = {
      {net::PortKind::fifo, SchedulerKind::automatic, 1}, {net::PortKind::fifo, SchedulerKind::wheel, 1},
      {net::PortKind::fifo, SchedulerKind::heap, 1},      {net::PortKind::fifo, SchedulerKind::automatic, 2},
      {net::PortKind::queued, SchedulerKind::heap, 2},    {net::PortKind::fifo, SchedulerKind::automatic, 4},
  };
  for (const Way& way : kWays) EXPECT_EQ(difference(plain, run(scenario, way)), "") << name_of(way);

  const Outcome steps = run(scenario, {.step = 1_us + Time{77}});
  ASSERT_EQ(steps.nodes.size(), plain.nodes.size());
  for (std::size_t i = 0; i < steps.nodes.size(); ++i) EXPECT_EQ(steps.nodes[i].received, plain.nodes[i].received);
}

INSTANTIATE_TEST_SUITE_P(Random, RandomPrograms, testing::Range<std::uint64_t>(0, scenario_count(40)));

}  // namespace
}  // namespace weir::engine::program_test
