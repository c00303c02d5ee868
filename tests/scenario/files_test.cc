// Tests as data: each tests/scenarios/NAME.toml with NAME.expect.json beside it, the digest and key
// figures of its run. Every one also runs with the reference scheduler, with reference ports, and
// on two threads, and has to give the same digest. WEIR_UPDATE_SNAPSHOTS=1 writes the figures anew.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "tests/scenario/scenario_files.h"
#include "weir/probe/probe_set.h"
#include "weir/probe/queue_probe.h"
#include "weir/scenario/build.h"
#include "weir/scenario/effective.h"

namespace weir::scenario {
namespace {

struct Result {
  std::string digest;
  nlohmann::ordered_json figures;
};

Result simulate(const Scenario& s) {
  const Run run = build(s);
  const probe::RunClock clock;
  Scenario with_queues = s;
  if (with_queues.probes.get<probe::QueuesParams>() == nullptr) with_queues.probes.set(probe::QueuesParams{});
  probe::ProbeSet probes(with_queues.probes, *run.simulation, run.tags());
  while (!run.simulation->advance()) {
  }
  const auto summary = probes.finish();
  const auto manifest = probes.manifest(clock);
  const auto& c = manifest.counters;
  const auto rounded = [](double v) { return std::stod(fmt::format("{:.6g}", v)); };
  Result out;
  out.digest = fmt::format("{:016x}", manifest.digest);
  out.figures = {{"digest", out.digest},
                 {"flows_started", c.flows_started},
                 {"flows_completed", c.flows_completed},
                 {"mean_slowdown", rounded(summary.flows.slowdown.mean)},
                 {"p99_slowdown", rounded(summary.flows.slowdown.p99)},
                 {"packet_hops", c.packet_hops},
                 {"marked", c.marked},
                 {"cnps", c.cnps},
                 {"pauses", c.pauses},
                 {"dropped", c.dropped},
                 {"retransmitted", c.retransmitted},
                 {"timeouts", c.timeouts},
                 {"max_queue_bytes", summary.queues.value().all.max}};
  if (c.lost != 0) out.figures["lost"] = c.lost;
  if (c.storms != 0) out.figures["storms"] = c.storms;
  if (c.storms != 0) out.figures["storm_dropped"] = c.storm_dropped;
  if (manifest.stall) out.figures["stall"] = engine::to_text(*manifest.stall);
  return out;
}

Scenario load(const std::string& name, const std::vector<std::string>& overrides = {}) {
  return load_scenario_file(kTestScenarios + name + ".toml", overrides);
}

class ScenarioFile : public testing::TestWithParam<std::string> {
 protected:
  std::string expected_digest() {
    std::ifstream file(kTestScenarios + GetParam() + ".expect.json");
    return nlohmann::json::parse(file).at("digest");
  }
};

TEST_P(ScenarioFile, GivesTheExpectedFigures) {
  const std::string path = kTestScenarios + GetParam() + ".expect.json";
  const auto figures = simulate(load(GetParam())).figures.dump(2);
  if (std::getenv("WEIR_UPDATE_SNAPSHOTS") != nullptr) {
    std::ofstream(path) << figures << "\n";
    return;
  }
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing; tests/scenarios/update writes it";
  EXPECT_EQ(figures, nlohmann::ordered_json::parse(file).dump(2));
}

TEST_P(ScenarioFile, SameWithTheReferenceScheduler) {
  EXPECT_EQ(simulate(load(GetParam(), {"run.scheduler=heap"})).digest, expected_digest());
}

TEST_P(ScenarioFile, SameWithReferencePorts) {
  EXPECT_EQ(simulate(load(GetParam(), {"network.port=queued"})).digest, expected_digest());
}

TEST_P(ScenarioFile, SameOnTwoThreads) {
  EXPECT_EQ(simulate(load(GetParam(), {"run.threads=2"})).digest, expected_digest());
}

// The effective scenario, in a folder of its own with its data files, is the same run, and writes
// itself out the same again.
TEST_P(ScenarioFile, EffectiveScenarioIsTheSameRun) {
  const Effective once = effective(load(GetParam()));
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / ("weir-" + GetParam());
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "scenario.toml") << once.toml;
  for (const auto& a : once.attachments) std::ofstream(folder / a.name) << a.content;
  const Scenario again = load_scenario_file((folder / "scenario.toml").string());
  EXPECT_EQ(simulate(again).digest, expected_digest());
  const Effective twice = effective(again);
  EXPECT_EQ(twice.toml, once.toml);
  ASSERT_EQ(twice.attachments.size(), once.attachments.size());
  for (std::size_t i = 0; i < once.attachments.size(); ++i) {
    EXPECT_EQ(twice.attachments[i].name, once.attachments[i].name);
    EXPECT_EQ(twice.attachments[i].content, once.attachments[i].content);
  }
  std::filesystem::remove_all(folder);
}

INSTANTIATE_TEST_SUITE_P(Tests, ScenarioFile, testing::ValuesIn(names_in(kTestScenarios)), test_name);

// The examples build, and their effective form is a scenario.
class Example : public testing::TestWithParam<std::string> {};

TEST_P(Example, IsValid) {
  const Scenario s = load_scenario_file("scenarios/" + GetParam() + ".toml");
  EXPECT_FALSE(s.title.empty());
  EXPECT_NO_THROW(build(s));
  EXPECT_GT(expect(s, *build_model(s)).flows, 0u);
  EXPECT_NO_THROW(load_scenario(effective(s).toml, "effective.toml"));
}

INSTANTIATE_TEST_SUITE_P(Scenarios, Example, testing::ValuesIn(names_in("scenarios")), test_name);

}  // namespace
}  // namespace weir::scenario
