// How firmly rules are met: by perturbed runs and by intervals over seeds.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "tests/study/two_points.h"
#include "weir/study/firmness.h"
#include "weir/study/paper.h"

namespace weir::study {
namespace {

// True in k of n.
Finding perturbed(std::uint32_t k, std::uint32_t n) {
  std::vector<Perturbed> runs;
  for (std::uint32_t i = 1; i <= n; ++i) runs.push_back({i, i <= k});
  return judge_perturbed(runs);
}

TEST(Firmness, NeedsEightOfNinePerturbedRuns) {
  EXPECT_EQ(perturbed(9, 9), (Finding{Answer::holds, "9 of 9"}));
  EXPECT_EQ(perturbed(8, 9), (Finding{Answer::holds, "8 of 9; not with 9"}));
  EXPECT_EQ(perturbed(7, 9), (Finding{Answer::undecided, "7 of 9; not with 8, 9"}));
  EXPECT_EQ(perturbed(2, 9).answer, Answer::undecided);
  EXPECT_EQ(perturbed(1, 9).answer, Answer::fails);
  EXPECT_EQ(perturbed(0, 9), (Finding{Answer::fails, "0 of 9"}));
}

TEST(Firmness, CountsThePerturbedRunsThatThereAre) {
  EXPECT_EQ(perturbed(7, 7).answer, Answer::holds);
  EXPECT_EQ(perturbed(6, 7).answer, Answer::undecided);
  EXPECT_EQ(perturbed(1, 7).answer, Answer::undecided);
  EXPECT_EQ(perturbed(0, 0), (Finding{Answer::undecided, "nothing could be perturbed"}));
}

Answer over_seeds(std::vector<double> by, bool strict = false) {
  const Compared c{"a >= b", std::move(by), strict};
  return judge_over_seeds(std::vector{c}).answer;
}

TEST(Firmness, IsByTheIntervalOverSeeds) {
  EXPECT_EQ(over_seeds({1, 1.1, 0.9}), Answer::holds);
  EXPECT_EQ(over_seeds({-1, -1.1, -0.9}), Answer::fails);
  EXPECT_EQ(over_seeds({1, 3, -1}), Answer::undecided);
  EXPECT_EQ(over_seeds({1, 5, 0.5}), Answer::undecided);  // true with each, and no more than that
}

TEST(Firmness, OfEqualDifferencesIsByTheirSign) {
  EXPECT_EQ(over_seeds({0, 0, 0}), Answer::holds);
  EXPECT_EQ(over_seeds({0, 0, 0}, true), Answer::fails);
  EXPECT_EQ(over_seeds({2, 2}), Answer::holds);
}

TEST(Firmness, TakesTruthWhereADifferenceIsNoNumber) {
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_EQ(over_seeds({inf, 1, 2}), Answer::holds);
  EXPECT_EQ(over_seeds({NAN, NAN}), Answer::fails);
  EXPECT_EQ(over_seeds({NAN, 1, 1}), Answer::undecided);
  EXPECT_EQ(over_seeds({-inf, -inf, -inf}), Answer::fails);
}

TEST(Firmness, OfOneSeedIsNone) {
  const std::vector<Compared> one{{"a >= b", {3}}, {"b > 0", {0}, true}};
  EXPECT_EQ(judge_over_seeds(one), (Finding{Answer::undecided, "one seed: false"}));
  EXPECT_EQ(judge_over_seeds(std::vector<Compared>{{"a >= b", {3}}}), (Finding{Answer::undecided, "one seed: true"}));
}

TEST(Firmness, OfSeveralComparisonsIsThatOfTheLeastFirmOne) {
  const Compared firm{"firm", {10, 10.1, 9.9}};
  const Compared wide{"wide", {1, 2, 3}};
  const Compared wrong{"wrong", {-1, -1.1, -0.9}};
  EXPECT_EQ(judge_over_seeds(std::vector{firm, wide}).answer, Answer::undecided);
  EXPECT_EQ(judge_over_seeds(std::vector{firm, wide}).firmness,
            "wide: by 2 (-0.484 to 4.48), of 2 comparisons; 3 seeds");
  EXPECT_EQ(judge_over_seeds(std::vector{firm, wide, wrong}).answer, Answer::fails);
  EXPECT_EQ(judge_over_seeds(std::vector{firm}).firmness, "firm: by 10 (9.75 to 10.2); 3 seeds");
}

std::vector<std::string> differences(std::string_view rule) {
  std::vector<std::string> out;
  for (const Comparison& c : comparisons_of(rule)) out.push_back(c.difference());
  return out;
}

TEST(Firmness, FindsTheComparisonsThatARuleJoins) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(differences("a{x} >= 1.6"), (Texts{"(a{x}) - (1.6)"}));
  EXPECT_EQ(differences("a < b && max(a, b) > 2 * c"), (Texts{"(b) - (a)", "(max(a, b)) - (2 * c)"}));
  EXPECT_EQ(differences(R"(a{"x && y < 3", l=2} <= 1)"), (Texts{R"((1) - (a{"x && y < 3", l=2}))"}));
  EXPECT_EQ(differences("a < b || c < d"), Texts{});
  EXPECT_EQ(differences("a == 0 && b < c"), Texts{});
  EXPECT_EQ(differences("(a < b) + (c < d) >= 1"), Texts{});
  EXPECT_EQ(differences("a ? b : c"), Texts{});
}

// With three seeds, unless `more` says otherwise, and without the rule of its claim.
std::string claimed_study(const std::string& more = "seeds = 3\n") {
  return two_points(more) + R"([paper]
paper = "hpcc"
figure = "1"
title = "f"
[[claim]]
id = "A1"
show = ["fct"]
each = { w = "*" }
)";
}
const std::string kPerturbed = claimed_study("perturbed = true\n");

Judgement judged(const std::string& claim, const std::vector<double>& values,
                 const std::string& study = claimed_study()) {
  const PaperStudy paper = parse_paper_study(study + claim, "s.toml");
  return judge(paper.claims.at(0), filled(paper.study, values));
}

TEST(Firmness, OfAStudyIsByItsSeeds) {
  EXPECT_EQ(judged("rule = \"fct > 2\"\n", {3, 3.1, 3.2, 4, 4, 4}).band,
            (Finding{Answer::holds, "fct > 2 for 80 B: by 1.1 (0.852 to 1.35), of 2 comparisons; 3 seeds"}));
  // means with their ranges where there are several values, and how many these are once
  EXPECT_EQ(judged("rule = \"fct > 2\"\n", {3, 3.1, 3.2, 4, 4, 4}).measured,
            "fct = 3.1 ps (3 to 3.2, 3 seeds) for 80 B, 4 ps for 160 B; true in 6 of 6");
  EXPECT_EQ(judged("rule = \"fct > 2\"\n", {3, 3.1, 3.2, 4, 4, 5}).measured,
            "fct = 3.1 ps (3 to 3.2, 3 seeds) for 80 B, 4.333 ps (4 to 5) for 160 B; true in 6 of 6");
  EXPECT_EQ(judged("rule = \"fct > 2\"\n", {3, 3.1, 3.2, 1, 1, 1}).band.answer, Answer::fails);
  EXPECT_EQ(judged("rule = \"fct > 2\"\n", {3, 3.1, 3.2, 1, 3, 2}).band.answer, Answer::undecided);
}

TEST(Firmness, OfARuleThatAsksForAShareIsByTheShareOfEachSeed) {
  const std::string rule = "rule = \"fct > 2\"\nin_share = 0.5\n";
  EXPECT_EQ(judged(rule, {3, 3, 3, 1, 1, 1}).band, (Finding{Answer::holds, "share of elements >= 0.5: by 0; 3 seeds"}));
  EXPECT_EQ(judged(rule, {1, 3, 1, 1, 1, 1}).band.answer, Answer::undecided);
  EXPECT_EQ(judged("rule = \"fct == 3\"\n", {3, 3, 3, 3, 3, 3}).band.answer, Answer::holds);
}

TEST(Firmness, IsToldOfBothRules) {
  const Judgement j = judged("rule = \"fct > 2\"\nliteral = \"fct > 3.5\"\n", {3, 3.1, 3.2, 4, 4, 4});
  EXPECT_EQ(j.band.answer, Answer::holds);
  ASSERT_TRUE(j.literal.has_value());
  EXPECT_EQ(j.literal->answer, Answer::fails);
  EXPECT_FALSE(judged("rule = \"fct > 2\"\n", {3, 3.1, 3.2, 4, 4, 4}).literal.has_value());
}

// All delays, sizes and hosts can be perturbed; T is not written, and all flows start together.
TEST(Firmness, OfAPerturbedStudyIsByItsRuns) {
  const Plan plan = make_plan(parse_study(kPerturbed, "s.toml"));
  ASSERT_EQ(plan.seeds, 7u);
  EXPECT_EQ(plan.runs[0].perturbation, 0u);
  EXPECT_EQ(plan.runs[5].perturbation, 8u);
  EXPECT_EQ(plan.runs[5].name, "80_B+seed1+perturbed8");
  const std::vector<double> values{1, 3, 3, 3, 3, 3, 3, 1, 3, 3, 3, 3, 3, 3};
  const Judgement j = judged("rule = \"fct > 2\"\n", values, kPerturbed);
  EXPECT_EQ(j.band, (Finding{Answer::holds, "6 of 6"}));
  EXPECT_EQ(j.measured,
            "fct = 1 ps for both; true in 0 of 2; not for 80 B, 160 B");  // of the plain run
  const std::vector<double> one_off{3, 3, 3, 3, 3, 3, 1, 3, 3, 3, 3, 3, 3, 3};
  EXPECT_EQ(judged("rule = \"fct > 2\"\n", one_off, kPerturbed).band,
            (Finding{Answer::undecided, "5 of 6; not with 9"}));
}

TEST(Firmness, IsOfSeedsOrOfPerturbedRuns) {
  try {
    parse_study(claimed_study("seeds = 3\nperturbed = true\n"), "s.toml");
    ADD_FAILURE();
  } catch (const InputError& error) {
    EXPECT_NE(std::string(error.what()).find("key 'study.perturbed'"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace weir::study
