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

// Three spokes, and a series with a gap and what was measured.
Figure radar() {
  Figure out{.id = "r", .title = "Radar", .kind = "radar"};
  out.x = {.label = "measure", .scale = "category", .categories = {"utilisation", "fairness", "queue"}};
  out.x.units = {"1", "1", "us"};
  out.y.label = "score";
  out.series.push_back(
      {.name = "PCC-RL", .x = {0, 1, 2}, .y = {0.92, std::nan(""), 0.8}, .values = {0.92, std::nan(""), 20}});
  return out;
}

// Two by two cells, and a line over them.
Figure surface() {
  Figure out{.id = "s", .title = "Surface", .kind = "surface"};
  out.x = {.label = "rate", .scale = "log"};
  out.y = {.label = "load", .scale = "category", .categories = {"low", "high"}};
  out.z = {.label = "factor", .scale = "log", .centre = 1.0};
  out.series.push_back({.name = "factor", .x = {0.1, 1, 0.1, 1}, .y = {0, 0, 1, 1}, .z = {1.2, 1, std::nan(""), 0.9}});
  out.series.push_back({.name = "law", .x = {0.1, 1}, .y = {0, 1}});
  return out;
}

TEST(FigureDocument, RadarsAndSurfacesAreReadAsTheyAreWritten) {
  const std::string text = to_text({"", {radar(), surface()}});
  const Document read = parse(text, "figures.json");
  EXPECT_EQ(to_text(read), text);
  ASSERT_EQ(read.figures.size(), 2u);
  EXPECT_EQ(read.figures[0].x.units, (std::vector<std::string>{"1", "1", "us"}));
  EXPECT_EQ(read.figures[0].series[0].values[2], 20);
  EXPECT_EQ(read.figures[1].z.centre, 1.0);
  EXPECT_EQ(read.figures[1].series[0].z[3], 0.9);
  EXPECT_TRUE(read.figures[1].series[1].z.empty());
  EXPECT_TRUE(has_values(read.figures[1]));
  Figure none = surface();
  none.series.pop_back();
  none.series[0].z.assign(4, std::nan(""));
  EXPECT_FALSE(has_values(none)) << "places are no values";
}

TEST(FigureDocument, TellsWhatIsWrongWithAKind) {
  const auto complaint = [](const Figure& figure) -> std::string {
    try {
      parse(to_text({"", {figure}}), "figures.json");
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing";
  };
  const auto with = [](Figure figure, const auto& change) {
    change(figure);
    return figure;
  };
  const std::string place = "figures.json: figure 1: ";
  struct Case {
    Figure figure;
    std::string what;
  };
  const std::vector<Case> cases{
      {with(radar(), [](Figure& f) { f.kind = "pie"; }),
       "kind: valid is lines, steps, bars, scatter, stack, radar, surface"},
      {with(radar(), [](Figure& f) { f.x.categories.pop_back(); }), "x.units: valid is a list as long as categories"},
      {with(radar(),
            [](Figure& f) {
              f.x.categories.pop_back();
              f.x.units.clear();
            }),
       "x.categories: valid is a list of three names at least"},
      {with(radar(), [](Figure& f) { f.series[0].y[0] = 1.2; }),
       "series 'PCC-RL': y: valid is numbers from 0 to 1, or null"},
      {with(radar(), [](Figure& f) { f.series[0].x[1] = 0; }), "series 'PCC-RL': x: valid is each spoke once"},
      {with(radar(),
            [](Figure& f) {
              f.series[0].y[1] = 0.5;
              f.series[0].z = {1, 1, 1};
            }),
       "series: valid is a list of series without z"},
      {with(surface(), [](Figure& f) { f.series.erase(f.series.begin()); }),
       "series: valid is a list in which exactly one has z"},
      {with(surface(),
            [](Figure& f) {
              f.series[1].z = {1, 1};
            }),
       "series: valid is a list in which exactly one has z"},
      {with(surface(), [](Figure& f) { f.series[0].y[0] = 2; }),
       "series 'factor': y: valid is indices into y.categories, from 0"},
      {with(surface(), [](Figure& f) { f.series[0].z.pop_back(); }),
       "series 'factor': z: valid is a list as long as x"},
      {with(surface(), [](Figure& f) { f.z.centre = 0; }), "z.centre: valid is above 0 on a log scale"},
      {with(study_figure(), [](Figure& f) { f.y = {.label = "y", .scale = "category", .categories = {"a"}}; }),
       "y.scale: valid is linear or log"},
  };
  for (const Case& c : cases) EXPECT_EQ(complaint(c.figure), place + c.what);
}

TEST(Thin, RadarsAndSurfacesStayWhole) {
  for (Figure f : {radar(), surface()}) {
    thin(f, 2);
    EXPECT_EQ(f.series[0].x.size(), f.kind == "radar" ? 3u : 4u);
    EXPECT_EQ(f.caption, "");
  }
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
