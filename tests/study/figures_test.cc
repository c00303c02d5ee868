// Figures of a table that is written by hand, and of result files.
#include "weir/study/figures.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <filesystem>
#include <fstream>
#include <tuple>

#include <fmt/format.h>

#include "tests/support/command.h"
#include "tests/support/star_scenario.h"
#include "weir/figure/document.h"

namespace weir::study {
namespace {

const std::string kFigureStudy = std::string("\n[study]\n") + kStarScenario + R"([[axis]]
name = "algorithm"
key = "algorithm.name"
values = ["hpcc", "timely"]
[[measure]]
name = "p95"
of = "summary"
key = "slowdown.all.p95"
[[measure]]
name = "slow"
of = "flows"
column = "fct_ps"
above = "1 KB"
statistic = "count"
)";

// All runs done, p95 = 1, 2, ... and slow = 10, 20, ...
Measurements table(const std::string& figure) {
  Measurements out = no_measurements(make_plan(parse_study(kFigureStudy + figure, "s.toml")));
  for (std::size_t i = 0; i < out.runs.size(); ++i) {
    const auto v = static_cast<double>(i + 1);
    out.runs[i].status = Record::Status::done;
    out.runs[i].measures = {{v}, {10 * v}};
  }
  return out;
}

std::vector<std::string> names(const figure::Figure& figure) {
  std::vector<std::string> out;
  for (const figure::Series& s : figure.series) out.push_back(s.name);
  return out;
}

// Whoever reads figures.json tells series apart by name.
TEST(Figures, PrintedSeriesHaveNamesOfTheirOwn) {
  const std::string bars = R"(
[[figure]]
id = "a"
kind = "bars"
measure = "p95"
x = "algorithm"
series = "algorithm"
[[figure.printed]]
series = "hpcc"
x = ["hpcc"]
y = [1.1]
[[figure.printed]]
series = "swift"
x = ["timely"]
y = [9]
)";
  const auto figures = make_figures(table(bars), "none");
  EXPECT_EQ(names(figures.at(0)), (std::vector<std::string>{"hpcc", "timely", "hpcc, printed", "swift"}));
  EXPECT_TRUE(figures[0].series[2].printed);
  EXPECT_EQ(figures[0].series[2].y, std::vector<double>{1.1});

  const std::string more = "[[figure.printed]]\nseries = \"hpcc, printed\"\nx = [\"timely\"]\ny = [3]\n";
  EXPECT_EQ(names(make_figures(table(bars + more), "none").at(0)).back(), "hpcc, printed, printed");
}

const std::string kRadar = R"(
[[measure]]
name = "jain"
of = "summary"
key = "fairness.mean_jain"
[[figure]]
id = "a"
kind = "radar"
series = "algorithm"
measures = ["p95", "slow", "jain"]
best = { p95 = 1, slow = 40 }
worst = { p95 = 5 }
)";

// The table with a third measure, of which the second point has no value.
Measurements radar_table(const std::string& figure) {
  Measurements out = table(figure);
  for (std::size_t i = 0; i < out.runs.size(); ++i) out.runs[i].measures.push_back({i == 0 ? 0.75 : kNoValue});
  return out;
}

// A spoke per measure, from its worst to its best; a share needs neither, and what lies beyond stays at the end.
TEST(Figures, ARadarScalesEachMeasure) {
  const std::string printed = "[[figure.printed]]\nseries = \"hpcc\"\nx = [\"p95\", \"jain\"]\ny = [9, 0.5]\n";
  const auto figures = make_figures(radar_table(kRadar + printed), "none");
  const figure::Figure& f = figures.at(0);
  EXPECT_EQ(f.kind, "radar");
  EXPECT_EQ(f.x.categories, (std::vector<std::string>{"p95", "slow", "jain"}));
  EXPECT_EQ(f.caption,
            "From the middle to the rim: p95 5 to 1, slow 0 to 40, jain 0 to 1. What lies beyond is drawn there.");
  ASSERT_EQ(names(f), (std::vector<std::string>{"hpcc", "timely", "hpcc, printed"}));
  EXPECT_EQ(f.series[0].values, (std::vector<double>{1, 10, 0.75}));
  EXPECT_EQ(f.series[0].y, (std::vector<double>{1, 0.25, 0.75}));
  EXPECT_EQ(f.series[1].y[0], 0.75);
  EXPECT_TRUE(std::isnan(f.series[1].y[2]));
  EXPECT_EQ(f.series[2].x, (std::vector<double>{0, 2}));
  EXPECT_EQ(f.series[2].y, (std::vector<double>{0, 0.5}));
  EXPECT_EQ(f.series[2].values, (std::vector<double>{9, 0.5}));
  EXPECT_TRUE(f.of_flows);
  // the report reads it
  const auto read = figure::parse(figure::to_text({"", figures}), "figures.json").figures.at(0);
  EXPECT_EQ(names(read), (std::vector<std::string>{"hpcc", "hpcc, printed", "timely"}));
  EXPECT_EQ(read.series[1].values, f.series[2].values);
}

TEST(Figures, TellsWhatIsWrongWithARadar) {
  const auto complaint = [](std::string from, const std::string& to) -> std::string {
    std::string text = kFigureStudy + kRadar;
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    try {
      parse_study(text.replace(at, from.size(), to), "s.toml");
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  };
  const std::string measures = R"(measures = ["p95", "slow", "jain"])";
  const std::vector<std::tuple<std::string, std::string, std::string>> cases{
      {measures, R"(measures = ["p95", "slow"])", "write the names of three measures at least"},
      {measures, R"(measures = ["p95", "slow", "slow"])", "'slow' is there twice; remove one"},
      {measures, R"(measures = ["p95", "slow", "jane"])", "no measure 'jane' (did you mean 'jain'?); valid is"},
      {"worst = { p95 = 5 }", "worst = { p99 = 5 }", "it is not in measures; remove it, or add it there"},
      {"worst = { p95 = 5 }", "worst = { p95 = \"5\" }", "write a number, in the unit of the measure"},
      {"worst = { p95 = 5 }", "", "the scale of 'p95' has no two ends"},
      {"slow = 40", "slow = 0", "the scale of 'slow' has no two ends"},
      {"series = \"algorithm\"", "", "the axis 'algorithm' is left open"},
      {"series = \"algorithm\"", "series = \"algorithm\"\ny_scale = \"log\"", "y_scale"},
  };
  for (const auto& [from, to, what] : cases)
    EXPECT_NE(complaint(from, to).find(what), std::string::npos) << complaint(from, to);
}

TEST(Figures, APrintedSeriesIsWrittenOnce) {
  const std::string printed = "[[figure.printed]]\nseries = \"HPCC\"\nx = [\"hpcc\"]\ny = [3]\n";
  try {
    table("[[figure]]\nid = \"a\"\nkind = \"bars\"\nmeasure = \"p95\"\nx = \"algorithm\"\n" + printed + printed);
    FAIL() << "it is taken";
  } catch (const InputError& error) {
    EXPECT_STREQ(error.what(),
                 "s.toml:35: key 'figure.0.printed.1.series': there is a printed series 'HPCC' already; write all of "
                 "its values in one");
  }
}

TEST(Figures, ACountHasNoUnit) {
  const auto figures = make_figures(table(R"(
[[figure]]
id = "a"
kind = "bars"
measure = "slow"
x = "algorithm"
)"),
                                    "none");
  EXPECT_EQ(figures.at(0).y.unit, "1");
  EXPECT_EQ(figures[0].series.at(0).y, (std::vector<double>{10, 20}));
}

// What is made of finished flows says so, and each figure of which runs it is.
TEST(Figures, TellTheirRunsAndWhetherTheyAreOfFlows) {
  const struct {
    std::string figure;
    bool of_flows;
    std::size_t runs;
  } cases[] = {
      {"kind = \"bars\"\nmeasure = \"p95\"\nx = \"algorithm\"\n", true, 2},
      {"kind = \"bars\"\nmeasure = \"slow\"\nx = \"algorithm\"\n", true, 2},
      {"kind = \"bars\"\nmeasure = \"sent\"\nx = \"algorithm\"\n", false, 2},
      {"kind = \"bars\"\nmeasure = \"p95\"\nx = \"algorithm\"\nwhere = { algorithm = \"timely\" }\n", true, 1},
  };
  const std::string sent = "[[measure]]\nname = \"sent\"\nof = \"manifest\"\nkey = \"data_packets\"\n";
  for (const auto& c : cases) {
    Measurements t =
        no_measurements(make_plan(parse_study(kFigureStudy + sent + "[[figure]]\nid = \"a\"\n" + c.figure, "s.toml")));
    for (Record& run : t.runs) {
      run.status = Record::Status::done;
      run.measures = {{1}, {10}, {100}};
    }
    const figure::Figure f = make_figures(t, "none").at(0);
    EXPECT_EQ(f.of_flows, c.of_flows) << c.figure;
    EXPECT_EQ(f.runs.size(), c.runs) << c.figure;
  }
}

// "true" in a legend says nothing without its axis.
TEST(Figures, LegendsOfFlagsNameTheirAxis) {
  const std::string axis = "[[axis]]\nname = \"reroute\"\nkey = \"network.reroute\"\nvalues = [true, false]\n";
  const std::string figure =
      "[[figure]]\nid = \"a\"\nkind = \"bars\"\nmeasure = \"p95\"\nx = \"algorithm\"\nseries = \"reroute\"\n";
  const Measurements t = no_measurements(make_plan(parse_study(kFigureStudy + axis + figure, "s.toml")));
  EXPECT_EQ(make_figures(t, "none").at(0).legend, "reroute");
}

// Two flows in 5000 intervals of 1 us, of which the second sends in the first half of them.
TEST(Figures, LongStacksBecomeMeans) {
  const app::Folder folder("weir-study-figures");
  const Measurements t = table("[[figure]]\nid = \"a\"\nkind = \"stack\"\nwhere = { algorithm = \"hpcc\" }\n");
  const std::string run = folder / ("runs/" + t.planned[0].name);
  std::filesystem::create_directories(run);
  {
    std::ofstream rates(run + "/rates.csv");
    rates << "time_ps,flow_id,rate_bps\n";
    for (int i = 0; i < 5000; ++i) {
      rates << fmt::format("{},0,{}\n", (i + 1) * 1'000'000LL, i % 3 == 0 ? 3'000'000'000LL : 0);
      if (i < 2499) rates << fmt::format("{},1,6000000000\n", (i + 1) * 1'000'000LL);
    }
  }
  const figure::Figure f = make_figures(t, folder.path()).at(0);
  EXPECT_EQ(f.caption, "Means of 3 intervals.");
  ASSERT_EQ(f.series.size(), 2u);
  ASSERT_EQ(f.series[0].x.size(), 1667u);
  EXPECT_EQ(f.series[0].x[0], 2e6);
  EXPECT_EQ(f.series[0].y[0], 1e9);
  EXPECT_EQ(f.series[0].y[1665], 1e9);
  EXPECT_EQ(f.series[0].y[1666], 1.5e9) << "of the two that are left";
  EXPECT_EQ(f.series[1].y[832], 6e9);
  EXPECT_EQ(f.series[1].y[833], 0);
}

// Three seeds of p95: 325 and about it, of which the interval is not symmetric.
TEST(Tables, IntervalsAreWrittenOutAndStayAboveTheBound) {
  Measurements t = no_measurements(make_plan(parse_study("[study]\nseeds = 3\n" + std::string(kStarScenario) + R"(
[[axis]]
name = "algorithm"
key = "algorithm.name"
values = ["hpcc"]
[[measure]]
name = "p95"
of = "summary"
key = "slowdown.all.p95"
[[measure]]
name = "sent"
of = "manifest"
key = "data_packets"
[[figure]]
id = "a"
kind = "bars"
measure = "p95"
x = "algorithm"
)",
                                                         "s.toml")));
  for (std::size_t i = 0; i < 3; ++i) {
    t.runs[i].status = Record::Status::done;
    t.runs[i].measures = {{275 + 50 * static_cast<double>(i)}, {123'449 + static_cast<double>(i)}};
  }
  EXPECT_EQ(to_text(t),
            "algorithm  seeds            p95           sent\nhpcc           3  325 -100 +150  123450 +- 2.5\n");
  for (std::size_t i = 0; i < 3; ++i) t.runs[i].measures = {{1 + static_cast<double>(i)}, {0}};
  const std::string csv = points_csv(t);
  const Interval p95 = t.over_seeds(0, 0).value();
  EXPECT_GT(p95.low, 1);
  EXPECT_NE(csv.find("hpcc,3,0,2," + number_text(p95.low) + "," + number_text(p95.high) + ",0,0,0\n"),
            std::string::npos)
      << csv;
  const figure::Figure f = make_figures(t, "none").at(0);
  EXPECT_EQ(f.whiskers, "95 % confidence interval of the mean over 3 seeds");
  EXPECT_EQ(f.y.label, "FCT slowdown, 95th percentile");
  EXPECT_EQ(f.series.at(0).low.at(0), p95.low);
  // of how many values, in the run that has the fewest: a percentile that is the largest of them is marked
  EXPECT_TRUE(f.series[0].few.empty());
  for (std::size_t i = 0; i < 3; ++i) t.runs[i].counts = {static_cast<double>(20 + i), kNoValue};
  const figure::Series marked = make_figures(t, "none").at(0).series.at(0);
  EXPECT_EQ(marked.count.at(0), 20);
  EXPECT_EQ(marked.few, std::vector<std::size_t>{0});
  const auto counts = nlohmann::json::parse(sweep_json(t)).at("counts");
  EXPECT_EQ(counts.dump(), R"({"p95":[{"few":true,"fewest":20,"most":22}]})");
  const std::string json = figure::to_text({"t", make_figures(t, "none")});
  EXPECT_NE(json.find("\"few\""), std::string::npos);
  t.runs[0].counts[0] = 21;
  EXPECT_TRUE(make_figures(t, "none").at(0).series.at(0).few.empty());
  t.runs[1].status = Record::Status::failed;
  // two that say nothing: there is no whisker
  const figure::Figure two = make_figures(t, "none").at(0);
  EXPECT_EQ(two.whiskers, "");
  EXPECT_TRUE(std::isnan(two.series.at(0).low.at(0)));
}

// Picoseconds are for programs.
TEST(Tables, ColumnsHaveOneUnitAndTheBestPointIsMarked) {
  const auto of = [](const std::string& more) {
    return parse_study("[study]\n" + std::string(kStarScenario) + R"(
[[axis]]
name = "algorithm"
key = "algorithm.name"
values = ["hpcc", "timely"]
[[measure]]
name = "wait"
of = "flows"
column = "fct_ps"
statistic = "mean"
)" + more,
                       "s.toml");
  };
  const auto table_of = [&](const std::string& more) {
    Measurements t = no_measurements(make_plan(of(more)));
    for (std::size_t i = 0; i < 2; ++i) {
      t.runs[i].status = Record::Status::done;
      t.runs[i].measures = {{i == 0 ? 5.24e9 : 5.565e9}};
    }
    return t;
  };
  const Measurements t = table_of("");
  EXPECT_EQ(to_text(t),
            "algorithm  seeds    wait [ms]\nhpcc           1  5.24 (best)\ntimely         1        5.565\n");
  EXPECT_EQ(nlohmann::json::parse(sweep_json(t)).at("better").dump(), R"({"wait":"lower"})");
  EXPECT_EQ(nlohmann::json::parse(sweep_json(t)).at("best").dump(), R"({"wait":[0]})");
  EXPECT_EQ(table_of("better = \"higher\"\n").best(0), std::vector<std::size_t>{1});
  EXPECT_TRUE(table_of("scale = -1\n").best(0).empty());
  EXPECT_THROW(of("better = \"small\"\n"), InputError);
}

// Points of different loads do not compete, and those whose intervals overlap are not told apart.
TEST(Tables, TheBestIsOneOfItsTask) {
  const Study study = parse_study("[study]\nseeds = 2\n" + std::string(kStarScenario) + R"(
[[axis]]
name = "size"
key = "traffic.0.size"
values = ["1 KB", "1 MB"]
[[axis]]
name = "algorithm"
key = "algorithm.name"
values = ["hpcc", "timely"]
[[measure]]
name = "wait"
of = "flows"
column = "fct_ps"
statistic = "mean"
)",
                                  "s.toml");
  Measurements t = no_measurements(make_plan(study));
  const double of_runs[] = {10, 10.1, 20, 20.1, 110, 120, 100, 130};
  for (std::size_t i = 0; i < 8; ++i) {
    t.runs[i].status = Record::Status::done;
    t.runs[i].measures = {{of_runs[i]}};
  }
  EXPECT_EQ(t.best(0), std::vector<std::size_t>{0});
}

// Of two seeds that lie a hundredfold apart either way nothing is known.
TEST(Tables, AnIntervalOfAHundredfoldSaysNothing) {
  EXPECT_FALSE(is_informative({391.4, 1.4, 110'391.4, 2}));
  EXPECT_TRUE(is_informative({391.4, 39.14, 3914, 2}));
}

// An interval whose ends say nothing is not shown; how many seeds have a value is, where some have none.
TEST(Tables, WhatTooFewSeedsDoNotTellIsNotShown) {
  Measurements t = no_measurements(make_plan(parse_study("[study]\nseeds = 3\n" + std::string(kStarScenario) + R"(
[[axis]]
name = "algorithm"
key = "algorithm.name"
values = ["hpcc"]
[[measure]]
name = "wait"
of = "flows"
column = "fct_ps"
statistic = "mean"
)",
                                                         "s.toml")));
  for (std::size_t i = 0; i < 2; ++i) {
    t.runs[i].status = Record::Status::done;
    t.runs[i].measures = {{i == 0 ? 1.0 : 321.0}};
  }
  EXPECT_EQ(to_text(t), "algorithm   seeds          wait [ps]\nhpcc       2 of 3  161 n/a (2 seeds)\n");
  const Interval two = t.over_seeds(0, 0).value();
  EXPECT_GT(two.high, 1e7);
  EXPECT_FALSE(is_informative(two));
  // the table for programs has them
  EXPECT_NE(points_csv(t).find("hpcc,2,0,161," + number_text(two.low)), std::string::npos) << points_csv(t);
  t.runs[2].status = Record::Status::done;
  t.runs[2].measures = {{kNoValue}};
  t.runs[1].measures = {{2}};
  EXPECT_NE(to_text(t).find(" (of 2 seeds)\n"), std::string::npos) << to_text(t);
  EXPECT_TRUE(is_informative(t.over_seeds(0, 0).value()));
}

// Web flows of three sizes beside incasts of 50 KB, all slow.
TEST(Figures, SlowdownBySizeOfOneTag) {
  const app::Folder folder("weir-study-by-size");
  const auto figure = [&](const std::string& more) {
    const Measurements t = table(
        "[[figure]]\nid = \"a\"\nkind = \"slowdown-by-size\"\nstatistic = \"p95\"\nwhere = { algorithm = \"hpcc\" }\n" +
        more);
    const std::string run = folder / ("runs/" + t.planned[0].name);
    std::filesystem::create_directories(run);
    std::ofstream(run + "/summary.json") << R"({"slowdown": {"by_size": [
      {"above_bytes": 0, "up_to_bytes": 10000, "count": 20, "p95": 2},
      {"above_bytes": 10000, "up_to_bytes": 100000, "count": 21, "p95": 30},
      {"above_bytes": 100000, "up_to_bytes": null, "count": 1, "p95": 4}],
      "by_equal_count": [{"above_bytes": 0, "up_to_bytes": 50000, "count": 3, "p95": 30},
      {"above_bytes": 50000, "up_to_bytes": 400000, "count": 3, "p95": 4}]}})";
    std::ofstream(run + "/flows.csv")
        << "flow_id,src,dst,size_bytes,start_ps,finish_ps,fct_ps,ideal_fct_ps,slowdown,algorithm,tag,retransmitted_"
           "packets\n"
           "0,1,0,10000,0,10,10,10,2,hpcc,web,0\n1,1,0,50000,0,10,10,10,3,hpcc,web,0\n"
           "2,1,0,50000,0,20,20,10,20,hpcc,incast,0\n3,1,0,50000,0,30,30,10,30,hpcc,incast,0\n"
           "4,1,0,400000,0,40,40,10,4,hpcc,web,0\n5,1,0,50000,0,,,10,,hpcc,web,0\n";
    return make_figures(t, folder.path()).at(0);
  };
  const figure::Figure all = figure("");
  EXPECT_EQ(all.series.at(0).y, (std::vector<double>{2, 30, 4}));
  EXPECT_EQ(all.y.label, "FCT slowdown, 95th percentile");
  ASSERT_EQ(all.runs.size(), 1u);
  EXPECT_NE(figure::to_text({"t", {all}}).find("\"runs\": [\n    \"" + all.runs[0] + "\""), std::string::npos)
      << figure::to_text({"t", {all}});
  EXPECT_NE(figure::to_text({"t", {all}}).find("\"of_flows\": true"), std::string::npos);
  // the open bucket is a step of the same ratio further, and told as what it is
  EXPECT_EQ(all.series[0].x, (std::vector<double>{1e4, 1e5, 1e6}));
  ASSERT_EQ(all.x.named.size(), 1u);
  EXPECT_EQ(all.x.named[0].at, 1e6);
  EXPECT_EQ(all.x.named[0].text, "> 100 KB");
  EXPECT_NE(figure::to_text({"t", {all}}).find("\"text\": \"> 100 KB\""), std::string::npos);
  // of up to 20 flows the 95th percentile is the largest
  EXPECT_EQ(all.series[0].count, (std::vector<double>{20, 21, 1}));
  EXPECT_EQ(all.series[0].few, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(all.x.label, "flow size, up to");

  const figure::Figure web = figure("tag = \"web\"\n");
  EXPECT_EQ(web.series.at(0).x, (std::vector<double>{1e4, 1e5, 1e6}));
  EXPECT_EQ(web.series[0].y, (std::vector<double>{2, 3, 4}));
  EXPECT_EQ(web.series[0].count, (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(web.series[0].few, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(web.y.label, "FCT slowdown of web, 95th percentile");
  const figure::Figure incast = figure("tag = \"incast\"\nuntil = \"1 us\"\n");
  EXPECT_EQ(incast.series.at(0).x, std::vector<double>{1e5});
  EXPECT_EQ(incast.series[0].y, std::vector<double>{30});
  EXPECT_TRUE(figure("tag = \"other\"\n").series.empty());
  // groups of equally many: one and two of three
  const figure::Figure groups = figure("tag = \"web\"\nbuckets = \"equal-count\"\n");
  EXPECT_EQ(groups.series.at(0).x, (std::vector<double>{1e4, 4e5}));
  EXPECT_EQ(groups.series[0].y, (std::vector<double>{2, 4}));
  EXPECT_EQ(groups.series[0].count, (std::vector<double>{1, 2}));
}

// What a filter reads is kept of each run.
TEST(Figures, AFilterReadsFlows) {
  const auto file = [](const std::string& more) {
    return parse_study(kFigureStudy +
                           "[[figure]]\nid = \"a\"\nkind = \"slowdown-by-size\"\nstatistic = \"p50\"\nseries = "
                           "\"algorithm\"\n" +
                           more,
                       "s.toml")
        .figures.at(0)
        .file();
  };
  EXPECT_EQ(file(""), "summary.json");
  EXPECT_EQ(file("tag = \"web\"\n"), "flows.csv");
  EXPECT_EQ(file("up_to = \"1 MB\"\n"), "flows.csv");
}

}  // namespace
}  // namespace weir::study
