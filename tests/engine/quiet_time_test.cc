// Time in which nothing happens is not gone through epoch by epoch, and nothing else changes by that.
#include <gtest/gtest.h>

#include <vector>

#include "tests/engine/scenario.h"

namespace weir::engine::quiet_time_test {
namespace {

using namespace literals;

// A packet takes eight thousand epochs to leave, and several wait for it, at links within a rack and between racks.
Scenario slow() {
  Scenario s = two_leaves(2);
  for (net::Link& link : s.topology.links) link.rate = Rate{1'000'000};
  s.profiles = {unlimited()};
  s.add_flow(0, 2, 7_KB);
  s.add_flow(1, 2, 5_KB, 3_us + Time{1});
  s.add_flow(1, 3, 9_KB, 40'000_us);
  s.add_flow(2, 0, 3_KB, 300'000_us);
  return s;
}

// How many epochs are simulated.
std::size_t epochs(const Scenario& s, std::uint32_t threads, SchedulerKind scheduler) {
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation run(*model, *traffic, {.threads = threads, .scheduler = scheduler});
  std::size_t out = 0;
  run.on_phase_times([&](Time, Time, std::span<const PhaseTime> work) {
    for (const PhaseTime& one : work) out += one.phase == Phase::epoch;
  });
  run.advance();
  return out;
}

TEST(QuietTime, IsSkippedByAllSchedulersAndThreads) {
  const Scenario s = slow();
  EXPECT_GT(run(s).end, 300'000_us);  // as many epochs
  for (const std::uint32_t threads : {1u, 2u, 3u})
    for (const SchedulerKind scheduler : {SchedulerKind::automatic, SchedulerKind::wheel, SchedulerKind::heap})
      EXPECT_LT(epochs(s, threads, scheduler), 2'000u) << threads << " " << static_cast<int>(scheduler);
}

// A run that is stepped through it is the one to compare with.
void expect_the_outcome_of_steps(const Scenario& s) {
  for (const net::PortKind port : {net::PortKind::fifo, net::PortKind::queued}) {
    const Outcome stepped = run(s, {.port = port, .step = 1_us});
    for (const std::uint32_t threads : {1u, 2u, 3u})
      for (const SchedulerKind scheduler : {SchedulerKind::automatic, SchedulerKind::wheel, SchedulerKind::heap}) {
        const Way way{.port = port, .scheduler = scheduler, .threads = threads};
        EXPECT_EQ(difference(stepped, run(s, way)), "") << name_of(way);
      }
  }
}

TEST(QuietTime, ChangesNoResult) {
  Scenario s = slow();
  expect_the_outcome_of_steps(s);
  s.sample = 777_us;
  expect_the_outcome_of_steps(s);
}

TEST(QuietTime, ChangesNoResultIfSomeAreAheadOfOthers) {
  Scenario s = slow();
  s.transport.ack_class = host::AckClass::priority;
  expect_the_outcome_of_steps(s);
}

TEST(QuietTime, EndsBeforeWhateverComesFromOutside) {
  Scenario s = slow();
  s.faults.host_pauses = {{.host = 1, .start = 55'555_us, .duration = 10'000_us}};
  s.stop = 250'000_us + Time{7};
  expect_the_outcome_of_steps(s);
}

}  // namespace
}  // namespace weir::engine::quiet_time_test
