// One scenario, many ways to compute it, one result.
//
// The production engine (ports without departure events, timing wheels, partitions) against the plain one (ports with
// two events per packet, a binary heap, one thread) on random scenarios. WEIR_SCENARIOS=N runs the first N of them.
#include <gtest/gtest.h>

#include <cstdlib>

#include "tests/engine/scenario.h"

namespace weir::engine {
namespace {

constexpr Way kPlain{net::PortKind::queued, SchedulerKind::heap, 1};
constexpr Way kWays[] = {
    {net::PortKind::fifo, SchedulerKind::wheel, 1}, {net::PortKind::fifo, SchedulerKind::heap, 1},
    {net::PortKind::queued, SchedulerKind::wheel, 1}, {net::PortKind::fifo, SchedulerKind::wheel, 2},
    {net::PortKind::queued, SchedulerKind::heap, 2}, {net::PortKind::fifo, SchedulerKind::wheel, 4},
};

class Equivalence : public testing::TestWithParam<std::uint64_t> {};

TEST_P(Equivalence, AllWaysAgree) {
  const Scenario scenario = random_scenario(GetParam());
  SCOPED_TRACE(scenario.text);
  const Outcome plain = run(scenario, kPlain);
  ASSERT_GT(plain.counters.packet_hops, 0u);
  for (const Way& way : kWays) EXPECT_EQ(difference(plain, run(scenario, way)), "") << name_of(way);
}

TEST_P(Equivalence, ARunCanBeRepeated) {
  const Scenario scenario = random_scenario(GetParam());
  SCOPED_TRACE(scenario.text);
  const Outcome once = run(scenario);
  const Outcome again = run(scenario);
  EXPECT_EQ(difference(once, again), "");
  EXPECT_EQ(once.counters.events, again.counters.events);
}

std::uint64_t scenarios() {
  const char* wanted = std::getenv("WEIR_SCENARIOS");
  return wanted == nullptr ? 40 : std::strtoull(wanted, nullptr, 10);
}

INSTANTIATE_TEST_SUITE_P(Random, Equivalence, testing::Range<std::uint64_t>(0, scenarios()));

}  // namespace
}  // namespace weir::engine
