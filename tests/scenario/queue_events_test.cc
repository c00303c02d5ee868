// What events of ports say of their queues is what waits there, also where switches trim, drop, serve several classes,
// pause, or end storms of pauses: the ground of the exact distribution of queue lengths.
#include <gtest/gtest.h>

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "weir/engine/time/simulation.h"
#include "weir/scenario/build.h"
#include "weir/scenario/scenario.h"

namespace weir::scenario {
namespace {

using namespace literals;
using net::EventKind;

class QueueEvents : public testing::TestWithParam<std::string> {};

TEST_P(QueueEvents, TellTheQueueThatIsThere) {
  const Scenario s = load_scenario_file("tests/scenarios/" + GetParam() + ".toml");
  const auto model = build_model(s);
  const auto traffic = build_traffic(s, *model);
  const Time stop = s.run.stop > Time{} ? s.run.stop : Time::max();
  engine::Simulation simulation(*model, *traffic, {.stop = stop, .traced = true});
  std::vector<std::uint32_t> queued(model->topology.ports());
  std::uint64_t dropped = 0;
  simulation.trace({}, [&](net::TraceEvents events) {
    for (const net::TraceEvent& e : events) {
      if (e.kind != EventKind::accepted && e.kind != EventKind::left && e.kind != EventKind::dropped) continue;
      queued[e.port] = e.queued;
      dropped += e.kind == EventKind::dropped ? 1 : 0;
    }
  });
  std::uint64_t looks = 0;
  std::uint64_t longest = 0;
  simulation.every(500_ns, [&](Time now) {
    for (std::uint32_t port = 0; port < queued.size(); ++port) {
      ASSERT_EQ(queued[port], simulation.queued_bytes(port)) << "port " << port << " at " << now.ps << " ps";
      longest = std::max<std::uint64_t>(longest, queued[port]);
    }
    ++looks;
  });
  while (!simulation.advance()) {
  }
  EXPECT_GT(looks, 10u);
  EXPECT_GT(longest, 0u);
  const auto counters = simulation.counters();
  EXPECT_EQ(dropped, counters.dropped + counters.storm_dropped);
}

std::string test_name(const testing::TestParamInfo<std::string>& of) {
  std::string out = of.param;
  std::replace(out.begin(), out.end(), '-', '_');
  return out;
}

INSTANTIATE_TEST_SUITE_P(Tests, QueueEvents,
                         testing::Values("classes-drr", "classes-priority", "fat-tree-poisson", "link-down",
                                         "lossy-drops", "pfc-small-buffer", "pfc-watchdog", "sack-lossy",
                                         "spraying-balancers", "spraying-controllers"),
                         test_name);

}  // namespace
}  // namespace weir::scenario
