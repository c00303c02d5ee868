// Every algorithm runs on the demo's fat tree, alone and over On-Ramp, with any recovery.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "weir/cc/algorithm.h"
#include "weir/scenario/build.h"
#include "weir/scenario/scenario.h"

namespace weir::scenario {
namespace {

class Demo : public testing::TestWithParam<std::string> {};

void expect_all_flows(const std::string& algorithm, const std::vector<std::string>& more) {
  std::vector<std::string> overrides{"algorithm.name=" + algorithm, "algorithm.preset=", "traffic.0.stop=10 us",
                                     "run.stop=100 ms"};
  overrides.insert(overrides.end(), more.begin(), more.end());
  const Run run = build(load_scenario_file("scenarios/demo-dcqcn.toml", overrides));
  run.simulation->advance();
  const engine::Counters c = run.simulation->counters();
  EXPECT_GT(c.flows_started, 100u);
  EXPECT_EQ(c.flows_completed, c.flows_started) << fmt::format("{}", fmt::join(more, " "));
}

TEST_P(Demo, RunsToTheEnd) {
  expect_all_flows(GetParam(), {});
  expect_all_flows(GetParam(), {"clocks.offset=200 ns", "algorithm.on_ramp.T=20 us"});
  for (const std::string recovery : {"irn", "sack"})
    for (const std::string buffer : {"lossless", "lossy"})
      expect_all_flows(GetParam(), {"algorithm.recovery.kind=" + recovery, "network.buffer.mode=" + buffer});
}

std::vector<std::string> algorithms() {
  std::vector<std::string> out;
  for (const auto& a : cc::catalogue())
    if (!cc::has(a.about.needs, cc::Needs::decisions)) out.emplace_back(a.about.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(Algorithms, Demo, testing::ValuesIn(algorithms()), [](const auto& of) {
  std::string name = of.param;
  for (char& c : name)
    if (c == '-') c = '_';
  return name;
});

}  // namespace
}  // namespace weir::scenario
