#include "weir/study/statistics.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weir::study {
namespace {

double of(std::vector<Counted> values, const char* statistic) {
  return statistic_of(values, parse_statistic(statistic).value());
}

TEST(Statistics, ByHand) {
  const std::vector<Counted> v{{4}, {1}, {3}, {2}};
  EXPECT_EQ(of(v, "mean"), 2.5);
  EXPECT_EQ(of(v, "median"), 3);  // place floor(4 * 0.5) = 2 of 1 2 3 4
  EXPECT_EQ(of(v, "p0"), 1);
  EXPECT_EQ(of(v, "p25"), 2);
  EXPECT_EQ(of(v, "p24.9"), 1);
  EXPECT_EQ(of(v, "p99.9"), 4);
  EXPECT_EQ(of(v, "p100"), 4);
  EXPECT_EQ(of(v, "min"), 1);
  EXPECT_EQ(of(v, "max"), 4);
  EXPECT_EQ(of(v, "count"), 4);
  EXPECT_EQ(of(v, "sum"), 10);
  EXPECT_DOUBLE_EQ(of(v, "std"), std::sqrt(1.25));
  EXPECT_DOUBLE_EQ(of(v, "geomean"), std::pow(24, 0.25));
  EXPECT_TRUE(std::isnan(of({{0}, {1}}, "geomean")));
}

// Values that occur several times are as good as written so often.
TEST(Statistics, CountedValues) {
  EXPECT_EQ(of({{10, 1}, {0, 9}}, "mean"), 1);
  EXPECT_EQ(of({{10, 1}, {0, 9}}, "p89.9"), 0);
  EXPECT_EQ(of({{10, 1}, {0, 9}}, "p90"), 10);
  EXPECT_EQ(of({{10, 1}, {0, 9}}, "std"), 3);
}

TEST(Statistics, OfNothing) {
  EXPECT_EQ(of({}, "count"), 0);
  EXPECT_EQ(of({}, "sum"), 0);
  for (const char* statistic : {"mean", "p50", "min", "max", "std"}) EXPECT_TRUE(std::isnan(of({}, statistic)));
}

TEST(Statistics, RefusesOtherWords) {
  for (const char* word : {"", "p", "p101", "p-1", "p99.95", "pnan", "average", "p5x"})
    EXPECT_FALSE(parse_statistic(word)) << word;
}

TEST(Confidence, ByStudentsT) {
  // n = 3: mean 2, standard deviation 1, t = 4.3027
  const auto three = confidence(std::vector<double>{1, 2, 3});
  EXPECT_EQ(three.mean, 2);
  EXPECT_NEAR(three.high, 2 + 4.3027 / std::sqrt(3.0), 1e-12);
  EXPECT_NEAR(three.low, 2 - 4.3027 / std::sqrt(3.0), 1e-12);
  // 41 values: t of 40 degrees is 2.0211 in the tables
  std::vector<double> many;
  for (int i = 0; i < 41; ++i) many.push_back(i % 2 == 0 ? 1 : -1);
  double squares = 0;
  for (const double v : many) squares += (v - 1.0 / 41) * (v - 1.0 / 41);
  const auto wide = confidence(many);
  EXPECT_NEAR(wide.high - wide.mean, 2.0211 * std::sqrt(squares / 40 / 41), 1e-4);
}

TEST(Confidence, OfOneValueIsUnknownAndOfEqualOnesNothing) {
  const auto one = confidence(std::vector<double>{7});
  EXPECT_EQ(one.mean, 7);
  EXPECT_TRUE(std::isnan(one.low));
  EXPECT_TRUE(std::isnan(one.high));
  const auto equal = confidence(std::vector<double>{0.1, 0.1, 0.1});
  EXPECT_EQ(equal.mean, 0.1);
  EXPECT_EQ(equal.low, 0.1);
  EXPECT_EQ(equal.high, 0.1);
}

}  // namespace
}  // namespace weir::study
