// Runs that wait for long, runs that cannot go on, and runs that fail.
#include <gtest/gtest.h>

#include <stdexcept>

#include "tests/engine/scenario.h"
#include "weir/engine/time/simulation.h"

namespace weir::engine {
namespace {

using namespace literals;

// Does the worst that an algorithm can do: it lets nothing be sent, or throws when it hears of an arrival.
class Faulty {
 public:
  struct Params {
    bool throws = false;
    static void describe(ParamList<Params>&) {}
  };
  static constexpr cc::About about{.name = "faulty", .title = "Faulty", .source = "test"};
  Faulty(const Params& p, const cc::FlowFacts&, cc::Control& control) {
    if (!p.throws) control.window = {0};
  }
  void on_ack(const Params&, const cc::FlowFacts&, const cc::Ack&, cc::Control&) {
    throw std::runtime_error("as it was told to");
  }
};

host::Profile faulty(bool throws) {
  static const cc::Algorithm algorithm = cc::describe<Faulty>();
  host::Profile p = profile(algorithm);
  const auto params = std::make_shared<Faulty::Params>();
  params->throws = throws;
  p.params = params;
  return p;
}

Scenario leaves() { return two_leaves(2); }

// Of one flow that may send nothing.
Scenario stuck() {
  Scenario s = leaves();
  s.profiles = {faulty(false)};
  s.add_flow(0, 3, 10_KB);
  return s;
}

// Ten days, which are 10^12 epochs of 1 us.
TEST(Ending, TimeInWhichNothingHappensIsSkipped) {
  for (const std::uint32_t threads : {1u, 2u}) {
    Scenario s = leaves();
    s.profiles = {profile(*cc::find_algorithm("fixed-window"))};
    s.add_flow(0, 3, 10_KB);
    s.add_flow(0, 3, 10_KB, Time{864'000 * kPicosecondsPerSecond + 5});
    const auto model = s.model();
    const auto traffic = s.traffic();
    Simulation run(*model, *traffic, {.threads = threads});
    std::vector<Time> took;
    run.on_finish([&](const host::FlowRecord& r) { took.push_back(r.finish - r.start); }, FinishCalls::later);
    EXPECT_TRUE(run.advance());
    ASSERT_EQ(took.size(), 2u);
    EXPECT_EQ(took[0], took[1]);
  }
}

// Samplers are called on time all the same.
TEST(Ending, SamplersAreCalledWhileNothingHappens) {
  Scenario s = leaves();
  s.profiles = {profile(*cc::find_algorithm("fixed-window"))};
  s.add_flow(0, 3, 1_KB, Time{kPicosecondsPerSecond});
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation run(*model, *traffic, {});
  std::vector<Time> called;
  run.every(Time{300'000'000'007}, [&](Time now) { called.push_back(now); });
  run.advance();
  EXPECT_EQ(called, (std::vector<Time>{{0}, {300'000'000'007}, {600'000'000'014}, {900'000'000'021}}));
}

TEST(Ending, AFlowThatMaySendNothingEndsTheRun) {
  const Scenario s = stuck();
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation run(*model, *traffic, {});
  EXPECT_TRUE(run.advance());
  ASSERT_NE(run.stall(), nullptr);
  EXPECT_EQ(run.stall()->kind, Stall::Kind::stuck);
  EXPECT_EQ(
      to_text(*run.stall()),
      "nothing is left to happen after 101 us, but 1 flow has not ended: flow 0 (host 0 to 3) may send nothing, and "
      "no timer is set");
  EXPECT_THROW(advance_unstalled(run), std::runtime_error);
}

// A run in which nothing happens any more is sampled until it is found out, however it is computed.
TEST(Ending, SamplersAreCalledUntilARunIsFoundStuck) {
  std::vector<Time> expected;
  for (int i = 0; i <= 10; ++i) expected.push_back(i * 10_us);
  for (const Way& way : {Way{}, Way{.scheduler = SchedulerKind::heap}, Way{.threads = 2}, Way{.step = 7_us}}) {
    const Scenario s = stuck();
    const auto model = s.model();
    const auto traffic = s.traffic();
    Simulation run(*model, *traffic, {.threads = way.threads, .scheduler = way.scheduler});
    std::vector<Time> called;
    run.every(10_us, [&](Time now) { called.push_back(now); });
    for (Time until = std::min(way.step, 10'000_us); !run.advance(until); until += 7_us) {
    }
    ASSERT_NE(run.stall(), nullptr) << name_of(way);
    EXPECT_EQ(run.stall()->found, 101_us) << name_of(way);
    EXPECT_EQ(called, expected) << name_of(way);
  }
}

// It is found out also if it stops before.
TEST(Ending, AStuckRunIsFoundWhenItStops) {
  const Scenario s = stuck();
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation run(*model, *traffic, {.stop = 50_us});
  EXPECT_TRUE(run.advance());
  EXPECT_EQ(run.now(), 50_us);
  ASSERT_NE(run.stall(), nullptr);
  EXPECT_EQ(run.stall()->kind, Stall::Kind::stuck);
}

// Whichever thread fails, all stop, and the caller is told.
TEST(Ending, WhatAThreadThrowsIsThrown) {
  for (const std::uint32_t src : {0u, 3u})
    for (const std::uint32_t threads : {1u, 2u}) {
      Scenario s = leaves();
      s.profiles = {faulty(true)};
      s.add_flow(src, 3 - src, 10_KB);
      const auto model = s.model();
      const auto traffic = s.traffic();
      Simulation run(*model, *traffic, {.threads = threads});
      EXPECT_EQ(run.threads(), threads);
      EXPECT_THROW(run.advance(), std::runtime_error);
    }
}

// Headroom holds what arrives after a pause, however short and slow the cables are.
TEST(Ending, NothingIsLostOnShortCables) {
  for (const Time delay : {0_ns, 10_ns, 100_ns, 1_us})
    for (const Rate rate : {1_Gbps, 10_Gbps, 100_Gbps}) {
      Scenario s;
      s.topology = build(net::Star{17, rate, delay});
      s.profiles = {profile(*cc::find_algorithm("fixed-window"))};
      const auto params = s.profiles[0].algorithm->params->make();
      s.profiles[0].algorithm->params->find("window")->set(params.get(), Bytes{10'000'000});
      s.profiles[0].params = params;
      s.buffer.size = {s.set_aside() + 300'000};
      for (std::uint32_t h = 0; h < 16; ++h) s.add_flow(h, 16, 200_KB);
      const auto model = s.model();
      const auto traffic = s.traffic();
      Simulation run(*model, *traffic, {});
      EXPECT_TRUE(run.advance());
      EXPECT_GT(run.counters().pauses, 0u);
      EXPECT_EQ(run.counters().dropped, 0u) << format_value(rate) << ", " << format_value(delay);
    }
}

}  // namespace
}  // namespace weir::engine
