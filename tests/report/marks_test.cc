// How marks and ticks look on paper.
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

}  // namespace
}  // namespace weir::report
