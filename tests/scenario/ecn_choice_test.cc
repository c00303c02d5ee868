// Thresholds and presets that nobody has written: whose they are, and what is told of it.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "weir/scenario/build.h"
#include "weir/scenario/ecn_choice.h"
#include "weir/scenario/effective.h"
#include "weir/scenario/scenario.h"
#include "weir/toml/document.h"
#include "weir/toml/parser.h"

namespace weir::scenario {
namespace {

const std::string kEcnStar =
    "[topology]\nkind = \"star\"\nhosts = 4\n[[traffic]]\nkind = \"incast\"\nsize = \"1 KB\"\n";

struct Chosen {
  Bytes k_min, k_max;
  double p_max;
  Rate at_rate;
};

constexpr Chosen kHpccs{{100'000}, {400'000}, 0.2, {25'000'000'000}};     // HPCC 5.1 for DCQCN
constexpr Chosen kZhus{{5'000}, {200'000}, 0.01, {40'000'000'000}};       // SIGCOMM'15
constexpr Chosen kDctcps{{97'500}, {97'500}, 1, {10'000'000'000}};        // 65 packets of 1500 bytes
constexpr Chosen kDctcpsInHpcc{{30'000}, {30'000}, 1, {10'000'000'000}};  // HPCC 5.1
constexpr Chosen kSpraying{{40'000}, {40'000}, 1, {}};

std::vector<std::string> told(const Scenario& s) {
  std::vector<std::string> out;
  warn_of_ecn(s, *build_network(s), out);
  return out;
}

TEST(EcnThresholds, AreTheAlgorithms) {
  struct Case {
    std::string text;  // [network.ecn] and algorithms
    Chosen chosen;
    std::vector<std::string> notices;
  };
  const std::string on = "[network.ecn]\nenabled = true\n";
  const std::string none =
      "network.ecn: no algorithm of this scenario comes with thresholds; those of HPCC 5.1 for DCQCN are taken: k_min "
      "= 100 KB, k_max = 400 KB, p_max = 0.2, at_rate = 25 Gbps; where no algorithm reads marks, they change nothing";
  const std::string unscaled =
      "network.ecn: k_min = 40 KB, k_max = 40 KB of 'PROFILE' (Spraying IV-A) are for links of 800 Gbps, and taken for "
      "100 Gbps alike; write at_rate = \"800 Gbps\" to scale them with the rate, or k_min and k_max";
  const auto of = [&](const std::string& profile) {
    return std::string(unscaled).replace(unscaled.find("PROFILE"), 7, profile);
  };
  const std::string row =
      "\n[[network.ecn.rate]]\nrate = \"100 Gbps\"\nk_min = \"1 KB\"\nk_max = \"2 KB\"\n[algorithm]\nname = ";
  const std::string dctcp = "\n[[profile]]\nname = \"tcp\"\nalgorithm = \"dctcp\"\n";
  const std::vector<Case> cases{
      {on + "[algorithm]\nname = \"dcqcn\"", kHpccs, {}},
      {on + "[algorithm]\nname = \"dcqcn\"\npreset = \"hpcc\"", kHpccs, {}},
      {on + "[algorithm]\nname = \"dcqcn\"\npreset = \"paper\"", kZhus, {}},
      {on + "[algorithm]\nname = \"dctcp\"", kDctcps, {}},
      {on + "[algorithm]\nname = \"dctcp\"\npreset = \"paper\"", kDctcps, {}},
      {on + "[algorithm]\nname = \"dctcp\"\npreset = \"hpcc\"", kDctcpsInHpcc, {}},
      {on + "[algorithm]\nname = \"nscc\"", kSpraying, {of("nscc")}},
      {on + "at_rate = \"800 Gbps\"\n[algorithm]\nname = \"nscc\"", {{40'000}, {40'000}, 1, {800'000'000'000}}, {}},
      // all links have thresholds of their own
      {on + row + "\"nscc\"", kSpraying, {}},
      {on + row + "\"hpcc\"", kHpccs, {}},
      {on + "[algorithm]\nname = \"mdctcp\"", kSpraying, {of("mdctcp")}},
      {on + "[algorithm]\nname = \"hpcc\"", kHpccs, {none}},
      {on + "[algorithm]\nname = \"hpcc\"" + dctcp, kDctcps, {}},
      {on + "[algorithm]\nname = \"dctcp\"" + dctcp, kDctcps, {}},
      {on + "[algorithm]\nname = \"dcqcn\"" + dctcp,
       kHpccs,
       {"network.ecn: the thresholds of the first profile that has any are taken, 'dcqcn': k_min = 100 KB, k_max = 400 "
        "KB, p_max = 0.2, at_rate = 25 Gbps (HPCC 5.1, p_max of its public simulator); 'tcp' wants k_min = 97.5 KB, "
        "k_max = 97.5 KB, p_max = 1, at_rate = 10 Gbps (SIGCOMM'10, 65 packets of 1500 bytes); write k_min and k_max "
        "to choose"}},
      // what is written counts, with the parameters' defaults beside it
      {on + "k_min = \"1 KB\"\n[algorithm]\nname = \"dctcp\"", {{1'000}, {400'000}, 0.2, {25'000'000'000}}, {}},
      {on + "k_max = \"200 KB\"\n[algorithm]\nname = \"dctcp\"", {{100'000}, {200'000}, 0.2, {25'000'000'000}}, {}},
      {on + "at_rate = \"100 Gbps\"\n[algorithm]\nname = \"dctcp\"", {{97'500}, {97'500}, 1, {100'000'000'000}}, {}},
      {on + "p_max = 0.5\n[algorithm]\nname = \"dctcp\"", {{97'500}, {97'500}, 0.5, {10'000'000'000}}, {}},
      // switches do not mark
      {"[algorithm]\nname = \"hpcc\"", kHpccs, {}},
  };
  for (const auto& [text, chosen, notices] : cases) {
    SCOPED_TRACE(text);
    const Scenario s = load_scenario(kEcnStar + text, "a.toml");
    EXPECT_EQ(s.ecn.k_min, chosen.k_min);
    EXPECT_EQ(s.ecn.k_max, chosen.k_max);
    EXPECT_EQ(s.ecn.p_max, chosen.p_max);
    EXPECT_EQ(s.ecn.at_rate, chosen.at_rate);
    EXPECT_EQ(told(s), notices);
    // the effective scenario says all of it, and has nothing to choose
    const std::string toml = effective(s).toml;
    const Scenario again = load_scenario(toml, "b.toml");
    EXPECT_EQ(again.ecn.k_min, chosen.k_min);
    EXPECT_EQ(again.ecn.at_rate, chosen.at_rate);
    EXPECT_EQ(told(again), std::vector<std::string>{});
    EXPECT_EQ(effective(again).toml, toml);
  }
}

TEST(EcnThresholds, TheEffectiveScenarioSaysWhose) {
  const auto toml = [](const std::string& text) { return effective(load_scenario(kEcnStar + text, "a.toml")).toml; };
  const std::string on = "[network.ecn]\nenabled = true\n";
  const auto has = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  EXPECT_TRUE(
      has(toml(on + "[algorithm]\nname = \"dctcp\""),
          "[network.ecn]\n# thresholds that come with dctcp: SIGCOMM'10, 65 packets of 1500 bytes\nenabled = true"));
  EXPECT_FALSE(has(toml(on + "k_min = \"1 KB\"\n[algorithm]\nname = \"dctcp\""), "thresholds that come"));
  EXPECT_FALSE(has(toml("[algorithm]\nname = \"dctcp\""), "thresholds that come"));
}

TEST(Preset, OfAnotherAlgorithmIsTold) {
  const std::string written =
      kEcnStar + "[algorithm]\nname = \"hpcc\"\npreset = \"paper\"\n[network.ecn]\nenabled = true\n";
  const auto notices = [&](const std::vector<std::string>& overrides) {
    return load_scenario(written + "k_min = \"1 KB\"\n", "a.toml", overrides).notices;
  };
  const std::vector<std::string> told{
      "--set algorithm.name: 'dcqcn' instead of 'hpcc', for which a.toml:9 names the preset 'paper'; taken is that of "
      "'dcqcn', Zhu et al., SIGCOMM'15; R_HAI and R_min as in its authors' simulator; set algorithm.preset for another "
      "one, hpcc, paper, vendor, 55-50, 300-4, 900-4"};
  const std::vector<std::string> none;
  EXPECT_EQ(notices({"algorithm.name=dcqcn"}), told);
  EXPECT_EQ(notices({"algorithm.name=dctcp", "algorithm.name=dcqcn"}), told);
  EXPECT_EQ(notices({}), none);
  EXPECT_EQ(notices({"algorithm.name=hpcc"}), none);
  EXPECT_EQ(notices({"algorithm.name=dcqcn", "algorithm.name=hpcc"}), none);
  EXPECT_EQ(notices({"algorithm.name=dcqcn", "algorithm.preset=paper"}), none);
  EXPECT_EQ(notices({"algorithm.preset=paper", "algorithm.name=dcqcn"}), none);
  EXPECT_EQ(notices({"algorithm={name=\"dcqcn\", preset=\"paper\"}"}), none);
  EXPECT_EQ(notices({"algorithm.name=dcqcn", "algorithm.preset="}), none);

  // a study sets keys as well
  const auto in_study = [&](bool with_preset) {
    Value document = parse_toml(written, "a.toml");
    set_key(document, "algorithm.name", Value{{"study.toml", 4}, std::string("dcqcn")});
    const Value preset{Where{"study.toml", 4}, std::string("paper")};
    if (with_preset) set_key(document, "algorithm.preset", preset);
    return read_scenario(document, "a.toml").notices;
  };
  EXPECT_EQ(in_study(true), none);
  ASSERT_EQ(in_study(false).size(), 1u);
  EXPECT_TRUE(in_study(false)[0].starts_with("study.toml:4: 'dcqcn' instead of 'hpcc', for which a.toml:9 names"));
}

}  // namespace
}  // namespace weir::scenario
