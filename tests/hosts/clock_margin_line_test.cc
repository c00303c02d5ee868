#include "hosts/clock/margin_line.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/hosts/clock_random.h"

namespace weir::hosts::clock {
namespace {

struct Sets {
  std::vector<Dot> upper;
  std::vector<Dot> lower;
};

// Around y = slope x + height, at least `gap` away.
Sets random_sets(Random& random, std::size_t size, double gap, double slope, double height) {
  Sets s;
  for (std::size_t i = 0; i < size; ++i) {
    const double u = random.uniform(-100, 100);
    const double l = random.uniform(-100, 100);
    s.upper.push_back({u, slope * u + height + gap + random.exponential(10)});
    s.lower.push_back({l, slope * l + height - gap - random.exponential(10)});
  }
  const auto by_x = [](const Dot& a, const Dot& b) { return a.x < b.x; };
  std::sort(s.upper.begin(), s.upper.end(), by_x);
  std::sort(s.lower.begin(), s.lower.end(), by_x);
  return s;
}

// Half of the distance that is left along a slope.
double distance(const Sets& s, double slope) {
  double above = std::numeric_limits<double>::infinity();
  double below = -above;
  for (const Dot& d : s.upper) above = std::min(above, d.y - slope * d.x);
  for (const Dot& d : s.lower) below = std::max(below, d.y - slope * d.x);
  return (above - below) / 2;
}

TEST(MarginLine, NoSlopeHasMore) {
  Random random(1);
  for (int round = 0; round < 500; ++round) {
    const Sets s = random_sets(random, 1 + random.below(40), random.uniform(-5, 5), random.uniform(-3, 3), 7);
    const auto line = max_margin(s.upper, s.lower);
    if (!line) continue;
    EXPECT_NEAR(distance(s, line->slope), line->margin, 1e-9);
    for (int i = 0; i < 100; ++i) {
      EXPECT_LE(distance(s, line->slope + random.normal(i < 50 ? 0.01 : 1)), line->margin + 1e-9);
    }
    // the line is as far from either set as it says, and touches what it says
    for (const Dot& d : s.upper) EXPECT_GE(d.y - line->at(d.x), line->margin - 1e-9);
    for (const Dot& d : s.lower) EXPECT_GE(line->at(d.x) - d.y, line->margin - 1e-9);
    for (const std::size_t i : line->upper) EXPECT_NEAR(s.upper[i].y - line->at(s.upper[i].x), line->margin, 1e-9);
    for (const std::size_t i : line->lower) EXPECT_NEAR(line->at(s.lower[i].x) - s.lower[i].y, line->margin, 1e-9);
  }
}

TEST(MarginLine, TakesAnySetsThatMeet) {
  const auto one = max_margin(std::vector<Dot>{{1, 5}}, std::vector<Dot>{{1, 3}});
  ASSERT_TRUE(one);
  EXPECT_EQ(one->y, 4);
  EXPECT_EQ(one->slope, 0);
  EXPECT_EQ(one->margin, 1);
  // points above each other, and on one line
  const std::vector<Dot> upper{{0, 3}, {0, 1}, {0, 2}, {1, 2}, {2, 3}};
  const std::vector<Dot> lower{{0, -1}, {1, 0}, {2, 1}};
  const auto line = max_margin(upper, lower);
  ASSERT_TRUE(line);
  EXPECT_EQ(line->slope, 1);
  EXPECT_EQ(line->margin, 1);
  EXPECT_EQ(line->at(2), 2);
  EXPECT_FALSE(max_margin(std::vector<Dot>{{0, 1}}, std::vector<Dot>{{1, 0}}));
  EXPECT_FALSE(max_margin({}, std::vector<Dot>{{1, 0}}));
}

TEST(MarginLine, HullsStandForTheSets) {
  Random random(3);
  const Sets s = random_sets(random, 300, 2, 0.5, 0);
  Sets hulls;
  for (const std::size_t i : facing_upper(s.upper)) hulls.upper.push_back(s.upper[i]);
  for (const std::size_t i : facing_lower(s.lower)) hulls.lower.push_back(s.lower[i]);
  EXPECT_LT(hulls.upper.size(), 40u);
  const auto all = max_margin(s.upper, s.lower);
  const auto few = max_margin(hulls.upper, hulls.lower);
  ASSERT_TRUE(all && few);
  EXPECT_EQ(all->margin, few->margin);
  EXPECT_EQ(all->slope, few->slope);
}

TEST(Heights, HoldEveryLineThatKeepsTheMargin) {
  Random random(4);
  for (int round = 0; round < 100; ++round) {
    const double slope = random.uniform(-3, 3);
    const Sets s = random_sets(random, 30, 2, slope, 7);
    const auto line = max_margin(s.upper, s.lower);
    ASSERT_TRUE(line);
    for (const double x : {-150.0, 0.0, 50.0, 300.0}) {
      const auto range = heights(s.upper, s.lower, *line, 2, x, 10);
      ASSERT_TRUE(range);
      EXPECT_LE(range->least, slope * x + 7 + 1e-6);
      EXPECT_GE(range->most, slope * x + 7 - 1e-6);
      // and no others: a line at the end of the range exists, one beyond it does not
      const auto fits = [&](double y) {
        for (int step = -2'000; step < 2'000; ++step) {
          const double a = line->slope + 0.001 * step;
          bool good = true;
          for (const Dot& d : s.upper) good = good && d.y - (y + a * (d.x - x)) >= 2 - 1e-9;
          for (const Dot& d : s.lower) good = good && y + a * (d.x - x) - d.y >= 2 - 1e-9;
          if (good) return true;
        }
        return false;
      };
      EXPECT_FALSE(fits(range->most + 0.01));
      EXPECT_FALSE(fits(range->least - 0.01));
    }
    EXPECT_FALSE(heights(s.upper, s.lower, *line, line->margin + 0.1, 0, 10));
  }
}

TEST(SoftMarginLine, DropsWhatIsWrongAndNothingElse) {
  Random random(5);
  for (int round = 0; round < 50; ++round) {
    Sets s = random_sets(random, 200, 5, 0.1, 0);
    const auto clean = max_margin(s.upper, s.lower);
    ASSERT_TRUE(clean);
    const auto untouched = soft_margin(s.upper, s.lower, 10);
    ASSERT_TRUE(untouched);
    EXPECT_TRUE(untouched->dropped_upper.empty() && untouched->dropped_lower.empty());
    EXPECT_EQ(untouched->line.margin, clean->margin);

    // three of them are far on the wrong side
    std::vector<std::size_t> wrong;
    for (const std::size_t i : {20u, 90u, 170u}) {
      wrong.push_back(i);
      s.upper[i].y = 0.1 * s.upper[i].x - random.uniform(20, 60);
    }
    EXPECT_LT(max_margin(s.upper, s.lower)->margin, 0);
    const auto soft = soft_margin(s.upper, s.lower, 10);
    ASSERT_TRUE(soft);
    for (const std::size_t i : wrong) {
      EXPECT_TRUE(std::binary_search(soft->dropped_upper.begin(), soft->dropped_upper.end(), i));
    }
    EXPECT_LE(soft->dropped_upper.size() + soft->dropped_lower.size(), 6u);
    EXPECT_NEAR(soft->line.at(0), 0, 1);
    EXPECT_NEAR(soft->line.slope, 0.1, 0.02);
  }
}

TEST(SoftMarginLine, GivesUpWhereSetsAreMixed) {
  Random random(6);
  Sets s = random_sets(random, 200, 5, 0, 0);
  for (std::size_t i = 0; i < 200; i += 4) s.upper[i].y = random.uniform(-50, 50);
  EXPECT_FALSE(soft_margin(s.upper, s.lower, 10));
}

}  // namespace
}  // namespace weir::hosts::clock
