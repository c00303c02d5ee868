// Messages that repeat and are skipped: how many, how far off, and that nothing else changes.
#include "weir/engine/skip/message_skipper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <tuple>

#include "tests/engine/scenario.h"
#include "weir/base/archive.h"
#include "weir/engine/time/simulation.h"

namespace weir::engine {
namespace {

using namespace literals;
using traffic::Event;
using traffic::Program;

// In each step every host of a fat tree sends to the next one, once it has received the message of the step before.
Scenario ring(std::uint32_t steps, Bytes size = 50'000_B, const std::string& algorithm = "swift") {
  Scenario s;
  s.topology = build(net::FatTree{4, 100_Gbps, 1_us});
  s.profiles = {profile(algorithm)};
  const std::uint32_t n = s.topology.hosts;
  std::vector<Program::Node> nodes;
  std::vector<Program::Edge> edges;
  for (std::uint32_t step = 0; step < steps; ++step)
    for (std::uint32_t i = 0; i < n; ++i) {
      nodes.push_back({.src = i, .dst = (i + 1) % n, .size = size});
      if (step > 0) edges.push_back({(step - 1) * n + (i + n - 1) % n, Event::received, step * n + i});
    }
  s.program = {std::move(nodes), edges, 0};
  return s;
}

// Durations of short messages under Swift settle at once.
constexpr FastForwardParams kParams{.settle = 4};

Way skipping(FastForwardParams params = kParams, std::uint32_t threads = 1) {
  return {.threads = threads, .fast_forward = params};
}

double completion(const Outcome& o) {
  Time last;
  for (const NodeTimes& times : o.nodes) last = std::max(last, times.received);
  return static_cast<double>(last.ps);
}

TEST(FastForward, ARingTakesATenthOfTheEventsAndEndsWithinAPercent) {
  const Scenario s = ring(300);
  const Outcome whole = run(s);
  const Outcome fast = run(s, skipping({}));
  EXPECT_EQ(fast.flows.size(), whole.flows.size());
  EXPECT_GE(whole.counters.events, 10 * fast.counters.events);
  EXPECT_NEAR(completion(fast) / completion(whole), 1, 0.01);
  ASSERT_TRUE(fast.fast_forward);
  EXPECT_EQ(fast.fast_forward->messages, 300u * 16u);
  EXPECT_GT(fast.fast_forward->skipped, 270u * 16u);
  EXPECT_GE(fast.fast_forward->checked, 16u);
  EXPECT_GT(fast.fast_forward->worst_error, 0);
  EXPECT_LT(fast.fast_forward->worst_error, 0.05);
}

TEST(FastForward, ThetaZeroChangesNothing) {
  const Scenario s = ring(20);
  const Outcome whole = run(s);
  const Outcome off = run(s, skipping({.theta = 0}));
  EXPECT_EQ(difference(whole, off), "");
  EXPECT_EQ(whole.counters.events, off.counters.events);
  EXPECT_FALSE(off.fast_forward);
}

TEST(FastForward, DoesNotDependOnThreadsSchedulerPortsAndSteps) {
  Scenario s = ring(40);
  s.add_flow(3, 9, 40'000_B, 150_us);
  const Outcome one = run(s, skipping());
  EXPECT_GT(one.fast_forward->skipped, 0u);
  for (const std::uint32_t threads : {2u, 3u})
    EXPECT_EQ(difference(one, run(s, skipping(kParams, threads))), "") << threads;
  Way other = skipping();
  other.scheduler = SchedulerKind::heap;
  EXPECT_EQ(difference(one, run(s, other)), "");
  other = skipping();
  other.port = net::PortKind::queued;
  EXPECT_EQ(difference(one, run(s, other)), "");
  other = skipping();
  other.step = 7'300_ns;
  EXPECT_EQ(difference(one, run(s, other)), "");
}

// Its saved state goes on as if nothing had happened.
TEST(FastForward, GoesOnFromASavedState) {
  const Scenario s = ring(60);
  const Outcome whole = run(s, skipping());
  const auto model = s.model();
  RunOptions options;
  options.fast_forward = kParams;
  const auto before = s.traffic();
  Simulation first(*model, *before, options);
  first.advance(400_us);
  EXPECT_GT(first.fast_forward()->skipped, 0u);
  Saver saver;
  first.save(saver);
  const std::string saved = saver.take();
  const auto after = s.traffic();
  Simulation second(*model, *after, options);
  Loader loader(saved);
  second.load(loader);
  while (!second.advance()) {
  }
  EXPECT_EQ(second.fast_forward()->skipped, whole.fast_forward->skipped);
  EXPECT_EQ(second.counters().events, whole.counters.events);
  for (std::size_t i = 0; i < whole.nodes.size(); ++i)
    ASSERT_EQ(second.node_times()[i].received, whole.nodes[i].received) << i;
}

// Beside other flows nothing is skipped, and once they have ended it is.
TEST(FastForward, OtherFlowsEndTheSkipping) {
  Scenario s = ring(60);
  for (std::uint32_t i = 0; i < 16; i += 2) s.add_flow(i, i + 1, 20'000'000_B);
  const Outcome beside = run(s, skipping());
  EXPECT_EQ(beside.fast_forward->skipped, 0u);
  EXPECT_EQ(difference(run(s), beside), "");
  s = ring(60);
  const Outcome alone = run(s, skipping());
  for (std::uint32_t i = 0; i < 16; i += 2) s.add_flow(i, i + 1, 200'000_B, 300_us);
  const Outcome for_a_while = run(s, skipping());
  EXPECT_GT(for_a_while.fast_forward->skipped, 0u);
  EXPECT_LT(for_a_while.fast_forward->skipped, alone.fast_forward->skipped);
}

// Messages of which none comes twice.
TEST(FastForward, WhatDoesNotRepeatIsSimulated) {
  Scenario s = ring(2);
  const Outcome fast = run(s, skipping());
  EXPECT_EQ(fast.fast_forward->skipped, 0u);
  EXPECT_EQ(difference(run(s), fast), "");
}

// Neighbours get out of step for some twenty rounds, and messages take longer then. The remembered ones are from later,
// and a check goes on from there: if it put neighbours out of step itself, it would find other durations, and all would
// be simulated again.
TEST(FastForward, WaitsForDurationsThatStillGrow) {
  const Scenario s = ring(70, 250'000_B, "hpcc");
  const Outcome whole = run(s);
  const auto error_of = [&](const FastForwardParams& params) {
    const Outcome fast = run(s, skipping(params));
    EXPECT_GE(whole.counters.events, 2 * fast.counters.events);
    return completion(fast) / completion(whole) - 1;
  };
  EXPECT_NEAR(error_of({.check = 0}), 0, 0.01);
  EXPECT_NEAR(error_of({}), 0, 0.01);
  EXPECT_LT(error_of({.settle = 4, .check = 0}), -0.02);
}

TEST(FastForward, TheFirstCheckComesEarly) {
  const Outcome fast = run(ring(60), skipping({}));
  EXPECT_GE(fast.fast_forward->checked, 16u);
  EXPECT_GT(fast.fast_forward->skipped, 25u * 16u);
}

// Under Swift messages meet more and fewer neighbours by turns, which differs from kind to kind, but not in the mean.
TEST(FastForward, AComponentRepeatsIfItsKindsDoInTheMean) {
  const Scenario s = ring(30, 250'000_B);
  const Outcome whole = run(s);
  const Outcome fast = run(s, skipping());
  EXPECT_GE(whole.counters.events, 2 * fast.counters.events);
  EXPECT_NEAR(completion(fast) / completion(whole), 1, 0.005);
}

// A share is simulated, a quarter of which is compared.
TEST(FastForward, ChecksAShare) {
  const auto report_of = [](double check) {
    return *run(ring(200), skipping({.settle = 4, .check = check})).fast_forward;
  };
  const FastForwardReport none = report_of(0);
  EXPECT_EQ(none.checked, 0u);
  const auto all = static_cast<double>(none.skipped);
  for (const double share : {0.1, 0.3}) {
    const FastForwardReport some = report_of(share);
    EXPECT_NEAR(static_cast<double>(some.skipped) / all, 1 - share, 0.05) << share;
    EXPECT_NEAR(static_cast<double>(some.checked) / all, share / 4, 0.02) << share;
  }
  EXPECT_EQ(report_of(1).skipped, 0u);
}

// A run that is ended early tells of skipped messages that are under way.
TEST(FastForward, TellsOfSkippedMessagesThatAreActive) {
  const Scenario s = ring(60);
  const auto model = s.model();
  const auto traffic = s.traffic();
  RunOptions options;
  options.fast_forward = kParams;
  options.stop = 401'300_ns;
  Simulation simulation(*model, *traffic, options);
  std::uint64_t ended = 0;
  simulation.on_finish([&](const host::FlowRecord&) { ++ended; });
  while (!simulation.advance()) {
  }
  std::uint64_t active = 0;
  simulation.for_each_active([&](const host::FlowView& flow) {
    ++active;
    EXPECT_EQ(flow.src, s.program[static_cast<std::uint32_t>(flow.id)].src);
    EXPECT_EQ(flow.size, 50'000_B);
  });
  EXPECT_GT(active, 0u);
  EXPECT_EQ(simulation.counters().flows_started, ended + active);
}

TEST(SkippableKinds, AreHostsPathAndRoughSize) {
  Scenario s = ring(1);
  s.program = {{{.src = 0, .dst = 5, .size = 1'000'000_B, .sport = 7, .dport = 1},
                {.src = 0, .dst = 5, .size = 1'000'001_B, .sport = 7, .dport = 1},
                {.src = 0, .dst = 5, .size = 900'000_B, .sport = 7, .dport = 1},
                {.src = 0, .dst = 5, .size = 1'000'000_B, .sport = 8, .dport = 1},
                {.src = 5, .dst = 0, .size = 1'000'000_B, .sport = 7, .dport = 1}},
               {},
               0};
  const auto model = s.model();
  SkippableKinds kinds(*model, s.program);
  EXPECT_EQ(kinds.size(), 4u);
  EXPECT_EQ(kinds.count(0), 2u);
  // What is like a known message is of its kind, and all else of a new one, of which the program has none.
  traffic::Message message{.size = 1'000'001_B, .src = 0, .dst = 5, .sport = 7, .dport = 1};
  EXPECT_EQ(kinds.find(message), 0u);
  EXPECT_EQ(kinds.add(message), 0u);
  message.size = 2_MB;
  EXPECT_EQ(kinds.find(message), std::nullopt);
  EXPECT_EQ(kinds.add(message), 4u);
  EXPECT_EQ(kinds.find(message), 4u);
  EXPECT_EQ(kinds.count(4), 0u);
  // six links, each in both directions but where data and acknowledgements take others
  EXPECT_GE(kinds.ports(0).size(), 8u);
  for (const std::uint32_t port : kinds.ports(0)) {
    const auto at = kinds.at(port);
    EXPECT_NE(std::find(at.begin(), at.end(), 0u), at.end());
  }
}

}  // namespace
}  // namespace weir::engine
