// [run.fast_forward]: what a scenario may ask of a run that skips messages.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "weir/base/error.h"
#include "weir/probe/probe_set.h"
#include "weir/scenario/build.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/fast_forward_rules.h"
#include "weir/scenario/fidelity.h"

namespace weir::scenario {
namespace {

constexpr const char* kRing = R"(
[topology]
kind = "fat-tree"
k = 4
[algorithm]
name = "swift"
[[traffic]]
kind = "hsdp"
group = 1
steps = 60
size = "50 KB"
placement = "in-order"
)";

Scenario fast_ring(std::vector<std::string> more = {}) {
  more.insert(more.begin(), "run.fast_forward.theta=0.05");
  return load_scenario(kRing, "a.toml", more);
}

std::string refusal_of(const std::vector<std::string>& more) {
  try {
    build(fast_ring(more));
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(FastForwardScenario, IsRefusedBesideWhatWouldMissMessages) {
  EXPECT_EQ(refusal_of({}), "");
  for (const std::string probe : {"queues", "rates", "delays", "pfc", "links", "packets", "anatomy", "view"})
    EXPECT_NE(refusal_of({"probes." + probe + "=true"}).find("this probe would not see them"), std::string::npos)
        << probe;
  EXPECT_NE(refusal_of({"network.loss=[{probability = 0.001}]"}).find("would lose no packet"), std::string::npos);
  EXPECT_NE(refusal_of({"run.fidelity=flow"}).find("only run.fidelity = \"exact\" skips anything"), std::string::npos);
}

// Of other traffic, and with all messages sent, DCQCN is as good as any.
TEST(FastForwardScenario, SkipsNoMessagesOfDcqcn) {
  const std::string why = "go on changing when they seem to repeat";
  const auto refused = [](std::vector<std::string> more) {
    more.emplace_back("network.ecn.enabled=true");
    return refusal_of(more);
  };
  const std::string profile = "profile=[{name=\"x\",algorithm=\"dcqcn\"}]";
  EXPECT_NE(refused({"algorithm.name=dcqcn"}).find("--set algorithm.name: with [run.fast_forward]"), std::string::npos);
  EXPECT_NE(refused({"algorithm.name=dcqcn"}).find(why), std::string::npos);
  EXPECT_NE(refused({profile, "traffic.0.profile=x"}).find("profile.0.algorithm"), std::string::npos);
  EXPECT_EQ(refused({profile}), "");
  EXPECT_EQ(refused({"algorithm.name=dcqcn", "traffic=[{kind=\"incast\",size=\"1 MB\"}]"}), "");
  EXPECT_EQ(refused({"algorithm.name=dcqcn", "run.fast_forward.theta=0"}), "");
}

TEST(FastForwardScenario, SkipsNoMessagesThatAreMadeWhenDue) {
  const std::string ring = "kind=\"collective\",operation=\"ring-all-reduce\",size=\"1 MB\"";
  EXPECT_EQ(refusal_of({"traffic=[{" + ring + "}]"}), "");
  for (const std::string more : {"messages=\"sums\"", "repeat=2", "channels=2,chunks=2"})
    EXPECT_NE(refusal_of({"traffic=[{" + ring + "," + more + "}]"}).find("made when they are due"), std::string::npos)
        << more;
}

TEST(FastForwardScenario, ThetaHasARange) {
  EXPECT_NE(refusal_of({"run.fast_forward.theta=0.3"}).find("valid is 0 to 0.2"), std::string::npos);
  EXPECT_NE(refusal_of({"run.fast_forward.rounds=1"}).find("valid is 2 to 100"), std::string::npos);
}

TEST(FastForwardScenario, JudgesNoClaim) {
  EXPECT_THROW(check_judges_claims(fast_ring()), InputError);
  EXPECT_NO_THROW(check_judges_claims(fast_ring({"run.fast_forward.theta=0"})));
  EXPECT_THROW(check_sends_all(fast_ring(), "--pcap"), InputError);
  EXPECT_NO_THROW(check_sends_all(fast_ring({"run.fast_forward.theta=0"}), "--pcap"));
}

TEST(FastForwardScenario, IsWrittenAndReadAgain) {
  const Effective written = effective(fast_ring());
  EXPECT_NE(written.toml.find("[run.fast_forward]"), std::string::npos);
  EXPECT_EQ(effective(load_scenario(written.toml, "b.toml")).toml, written.toml);
  EXPECT_EQ(effective(load_scenario(kRing, "a.toml")).toml.find("fast_forward"), std::string::npos);
}

// The summary tells what was skipped; with theta = 0 it is that of a run without the table.
TEST(FastForwardScenario, ItsSummaryTells) {
  const auto summary_of = [](const Scenario& s) {
    const scenario::Run run = build(s);
    probe::ProbeSet probes(s.probes, *run.simulation, run.tags, nullptr);
    while (!run.simulation->advance()) {
    }
    return probe::to_json(probes.finish());
  };
  const std::string fast = summary_of(fast_ring());
  for (const std::string key : {"\"fast_forward\"", "\"skipped\"", "\"checked\"", "\"mean_error\"", "\"worst_error\""})
    EXPECT_NE(fast.find(key), std::string::npos) << key;
  EXPECT_EQ(summary_of(fast_ring({"run.fast_forward.theta=0"})), summary_of(load_scenario(kRing, "a.toml")));
}

}  // namespace
}  // namespace weir::scenario
