// Whose packets wait in queues, by events, is what waits there.
#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <span>
#include <string>

#include "tests/scenario/scenario_files.h"
#include "weir/scenario/build.h"
#include "weir/scenario/fast_forward_rules.h"
#include "weir/scenario/fidelity.h"
#include "weir/scenario/scenario.h"
#include "weir/view/queue_shares.h"

namespace weir::view {
namespace {

class EveryQueue : public testing::TestWithParam<std::string> {};

TEST_P(EveryQueue, IsSharedAsItsPacketsSay) {
  const scenario::Scenario s = scenario::load_scenario_file(scenario::kTestScenarios + GetParam() + ".toml");
  if (!s.run.fidelity->tells_events || scenario::skips(s)) GTEST_SKIP() << "its engine tells no single events";
  scenario::Run run = scenario::build(s, scenario::build_model(s), 0, true);
  engine::Engine& engine = *run.simulation;
  QueueShares queues(engine.network().ports());
  engine.trace({}, [&](net::TraceEvents events) {
    for (const net::TraceEvent& event : events)
      if (!net::is_of_flow(event.kind)) queues.add(event);
  });
  engine.every(Time{20'000'000}, [&](Time now) {
    for (std::uint32_t port = 0; port < engine.network().ports(); ++port) {
      std::map<std::uint64_t, std::uint32_t> waiting;
      std::uint32_t sum = 0;
      engine.for_each_queued(port, [&](const engine::QueuedPacket& packet) {
        if (packet.flow != net::kNoFlow) waiting[packet.flow] += packet.bytes;
        sum += packet.bytes;
      });
      ASSERT_EQ(queues.is_empty(port), sum == 0u) << port << " at " << now.ps;
      const auto told = queues.of(port);
      ASSERT_LE(told.size(), QueueShares::kTold + 1);
      for (const QueueShare& share : told) {
        sum -= share.bytes;
        if (waiting.contains(share.flow)) {
          ASSERT_EQ(share.bytes, waiting[share.flow]) << port << " at " << now.ps;
        }
      }
      ASSERT_EQ(sum, 0u) << port << " at " << now.ps;
      for (std::size_t i = 2; i < told.size(); ++i)
        if (told[i].flow != net::kNoFlow) {
          ASSERT_GE(told[i - 1].bytes, told[i].bytes);
        }
    }
  });
  while (!run.simulation->advance()) {
  }
}

INSTANTIATE_TEST_SUITE_P(Scenarios, EveryQueue, testing::ValuesIn(scenario::names_in(scenario::kTestScenarios)),
                         scenario::test_name);

}  // namespace
}  // namespace weir::view
