// The model of a figure: figures.json written and read back, and figures with fewer points.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "weir/base/error.h"
#include "weir/figure/document.h"
#include "weir/figure/thin.h"

namespace weir::figure {
namespace {

// Has all that a study tells of a figure.
Figure study_figure() {
  const double none = std::nan("");
  Figure out;
  out.id = "p99";
  out.title = "Slowdown";
  out.caption = "Of web.";
  out.kind = "bars";
  out.x = {.label = "load", .unit = "1", .scale = "category", .categories = {"0.3", "0.5"}, .named = {{1, "> 10 MB"}}};
  out.y = {.label = "FCT slowdown", .unit = "1", .scale = "log", .categories = {}, .named = {}};
  out.series.push_back({.name = "HPCC",
                        .x = {0, 1},
                        .y = {12.3456789012, none},
                        .low = {11, none},
                        .high = {13, none},
                        .count = {100, none},
                        .few = {0}});
  add_printed(out, {.name = "HPCC", .x = {0}, .y = {1e20 / 3}});
  out.legend = "algorithm";
  out.whiskers = "95 % confidence interval of the mean over 5 seeds";
  out.runs = {"a", "b"};
  out.of_flows = true;
  return out;
}

// What a study writes is what a report reads, and to write that again gives the same bytes.
TEST(FigureDocument, IsReadAsItIsWritten) {
  const std::string text = to_text({"A study", {study_figure()}});
  const Document read = parse(text, "figures.json");
  EXPECT_EQ(to_text(read), text);
  EXPECT_EQ(read.title, "A study");
  ASSERT_EQ(read.figures.size(), 1u);
  const Figure& f = read.figures[0];
  EXPECT_EQ(f.x.categories, (std::vector<std::string>{"0.3", "0.5"}));
  EXPECT_EQ(f.x.named.at(0).text, "> 10 MB");
  EXPECT_EQ(f.runs, (std::vector<std::string>{"a", "b"}));
  EXPECT_TRUE(f.of_flows);
  ASSERT_EQ(f.series.size(), 2u);
  EXPECT_EQ(f.series[0].y[0], 12.3456789) << "10 digits";
  EXPECT_TRUE(std::isnan(f.series[0].y[1]));
  EXPECT_EQ(f.series[0].few, std::vector<std::size_t>{0});
  EXPECT_EQ(f.series[1].name, "HPCC, printed");
  EXPECT_TRUE(f.series[1].printed);
}

TEST(FigureDocument, HasTwoForms) {
  Figure f = study_figure();
  f.setting = "8 hosts";
  f.series[0].x = {0, 0.25};
  f.series[0].y = {1234567890.4, std::nan("")};
  const Json file = to_json(f, Form::file);
  EXPECT_EQ(file.at("series").at(0).at("x").dump(), "[0.0,0.25]");
  EXPECT_EQ(file.at("series").at(0).at("y").dump(), "[1234567890.0,null]");
  EXPECT_EQ(file.at("runs").size(), 2u);
  EXPECT_EQ(file.at("of_flows"), true);
  const Json drawn = to_json(f, Form::drawn);
  EXPECT_EQ(drawn.at("series").at(0).at("x").dump(), "[0,0.25]");
  EXPECT_EQ(drawn.at("series").at(0).at("y").dump(), "[1234567890,null]");
  EXPECT_EQ(drawn.at("setting"), "8 hosts");
  EXPECT_FALSE(drawn.contains("runs"));
  EXPECT_FALSE(drawn.contains("of_flows"));
}

TEST(FigureDocument, CountsThatNobodyKnowsAreLeftAway) {
  Figure f = study_figure();
  f.series[0].count = {std::nan(""), std::nan("")};
  for (const Form form : {Form::file, Form::drawn}) EXPECT_FALSE(to_json(f, form).at("series").at(0).contains("count"));
}

TEST(Figure, PrintedSeriesGetANameOfTheirOwn) {
  Figure f;
  f.series.push_back({.name = "HPCC"});
  for (int i = 0; i < 2; ++i) add_printed(f, {.name = "HPCC"});
  add_printed(f, {.name = "DCQCN"});
  std::vector<std::string> names;
  for (const Series& s : f.series) names.push_back(s.name);
  EXPECT_EQ(names, (std::vector<std::string>{"HPCC", "HPCC, printed", "HPCC, printed, printed", "DCQCN"}));
  EXPECT_FALSE(has_values(f));
  f.series[0].y = {std::nan(""), 1};
  EXPECT_TRUE(has_values(f));
}

TEST(Thin, KeepsTheExtremesOfEachBin) {
  Series s{.name = "s"};
  for (int i = 0; i < 1'000'000; ++i) {
    s.x.push_back(i);
    s.y.push_back(i % 1000);
  }
  s.y[500'123] = -7;
  s.y[700'321] = 5000;
  ASSERT_TRUE(thin(s, 20'000));
  EXPECT_LE(s.x.size(), 20'002u);
  EXPECT_GE(s.x.size(), 19'000u);
  EXPECT_EQ(s.x.front(), 0);
  EXPECT_EQ(s.x.back(), 999'999);
  EXPECT_TRUE(std::is_sorted(s.x.begin(), s.x.end()));
  EXPECT_EQ(*std::min_element(s.y.begin(), s.y.end()), -7);
  EXPECT_EQ(*std::max_element(s.y.begin(), s.y.end()), 5000);
  Series few{.name = "few", .x = {1, 2}, .y = {1, 2}};
  EXPECT_FALSE(thin(few, 2));
  EXPECT_EQ(few.x.size(), 2u);
}

// Three bins of four points: with one gap, with none, and of gaps alone.
TEST(Thin, KeepsExtremesBesideGaps) {
  const double none = std::nan("");
  Series s{.name = "s", .x = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}};
  s.y = {0.5, 0.2, none, 0.9, 0.4, 0.1, 0.3, 0.2, none, none, none, none};
  ASSERT_TRUE(thin(s, 9));
  EXPECT_EQ(s.x, (std::vector<double>{0, 1, 2, 3, 4, 5, 8, 11}));
  EXPECT_EQ(s.y[1], 0.2);
  EXPECT_TRUE(std::isnan(s.y[2]));
  EXPECT_EQ(s.y[3], 0.9);
}

TEST(Thin, StacksBecomeMeansAndKeepTheirSum) {
  Figure f{.id = "rates", .title = "Rates", .caption = "Of flows.", .kind = "stack"};
  for (const double rate : {1.0, 10.0}) {
    Series s{.name = std::to_string(rate)};
    for (int i = 0; i < 100'000; ++i) {
      s.x.push_back(i);
      s.y.push_back(rate * (i % 2));
    }
    f.series.push_back(std::move(s));
  }
  thin(f, 2'000);
  EXPECT_EQ(f.caption, "Of flows. Means of 50 intervals.");
  for (std::size_t k = 0; k < 2; ++k) {
    ASSERT_EQ(f.series[k].x.size(), 2'000u);
    EXPECT_EQ(f.series[k].x[1], 74.5);
    EXPECT_EQ(f.series[k].y, std::vector<double>(2'000, k == 0 ? 0.5 : 5));
  }
  thin(f, 2'000);
  EXPECT_EQ(f.caption, "Of flows. Means of 50 intervals.") << "it is short enough";
}

// Every third of eight points, with all that stands at it.
TEST(Thin, KeepsEveryKthPoint) {
  Series s{.name = "s"};
  for (int i = 0; i < 8; ++i)
    for (auto* values : {&s.x, &s.y, &s.low, &s.high, &s.count}) values->push_back(i);
  s.few = {1, 3, 7};
  EXPECT_FALSE(thin(s, 8, Keep::every_kth));
  ASSERT_TRUE(thin(s, 3, Keep::every_kth));
  for (const auto* values : {&s.x, &s.y, &s.low, &s.high, &s.count}) EXPECT_EQ(*values, (std::vector<double>{0, 3, 6}));
  EXPECT_EQ(s.few, std::vector<std::size_t>{1});
}

}  // namespace
}  // namespace weir::figure
