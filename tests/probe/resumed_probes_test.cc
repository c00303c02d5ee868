// Probes that keep much of single events: saved and loaded in the midst of a run, they write what they would have
// written.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "weir/base/archive.h"
#include "weir/probe/anatomy_probe.h"
#include "weir/probe/probe_set.h"
#include "weir/probe/view_probe.h"
#include "weir/scenario/build.h"
#include "weir/scenario/scenario.h"

namespace weir::probe {
namespace {

// A run with both probes and its files, in memory.
struct Recorded {
  explicit Recorded(const scenario::Scenario& s)
      : out(ResultDirectory::in_memory()),
        run(scenario::build(s)),
        probes(std::in_place, s.probes, *run.simulation, run.tags(), out.get()) {}

  std::map<std::string, std::string> finish() {
    while (!run.simulation->advance()) {
    }
    summary = to_json(probes->finish());
    return out->take_texts();
  }

  std::unique_ptr<ResultDirectory> out;
  scenario::Run run;
  std::optional<ProbeSet> probes;
  std::string summary;
};

class ResumedProbes : public testing::TestWithParam<const char*> {};

TEST_P(ResumedProbes, WriteTheSame) {
  scenario::Scenario s = scenario::load_scenario_file("tests/scenarios/" + std::string(GetParam()) + ".toml");
  s.probes.set(AnatomyParams());
  s.probes.set(ViewParams());
  Recorded whole(s);
  const auto expected = whole.finish();
  ASSERT_GT(expected.at("view_series.csv").size(), 1000u);
  ASSERT_GT(expected.at("anatomy.csv").size() + expected.at("view_activities.csv").size(), 500u);

  Recorded first(s);
  const Time cut = whole.run.simulation->now() / 2 / first.run.simulation->epoch() * first.run.simulation->epoch();
  while (first.run.simulation->now() < cut) first.run.simulation->advance(cut);
  Saver saver;
  first.run.simulation->save(saver);
  first.probes->save(saver);
  Recorded second(s);
  Loader loader(saver.content());
  second.run.simulation->load(loader);
  second.probes->load(loader);
  const auto told = second.finish();
  ASSERT_EQ(told.size(), expected.size());
  for (const auto& [file, text] : expected) EXPECT_TRUE(told.at(file) == text) << file;
  EXPECT_EQ(second.summary, whole.summary);
}

INSTANTIATE_TEST_SUITE_P(Tests, ResumedProbes,
                         testing::Values("pfc-small-buffer", "lossy-links", "spraying-controllers", "training"),
                         [](const auto& info) {
                           std::string name = info.param;
                           for (char& c : name)
                             if (c == '-') c = '_';
                           return name;
                         });

// Packets there outlive their flows, and what their receivers know of these depends on the partitions.
TEST(ViewProbe, WritesTheSameOnAnyNumberOfThreads) {
  scenario::Scenario s = scenario::load_scenario_file("tests/scenarios/on-ramp-duplicates.toml");
  s.probes.set(ViewParams());
  const auto expected = Recorded(s).finish();
  ASSERT_NE(expected.at("view_events.csv").find(",lost,"), std::string::npos);
  for (const std::uint32_t threads : {2u, 4u}) {
    s.run.threads = threads;
    const auto told = Recorded(s).finish();
    for (const auto& [file, text] : expected) EXPECT_TRUE(told.at(file) == text) << file << ", " << threads;
  }
}

}  // namespace
}  // namespace weir::probe
