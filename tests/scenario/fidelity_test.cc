// The list of fidelities: each entry's facts are what its engine does, on one small network that all of them know.
#include "weir/scenario/fidelity.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/scenario/scenario_files.h"
#include "weir/base/archive.h"
#include "weir/scenario/build.h"
#include "weir/scenario/ecn_choice.h"
#include "weir/scenario/effective.h"

namespace weir::scenario {
namespace {

constexpr const char* kFidelityStar = R"(
[topology]
kind = "star"
hosts = 4
[algorithm]
name = "hpcc"
preset = "ns3"
[[traffic]]
kind = "incast"
size = "100 KB"
)";

const Fidelity& fidelity_named(const std::string& name) {
  for (const Fidelity& f : fidelities())
    if (f.name == name) return f;
  throw InputError("no fidelity " + name);
}

Scenario scenario_by(const Fidelity& f, std::vector<std::string> more = {}) {
  const std::map<std::string, std::vector<std::string>, std::less<>> needs{
      {"htsim-uet", {"algorithm={name = \"nscc\"}", "network.ecn.enabled=true"}}};
  std::vector<std::string> overrides{"run.fidelity=" + std::string(f.name)};
  if (const auto known = needs.find(f.name); known != needs.end())
    overrides.insert(overrides.end(), known->second.begin(), known->second.end());
  overrides.insert(overrides.end(), more.begin(), more.end());
  return load_scenario(kFidelityStar, "a.toml", overrides);
}

std::string refusal(const Scenario& s) {
  try {
    build(s);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

class EachFidelity : public testing::TestWithParam<std::string> {
 protected:
  const Fidelity& fidelity_ = fidelity_named(GetParam());
};

TEST_P(EachFidelity, MakesAnEngineThatEndsTheRun) {
  const auto run = build(scenario_by(fidelity_));
  while (!run.simulation->advance()) {
  }
  EXPECT_EQ(run.simulation->counters().flows_completed, 3u);
}

TEST_P(EachFidelity, IsSavedAsItSays) {
  const auto run = build(scenario_by(fidelity_));
  Saver saver;
  if (fidelity_.can_be_saved)
    EXPECT_NO_THROW(run.simulation->save(saver));
  else
    EXPECT_THROW(run.simulation->save(saver), std::logic_error);
}

TEST_P(EachFidelity, TellsEventsAsItSays) {
  const Scenario s = scenario_by(fidelity_);
  const auto model = build_model(s);
  const auto traffic = build_traffic(s, *model);
  const auto engine = fidelity_.make(s, *model, *traffic, {.traced = true});
  const auto look = [](net::TraceEvents) {};
  if (fidelity_.tells_events)
    EXPECT_NO_THROW(engine->trace({}, look));
  else
    EXPECT_THROW(engine->trace({}, look), std::logic_error);
  EXPECT_EQ(refusal(scenario_by(fidelity_, {"probes.packets=true"})),
            fidelity_.tells_events ? ""
                                   : "--set probes.packets: only run.fidelity = \"exact\" tells single events; write "
                                     "that, or leave this out");
}

TEST_P(EachFidelity, RunsProgramsAsItSays) {
  EXPECT_EQ(refusal(scenario_by(fidelity_, {"traffic.0.completion=true"})),
            fidelity_.runs_programs
                ? ""
                : "--set run.fidelity: there are collectives, which only \"exact\" or \"flow\" knows; "
                  "write that, or take other traffic");
}

// Probes of what only packets have, and verdicts of claims.
TEST_P(EachFidelity, HasPacketsAsItSays) {
  for (const std::string probe : {"queues", "pfc"})
    EXPECT_EQ(refusal(scenario_by(fidelity_, {"probes." + probe + "=true"})),
              fidelity_.has_packets
                  ? ""
                  : "--set probes." + probe +
                        ": it measures packets, and there are none with "
                        "run.fidelity = \"flow\"; write \"exact\" or \"ns3-hpcc\" or \"htsim-uet\", or "
                        "leave this out");
  const auto judges = [&] { check_judges_claims(scenario_by(fidelity_)); };
  if (fidelity_.has_packets)
    EXPECT_NO_THROW(judges());
  else
    EXPECT_THROW(judges(), InputError);
}

TEST_P(EachFidelity, ChoosesEcnAsItSays) {
  const Scenario s = scenario_by(fidelity_, {"network.ecn.enabled=true"});
  // HPCC comes with no thresholds, of which a notice tells, and NSCC with some.
  std::vector<std::string> told;
  warn_of_ecn(s, *build_network(s), told);
  EXPECT_EQ(!told.empty() || s.ecn.k_min != net::EcnParams{}.k_min, fidelity_.chooses_ecn);
}

// The effective scenario of a run says the same.
TEST_P(EachFidelity, IsWrittenAndReadAgain) {
  const Effective written = effective(scenario_by(fidelity_));
  const Scenario again = load_scenario(written.toml, "b.toml");
  EXPECT_EQ(again.run.fidelity, &fidelity_);
  EXPECT_EQ(again.fidelity_params != nullptr, fidelity_.params != nullptr);
  EXPECT_EQ(effective(again).toml, written.toml);
}

std::vector<std::string> all_names() {
  std::vector<std::string> out;
  for (const Fidelity& f : fidelities()) out.emplace_back(f.name);
  return out;
}

INSTANTIATE_TEST_SUITE_P(List, EachFidelity, testing::ValuesIn(all_names()), test_name);

TEST(Fidelities, BeginWithWeirsOwnAndHaveNamesOfTheirOwn) {
  EXPECT_EQ(RunParams{}.fidelity, &fidelities().front());
  EXPECT_EQ(fidelities().front().name, "exact");
  const std::vector<std::string> names = all_names();
  EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size());
  EXPECT_EQ(names_of([](const Fidelity&) { return true; }), "\"exact\" or \"flow\" or \"ns3-hpcc\" or \"htsim-uet\"");
}

// A file of [fidelity] takes the place of [[traffic]], and its flows have the tag of the parameter.
TEST(Fidelities, FlowsMayComeFromAFile) {
  const std::string file = testing::TempDir() + "weir_connections.csv";
  std::ofstream(file) << "number,src,dst,size_bytes,start_ns,started_by,starts,one_path\n"
                         "1,0,1,1000,0,,1,no\n2,1,2,5000,,1,,no\n";
  const std::string text =
      "[topology]\nkind = \"star\"\nhosts = 4\n[network.ecn]\nenabled = true\n[algorithm]\nname = \"nscc\"\n";
  const std::vector<std::string> overrides{"run.fidelity=htsim-uet", "fidelity.connections=" + file};
  const Scenario s = load_scenario(text, "a.toml", overrides);
  EXPECT_EQ(own_flows(s), "fidelity.connections");
  const auto model = build_model(s);
  const std::vector<std::string> tags = build_traffic(s, *model)->tags();
  EXPECT_EQ(tags, std::vector<std::string>{"connections"});
  std::vector<std::uint32_t> senders;
  const Expected expected = expect(s, *model, 10, [&](const ExpectedFlow& flow) {
    senders.push_back(flow.src);
    EXPECT_EQ(flow.start.has_value(), flow.src == 0);
    EXPECT_EQ(flow.tag, "connections");
  });
  EXPECT_EQ(expected.flows, 2u);
  EXPECT_EQ(senders, (std::vector<std::uint32_t>{0, 1}));
  EXPECT_EQ(build(s).tags(), tags);
  EXPECT_EQ(own_flows(scenario_by(fidelities().front())), "");
}

}  // namespace
}  // namespace weir::scenario
