// Rules over a table that is written by hand.
#include "weir/study/rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/support/star_scenario.h"

namespace weir::study {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Loads 0.3 and 0.5, HPCC and DCTCP, two seeds; p95 is a value and list a list of two.
Measurements table() {
  const auto plan = make_plan(parse_study(std::string("[study]\nseeds = 2\n") + kStarScenario + R"([[axis]]
name = "load"
key = "traffic.0.fan_in"
values = [3, 4]
[[axis]]
name = "algorithm"
[[axis.point]]
label = "HPCC"
set = { "algorithm.name" = "hpcc" }
[[axis.point]]
label = "DCTCP, 10 %"
set = { "algorithm.name" = "dctcp" }
[[measure]]
name = "p95"
of = "summary"
key = "slowdown.all.p95"
[[measure]]
name = "list"
of = "summary"
key = "slowdown.by_size.*.p95"
)",
                                          "s.toml"));
  Measurements out = no_measurements(plan);
  for (std::size_t i = 0; i < out.runs.size(); ++i) {
    out.runs[i].status = Record::Status::done;
    const auto v = static_cast<double>(i);
    out.runs[i].measures = {{v}, {v, 10 * v}};  // p95 by point and seed: 0 1 | 2 3 | 4 5 | 6 7
  }
  return out;
}

Rule rule(const std::string& text, double in_share = 1) { return {{"claims.toml", 9}, text, in_share}; }

TEST(Rule, ComparesPoints) {
  const RuleOutcome v =
      judge(rule("p95{load=4, algorithm=HPCC} - p95{load=3,algorithm=\"DCTCP, 10 %\"} == 2"), table());
  EXPECT_TRUE(v.holds);
  EXPECT_TRUE(v.complete);
  EXPECT_EQ(v.elements, 2);
  EXPECT_EQ(v.share(), 1);
  EXPECT_FALSE(judge(rule("p95{4,HPCC} - p95{3, \"DCTCP, 10 %\"} > 2"), table()).holds);
  EXPECT_TRUE(judge(rule("p95{4,HPCC} >= 1e0 && max(1, 2e-1) < 3"), table()).holds);
}

// 4 > 4.5 is false for the first seed, 5 > 4.5 true for the second.
TEST(Rule, IsTrueInAShareOfSeeds) {
  const RuleOutcome strict = judge(rule("p95{4,HPCC} > 4.5"), table());
  EXPECT_FALSE(strict.holds);
  EXPECT_EQ(strict.share(), 0.5);
  EXPECT_TRUE(judge(rule("p95{4,HPCC} > 4.5", 0.5), table()).holds);
}

// Seeds 4: {4, 40}; 5: {5, 50}, beside the single values 2 and 3.
TEST(Rule, ListsElementByElement) {
  const auto all = evaluate(rule("list{4,HPCC} / p95{3,algorithm=\"DCTCP, 10 %\"}"), table());
  ASSERT_EQ(all.size(), 1u);
  const Evaluation& e = all.front();
  EXPECT_EQ(e.values, (std::vector<double>{2, 20, 5.0 / 3, 50.0 / 3}));
  EXPECT_EQ(e.min, 5.0 / 3);
  EXPECT_EQ(e.max, 20);
  EXPECT_DOUBLE_EQ(e.mean, (2 + 20 + 5.0 / 3 + 50.0 / 3) / 4);
}

TEST(Rule, WhatIsMissingIsNotTrue) {
  Measurements t = table();
  t.runs[4].measures[0] = {kNone};
  const RuleOutcome v = judge(rule("p95{4,HPCC} > 0", 0.5), t);
  EXPECT_EQ(v.missing, 1);
  EXPECT_EQ(v.share(), 0.5);
  EXPECT_TRUE(v.complete);
  EXPECT_TRUE(v.holds);
  t.runs[4].status = Record::Status::failed;
  EXPECT_FALSE(judge(rule("p95{4,HPCC} > 0", 0.5), t).complete);
  EXPECT_FALSE(judge(rule("p95{4,HPCC} > 0", 0.5), t).holds);
}

// p95 of the first seed is 0, 2, 4 and 6, of the second one more.
TEST(Rule, AStarIsAllLabels) {
  EXPECT_EQ(evaluate(rule("max(p95{load=*, HPCC})"), table()).front().values, (std::vector<double>{4, 5}));
  EXPECT_EQ(evaluate(rule("min(p95{4, algorithm=*})"), table()).front().values, (std::vector<double>{4, 5}));
  EXPECT_EQ(evaluate(rule("sum(p95{*})"), table()).front().values, (std::vector<double>{12, 16}));
  EXPECT_EQ(evaluate(rule("max(p95{*, HPCC}, 4.5)"), table()).front().values, (std::vector<double>{4.5, 5}));
}

TEST(Rule, IsLookedAtForEachLabel) {
  Rule grows = rule("p95{4} - p95{3} == 4");
  grows.each = {{"algorithm", {"*"}}};
  const auto all = evaluate(grows, table());
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].labels, (Labels{{"algorithm", "HPCC"}}));
  EXPECT_EQ(all[1].labels, (Labels{{"algorithm", "DCTCP, 10 %"}}));
  EXPECT_TRUE(judge(grows, table()).holds);
  EXPECT_EQ(judge(grows, table()).elements, 4u);

  // true of DCTCP's 6 and 7 alone
  Rule high = rule("p95{4} > 5.5");
  high.each = {{"algorithm", {"HPCC", "DCTCP, 10 %"}}};
  const RuleOutcome v = judge(high, table());
  EXPECT_FALSE(v.holds);
  EXPECT_EQ(v.good, 2u);
  EXPECT_EQ(v.against, (std::vector<Labels>{{{"algorithm", "HPCC"}}}));
  high.in_share = 0.5;
  EXPECT_TRUE(judge(high, table()).holds);
  high.each = {{"algorithm", {"DCTCP, 10 %"}}};
  high.in_share = 1;
  EXPECT_TRUE(judge(high, table()).holds);
}

TEST(Rule, ComparisonsMayBeJoined) {
  EXPECT_TRUE(judge(rule("1 <= p95{4,HPCC} && p95{4,HPCC} <= 5 && (p95{3,HPCC} < 2) == (1 > 0)"), table()).holds);
  EXPECT_TRUE(judge(rule("p95{4,HPCC} > 4.5 ? 1 < 2 : 2 > 1"), table()).holds);
}

// 0 of the first seed and 1 of the second
TEST(Rule, NothingIsTrueOfNothing) {
  EXPECT_EQ(judge(rule("4 / p95{3,HPCC} >= 4"), table()).good, 2u);
  const RuleOutcome v = judge(rule("p95{3,HPCC} / p95{3,HPCC} >= 0"), table());
  EXPECT_EQ(v.good, 1u);
  EXPECT_EQ(v.elements, 2u);
}

TEST(Rule, ListsOfTwoLengthsAreRefused) {
  Measurements t = table();
  t.runs[4].measures[1] = {4, 40, 400};
  t.runs[5].measures[1] = {5, 50, 500};
  try {
    judge(rule("list{4,HPCC} > list{3,HPCC}"), t);
    ADD_FAILURE() << "was judged";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "claims.toml:9: rule 'list{4,HPCC} > list{3,HPCC}': list{4,HPCC} has 3 elements, and list{3,HPCC} has "
                 "2");
  }
}

// Nine of ten.
TEST(Rule, AShareIsReachedExactly) {
  Measurements t = table();
  for (const std::size_t run : {4u, 5u}) t.runs[run].measures[1] = {1, 1, 1, 1, 0, 1, 1, 1, 1, 1};
  EXPECT_TRUE(judge(rule("list{4,HPCC} > 0", 0.9), t).holds);
  EXPECT_FALSE(judge(rule("list{4,HPCC} > 0", 0.91), t).holds);
}

TEST(Rule, EachOfSeveralAxesInTurn) {
  Rule r = rule("p95 >= p95{3, HPCC}");
  r.each = {{"load", {"*"}}, {"algorithm", {"*"}}};
  const auto all = evaluate(r, table());
  ASSERT_EQ(all.size(), 4u);
  EXPECT_EQ(all[1].labels, (Labels{{"load", "3"}, {"algorithm", "DCTCP, 10 %"}}));
  EXPECT_TRUE(judge(r, table()).holds);
  // an expression is told once for each of the labels that it takes
  r.text = "p95{4}";
  EXPECT_EQ(evaluate(r, table()).size(), 2u);
  r.text = "p95{4, HPCC}";
  ASSERT_EQ(evaluate(r, table()).size(), 1u);
  EXPECT_TRUE(evaluate(r, table()).front().labels.empty());
}

TEST(Rule, RunsOfEachLabelHaveToBeThere) {
  Measurements t = table();
  t.runs[7].status = Record::Status::missing;
  Rule r = rule("p95{4} > 0");
  r.each = {{"algorithm", {"*"}}};
  EXPECT_FALSE(judge(r, t).complete);
  r.each = {{"algorithm", {"HPCC"}}};
  EXPECT_TRUE(judge(r, t).complete);
}

TEST(Rule, EachIsChecked) {
  const auto message = [](Rule r) {
    try {
      check(r, table());
    } catch (const InputError& error) {
      return std::string(error.what());
    }
    return std::string("none");
  };
  Rule r = rule("p95{4} > 0");
  EXPECT_NO_THROW(check_expression(rule("p95{4,HPCC} / 2"), table()));
  r.each = {{"algoritm", {"*"}}};
  EXPECT_EQ(message(r), "claims.toml:9: 'each' names an axis 'algoritm', which the study has not");
  r.each = {{"algorithm", {"HPPC"}}};
  EXPECT_EQ(message(r),
            "claims.toml:9: rule 'p95{4} > 0': p95{4}: the axis 'algorithm' has no label 'HPPC' (did you mean "
            "'HPCC'?); valid is HPCC, DCTCP, 10 %");
}

TEST(Rule, BadOnesAreRefusedWithTheirPlace) {
  const std::vector<std::pair<std::string, std::string>> list{
      {"p96{4,HPCC} > 1", "rule 'p96{4,HPCC} > 1': no measure 'p96' (did you mean 'p95'?); valid is p95, list"},
      {"p95{4} > 1", "rule 'p95{4} > 1': p95{4}: the axis 'algorithm' is left open; add algorithm=HPCC"},
      {"p95{4,HPPC} > 1", "rule 'p95{4,HPPC} > 1': p95{4,HPPC}: the study has no label 'HPPC' (did you mean 'HPCC'?)"},
      {"p95{load=5,HPCC} > 1", "rule 'p95{load=5,HPCC} > 1': p95{load=5,HPCC}: the axis 'load' has no label '5'"},
      {"p95{lod=4,HPCC} > 1", "rule 'p95{lod=4,HPCC} > 1': p95{lod=4,HPCC}: no axis 'lod' (did you mean 'load'?)"},
      {"p95{4,3,HPCC} > 1", "rule 'p95{4,3,HPCC} > 1': p95{4,3,HPCC}: two labels of the axis 'load'; keep one"},
      {"p95 > 1", "rule 'p95 > 1': p95: the axis 'load' is left open"},
      {"p95{4,HPCC} = 1", "rule 'p95{4,HPCC} = 1': '=' is no comparison"},
      {"1 <= p95{4,HPCC} <= 2", "rule '1 <= p95{4,HPCC} <= 2': two comparisons in a chain; write a <= b && b <= c"},
      {"(1 < p95{4,HPCC} == 2)", "rule '(1 < p95{4,HPCC} == 2)': two comparisons in a chain"},
      {"p95{4,HPCC > 1", "rule 'p95{4,HPCC > 1': a '{' without its '}'"},
      {"p95{4,\"HPCC} > 1", "rule 'p95{4,\"HPCC} > 1': a label in quotes does not end"},
      {"p95{4,HPCC} >", "rule 'p95{4,HPCC} >': Unexpected end of expression"},
      {"foo > 1", "rule 'foo > 1': Unexpected token \"foo"},
      {"p95{4,HPCC}", "rule 'p95{4,HPCC}': it compares no measure with anything"},
      {"1 < 2", "rule '1 < 2': it compares no measure with anything"},
      {"p95{4,HPCC} > (", "rule 'p95{4,HPCC} > (': Unexpected end of expression"},
      {std::string(500, '('), "rule '" + std::string(100, '(') + "...': "},
      {"p95{*} > 1", "rule 'p95{*} > 1': a comma, or a label '*', outside min() and max()"},
      {"p95{load=*, load=3, HPCC} > 1",
       "rule 'p95{load=*, load=3, HPCC} > 1': p95{load=*, load=3, HPCC}: two labels of the axis 'load'; keep one"},
      {"p95{load=*} > 1", "rule 'p95{load=*} > 1': p95{load=*}: the axis 'algorithm' is left open"},
      {"1, 2", "rule '1, 2': a comma, or a label '*', outside min() and max()"},
      {"", "rule '': "},
  };
  for (const auto& [text, message] : list) {
    std::string found = "none";
    try {
      check(rule(text), table());
    } catch (const InputError& error) {
      found = error.what();
    }
    const std::string wanted = "claims.toml:9: " + message;
    EXPECT_EQ(found.substr(0, wanted.size()), wanted) << text;
  }
  EXPECT_THROW(judge(rule("p95{4,HPCC} + 1"), table()), InputError);  // neither true nor false
}

TEST(Measurements, MeansOverSeeds) {
  const std::string csv = points_csv(table());
  // t of one degree of freedom is 12.7062; the deviation of 0 and 1 from 0.5 gives 0.5 * 12.7062
  EXPECT_EQ(csv.substr(0, csv.find("3,\"DCTCP")),
            "load,algorithm,seeds,unfinished,p95,p95_low,p95_high\n3,HPCC,2,0,0.5,-5.8531,6.8531\n");
}

}  // namespace
}  // namespace weir::study
