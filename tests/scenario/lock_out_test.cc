// Phase effects: NICs are not ideal where switches drop, so that equal flows do not lock each other out.
#include <gtest/gtest.h>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <vector>

#include "weir/probe/statistics.h"
#include "weir/scenario/build.h"
#include "weir/scenario/warnings.h"

namespace weir::scenario::lock_out_test {
namespace {

// The first `senders` hosts of a star send to the last one, all links alike, through a buffer of 150 KB for each port.
std::string incast(std::string_view algorithm, int senders, std::string_view order = "") {
  return fmt::format(R"(
run.stop = "60 ms"
topology = {{kind = "star", hosts = {}, rate = "10 Gbps"}}
network = {{ecn = {{enabled = {}}}, buffer = {{mode = "per-port", size = "150 KB"}}}}
algorithm = {{name = "{}", recovery = {{kind = "sack"}}}}
traffic = [{{kind = "incast", size = "1 GB", receiver = "{}", senders = "{}"}}]
)",
                     senders + 1, algorithm == "dctcp", algorithm, senders,
                     order.empty() ? fmt::format("0-{}", senders - 1) : order);
}

// Jain's index of what each flow has delivered when the run ends.
double fairness(const std::string& text, const std::vector<std::string>& overrides = {}) {
  const Run run = build(load_scenario(text, "lock-out.toml", overrides));
  while (!run.simulation->advance()) {
  }
  std::vector<double> delivered;
  run.simulation->for_each_active(
      [&](const host::FlowView& flow) { delivered.push_back(static_cast<double>(flow.acknowledged.count)); });
  return probe::jain(delivered);
}

TEST(EqualFlows, ShareAPortThatDrops) {
  for (const auto* algorithm : {"cubic", "newreno", "dctcp"})
    for (const int senders : {2, 4, 8, 16})
      EXPECT_GT(fairness(incast(algorithm, senders)), 0.8) << algorithm << ", " << senders << " senders";
}

TEST(EqualFlows, ShareItInAnyOrder) {
  for (const auto* algorithm : {"cubic", "newreno", "dctcp"})
    for (const auto* order : {"1,0", "1,3,0,2", "3,6,1,4,7,2,5,0"}) {
      const std::string_view text = order;
      const int senders = static_cast<int>((text.size() + 1) / 2);
      EXPECT_GT(fairness(incast(algorithm, senders, order)), 0.8) << algorithm << ", " << order;
    }
}

const std::vector<std::string> kIdeal{"host.rate_tolerance=0", "host.send_jitter=0"};

// What the two keys are for.
TEST(EqualFlows, AreLockedOutByIdealNics) { EXPECT_LT(fairness(incast("cubic", 4), kIdeal), 0.5); }

TEST(Nics, AreIdealUnlessSwitchesDrop) {
  struct Case {
    std::vector<std::string> overrides;
    double rate_tolerance;
    double send_jitter;
  };
  const std::vector<Case> cases{
      {{}, 100, 1},
      {{"network.buffer.mode=lossy"}, 100, 1},
      {{"network.buffer={mode=\"lossless\"}"}, 0, 0},
      {{"network.buffer={mode=\"lossless\"}", "network.class=[{pfc=false}]"}, 100, 1},
      {{"network.buffer={mode=\"lossless\"}", "network.class=[{pfc=false}, {}]"}, 0, 0},
      {{"run.fidelity=flow"}, 0, 0},
      {{"host.rate_tolerance=5"}, 5, 1},
      {{"host.send_jitter=0"}, 100, 0},
      {{"host.send_jitter=2", "network.buffer={mode=\"lossless\"}"}, 0, 2},
  };
  for (const Case& c : cases) {
    const Scenario s = load_scenario(incast("cubic", 4), "lock-out.toml", c.overrides);
    EXPECT_EQ(s.host.rate_tolerance, c.rate_tolerance) << fmt::format("{}", fmt::join(c.overrides, ", "));
    EXPECT_EQ(s.host.send_jitter, c.send_jitter) << fmt::format("{}", fmt::join(c.overrides, ", "));
  }
}

std::vector<std::string> warnings_of(const std::string& text, const std::vector<std::string>& overrides) {
  const Scenario s = load_scenario(text, "lock-out.toml", overrides);
  return warnings(s, *build_model(s));
}

TEST(Nics, ThatKeepStepWithAPortAreWarnedOf) {
  const std::string text = incast("cubic", 4);
  EXPECT_EQ(warnings_of(text, {}), std::vector<std::string>{});
  EXPECT_EQ(warnings_of(text, kIdeal),
            std::vector<std::string>{
                "hosts 0 and 1 send to host 4, all with links of 10 Gbps, and the last port drops what it has no room "
                "for; NICs that are ideal keep step with it, so that the losses are always the same one's and few long "
                "flows can lock each other out; leave host.rate_tolerance and host.send_jitter out, or write numbers "
                "above 0"});
  auto lossless = kIdeal;
  lossless.emplace_back("network.buffer={mode=\"lossless\"}");
  EXPECT_EQ(warnings_of(text, lossless), std::vector<std::string>{});
  EXPECT_EQ(warnings_of(incast("cubic", 1, "0"), kIdeal), std::vector<std::string>{});
}

// Nothing is dropped where all that several hosts send fits in the buffer.
TEST(Nics, ThatSendLessThanTheBufferAreNotWarnedOf) {
  const auto told = [](const std::string& sizes) {
    auto overrides = kIdeal;
    overrides.push_back("traffic=[{kind=\"flows\", flow=[" + sizes + "]}]");
    return warnings_of(incast("cubic", 4), overrides).size();
  };
  EXPECT_EQ(told("{src=0, dst=4, size=\"1 KB\"}, {src=1, dst=4, size=\"1 KB\", start=\"500 us\"}"), 0u);
  EXPECT_EQ(told("{src=0, dst=4, size=\"100 KB\"}, {src=1, dst=4, size=\"50 KB\"}"), 0u);
  EXPECT_EQ(told("{src=0, dst=4, size=\"100 KB\"}, {src=1, dst=4, size=\"51 KB\"}"), 1u);
  EXPECT_EQ(told("{src=0, dst=4, size=\"1 MB\"}, {src=0, dst=4, size=\"1 MB\"}"), 0u);
  EXPECT_EQ(told("{src=0, dst=4, size=\"100 KB\"}, {src=1, dst=3, size=\"100 KB\"}"), 0u);
}

}  // namespace
}  // namespace weir::scenario::lock_out_test
