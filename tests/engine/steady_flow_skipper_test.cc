// Spans in which all flows are steady and that are left out: how much, how far off, and that nothing else changes.
#include "weir/engine/skip/steady_flow_skipper.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "tests/engine/scenario.h"
#include "weir/base/archive.h"
#include "weir/engine/time/simulation.h"

namespace weir::engine {
namespace {

using namespace literals;

// Flows to one host of a fat tree, with a fixed window.
Scenario incast(std::vector<Bytes> sizes) {
  Scenario s;
  s.topology = build(net::FatTree{4, 100_Gbps, 1_us});
  s.profiles = {profile("fixed-window")};
  for (std::uint32_t i = 0; i < sizes.size(); ++i) s.add_flow(4 + i, 0, sizes[i]);
  return s;
}

Way leaving_out(FastForwardParams params = {.check = 0}, std::uint32_t threads = 1) {
  return {.threads = threads, .fast_forward = params};
}

double worst_error(const Outcome& fast, const Outcome& whole) {
  double worst = fast.flows.size() == whole.flows.size() ? 0 : 1;
  for (const host::FlowRecord& a : whole.flows)
    for (const host::FlowRecord& b : fast.flows)
      if (a.id == b.id)
        worst = std::max(
            worst,
            std::abs(static_cast<double>((b.finish - b.start).ps) / static_cast<double>((a.finish - a.start).ps) - 1));
  return worst;
}

TEST(SteadyFlowSkipper, TakeATenthOfTheEventsAndEndWithinAPercent) {
  const Scenario s = incast({64'000'000_B, 64'000'000_B, 64'000'123_B});
  const Outcome whole = run(s);
  const Outcome fast = run(s, leaving_out());
  EXPECT_GE(whole.counters.events, 10 * fast.counters.events);
  EXPECT_LT(worst_error(fast, whole), 0.01);
  ASSERT_TRUE(fast.fast_forward);
  EXPECT_GT(fast.fast_forward->spans, 0u);
  EXPECT_GT(fast.fast_forward->skipped_time, Time{});
  EXPECT_EQ(fast.counters.data_packets + fast.fast_forward->unsent, whole.counters.data_packets);
  for (const host::FlowRecord& r : fast.flows) EXPECT_EQ(r.size, s.flows[r.id].size);
}

TEST(SteadyFlowSkipper, ThetaZeroChangesNothing) {
  const Scenario s = incast({1'000'000_B, 3'000'000_B});
  const Outcome whole = run(s);
  const Outcome off = run(s, leaving_out({.theta = 0}));
  EXPECT_EQ(difference(whole, off), "");
  EXPECT_EQ(whole.counters.events, off.counters.events);
  EXPECT_FALSE(off.fast_forward);
}

// Flows start and end at the times that they have when others come and go.
TEST(SteadyFlowSkipper, FlowsThatComeLaterStartWhenTheyDo) {
  Scenario s = incast({20'000'000_B, 40'000'000_B});
  s.add_flow(8, 0, 10'000'000_B, 2'345'678_ns);
  s.add_flow(9, 0, 300'000_B, 4'000_us);
  const Outcome whole = run(s);
  const Outcome fast = run(s, leaving_out());
  EXPECT_GT(fast.fast_forward->spans, 0u);
  EXPECT_LT(worst_error(fast, whole), 0.01);
  for (const host::FlowRecord& r : fast.flows) EXPECT_EQ(r.start, s.flows[r.id].start) << r.id;
}

TEST(SteadyFlowSkipper, DoNotDependOnThreadsSchedulerPortsAndSteps) {
  Scenario s = incast({10'000'000_B, 20'000'000_B, 8'000'000_B});
  s.add_flow(8, 12, 5'000'000_B, 1'234'567_ns);
  s.profiles = {profile("hpcc")};
  s.network.telemetry = true;
  const FastForwardParams params{.check = 0.2};
  const Outcome one = run(s, leaving_out(params));
  EXPECT_GT(one.fast_forward->spans, 0u);
  for (const std::uint32_t threads : {2u, 3u}) {
    const Outcome more = run(s, leaving_out(params, threads));
    EXPECT_EQ(difference(one, more), "") << threads;
    EXPECT_EQ(one.fast_forward->mean_error, more.fast_forward->mean_error);
  }
  Way other = leaving_out(params);
  other.scheduler = SchedulerKind::heap;
  EXPECT_EQ(difference(one, run(s, other)), "");
  other = leaving_out(params);
  other.port = net::PortKind::queued;
  EXPECT_EQ(difference(one, run(s, other)), "");
  other = leaving_out(params);
  other.step = 173'300_ns;
  EXPECT_EQ(difference(one, run(s, other)), "");
}

// Its saved state goes on as if nothing had happened, in the middle of a span as well.
TEST(SteadyFlowSkipper, GoOnFromASavedState) {
  const Scenario s = incast({20'000'000_B, 30'000'000_B});
  const Outcome whole = run(s, leaving_out());
  const auto model = s.model();
  RunOptions options;
  options.fast_forward = FastForwardParams{.check = 0};
  for (const Time at : {500_us, 900_us, 1'500_us, 3'000_us}) {
    const auto before = s.traffic();
    Simulation first(*model, *before, options);
    first.advance(at);
    EXPECT_EQ(first.now(), at);
    Saver saver;
    first.save(saver);
    const std::string saved = saver.take();
    const auto after = s.traffic();
    Simulation second(*model, *after, options);
    Loader loader(saved);
    second.load(loader);
    EXPECT_EQ(second.now(), at);
    while (!second.advance()) {
    }
    EXPECT_EQ(second.now(), whole.end);
    EXPECT_EQ(second.counters().events, whole.counters.events);
    EXPECT_EQ(second.fast_forward()->skipped_time, whole.fast_forward->skipped_time);
  }
}

TEST(SteadyFlowSkipper, AShareIsCompared) {
  const Scenario s = incast({10'000'000_B, 10'000'000_B});
  EXPECT_EQ(run(s, leaving_out()).fast_forward->checked, 0u);
  const Outcome all = run(s, leaving_out({.check = 1}));
  EXPECT_GT(all.fast_forward->checked, 0u);
  EXPECT_GT(all.fast_forward->worst_error, 0);
  EXPECT_LT(all.fast_forward->worst_error, 0.05);
  EXPECT_EQ(all.fast_forward->spans, 0u);
  EXPECT_EQ(difference(run(s), all), "");
}

// With selective recovery and few packets under way, under a stack and beside retransmissions.
TEST(SteadyFlowSkipper, WithSelectiveRecovery) {
  for (const auto kind : {host::RecoveryKind::irn, host::RecoveryKind::sack}) {
    Scenario s = incast({20'000'000_B, 20'000'000_B});
    s.profiles[0].recovery.kind = kind;
    const Outcome whole = run(s);
    const Outcome fast = run(s, leaving_out());
    EXPECT_GT(fast.fast_forward->spans, 0u);
    EXPECT_LT(worst_error(fast, whole), 0.01);
  }
}

// A run that is ended early, in a span, tells of flows as they would be.
TEST(SteadyFlowSkipper, AreToldOfWhole) {
  const Scenario s = incast({20'000'000_B, 20'000'000_B});
  const auto model = s.model();
  const auto traffic = s.traffic();
  RunOptions options;
  options.fast_forward = FastForwardParams{.check = 0};
  options.stop = 2'000'300_ns;
  Simulation simulation(*model, *traffic, options);
  EXPECT_TRUE(simulation.advance());
  EXPECT_EQ(simulation.now(), options.stop);
  EXPECT_GT(simulation.fast_forward()->spans, 0u);
  std::uint64_t active = 0;
  simulation.for_each_active([&](const host::FlowView& flow) {
    ++active;
    EXPECT_EQ(flow.size, 20'000'000_B);
    EXPECT_EQ(flow.start, Time{});
    // half of the downlink, a little less for headers
    EXPECT_NEAR(static_cast<double>(flow.acknowledged.count), 12.5e6 * 0.953, 0.25e6);
  });
  EXPECT_EQ(active, 2u);
}

// A flow that is put into a span ends it.
TEST(SteadyFlowSkipper, AFlowFromOutsideEndsASpan) {
  const Scenario s = incast({20'000'000_B, 20'000'000_B});
  const auto model = s.model();
  const auto traffic = s.traffic();
  RunOptions options;
  options.fast_forward = FastForwardParams{.check = 0};
  Simulation simulation(*model, *traffic, options);
  std::vector<host::FlowRecord> ended;
  simulation.on_finish([&](const host::FlowRecord& r) { ended.push_back(r); });
  simulation.advance(1'700_us);
  traffic::Flow flow;
  flow.src = 9;
  flow.dst = 0;
  flow.size = 100'000_B;
  flow.start = 1'800_us;
  const std::uint64_t id = simulation.inject(flow);
  while (!simulation.advance()) {
  }
  const auto at = std::find_if(ended.begin(), ended.end(), [&](const auto& r) { return r.id == id; });
  ASSERT_NE(at, ended.end());
  EXPECT_EQ(at->start, 1'800_us);
  EXPECT_LT(at->finish, 1'900_us);
  EXPECT_EQ(ended.size(), 3u);
}

// Flows too short to be steady.
TEST(SteadyFlowSkipper, ShortOnesAreSimulated) {
  Scenario s = incast({200'000_B, 300'000_B});
  s.poisson_load = 0.3;
  s.poisson_stop = 100_us;
  const Outcome fast = run(s, leaving_out());
  EXPECT_EQ(fast.fast_forward->spans, 0u);
  EXPECT_EQ(difference(run(s), fast), "");
}

}  // namespace
}  // namespace weir::engine
