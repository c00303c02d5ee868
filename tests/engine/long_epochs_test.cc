// Several epochs that are taken as one, so that nodes have longer turns: a run ends where it would have ended
// otherwise.
#include <gtest/gtest.h>

#include <vector>

#include "tests/engine/scenario.h"

namespace weir::engine::long_epochs_test {
namespace {

using namespace literals;

// Of them the first two take several epochs as one.
const std::vector<Way> kWays{
    {}, {.threads = 2}, {.scheduler = SchedulerKind::wheel}, {.scheduler = SchedulerKind::heap}, {.step = 7_us}};

Scenario leaves() {
  Scenario s = two_leaves(4);
  s.profiles = {profile("hpcc")};
  return s;
}

void expect_one_outcome(const Scenario& s) {
  const Outcome out = run(s);
  EXPECT_FALSE(out.stall.has_value());
  for (const Way& way : kWays) EXPECT_EQ(difference(out, run(s, way)), "") << name_of(way);
}

// How many pieces of work the run consists of.
std::size_t pieces(const Scenario& s, std::uint32_t threads) {
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation run(*model, *traffic, {.threads = threads});
  if (s.sample.ps > 0) run.every(s.sample, [](Time) {});
  std::size_t out = 0;
  run.on_phase_times([&](Time, Time, std::span<const PhaseTime>) { ++out; });
  run.advance();
  return out;
}

TEST(LongEpochs, AreTakenWhileNobodyLooks) {
  Scenario s = leaves();
  s.add_flow(0, 5, 10_MB);
  for (const std::uint32_t threads : {1u, 2u}) {
    s.sample = {};
    const std::size_t long_ones = pieces(s, threads);
    s.sample = 1_us;
    const std::size_t epochs = pieces(s, threads);
    EXPECT_GT(epochs, 800u);
    EXPECT_LT(long_ones, epochs / 8);
  }
}

// The links of hosts are shorter than those that partitions are cut at: within an epoch turns are long already.
TEST(LongEpochs, AreNotTakenByPartitionsWithShorterLinks) {
  Scenario s = leaves();
  s.add_flow(0, 5, 10_MB);
  for (auto& link : s.topology.links)
    if (link.a < s.topology.hosts || link.b < s.topology.hosts) link.delay = 300_ns;
  expect_one_outcome(s);
  EXPECT_GT(pieces(s, 2), 800u);
}

// Several partitions pass over time in which nothing happens in any of them, though a flow is still to come.
TEST(LongEpochs, PassOverIdleTimeTogether) {
  Scenario s = leaves();
  for (auto& link : s.topology.links) link.rate = 1_Mbps;  // a packet takes some 8,000 epochs
  s.add_flow(0, 5, 5_KB);
  s.add_flow(6, 1, 3_KB, 200'000_us);
  expect_one_outcome(s);
  std::size_t partitions = 0;
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation run(*model, *traffic, {.threads = 2});
  run.on_phase_times([&](Time, Time, std::span<const PhaseTime> times) {
    for (const PhaseTime& t : times) partitions += t.phase == Phase::partition;
  });
  run.advance();
  EXPECT_LT(partitions, 600u);
}

TEST(LongEpochs, EndWithTheLastFlow) {
  for (const Bytes size : {1_KB, 100_KB, 3_MB}) {
    Scenario s = leaves();
    s.add_flow(0, 5, size);
    s.add_flow(1, 4, 2_KB);
    expect_one_outcome(s);
  }
}

TEST(LongEpochs, EndWithALastFlowThatStartsLate) {
  for (const Time start : {17_us, 64_us, 200_us, 3'000_us}) {
    Scenario s = leaves();
    s.add_flow(0, 5, 500_KB);
    s.add_flow(2, 6, 1_KB, start + Time{1});
    expect_one_outcome(s);
  }
}

TEST(LongEpochs, EndWithRandomTraffic) {
  for (const std::uint64_t seed : {1, 2, 3}) {
    Scenario s = leaves();
    s.seed = seed;
    s.poisson_load = 0.4;
    s.poisson_stop = 300_us;
    expect_one_outcome(s);
  }
}

TEST(LongEpochs, EndAtTheStopTimeAndBeforeFaults) {
  Scenario s = leaves();
  for (std::uint32_t h = 0; h < 4; ++h) s.add_flow(h, 7 - h, 5_MB);
  s.stop = 333_us + Time{7};
  s.faults.host_pauses = {{.host = 1, .start = 50_us + Time{3}, .duration = 20_us}};
  expect_one_outcome(s);
}

// With messages that wait for each other the run may end though other flows go on, or are still to come.
TEST(LongEpochs, EndWithTheProgramIfAskedFor) {
  Scenario s = leaves();
  std::vector<traffic::Program::Node> nodes;
  for (std::uint32_t i = 0; i < 4; ++i) nodes.push_back({.src = i, .dst = i + 1, .size = 300_KB});
  std::vector<traffic::Program::Edge> edges;
  for (std::uint32_t i = 0; i < 3; ++i) edges.push_back({i, traffic::Event::received, i + 1});
  s.program = traffic::Program(nodes, edges, 0);
  s.add_flow(5, 7, 100_MB);
  s.add_flow(6, 7, 1_KB, 10'000_us);
  const auto outcome = [&](SchedulerKind scheduler, std::uint32_t threads) {
    const auto model = s.model();
    const auto traffic = s.traffic();
    Simulation run(*model, *traffic, {.threads = threads, .scheduler = scheduler, .until_program = true});
    run.advance();
    return std::pair{run.now(), run.counters().packet_hops};
  };
  const auto wheel = outcome(SchedulerKind::wheel, 1);
  EXPECT_GT(wheel.first, 100_us);
  EXPECT_LT(wheel.first, 1'000_us);
  EXPECT_EQ(outcome(SchedulerKind::automatic, 1), wheel);
  EXPECT_EQ(outcome(SchedulerKind::automatic, 2), wheel);
}

// Flows may be added whenever the run stands still.
TEST(LongEpochs, TakeFlowsFromOutside) {
  Scenario s = leaves();
  s.add_flow(0, 5, 4_MB);
  const auto outcome = [&](SchedulerKind scheduler, std::uint32_t threads) {
    const auto model = s.model();
    const auto traffic = s.traffic();
    Simulation run(*model, *traffic, {.threads = threads, .scheduler = scheduler});
    std::vector<std::pair<std::uint64_t, Time>> ends;
    run.on_finish([&](const host::FlowRecord& r) { ends.emplace_back(r.id, r.finish); }, FinishCalls::later);
    for (const Time until : {50_us, 120_us, 9'000_us}) {
      run.advance(until);
      traffic::Flow flow;
      flow.src = 1;
      flow.dst = 5;
      flow.size = 200_KB;
      flow.start = run.now() + 10_us;
      run.inject(flow);
    }
    run.advance();
    return std::pair{run.now(), ends};
  };
  const auto wheel = outcome(SchedulerKind::wheel, 1);
  EXPECT_EQ(wheel.second.size(), 4u);
  EXPECT_EQ(outcome(SchedulerKind::automatic, 1), wheel);
  EXPECT_EQ(outcome(SchedulerKind::automatic, 2), wheel);
}

// What the engine tells in a call of on_finish() is as of the end of the flow's epoch, whatever the threads.
TEST(LongEpochs, AreNotTakenWhereCallsComeAfterEachEpoch) {
  Scenario s = leaves();
  for (std::uint32_t src = 0; src < 4; ++src) s.add_flow(src, 5, 200_KB + src * 30_KB);
  const auto seen = [&](FinishCalls when, std::uint32_t threads) {
    const auto model = s.model();
    const auto traffic = s.traffic();
    Simulation run(*model, *traffic, {.threads = threads});
    std::vector<std::pair<Time, std::uint64_t>> out;
    run.on_finish(
        [&](const host::FlowRecord& r) {
          if (when == FinishCalls::after_each_epoch) {
            EXPECT_LE(r.finish, run.now());
            EXPECT_LE(run.now(), (r.finish / run.epoch() + 1) * run.epoch());
          }
          out.emplace_back(run.now(), run.port_figures(model->routing.nic(0)).sent_bytes);
        },
        when);
    run.advance();
    EXPECT_EQ(out.size(), 4u);
    return out;
  };
  const auto each = seen(FinishCalls::after_each_epoch, 1);
  EXPECT_EQ(seen(FinishCalls::after_each_epoch, 2), each);
  EXPECT_NE(seen(FinishCalls::later, 1), each) << "one thread takes several epochs as one";
}

}  // namespace
}  // namespace weir::engine::long_epochs_test
