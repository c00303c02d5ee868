// The studies of papers/: each can be read and planned, and its claims' rules name what it has.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/study/two_points.h"
#include "weir/study/check.h"
#include "weir/study/paper.h"

namespace weir::study {
namespace {

std::vector<std::string> files() {
  std::vector<std::string> out;
  for (const auto& paper : std::filesystem::directory_iterator("papers")) {
    if (!paper.is_directory() || paper.path().filename() == "scenarios") continue;
    for (const auto& file : std::filesystem::directory_iterator(paper))
      if (file.path().extension() == ".toml") out.push_back(file.path().string());
  }
  std::sort(out.begin(), out.end());
  return out;
}

class Papers : public testing::TestWithParam<std::string> {};

TEST_P(Papers, CanBePlannedAndJudged) {
  const PaperStudy paper = read_paper_study(GetParam());
  EXPECT_TRUE(GetParam().starts_with("papers/causes/") || GetParam().starts_with("papers/" + paper.figure.paper + "/"));
  const Plan plan = make_plan(paper.study);
  EXPECT_FALSE(plan.runs.empty());
  EXPECT_NO_THROW(check_runs(plan, {}));  // its measures and figures take something
  EXPECT_NO_THROW(check_claims(paper, no_measurements(plan)));
  for (const PaperClaim& claim : paper.claims) {
    EXPECT_FALSE(claim.show.empty()) << claim.id << " does not say what was measured";
  }
}

INSTANTIATE_TEST_SUITE_P(Files, Papers, testing::ValuesIn(files()), [](const auto& file) {
  std::string name = file.param;
  std::replace_if(
      name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }, '_');
  return name;
});

const std::string kStudy = two_points("title = \"t\"\n");

// 3 and 4 instead of results.
Measurements filled(const PaperStudy& paper) { return filled(paper.study, {3, 4}); }

TEST(PaperStudy, JudgesByItsRules) {
  const PaperStudy paper = parse_paper_study(kStudy + R"(
[paper]
paper = "hpcc"
figure = "1"
title = "f"
[[claim]]
id = "A1"
rule = 'fct{"160 B"} > fct{"80 B"}'
show = ['fct{"160 B"} - fct{"80 B"}']
[[claim]]
id = "A2"
rule = 'fct{"160 B"} > 10'
show = ['fct{"160 B"}']
)",
                                             "s.toml");
  EXPECT_EQ(paper.figure.figure, "1");
  ASSERT_EQ(paper.claims.size(), 2u);
  const Measurements table = filled(paper);
  const Judgement first = judge(paper.claims[0], table);
  EXPECT_TRUE(first.complete);
  EXPECT_EQ(first.band, (Finding{Answer::undecided, "one seed: true"}));
  EXPECT_EQ(first.measured, R"(fct{"160 B"} - fct{"80 B"} = 1)");
  EXPECT_EQ(judge(paper.claims[1], table).band, (Finding{Answer::undecided, "one seed: false"}));
  EXPECT_FALSE(judge(paper.claims[0], no_measurements(make_plan(paper.study))).complete);
}

TEST(PaperStudy, TellsWhereARuleIsNotTrue) {
  const PaperStudy paper = parse_paper_study(kStudy + R"(
[paper]
paper = "hpcc"
figure = "1"
title = "f"
[[claim]]
id = "A1"
rule = "fct > 3.5"
each = { w = "*" }
show = ["fct"]
)",
                                             "s.toml");
  EXPECT_EQ(judge(paper.claims[0], filled(paper)).measured,
            "fct = 3 ps for 80 B, 4 ps for 160 B; true in 1 of 2; not for 80 B");
}

// Rules know nothing of the axis of worlds, and the second one's judgement stands beside.
TEST(PaperStudy, JudgesInTwoWorlds) {
  const PaperStudy paper = parse_paper_study(kStudy + R"(
[paper]
paper = "rldc"
figure = "1"
title = "f"
worlds = "w"
[[claim]]
id = "D1"
rule = "fct > 3.5"
show = ["fct"]
)",
                                             "s.toml");
  const Measurements table = filled(paper);
  const auto judged = judge_claims(paper, table);
  ASSERT_EQ(judged.size(), 1u);
  EXPECT_EQ(judged[0].band.firmness, "one seed: false");
  EXPECT_EQ(judged[0].measured, "fct = 3 ps");
  ASSERT_TRUE(judged[0].second.has_value());
  EXPECT_EQ(judged[0].second->band.firmness, "one seed: true");
  EXPECT_EQ(judged[0].second->measured, "fct = 4 ps");
  EXPECT_FALSE(judge_claims(paper, no_measurements(make_plan(paper.study)))[0].complete);
}

TEST(PaperStudy, RefusesWhatItDoesNotKnow) {
  const std::string paper = "[paper]\npaper = \"hpcc\"\nfigure = \"1\"\ntitle = \"f\"\n";
  const struct {
    std::string text;
    std::string message;
  } bad[] = {
      {kStudy, "s.toml: key 'paper': missing"},
      {kStudy + "[paper]\npaper = \"hpcc\"\n", "figure"},
      {kStudy + paper + "worlds = \"v\"\n", "key 'paper.worlds': 'v' is no axis of two points"},
      {kStudy + paper + "tier = \"slow\"\n", "key 'paper.tier': must be quick or full"},
      {kStudy + paper + "[[claim]]\nrule = \"1\"\n", "id"},
      {kStudy + paper + "[[claim]]\nid = \"A1\"\n", "rule"},
      {kStudy + paper + "[[claim]]\nid = \"A1\"\nrule = \"1\"\nin_share = 2\n", "in_share"},
      {kStudy + paper + "[[claim]]\nid = \"A1\"\nrule = \"1\"\nshow = \"x\"\n", "must be a list of texts"},
      {kStudy + paper + "[[claim]]\nid = \"A1\"\nrule = \"1\"\neach = \"x\"\n", "each"},
      {kStudy + paper + "[[claim]]\nid = \"A1\"\nrule = \"1\"\neach = { a = [] }\n",
       "must be a list of labels, or \"*\""},
      {kStudy + paper + "[[claim]]\nid = \"A1\"\nrule = \"1\"\n[[claim]]\nid = \"A1\"\nrule = \"1\"\n",
       "there is a claim 'A1' already"},
  };
  for (const auto& [text, message] : bad) {
    try {
      parse_paper_study(text, "s.toml");
      ADD_FAILURE() << "was read: " << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(message), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace weir::study
