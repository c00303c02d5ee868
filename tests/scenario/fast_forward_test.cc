// [run.fast_forward]: what a scenario may ask of a run that skips messages.
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "weir/base/error.h"
#include "weir/probe/collective_report.h"
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

// Nor those of its drivers, whatever they are.
TEST(FastForwardScenario, SkipsNoMessagesOfDcqcnThatAreMadeWhenDue) {
  const std::string collective = "kind=\"collective\",size=\"1 MB\",operation=";
  for (const std::string& traffic :
       {collective + "\"ring-all-reduce\",messages=\"sums\"", collective + "\"ring-all-reduce\",channels=2,chunks=2",
        collective + "\"tree-all-reduce\"", collective + "\"hierarchical-all-reduce\",group=4",
        collective + "\"all-to-all\",repeat=2", collective + "\"ring-broadcast\"",
        std::string("kind=\"calls\",file=\"tests/scenarios/calls-16.csv\""),
        std::string("kind=\"training\",tensor=4,data=4,group=4,activations=\"1 MB\",gradients=\"1 MB\","
                    "attention=\"10 us\",mlp=\"10 us\"")}) {
    const std::string set = "traffic=[{" + traffic + "}]";
    EXPECT_EQ(refusal_of({set}), "") << traffic;
    EXPECT_NE(refusal_of({set, "algorithm.name=dcqcn", "network.ecn.enabled=true"}).find("a ring ended a fifth"),
              std::string::npos)
        << traffic;
  }
}

// A training step of 16 GPUs, on kept connections unless `more` says else.
constexpr const char* kStepOf16 = R"(
[topology]
kind = "leaf-spine"
leaves = 4
spines = 2
hosts_per_leaf = 4
host_rate = "100 Gbps"
fabric_rate = "200 Gbps"
[algorithm]
name = "hpcc"
[network.ecn]
enabled = true
[transport]
connections = "kept"
[run.fast_forward]
settle = 2
[[traffic]]
kind = "training"
tensor = 2
pipeline = 2
data = 4
layers = 2
microbatches = 24
activations = "80 KB"
gradients = "500 KB"
attention = "10 us"
mlp = "15 us"
group = 2
)";

struct Step {
  double completion = 0;  // in ps
  engine::FastForwardReport skipped;
};

Step step(const std::vector<std::string>& more) {
  const scenario::Run run = build(load_scenario(kStepOf16, "a.toml", more));
  while (!run.simulation->advance()) {
  }
  const auto summary = probe::report_collectives(*run.simulation, run.tags()).at(0);
  return {static_cast<double>(summary.completion->ps),
          run.simulation->fast_forward().value_or(engine::FastForwardReport{})};
}

// How much longer the step takes with fast-forward, as a share, and the share of its messages that are skipped.
std::pair<double, double> error_and_skipped(std::vector<std::string> more) {
  const Step fast = step(more);
  more.emplace_back("run.fast_forward.theta=0");
  const Step whole = step(more);
  return {fast.completion / whole.completion - 1,
          static_cast<double>(fast.skipped.skipped) / static_cast<double>(fast.skipped.messages)};
}

TEST(FastForwardScenario, ATrainingStepSendsHalfOfItsMessages) {
  for (const std::string seed : {"1", "2", "3"})
    for (const std::string algorithm : {"hpcc", "dctcp", "nscc"}) {
      const auto [error, skipped] =
          error_and_skipped({"algorithm.name=" + algorithm, "transport.connections=message", "run.seed=" + seed});
      EXPECT_NEAR(error, 0, 0.002) << algorithm << seed;
      EXPECT_GT(skipped, 0.45) << algorithm << seed;
    }
}

// With the paths of the first seed messages collide, and each takes some hundredths more or less than the one before.
TEST(FastForwardScenario, SkipsMessagesOfConnectionsThatDoNotDrift) {
  for (const std::string algorithm : {"hpcc", "dctcp", "nscc"})
    for (const auto& [seed, least, most] : {std::tuple{"1", 0.1, 0.2}, {"2", 0.45, 0.6}, {"3", 0.45, 0.6}}) {
      const auto [error, skipped] = error_and_skipped({"algorithm.name=" + algorithm, "run.seed=" + std::string(seed)});
      EXPECT_NEAR(error, 0, 0.002) << algorithm << seed;
      EXPECT_GT(skipped, least) << algorithm << seed;
      EXPECT_LT(skipped, most) << algorithm << seed;
    }
}

// Under Swift a connection's window goes on growing for tens of messages, each of which takes a hundredth less than the
// one before. New flows begin with the same window each time.
TEST(FastForwardScenario, SkipsFewMessagesOfConnectionsThatDrift) {
  const auto [kept, few] = error_and_skipped({"algorithm.name=swift"});
  EXPECT_LT(few, 0.25);
  EXPECT_NEAR(kept, 0, 0.015);
  const auto [anew, half] = error_and_skipped({"algorithm.name=swift", "transport.connections=message"});
  EXPECT_GT(half, 0.4);
  EXPECT_NEAR(anew, 0, 0.002);
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
    probe::ProbeSet probes(s.probes, *run.simulation, run.tags(), nullptr);
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
