// Figures of a table that is written by hand, and of result files.
#include "weir/study/figures.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include <fmt/format.h>

#include "tests/support/command.h"
#include "tests/support/star_scenario.h"

namespace weir::study {
namespace {

const std::string kStudy = std::string("\n[study]\n") + kStarScenario + R"([[axis]]
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
Table table(const std::string& figure) {
  Table out = empty_table(make_plan(parse_study(kStudy + figure, "s.toml")));
  for (std::size_t i = 0; i < out.runs.size(); ++i) {
    const auto v = static_cast<double>(i + 1);
    out.runs[i].status = Record::Status::done;
    out.runs[i].measures = {{v}, {10 * v}};
  }
  return out;
}

std::vector<std::string> names(const Figure& figure) {
  std::vector<std::string> out;
  for (const FigureSeries& s : figure.series) out.push_back(s.name);
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

// Two flows in 5000 intervals of 1 us, of which the second sends in the first half of them.
TEST(Figures, LongStacksBecomeMeans) {
  const app::Folder folder("weir-study-figures");
  const Table t = table("[[figure]]\nid = \"a\"\nkind = \"stack\"\nwhere = { algorithm = \"hpcc\" }\n");
  const std::string run = folder / ("runs/" + t.planned[0].name);
  std::filesystem::create_directories(run);
  {
    std::ofstream rates(run + "/rates.csv");
    rates << "time_ps,flow_id,rate_bps\n";
    for (int i = 0; i < 5000; ++i) {
      rates << fmt::format("{},0,{}\n", (i + 1) * 1'000'000LL, i % 3 == 0 ? 3e9 : 0);
      if (i < 2499) rates << fmt::format("{},1,6e9\n", (i + 1) * 1'000'000LL);
    }
  }
  const Figure f = make_figures(t, folder.path()).at(0);
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

}  // namespace
}  // namespace weir::study
