// One scenario, many ways to compute it, one result.
//
// The production engine (ports without departure events, nodes that take turns or timing wheels, partitions) against
// the plain one (ports with two events per packet, a binary heap, one thread) on random scenarios. WEIR_SCENARIOS=N
// runs the first N of them.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/scenario.h"

namespace weir::engine {
namespace {

constexpr Way kPlain{net::PortKind::queued, SchedulerKind::heap, 1};
constexpr Way kOtherWays[] = {
    {net::PortKind::fifo, SchedulerKind::automatic, 1}, {net::PortKind::queued, SchedulerKind::automatic, 1},
    {net::PortKind::fifo, SchedulerKind::wheel, 1},     {net::PortKind::fifo, SchedulerKind::heap, 1},
    {net::PortKind::queued, SchedulerKind::wheel, 1},   {net::PortKind::fifo, SchedulerKind::automatic, 2},
    {net::PortKind::queued, SchedulerKind::heap, 2},    {net::PortKind::fifo, SchedulerKind::wheel, 2},
    {net::PortKind::fifo, SchedulerKind::automatic, 4},
};

class Equivalence : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Equivalence, AllWaysAgree) {
  const Scenario scenario = random_scenario(GetParam());
  SCOPED_TRACE(scenario.text);
  const Outcome plain = run(scenario, kPlain);
  ASSERT_GT(plain.counters.packet_hops, 0u);
  for (const Way& way : kOtherWays) EXPECT_EQ(difference(plain, run(scenario, way)), "") << name_of(way);
}

// Steps that end with epochs change nothing at all; with steps of any length, only the run may end a little earlier.
TEST_P(Equivalence, ARunCanBeMadeInSteps) {
  const Scenario scenario = random_scenario(GetParam());
  SCOPED_TRACE(scenario.text);
  const auto model = scenario.model();
  const auto traffic = scenario.traffic();
  const Time epoch = Simulation(*model, *traffic, {}).epoch();
  Outcome whole = run(scenario);
  const Outcome even = run(scenario, {.step = 7 * epoch});
  EXPECT_EQ(difference(whole, even), "");
  EXPECT_EQ(whole.counters.events, even.counters.events);

  Outcome odd = run(scenario, {.step = epoch * 5 / 3 + Time{1}});
  EXPECT_LE(odd.end, whole.end);
  ASSERT_EQ(odd.flows.size(), whole.flows.size());
  for (std::size_t i = 0; i < odd.flows.size(); ++i) EXPECT_EQ(odd.flows[i].finish, whole.flows[i].finish);
  whole.samples.resize(std::min(odd.samples.size(), whole.samples.size()));
  odd.samples.resize(whole.samples.size());
  EXPECT_EQ(odd.samples, whole.samples);
}

TEST_P(Equivalence, ARunCanBeRepeated) {
  const Scenario scenario = random_scenario(GetParam());
  SCOPED_TRACE(scenario.text);
  const Outcome once = run(scenario);
  const Outcome again = run(scenario);
  EXPECT_EQ(difference(once, again), "");
  EXPECT_EQ(once.counters.events, again.counters.events);
}

INSTANTIATE_TEST_SUITE_P(Random, Equivalence, testing::Range<std::uint64_t>(0, scenario_count(40)));

}  // namespace
}  // namespace weir::engine
