// Rules over a table that is written by hand.
#include "weir/study/rule.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace weir::study {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Loads 0.3 and 0.5, HPCC and DCTCP, two seeds; p95 is a value and list a list of two.
Table table() {
  const auto plan = make_plan(parse_study(R"(
[study]
seeds = 2
[scenario.topology]
kind = "star"
hosts = 5
[scenario.algorithm]
name = "hpcc"
[[scenario.traffic]]
kind = "incast"
size = "1 KB"
[[axis]]
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
  Table out = empty_table(plan);
  for (std::size_t i = 0; i < out.runs.size(); ++i) {
    out.runs[i].status = Record::Status::done;
    const auto v = static_cast<double>(i);
    out.runs[i].measures = {{v}, {v, 10 * v}};  // p95 by point and seed: 0 1 | 2 3 | 4 5 | 6 7
  }
  return out;
}

Rule rule(const std::string& text, double in_share = 1) { return {{"claims.toml", 9}, text, in_share}; }

TEST(Rule, ComparesPoints) {
  const Verdict v = judge(rule("p95{load=4, algorithm=HPCC} - p95{load=3,algorithm=\"DCTCP, 10 %\"} == 2"), table());
  EXPECT_TRUE(v.holds);
  EXPECT_TRUE(v.complete);
  EXPECT_EQ(v.elements, 2);
  EXPECT_EQ(v.share, 1);
  EXPECT_FALSE(judge(rule("p95{4,HPCC} - p95{3, \"DCTCP, 10 %\"} > 2"), table()).holds);
  EXPECT_TRUE(judge(rule("p95{4,HPCC} >= 1e0 && max(1, 2e-1) < 3"), table()).holds);
}

// 4 > 4.5 is false for the first seed, 5 > 4.5 true for the second.
TEST(Rule, IsTrueInAShareOfSeeds) {
  const Verdict strict = judge(rule("p95{4,HPCC} > 4.5"), table());
  EXPECT_FALSE(strict.holds);
  EXPECT_EQ(strict.share, 0.5);
  EXPECT_TRUE(judge(rule("p95{4,HPCC} > 4.5", 0.5), table()).holds);
}

// Seeds 4: {4, 40}; 5: {5, 50}, beside the single values 2 and 3.
TEST(Rule, ListsElementByElement) {
  const auto e = evaluate(rule("list{4,HPCC} / p95{3,algorithm=\"DCTCP, 10 %\"}"), table());
  EXPECT_EQ(e.values, (std::vector<double>{2, 20, 5.0 / 3, 50.0 / 3}));
  EXPECT_EQ(e.min, 5.0 / 3);
  EXPECT_EQ(e.max, 20);
  EXPECT_DOUBLE_EQ(e.mean, (2 + 20 + 5.0 / 3 + 50.0 / 3) / 4);
}

TEST(Rule, WhatIsMissingIsNotTrue) {
  Table t = table();
  t.runs[4].measures[0] = {kNone};
  const Verdict v = judge(rule("p95{4,HPCC} > 0", 0.5), t);
  EXPECT_EQ(v.missing, 1);
  EXPECT_EQ(v.share, 0.5);
  EXPECT_TRUE(v.complete);
  EXPECT_TRUE(v.holds);
  t.runs[4].status = Record::Status::failed;
  EXPECT_FALSE(judge(rule("p95{4,HPCC} > 0", 0.5), t).complete);
  EXPECT_FALSE(judge(rule("p95{4,HPCC} > 0", 0.5), t).holds);
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
      {"p95{4,HPCC > 1", "rule 'p95{4,HPCC > 1': a '{' without its '}'"},
      {"p95{4,\"HPCC} > 1", "rule 'p95{4,\"HPCC} > 1': a label in quotes does not end"},
      {"p95{4,HPCC} >", "rule 'p95{4,HPCC} >': Unexpected end of expression"},
      {"foo > 1", "rule 'foo > 1': Unexpected token \"foo"},
      {"1, 2", "rule '1, 2': a comma outside braces"},
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

TEST(Table, MeansOverSeeds) {
  const std::string csv = points_csv(table());
  // t of one degree of freedom is 12.7062; the deviation of 0 and 1 from 0.5 gives 0.5 * 12.7062
  EXPECT_EQ(csv.substr(0, csv.find("3,\"DCTCP")),
            "load,algorithm,seeds,p95,p95_low,p95_high\n3,HPCC,2,0.5,-5.8531,6.8531\n");
}

}  // namespace
}  // namespace weir::study
