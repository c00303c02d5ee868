// Study files: what they say, and what is said of bad ones.
#include "weir/study/study.h"

#include <gtest/gtest.h>

#include "tests/support/star_scenario.h"
#include "weir/study/check.h"

namespace weir::study {
namespace {

Study parse(const std::string& text) { return parse_study(text + "\n" + kStarScenario, "s.toml"); }

std::string parse_complaint(const std::string& text) {
  try {
    make_plan(parse(text));
    return "none";
  } catch (const InputError& error) {
    return error.what();
  }
}

std::vector<std::string> names(const Plan& plan) {
  std::vector<std::string> out;
  for (const auto& run : plan.runs) out.push_back(run.name);
  return out;
}

TEST(Study, AxesAreCrossedInOrder) {
  const auto plan = make_plan(parse(R"(
[study]
seeds = [7, 3]
[[axis]]
name = "size"
key = "traffic.0.size"
values = ["1 KB", "2 KB"]
[[axis]]
name = "fan_in"
key = "traffic.0.fan_in"
values = [4, 2]
)"));
  EXPECT_EQ(names(plan), (std::vector<std::string>{"1_KB+4+seed7", "1_KB+4+seed3", "1_KB+2+seed7", "1_KB+2+seed3",
                                                   "2_KB+4+seed7", "2_KB+4+seed3", "2_KB+2+seed7", "2_KB+2+seed3"}));
  EXPECT_EQ(plan.scenario(7).run.seed, 3);
  EXPECT_EQ(plan.study.describe(plan.points[1]), "size=1 KB, fan_in=2");
  EXPECT_EQ(plan.study.axes[0].unit, "B");
  EXPECT_EQ(plan.study.axes[0].points[1].x, 2000);
}

TEST(Study, AxesOfAPairGoInStep) {
  const auto plan = make_plan(parse(R"(
[study]
[[axis]]
name = "a"
pair = "p"
key = "traffic.0.fan_in"
values = [1, 2]
[[axis]]
name = "b"
key = "run.threads"
values = [1, 2]
[[axis]]
name = "c"
pair = "p"
key = "traffic.0.size"
values = ["1 KB", "2 KB"]
)"));
  EXPECT_EQ(names(plan),
            (std::vector<std::string>{"1+1+1_KB+seed1", "1+2+1_KB+seed1", "2+1+2_KB+seed1", "2+2+2_KB+seed1"}));
}

TEST(Study, Ranges) {
  const auto labels = [](const std::string& range) {
    const auto study = parse("[study]\n[[axis]]\nname = \"a\"\nkey = \"run.stop\"\nrange = " + range + "\n");
    std::vector<std::string> out;
    for (const auto& point : study.axes[0].points) out.push_back(point.label);
    return out;
  };
  using List = std::vector<std::string>;
  EXPECT_EQ(labels("{ from = 25, to = 100, step = 25 }"), (List{"25", "50", "75", "100"}));
  EXPECT_EQ(labels("{ from = 0.1, to = 0.3, step = 0.1 }"), (List{"0.1", "0.2", "0.3"}));
  EXPECT_EQ(labels("{ from = -3, to = -1, step = 1 }"), (List{"-3", "-2", "-1"}));
  EXPECT_EQ(labels("{ from = -0.3, to = 0, step = 0.1 }"), (List{"-0.3", "-0.2", "-0.1", "0"}));
  EXPECT_EQ(labels("{ from = 1, to = 9, factor = 2, unit = \"KB\" }"), (List{"1 KB", "2 KB", "4 KB", "8 KB"}));
}

TEST(Study, LaterOverridesWin) {
  const auto plan = make_plan(parse(R"(
[study]
set = { "traffic.0.fan_in" = 1, "traffic.0.size" = "5 KB" }
[[axis]]
name = "a"
[[axis.point]]
label = "x"
set = { "traffic.0.fan_in" = 3 }
)"));
  const auto s = plan.scenario(0);
  EXPECT_EQ(std::get<Bytes>(s.traffic[0].kind->params->find("size")->get(s.traffic[0].params.get())), Bytes{5000});
  EXPECT_EQ(std::get<std::int64_t>(s.traffic[0].kind->params->find("fan_in")->get(s.traffic[0].params.get())), 3);
}

TEST(Study, WhatARunKeeps) {
  const std::string measures = R"(
[[measure]]
name = "m"
of = "flows"
column = "slowdown"
statistic = "max"
)";
  using List = std::vector<std::string>;
  EXPECT_EQ(make_plan(parse("[study]\n" + measures)).kept_files(),
            (List{"flows.csv", "manifest.json", "measures.json", "scenario.toml", "summary.json"}));
  EXPECT_EQ(make_plan(parse("[study]\nkeep = [\"pfc.csv\"]\n" + measures)).kept_files(),
            (List{"manifest.json", "measures.json", "pfc.csv", "scenario.toml", "summary.json"}));
}

TEST(Study, OnlyAndShards) {
  const auto plan = make_plan(parse(R"(
[study]
seeds = 2
[[axis]]
name = "a"
key = "traffic.0.fan_in"
values = [1, 2, 3]
)"));
  using List = std::vector<std::size_t>;
  EXPECT_EQ(runs_with(plan, ""), (List{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(runs_with(plan, "a=2"), (List{2, 3}));
  EXPECT_EQ(runs_with(plan, "a=1,a=3"), (List{0, 1, 4, 5}));
  EXPECT_EQ(shard_of(runs_with(plan, ""), parse_shard("1/4")), (List{0, 4}));
  EXPECT_EQ(shard_of(runs_with(plan, ""), parse_shard("04/4")), (List{3}));
  EXPECT_EQ(shard_of(runs_with(plan, "a=2"), parse_shard("")), (List{2, 3}));
  EXPECT_THROW(runs_with(plan, "b=1"), InputError);
  EXPECT_THROW(runs_with(plan, "a=9"), InputError);
  for (const char* shard : {"0/2", "3/2", "1", "1/", "/2", "1/2x"})
    EXPECT_THROW(parse_shard(shard), InputError) << shard;
}

// What was chosen for want of a word is told once, with the points that it is about.
TEST(Study, NoticesNameTheirPoints) {
  const auto plan = make_plan(parse(R"(
[study]
seeds = 2
[[axis]]
name = "fan_in"
key = "traffic.0.fan_in"
values = [1, 2, 3]
[[axis]]
name = "algorithm"
point = [{ label = "HPCC", set = { "algorithm.name" = "hpcc" } },
         { label = "Swift", set = { "algorithm.name" = "swift", "network.ecn.enabled" = true } }]
)"));
  const auto points = [&](const std::string& only) {
    std::vector<Notice> notices;
    check_runs(plan, runs_with(plan, only), &notices);
    if (notices.size() != 1) return std::to_string(notices.size());
    EXPECT_TRUE(notices[0].text.starts_with("network.ecn: no algorithm of this scenario comes with thresholds"));
    return notices[0].points;
  };
  EXPECT_EQ(points(""), "algorithm=Swift");
  EXPECT_EQ(points("fan_in=1,fan_in=3"), "algorithm=Swift");
  EXPECT_EQ(points("algorithm=Swift"), "all points");
  EXPECT_EQ(points("algorithm=HPCC"), "0");
}

// A value that some point uses is there for that point.
TEST(Study, ValuesWithoutEffectAreThoseOfAllPoints) {
  const auto told = [](const std::string& modes, const std::string& only = "") {
    const auto plan = make_plan(parse(R"(
[study]
set = { "network.buffer.reserve" = "1 KB" }
[[axis]]
name = "mode"
key = "network.buffer.mode"
values = [)" + modes + "]\n"));
    std::vector<Notice> notices;
    check_runs(plan, runs_with(plan, only), &notices);
    std::vector<std::string> out;
    for (const Notice& n : notices)
      if (n.text.find("network.buffer.reserve has no effect") != std::string::npos) out.push_back(n.points);
    return out;
  };
  EXPECT_EQ(told("\"lossy\", \"lossless\""), std::vector<std::string>{});
  EXPECT_EQ(told("\"lossy\", \"per-port\""), std::vector<std::string>{"all points"});
  // what the other point uses is not known here
  EXPECT_EQ(told("\"lossy\", \"lossless\"", "mode=lossy"), std::vector<std::string>{});
}

TEST(Study, SomePointsInFewWords) {
  const std::vector<AxisLabels> axes{{"a", {"x", "y", "z"}}, {"b", {"1", "2"}}};
  const std::vector<std::vector<std::string>> points{{"x", "1"}, {"x", "2"}, {"y", "1"},
                                                     {"y", "2"}, {"z", "1"}, {"z", "2"}};
  EXPECT_EQ(describe_points(axes, points, {0, 1, 2, 3, 4, 5}), "all points");
  EXPECT_EQ(describe_points(axes, points, {1, 3, 5}), "b=2");
  EXPECT_EQ(describe_points(axes, points, {3, 5}), "a=y or z, b=2");
  EXPECT_EQ(describe_points(axes, points, {0, 3}), "a=x, b=1; a=y, b=2");
  EXPECT_EQ(describe_points(axes, points, {0, 1, 2, 5}), "a=x, b=1; a=x, b=2; a=y, b=1; and 1 more");
}

TEST(Study, EstimatesKnowThreads) {
  const auto plan = make_plan(parse(R"(
[study]
[[axis]]
name = "threads"
key = "run.threads"
values = [1, 3]
)"));
  const auto estimates = check_runs(plan, runs_with(plan, ""));
  EXPECT_EQ(estimates[0].threads, 1);
  EXPECT_EQ(estimates[1].threads, 3);
}

const std::string kAxis = "[study]\n[[axis]]\nname = \"a\"\n";
const std::string kMeasure =
    kAxis + "key = \"traffic.0.fan_in\"\nvalues = [1, 2]\n[[measure]]\nname = \"m\"\nof = \"summary\"\nkey = \"x\"\n";

TEST(Study, BadOnesAreRefusedWithTheirPlace) {
  const std::vector<std::pair<std::string, std::string>> list{
      {"", "s.toml: key 'study': missing; a study needs [study]"},
      {"[study]\nseed = 3\n",
       "s.toml:2: key 'study.seed': unknown key (did you mean 'seeds'?); valid is title, scenario, seeds, perturbed, "
       "set, keep"},
      {"[study]\nseeds = []\n", "s.toml:2: key 'study.seeds': it is empty; write at least one"},
      {"[study]\nseeds = [9007199254740992]\n",
       "s.toml:2: key 'study.seeds': a seed is a whole number, 0 to 9007199254740991"},
      {"[study]\nset = { \"run.seed\" = 9007199254740992 }\n",
       "s.toml:2: key 'run.seed': 9007199254740992 is out of range; valid is 0 to 9007199254740991"},
      {"[topology]\nkind = \"star\"\n",
       "s.toml:1: key 'topology': this is a scenario, which 'weir run' runs; a study has a table [study]"},
      {"[study]\n[[axis]]\nname = \"m_low\"\nkey = \"traffic.0.fan_in\"\nvalues = [1]\n[[measure]]\nname = \"m\"\n"
       "of = \"manifest\"\nkey = \"events\"\n",
       "s.toml:7: key 'measure.0.name': there is a column 'm_low' already, of 'm_low'; write another name"},
      {kAxis + "key = \"traffic.0.fan_in\"\nvalues = [1, 2]\n[[measure]]\nname = \"m\"\nof = \"ratio\"\n"
               "statistic = \"geomean\"\nagainst = { a = \"3\" }\n",
       "s.toml:10: key 'measure.0.against': the axis 'a' has no label '3'; valid is 1, 2"},
      {kAxis + "key = \"traffic.0.fan_in\"\nvalues = [1, 2]\n[[measure]]\nname = \"m\"\nof = \"ratio\"\n"
               "statistic = \"geomean\"\n",
       "s.toml:6: key 'measure.0.against': missing; write the point to compare with, like { algorithm = \"HPCC\" }"},
      {"[study]\nseeds = [1, 1]\n", "s.toml:2: key 'study.seeds': 1 comes twice"},
      {"[study]\nscenario = \"a.toml\"\n",
       "s.toml:2: key 'study.scenario': there is a table [scenario] already; keep one"},
      {"[study]\nkeep = \"some\"\n",
       "s.toml:2: key 'study.keep': write \"all\", or a list of files like [\"flows.csv\"]"},
      {"[study]\nset = { \"traffic.0.fanin\" = 3 }\n",
       "s.toml:2: key 'traffic.0.fanin': unknown key (did you mean 'fan_in'?); valid is size, receiver, senders, "
       "fan_in, "
       "flows, start, spread, stagger, stagger_every, kind, tag, profile, completion"},
      {kAxis + "key = \"traffic.0.fan_in\"\nvalues = []\n",
       "s.toml:5: key 'axis.0.values': the axis is empty; write at least one value"},
      {kAxis + "key = \"traffic.1.fan_in\"\nvalues = [1]\n",
       "s.toml:5: key 'traffic.1.fan_in': 'traffic' has no entry '1'; valid is 0 to 0 (at point a=1)"},
      {kAxis + "key = \"traffic.0.fan_in\"\nvalues = [1, true, [2]]\n",
       "s.toml:5: key 'axis.0.values': there is a list in it; write numbers or texts, or [[axis.point]]"},
      {kAxis + "key = \"traffic..fan_in\"\nvalues = [1]\n",
       "s.toml:4: key 'axis.0.key': 'traffic..fan_in' is no key of a scenario; write one like traffic.0.load"},
      {kAxis + "key = \"traffic.0.fan_in\"\nvalues = [2, 2]\n",
       "s.toml:5: key 'axis.0': the label '2' comes twice; write another"},
      {"[study]\nseeds = 2\n[[axis]]\nname = \"a\"\nkey = \"run.seed\"\nvalues = [7, 8]\n",
       "s.toml:6: key 'axis': it sets run.seed, and so do the study's seeds; write one of them"},
      {"[study]\nseeds = 2\n[[figure]]\nid = \"f\"\nkind = \"start-finish\"\nseed = 3\n",
       "s.toml:3: key 'figure.seed': 3 is none of the study's seeds"},
      {kMeasure + "[[figure]]\nid = \"f\"\nkind = \"bars\"\nmeasure = \"m\"\nx = \"a\"\n[[figure.printed]]\n"
                  "series = \"p\"\nx = [3]\ny = [1]\n",
       "s.toml:15: key 'figure.0.printed.x': '3' is neither a label of the axis nor a number"},
      {kMeasure + "[[figure]]\nid = \"f\"\nkind = \"slowdown-by-size\"\nstatistic = \"p95\"\nseries = \"a\"\n"
                  "[[figure.printed]]\nseries = \"p\"\nx = [\"30 KBB\"]\ny = [1]\n",
       "s.toml:15: key 'figure.0.printed.x': '30 KBB' is neither a label of the axis nor a number in B"},
      {"[study]\nseeds = 1000\n" + kAxis.substr(8) + "key = \"x\"\nrange = { from = 1, to = 9999, step = 1 }\n" +
           "[[axis]]\nname = \"b\"\nkey = \"y\"\nrange = { from = 1, to = 9999, step = 1 }\n",
       "s.toml:3: key 'axis': the axes have over 100000 runs together"},
      {kMeasure + "[[measure]]\nname = \"m_low\"\nof = \"summary\"\nkey = \"x\"\n",
       "s.toml:11: key 'measure.1.name': there is a column 'm_low' already, of 'm'; write another name"},
      {kAxis + "key = \"topology.kind\"\nvalues = [\"a b\", \"a_b\"]\n",
       "s.toml:5: key 'axis.0': the label 'a_b' gives a directory the same name as 'a b'; write another"},
      {kAxis + "key = \"x\"\nrange = { from = 3, to = 1, step = 1 }\n",
       "s.toml:5: key 'axis.0.range.to': below from; the range is empty"},
      {kAxis + "key = \"x\"\nrange = { from = 0, to = 1, factor = 2 }\n",
       "s.toml:5: key 'axis.0.range.factor': write a factor above 1, and from above 0"},
      {kAxis + "key = \"x\"\nrange = { from = 0, to = 1e9, step = 0.1 }\n",
       "s.toml:5: key 'axis.0.range.to': over 10000 values; take a larger step"},
      {kAxis + "[[axis.point]]\nlabel = \"x\"\n",
       "s.toml:4: key 'axis.0.point.0.set': missing; write overrides, { \"algorithm.name\" = \"hpcc\" }, or a "
       "scenario"},
      {"[study]\n[[axis]]\nname = \"seed\"\nkey = \"x\"\nvalues = [1]\n",
       "s.toml:3: key 'axis.0.name': 'seed' is a column of the results; write another name"},
      {kMeasure + "[[measure]]\nname = \"m\"\nof = \"manifest\"\nkey = \"x\"\n",
       "s.toml:11: key 'measure.1.name': there is a column 'm' already, of 'm'; write another name"},
      {kMeasure + "[[measure]]\nname = \"n\"\nof = \"flow\"\n",
       "s.toml:12: key 'measure.1.of': unknown source 'flow' (did you mean 'flows'?); valid is summary, manifest, "
       "flows, requests, queues, series, recovery, ratio"},
      {kMeasure + "[[measure]]\nname = \"n\"\nof = \"flows\"\ncolumn = \"slow\"\nstatistic = \"p95\"\n",
       "s.toml:13: key 'measure.1.column': flows.csv has no column of numbers 'slow'; valid is size_bytes, start_ps, "
       "finish_ps, fct_ps, ideal_fct_ps, slowdown, retransmitted_packets"},
      {kMeasure + "[[measure]]\nname = \"n\"\nof = \"flows\"\ncolumn = \"slowdown\"\nstatistic = \"p101\"\n",
       "s.toml:14: key 'measure.1.statistic': unknown statistic 'p101'; valid is mean, geomean, median, p50 or p99.9, "
       "min, max, "
       "count, sum, std"},
      {kMeasure + "[[figure]]\nid = \"f\"\nkind = \"bars\"\nmeasure = \"n\"\nx = \"a\"\n",
       "s.toml:13: key 'figure.0.measure': no measure 'n'; valid is m"},
      {kMeasure + "[[figure]]\nid = \"f\"\nkind = \"bars\"\nmeasure = \"m\"\nx = \"b\"\n",
       "s.toml:14: key 'figure.0.x': no axis 'b'; valid is a"},
      {kMeasure + "[[figure]]\nid = \"f\"\nkind = \"start-finish\"\n",
       "s.toml:10: key 'figure.0.where': the axis 'a' is left open; write where = { a = \"1\" }"},
      {kMeasure + "[[figure]]\nid = \"f\"\nkind = \"start-finish\"\nwhere = { a = 3 }\n",
       "s.toml:13: key 'figure.0.where': the axis 'a' has no label '3'; valid is 1, 2"},
  };
  for (const auto& [text, message] : list) {
    const auto found = parse_complaint(text);
    EXPECT_EQ(found.substr(0, message.size()), message) << text;
  }
}

// What only a whole network knows, and files that no probe writes.
TEST(Study, PointsAreBuiltBeforeAnythingRuns) {
  const auto refused = [](const std::string& text) -> std::string {
    const auto plan = make_plan(parse(text));
    try {
      check_runs(plan, runs_with(plan, ""));
    } catch (const InputError& error) {
      return error.what();
    }
    return "none";
  };
  EXPECT_EQ(refused(kAxis + "key = \"traffic.0.fan_in\"\nvalues = [1, 9]\n"),
            "s.toml:5: key 'traffic.0.fan_in': 9 is out of range; there are 4 senders (at point a=9)");
  EXPECT_EQ(refused("[study]\n[[measure]]\nname = \"q\"\nof = \"queues\"\nstatistic = \"max\"\n"),
            "s.toml:2: measure 'q' reads queue_cdf.csv, which is not written; add [probes.queues] to the scenario, or "
            "set \"probes.queues\" = true");
  EXPECT_EQ(refused("[study]\n[[figure]]\nid = \"f\"\nkind = \"slowdown-by-size\"\nstatistic = \"p95\"\n"
                    "buckets = \"equal-count\"\n"),
            "s.toml:2: figure 'f' draws groups of equal counts; set \"probes.flows.equal_count_buckets\"");
  const std::string flows =
      "[study]\n[[measure]]\nname = \"m\"\nof = \"flows\"\ncolumn = \"fct_ps\"\n"
      "statistic = \"max\"\ntag = ";
  EXPECT_EQ(refused(flows + "\"incats\"\n"),
            "s.toml:2: key 'tag': no traffic has the tag 'incats' (did you mean 'incast'?); valid is incast");
  EXPECT_EQ(refused(flows + "\"incast\"\n"), "none");
  EXPECT_EQ(refused("[study]\nset = { \"probes.queues\" = true }\n[[measure]]\nname = \"q\"\nof = \"queues\"\n"
                    "statistic = \"max\"\n"),
            "none");
}

}  // namespace
}  // namespace weir::study
