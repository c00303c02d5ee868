// Delay targets that empty paths exceed are told, with the least value that works.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "weir/scenario/build.h"
#include "weir/scenario/delay_targets.h"

namespace weir::scenario {
namespace {

std::vector<std::string> told(const std::string& delay, const std::string& text,
                              const std::vector<std::string>& overrides = {}) {
  const Scenario s = load_scenario(
      "[topology]\nkind = \"leaf-spine\"\nleaves = 2\nspines = 1\nhosts_per_leaf = 2\nhost_delay = \"" + delay +
          "\"\nfabric_delay = \"" + delay +
          "\"\n[[traffic]]\nkind = \"flows\"\nflow = [{ src = 0, dst = 1, size = \"1 MB\" }, { src = 0, dst = 3, "
          "size = \"1 MB\" }]\n" +
          text,
      "a.toml", overrides);
  std::vector<std::string> out;
  warn_of_delay_targets(s, *build_model(s), out);
  return out;
}

std::string value_in(const std::string& warning) {
  const std::string before = " that works is ";
  const auto at = warning.find(before) + before.size();
  return warning.substr(at, warning.find(',', at) - at);
}

TEST(DelayTargets, BelowTheEmptyPathAreTold) {
  const std::string swift = "[algorithm]\nname = \"swift\"\n";
  EXPECT_EQ(told("1 us", swift), std::vector<std::string>{});
  const auto far = told("5 us", swift);
  ASSERT_EQ(far.size(), 1u);
  // 4 links there and back, and what the packets take to be sent, against 20 us and 3 switches
  EXPECT_EQ(far[0].substr(0, far[0].find(':')), "the empty paths of 1 flow of profile 'swift' (the first");
  EXPECT_NE(far[0].find("host 0 to 3) take up to 40."), std::string::npos) << far[0];
  EXPECT_NE(far[0].find("longer than the 29159 ns that base_target lets them take"), std::string::npos) << far[0];
  EXPECT_NE(far[0].find("the least algorithm.base_target that works is 3"), std::string::npos) << far[0];
}

// The value that a warning names is enough, and a picosecond less is not.
TEST(DelayTargets, TheLeastValueWorks) {
  struct Case {
    std::string text;
    std::string setting;
  };
  const std::string on_ramp = "[clocks]\n[algorithm]\nname = \"hpcc\"\n[algorithm.on_ramp]\nT = \"5 us\"\n";
  for (const auto& [text, setting] : std::vector<Case>{
           {"[algorithm]\nname = \"swift\"\n", "algorithm.base_target"},
           {"[algorithm]\nname = \"mswift\"\n", "algorithm.base_target"},
           {"[algorithm]\nname = \"timely\"\nT_high = \"30 us\"\n", "algorithm.T_high"},
           {"[algorithm]\nname = \"timely\"\nform = \"patched\"\nT_low = \"30 us\"\n", "algorithm.T_low"},
           {"[host]\nreceive_delay = \"10 us\"\n[algorithm]\nname = \"nscc\"\ntarget_qdelay = \"1 us\"\n"
            "[network.ecn]\nenabled = true\n",
            "algorithm.target_qdelay"},
           {"[host]\nreceive_delay = \"100 us\"\n[algorithm]\nname = \"swift\"\nbase_target = \"50 us\"\n",
            "algorithm.endpoint_target"},
           {"[host]\nreceive_delay = \"90 us\"\nreceive_jitter = \"20 us\"\n[algorithm]\nname = "
            "\"mswift\"\nbase_target = \"50 us\"\n",
            "algorithm.endpoint_target"},
           {on_ramp, "algorithm.on_ramp.T"},
           {"[algorithm]\nname = \"hpcc\"\n[[profile]]\nname = \"hpcc2\"\nalgorithm = \"hpcc\"\n", ""}}) {
    SCOPED_TRACE(text);
    const auto warnings = told("5 us", text);
    ASSERT_EQ(warnings.size(), setting.empty() ? 0u : 1u);
    if (setting.empty()) continue;
    EXPECT_NE(warnings[0].find("the least " + setting + " that works"), std::string::npos) << warnings[0];
    const std::string least = value_in(warnings[0]);
    EXPECT_EQ(told("5 us", text, {setting + "=" + least}), std::vector<std::string>{});
    const Time less = parse_time(least) - Time{1};
    EXPECT_EQ(told("5 us", text, {setting + "=" + format_value(less)}).size(), 1u);
  }
}

// Swift takes a delay that is its target for congestion.
TEST(DelayTargets, OfSwiftMustBeAboveTheDelay) {
  const std::string hosts =
      "[host]\nreceive_delay = \"100 us\"\n[algorithm]\nname = \"swift\"\nbase_target = \"50 us\"\n";
  const auto warnings = told("5 us", hosts);
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("take up to 100 us, not below the 100 us that endpoint_target lets them take"),
            std::string::npos)
      << warnings[0];
  EXPECT_EQ(told("5 us", hosts, {"host.receive_delay=99 us"}), std::vector<std::string>{});
}

TEST(DelayTargets, OfAPolicyAreItsBaseRoundTrip) {
  const auto warnings = told("5 us", "[algorithm]\nname = \"pcc_rl\"\n");
  ASSERT_EQ(warnings.size(), 1u);
  EXPECT_NE(warnings[0].find("longer than the 12288 ns that policy's base_rtt lets them take"), std::string::npos)
      << warnings[0];
  EXPECT_EQ(told("1 us", "[algorithm]\nname = \"pcc_rl\"\n"), std::vector<std::string>{});
}

}  // namespace
}  // namespace weir::scenario
