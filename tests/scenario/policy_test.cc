// Policies of pcc_rl as data files of a scenario.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/command.h"
#include "weir/cc/pcc_rl.h"
#include "weir/policy/policy_file.h"
#include "weir/scenario/build.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/policy_ranges.h"
#include "weir/scenario/scenario.h"
#include "weir/scenario/warnings.h"

namespace weir::scenario {
namespace {

const std::string kPolicyScenario =
    "[topology]\nkind = \"star\"\nhosts = 5\n"
    "[algorithm]\nname = \"pcc_rl\"\n"
    "[[traffic]]\nkind = \"incast\"\nsize = \"100 KB\"\n";

class PolicyScenario : public testing::Test {
 protected:
  PolicyScenario() {
    policy::Policy p = policy::shipped_policy("standard");
    p.step = 0.125;
    std::ofstream(folder_ / "mine.toml") << policy::policy_text(p);
  }

  static const cc::PccRl::Params& params_of(const scenario::Run& run) {
    return *static_cast<const cc::PccRl::Params*>(run.model->profiles.at(0).params.get());
  }
  scenario::Run built(const std::string& policy) {
    return build(load_scenario(kPolicyScenario, (folder_ / "s.toml").string(), {"algorithm.policy=" + policy}));
  }
  std::string refusal(const std::string& policy) {
    try {
      built(policy);
      return "built";
    } catch (const InputError& error) {
      return error.what();
    }
  }

  const app::Folder scratch_{"weir-policy-scenario"};
  const std::filesystem::path folder_ = scratch_.path();
};

TEST_F(PolicyScenario, IsBuiltWithItsPolicy) {
  EXPECT_EQ(params_of(built("standard")).decider->policy().step, 0.2);
  // relative to the scenario's folder
  const scenario::Run run = built("mine.toml");
  EXPECT_EQ(params_of(run).decider->policy().step, 0.125);
  run.simulation->advance();
  EXPECT_EQ(run.simulation->counters().flows_completed, 4u);
}

TEST_F(PolicyScenario, KeepsTheFileWithTheResult) {
  const Scenario s = load_scenario(kPolicyScenario, (folder_ / "s.toml").string(), {"algorithm.policy=./mine.toml"});
  const Effective out = effective(s);
  ASSERT_EQ(out.attachments.size(), 1u);
  EXPECT_EQ(out.attachments[0].name, "algorithm-mine.toml");
  EXPECT_NE(out.toml.find("policy = \"./algorithm-mine.toml\""), std::string::npos) << out.toml;
  std::filesystem::create_directories(folder_ / "result");
  std::ofstream(folder_ / "result" / out.attachments[0].name) << out.attachments[0].content;
  const scenario::Run again = build(load_scenario(out.toml, (folder_ / "result" / "scenario.toml").string()));
  EXPECT_EQ(params_of(again).decider->policy().step, 0.125);
  EXPECT_TRUE(effective(load_scenario(kPolicyScenario, "s.toml")).attachments.empty());
}

TEST_F(PolicyScenario, RefusesPoliciesWithTheirPlaces) {
  EXPECT_EQ(refusal("standart"),
            "--set algorithm.policy: unknown policy 'standart' (did you mean 'standard'?); valid is loose-int8, loose, "
            "lstm-int8, lstm, plain-int8, plain, "
            "standard-int8, standard, strict-int8, strict, wide-int8, wide, or a file like \"./mine.toml\"");
  const std::string none = (folder_ / "none.toml").string();
  EXPECT_EQ(refusal("none.toml"),
            "--set algorithm.policy: " + none +
                ": cannot be read (No such file or directory); it should be a data file of the algorithm");
  std::ofstream(folder_ / "bad.toml") << "format = 1\nkind = \"mpl\"\n";
  EXPECT_EQ(refusal("bad.toml"),
            (folder_ / "bad.toml").string() +
                ":2: key 'kind': cannot be 'mpl'; it is one of mlp, lstm, tree (did you mean 'mlp'?)");
}

class PolicyRanges : public PolicyScenario {
 protected:
  PolicyRanges() {
    policy::Policy p = policy::shipped_policy("standard");
    const Time base = params_of_paths("[topology]\nkind = \"star\"\nhosts = 5\n");
    p.trained = policy::Trained{.base_rtt = {base, base},
                                .rate = {Rate{100'000'000'000}, Rate{200'000'000'000}},
                                .hops = {1, 1},
                                .flows = {2, 8}};
    std::ofstream(folder_ / "ranged.toml") << policy::policy_text(p);
    p.trained.reset();
    std::ofstream(folder_ / "silent.toml") << policy::policy_text(p);
  }

  std::string text_of(const std::string& topology) const {
    return topology + "[algorithm]\nname = \"pcc_rl\"\npolicy = \"ranged.toml\"\n" +
           "[[traffic]]\nkind = \"flows\"\nflow = [{ src = 1, dst = 0, size = \"1 MB\" }, { src = 4, dst = 0, size = "
           "\"1 MB\" }]\n";
  }
  Time params_of_paths(const std::string& topology) const {
    const auto model = build_model(load_scenario(with_policy(text_of(topology), "standard"), "s.toml"));
    return model->paths.base_rtt(1, 0, model->data_wire(model->profiles[0]), model->ack_wire(model->profiles[0]));
  }
  static std::string with_policy(std::string text, const std::string& name) {
    const std::string before = "ranged.toml";
    return text.replace(text.find(before), before.size(), name);
  }
  std::vector<std::string> told(const std::string& topology, const std::string& policy = "ranged.toml") const {
    const Scenario s = load_scenario(with_policy(text_of(topology), policy), (folder_ / "s.toml").string());
    std::vector<std::string> out;
    warn_of_policy_ranges(s, *build_model(s), out);
    return out;
  }
};

TEST_F(PolicyRanges, AreToldWherePathsLeaveThem) {
  const std::vector<std::string> none;
  const std::string star = "[topology]\nkind = \"star\"\nhosts = 5\n";
  EXPECT_EQ(told(star), none);
  EXPECT_EQ(told(star + "rate = \"200 Gbps\"\n"), none);
  EXPECT_EQ(told(star + "delay = \"1100 ns\"\n"), none);  // less than a quarter longer
  const auto slow = told(star + "rate = \"40 Gbps\"\n");
  ASSERT_EQ(slow.size(), 1u);
  EXPECT_EQ(slow[0],
            "the policy 'ranged.toml' of profile 'pcc_rl' was trained for other networks: paths here have a rate of 40 "
            "Gbps for 100 Gbps to 200 Gbps; what it does there nobody has tested");
  const auto far = told(star + "delay = \"4 us\"\n");
  ASSERT_EQ(far.size(), 1u);
  EXPECT_NE(far[0].find("paths here have a base RTT of 16."), std::string::npos) << far[0];
  // host 1 is near, host 4 is two switches farther
  const auto tiers = told("[topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 1\nhosts_per_leaf = 3\n");
  ASSERT_EQ(tiers.size(), 1u);
  EXPECT_NE(tiers[0].find("a number of switches of 1 to 3 for 1;"), std::string::npos) << tiers[0];
  EXPECT_EQ(told(star + "rate = \"40 Gbps\"\n", "silent.toml"), none);
}

// weir run and weir validate tell.
TEST_F(PolicyRanges, AreAmongTheWarnings) {
  const std::string text = text_of("[topology]\nkind = \"star\"\nhosts = 5\nrate = \"40 Gbps\"\n");
  const Scenario s = load_scenario(text, (folder_ / "s.toml").string());
  bool told = false;
  for (const std::string& warning : warnings(s, *build_model(s)))
    told = told || warning.find("trained for other networks") != std::string::npos;
  EXPECT_TRUE(told);
}

}  // namespace
}  // namespace weir::scenario
