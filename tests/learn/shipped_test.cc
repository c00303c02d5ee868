// The shipped policy "wide" in networks of its table of generalisation (docs/guides/learning.md), the quick ones.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "weir/learn/curriculum.h"
#include "weir/learn/evaluation.h"
#include "weir/policy/policy_file.h"
#include "weir/scenario/build.h"
#include "weir/toml/parser.h"

namespace weir::learn::shipped_test {
namespace {

using namespace literals;

Curriculum with_environment(const std::string& environment) {
  return parse_curriculum(
      "[scenario.topology]\nrate = \"100 Gbps\"\ndelay = \"2 us\"\n[scenario.network.buffer]\nmode = \"lossy\"\nsize = "
      "\"5 MB\"\n[[environment]]\n" +
          environment,
      "c.toml");
}

Evaluation evaluated(const std::string& policy, const std::string& environment, Time duration) {
  const Curriculum c = with_environment(environment);
  const auto decider = std::make_shared<const policy::Decider>(policy::shipped_policy(policy));
  const auto make = [&](const RandomStream& stream, const FirstRates& rates) {
    return std::make_unique<PolicyActor>(stream, rates, decider);
  };
  return evaluate(c.environments.at(0), make, {0.16, 0.16},
                  {.duration = duration, .measured = 0.25, .seed = 1, .signal = decider->policy().signal});
}

std::string star(const std::string& rate, const std::string& delay) {
  return fmt::format("flows = 16\nset = ['topology.rate=\"{}\"', 'topology.delay=\"{}\"']\n", rate, delay);
}

TEST(ShippedPolicies, WideFillsStarsAndIsFair) {
  struct Case {
    const char* rate;
    const char* delay;
  };
  for (const auto& [rate, delay] : {Case{"10 Gbps", "0.5 us"}, Case{"10 Gbps", "10 us"}, Case{"100 Gbps", "0.5 us"},
                                    Case{"100 Gbps", "4 us"}, Case{"100 Gbps", "10 us"}, Case{"400 Gbps", "0.5 us"}}) {
    const Evaluation e = evaluated("wide", star(rate, delay), 20_ms);
    EXPECT_GE(e.utilisation, 0.95) << rate << ' ' << delay;
    EXPECT_GE(e.jain, 0.95) << rate << ' ' << delay;
    EXPECT_EQ(e.dropped, 0u) << rate << ' ' << delay;
  }
}

// For which it was trained, and the other was not.
TEST(ShippedPolicies, StandardLeavesAFarLinkIdle) {
  EXPECT_LT(evaluated("standard", star("100 Gbps", "10 us"), 10_ms).utilisation, 0.1);
}

TEST(ShippedPolicies, WideIsFairToNearAndFar) {
  const std::string tiers =
      "flows = 8\nhosts = 8\nset = ['topology={kind=\"leaf-spine\", leaves=2, spines=1, hosts_per_leaf=5}']\n";
  const Evaluation e = evaluated("wide", tiers, 20_ms);
  EXPECT_GE(e.utilisation, 0.95);
  EXPECT_GE(e.jain, 0.9);
}

// A flow over four bottlenecks gets at least a fifth of what those get that have one each.
TEST(ShippedPolicies, WideSharesAParkingLot) {
  const std::string text = R"(
[topology]
kind = "parking-lot"
switches = 5
[network.buffer]
mode = "lossy"
size = "5 MB"
egress_alpha = 64
[algorithm]
name = "pcc_rl"
policy = "wide"
first_rate = 0.01
[[traffic]]
kind = "flows"
flow = [
  { src = 0, dst = 1, size = "10 GB" }, { src = 2, dst = 3, size = "10 GB" }, { src = 4, dst = 5, size = "10 GB" },
  { src = 6, dst = 7, size = "10 GB" }, { src = 8, dst = 9, size = "10 GB" },
]
)";
  scenario::Run run = scenario::build(scenario::read_scenario(scenario::parse_toml(text, "lot.toml"), "lot.toml"));
  std::map<std::uint64_t, double> bytes;
  const auto count = [&](double sign) {
    run.simulation->for_each_active(
        [&](const host::FlowView& flow) { bytes[flow.id] += sign * static_cast<double>(flow.acknowledged.count); });
  };
  run.simulation->advance(30_ms);
  count(-1);
  run.simulation->advance(40_ms);
  count(1);
  ASSERT_EQ(bytes.size(), 5u);
  const auto by_bytes = [](const auto& a, const auto& b) { return a.second < b.second; };
  const auto [least, most] = std::minmax_element(bytes.begin(), bytes.end(), by_bytes);
  EXPECT_GE(least->second / most->second, 0.2) << "of the largest";
}

}  // namespace
}  // namespace weir::learn::shipped_test
