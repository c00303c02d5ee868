// Policies of pcc_rl as data files of a scenario.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "tests/support/command.h"
#include "weir/cc/pcc_rl.h"
#include "weir/policy/policy_file.h"
#include "weir/scenario/build.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/scenario.h"

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
            "standard-int8, standard, strict-int8, strict, or a file like \"./mine.toml\"");
  const std::string none = (folder_ / "none.toml").string();
  EXPECT_EQ(refusal("none.toml"),
            "--set algorithm.policy: " + none +
                ": cannot be read (No such file or directory); it should be a data file of the algorithm");
  std::ofstream(folder_ / "bad.toml") << "format = 1\nkind = \"mpl\"\n";
  EXPECT_EQ(refusal("bad.toml"),
            (folder_ / "bad.toml").string() +
                ":2: key 'kind': cannot be 'mpl'; it is one of mlp, lstm, tree (did you mean 'mlp'?)");
}

}  // namespace
}  // namespace weir::scenario
