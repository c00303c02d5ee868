// How marks and ticks look on paper.
#include <cstdio>
#include <set>

#include "tests/report/helpers.h"

namespace weir::report {
namespace {

// Whiskers that a logarithmic axis has no room for end at it in an arrow, and the figure says so.
TEST(Svg, ClipsWhiskersToTheAxisAndSaysSo) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  SvgWriter writer;
  Figure f{.id = "w", .title = "w", .kind = "lines"};
  f.x.label = "load";
  f.y = {"FCT slowdown", "1", "log", {}};
  f.whiskers = "95 % confidence interval of the mean over 3 seeds";
  f.series.push_back({.name = "a", .x = {1, 2, 3}, .y = {2, 3, 4}, .low = {1.5, -4, 3}, .high = {3, 10, 5}});
  const auto arrows = [&] {
    const std::string svg = writer.svg(f);
    expect_balanced(svg);
    std::size_t polygons = 0;
    for (auto at = svg.find("<polygon"); at != std::string::npos; at = svg.find("<polygon", at + 1)) ++polygons;
    for (auto at = svg.find("<path d="); at != std::string::npos; at = svg.find("<path d=", at + 1)) {
      const std::string shape = svg.substr(at, svg.find('>', at) - at);
      if (std::count(shape.begin(), shape.end(), 'L') == 2 && shape.find('Z') != std::string::npos &&
          shape.find("fill=\"#0072b2\"") != std::string::npos)
        ++polygons;
    }
    EXPECT_EQ(svg.find("An arrow") != std::string::npos, polygons > 0);
    EXPECT_NE(svg.find("Whiskers: 95 % confidence interval of the mean over 3 seeds."), std::string::npos);
    return polygons;
  };
  EXPECT_EQ(arrows(), 1u);
  f.series[0].low[1] = 2;
  EXPECT_EQ(arrows(), 0u);
  f.series[0].high[1] = 1e6;
  EXPECT_EQ(arrows(), 1u);
  f.y.scale = "linear";
  EXPECT_EQ(arrows(), 1u);
}

// The fills of an SVG's marks, in their order, without those of the ground and of whiskers.
std::vector<std::string> fills(const std::string& svg) {
  std::vector<std::string> out;
  for (auto at = svg.find(" fill=\"#"); at != std::string::npos; at = svg.find(" fill=\"#", at + 1)) {
    const std::string tint = svg.substr(at + 7, 7);
    if (tint != "#ffffff" && tint != "#1a1f26" && tint != "#59636e") out.push_back(tint);
  }
  return out;
}

// Bars over names are told apart as series are; over numbers they are one series.
TEST(Svg, BarsOverNamesHaveTheirColours) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  SvgWriter writer;
  Figure f{.id = "b", .title = "b", .kind = "bars"};
  f.x = {"algorithm", "1", "category", {"HPCC", "DCQCN", "Swift"}};
  f.series.push_back({.name = "queue", .x = {0, 1, 2}, .y = {1, 2, 3}});
  EXPECT_EQ(fills(writer.svg(f)), (std::vector<std::string>{"#0072b2", "#d55e00", "#009e73"}));
  f.x.categories = {"0.3", "0.5", "0.7"};
  EXPECT_EQ(fills(writer.svg(f)), std::vector<std::string>(3, "#0072b2"));
}

// Two series of dots at the same places: both are seen, few or many.
TEST(Svg, DotsDoNotHideOthers) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  SvgWriter writer;
  for (const std::size_t n : {10u, 1000u}) {
    Figure f{.id = "s", .title = "s", .kind = "scatter"};
    for (const char* name : {"hpcc", "dcqcn"}) {
      Series s{.name = name};
      for (std::size_t i = 0; i < n; ++i) {
        s.x.push_back(static_cast<double>(i));
        s.y.push_back(static_cast<double>(i));
      }
      f.series.push_back(std::move(s));
    }
    const std::string svg = writer.svg(f);
    if (n == 10) {
      EXPECT_NE(svg.find("stroke=\"#0072b2\""), std::string::npos) << "hollow below the other's";
      continue;
    }
    auto drawn = fills(svg);
    drawn.resize(2 * n);  // the legend comes last
    std::size_t changes = 0;
    for (std::size_t i = 1; i < drawn.size(); ++i) changes += drawn[i] == drawn[i - 1] ? 0 : 1;
    EXPECT_GE(changes, 31u) << "each lies above the other in turn";
  }
}

// The legend shows series as they are drawn: a marker only where the line has some, and its dashes.
TEST(Svg, TheLegendLooksLikeTheLines) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  SvgWriter writer;
  const auto legend = [&](const char* kind, std::size_t points) {
    Figure f{.id = "l", .title = "l", .kind = kind};
    for (const char* name : {"a", "b"}) {
      Series s{.name = name};
      for (std::size_t i = 0; i < points; ++i) {
        s.x.push_back(static_cast<double>(i + 1));
        s.y.push_back(static_cast<double>(i + 1) / static_cast<double>(points));
      }
      f.series.push_back(std::move(s));
    }
    const std::string svg = writer.svg(f);
    expect_balanced(svg);
    EXPECT_NE(svg.find(">b</text>"), std::string::npos);
    const auto at = svg.find("<path d=\"M0 6h26\"");
    EXPECT_NE(at, std::string::npos) << svg;
    return at == std::string::npos ? "" : svg.substr(at);
  };
  const std::string dashed = "stroke=\"#d55e00\" stroke-width=\"2\" stroke-dasharray=\"7 3\"";
  const std::string few = legend("lines", 3);
  EXPECT_NE(few.find("<circle"), std::string::npos);
  EXPECT_NE(few.find(dashed), std::string::npos) << few;
  const std::string many = legend("lines", 61);
  EXPECT_EQ(many.find("<circle"), std::string::npos) << many;
  EXPECT_EQ(many.find("stroke-dasharray"), std::string::npos) << many;
  const std::string steps = legend("steps", 61);
  EXPECT_EQ(steps.find("<circle"), std::string::npos) << steps;
  EXPECT_NE(steps.find(dashed), std::string::npos) << steps;
}

TEST(Svg, NamedTicksAndLongLabels) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  SvgWriter writer;
  Figure f{.id = "t", .title = "t"};
  f.x = {"flow size", "B", "log", {}};
  f.x.named.push_back({1e8, "> 10 MB"});
  f.series.push_back({.name = "a", .x = {1e3, 1e4, 1e5, 1e6, 1e7, 1e8}, .y = {1, 2, 3, 4, 5, 6}});
  EXPECT_NE(writer.svg(f).find("&gt; 10 MB<"), std::string::npos);
  EXPECT_EQ(writer.svg(f).find(">100\u00a0MB<"), std::string::npos);
  // also where the values have no room for ticks of their own
  f.series[0].x = {1e6, 1.1e6, 1.2e6, 1.3e6, 5e7, 1e8};
  EXPECT_NE(writer.svg(f).find("&gt; 10 MB<"), std::string::npos);

  // six buckets in the width of a column: broken, not turned
  f.x = {"flow size", "B", "category", {"≤ 1 KB", "1–10 KB", "10–100 KB", "100 KB – 1 MB", "1–10 MB", "> 10 MB"}};
  f.series[0].x = {0, 1, 2, 3, 4, 5};
  const std::string svg = writer.svg(f);
  EXPECT_NE(svg.find(">100 KB –<"), std::string::npos);
  EXPECT_NE(svg.find(">1 MB<"), std::string::npos);
  EXPECT_EQ(svg.find("matrix(0.8"), std::string::npos);
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t n = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + part.size())) ++n;
  return n;
}

// Not every renderer knows baselines by name: librsvg leaves them out.
TEST(Svg, ShiftsTextByLengths) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  SvgWriter writer;
  Figure f{.id = "t", .title = "Text \"<&>\" \x1b"};
  f.x.label = "load";
  f.y = {"a label that is longer than its axis, so that it stands in two lines", "1", "linear", {}};
  f.whiskers = "what they are";
  for (const char* name : {"a", "b"})
    f.series.push_back({.name = name, .x = {1, 2}, .y = {2, 3}, .low = {1, 2}, .high = {3, 4}});
  const std::string svg = writer.svg(f);
  EXPECT_EQ(svg.find("baseline"), std::string::npos);
  EXPECT_GT(count(svg, "<text "), 8u);
  EXPECT_EQ(count(svg, "<text "), count(svg, "<text dy=\"0.35em\""));
  EXPECT_EQ(svg.find('\x1b'), std::string::npos) << "XML has no place for it";
}

// Shapes of markers: circles come as circles or arcs, of the first series.
std::size_t markers(const std::string& svg) {
  return count(svg, "<circle") + count(svg, "A1 1 0") + count(svg, "A3 3 0") + count(svg, "M1 0A1");
}

TEST(Svg, MarkersStandWhereTheyTell) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  SvgWriter writer;
  const auto drawn = [&](const std::string& kind, std::size_t points, double value) {
    Figure f{.id = "m", .title = "m", .kind = kind};
    Series s{.name = "a"};
    for (std::size_t i = 0; i < points; ++i) {
      s.x.push_back(static_cast<double>(i));
      s.y.push_back(value * static_cast<double>(i + 1));
    }
    f.series.push_back(s);
    return markers(writer.svg(f));
  };
  EXPECT_GT(drawn("lines", 10, 1), 0u);
  EXPECT_EQ(drawn("lines", 400, 1), 0u) << "they would cover the line";
  EXPECT_EQ(drawn("lines", 10, 0), 0u) << "along 0";
  EXPECT_EQ(drawn("steps", 10, 1), 0u);
  EXPECT_GT(drawn("steps", 1, 1), 0u) << "one value has no line";
}

// Where whiskers of two series would stand upon each other.
TEST(Svg, WhiskersOfSeveralSeriesStandBesideEachOther) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  SvgWriter writer;
  Figure f{.id = "w", .title = "w", .kind = "lines"};
  for (const char* name : {"a", "b"})
    f.series.push_back({.name = name, .x = {1, 2}, .y = {2, 3}, .low = {1, 2}, .high = {3, 4}});
  const auto stems = [&] {
    // "M x y L x y" with the same x
    std::set<std::string> places;
    const std::string svg = writer.svg(f);
    for (const char* tint : {"#0072b2", "#d55e00"})
      for (auto at = svg.find("<path d=\"M"); at != std::string::npos; at = svg.find("<path d=\"M", at + 1)) {
        const std::string shape = svg.substr(at + 10, svg.find('>', at) - at - 10);
        double x1 = 0, y1 = 0, x2 = 0, y2 = 0;
        if (shape.find(tint) == std::string::npos) continue;
        if (std::sscanf(shape.c_str(), "%lf %lfL%lf %lf\"", &x1, &y1, &x2, &y2) != 4) continue;
        if (x1 == x2 && std::abs(y1 - y2) > 20) places.insert(fmt::format("{:.2f}", x1));
      }
    return places.size();
  };
  EXPECT_EQ(stems(), 4u);
  f.series.pop_back();
  EXPECT_EQ(stems(), 2u);
}

// As in the tables of a sweep.
TEST(Svg, PercentilesOfFewValuesHaveAStar) {
  if (!available()) GTEST_SKIP() << "this build has no report";
  SvgWriter writer;
  for (const char* kind : {"lines", "bars"}) {
    Figure f{.id = "f", .title = "f", .kind = kind};
    if (f.kind == "bars") f.x = {"load", "1", "category", {"a", "b", "c"}};
    f.series.push_back({.name = "a", .x = {0, 1, 2}, .y = {2, 3, 4}, .count = {50, 200, 70}, .few = {0, 2}});
    const std::string svg = writer.svg(f);
    expect_balanced(svg);
    EXPECT_EQ(count(svg, ">*</text>"), 2u) << kind;
    EXPECT_NE(svg.find("*: too few values in some run:"), std::string::npos) << kind;
    f.series[0].few.clear();
    EXPECT_EQ(count(writer.svg(f), "*"), 0u) << kind;
  }
}

}  // namespace
}  // namespace weir::report
