#include "weir/study/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "tests/support/document.h"
#include "weir/result/percentile.h"

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

// Keys of summary.json, by the rule of percentiles that wrote them.
TEST(Statistics, OfAKey) {
  for (const auto& [key, thousandths] : result::kPercentileKeys) {
    const auto statistic = statistic_of_key(key);
    ASSERT_TRUE(statistic) << key;
    EXPECT_EQ(statistic->kind, Statistic::Kind::percentile) << key;
    EXPECT_EQ(statistic->thousandths, thousandths) << key;
  }
  EXPECT_EQ(statistic_of_key("max")->kind, Statistic::Kind::max);
  EXPECT_FALSE(statistic_of_key("above_bytes"));
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

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// n = 3: mean 3, standard deviation 1, half of Student's interval h = 4.3027 / sqrt(3).
TEST(Confidence, StaysWithinBounds) {
  const std::vector<double> values{2, 3, 4};
  const double h = 4.3027 / std::sqrt(3.0);
  const auto above = confidence(values, {1, kInfinity});
  EXPECT_EQ(above.mean, 3);
  EXPECT_EQ(above.count, 3u);
  EXPECT_NEAR(above.low, 1 + 2 * std::exp(-h / 2), 1e-12);
  EXPECT_NEAR(above.high, 1 + 2 * std::exp(h / 2), 1e-12);
  const auto below = confidence(values, {-kInfinity, 5});
  EXPECT_NEAR(below.low, 5 - 2 * std::exp(h / 2), 1e-12);
  EXPECT_NEAR(below.high, 5 - 2 * std::exp(-h / 2), 1e-12);
  // the mean is in the middle of 1 to 5, where log odds are ln(2 / 2)
  const auto both = confidence(values, {1, 5});
  EXPECT_NEAR(both.low, 1 + 4 / (1 + std::exp(h)), 1e-12);
  EXPECT_NEAR(both.high, 1 + 4 / (1 + std::exp(-h)), 1e-12);
}

// Zeros among them, all at the bound, and some beyond what was no bound then.
TEST(Confidence, AtItsBounds) {
  const auto zeros = confidence(std::vector<double>{0, 0, 3}, {0, kInfinity});
  EXPECT_GT(zeros.low, 0);
  EXPECT_LT(zeros.low, 1);
  EXPECT_GT(zeros.high, 1);
  const auto ones = confidence(std::vector<double>{1, 1, 1}, {1, kInfinity});
  EXPECT_EQ(ones.low, 1);
  EXPECT_EQ(ones.high, 1);
  const auto beyond = confidence(std::vector<double>{-2, -1}, {0, kInfinity});
  EXPECT_NEAR(beyond.mean - beyond.low, beyond.high - beyond.mean, 1e-12);
}

// The table of docs/concepts/statistics.md: how often intervals contain the true mean, 1, of values that are 0 or more.
// The draws are the same each time; the comment above the table tells how to write it anew.
TEST(Confidence, ContainsTheMeanAsOftenAsItSays) {
  std::mt19937_64 random(1);
  const auto uniform = [&] { return (static_cast<double>(random() >> 11) + 0.5) * 0x1p-53; };
  const auto lognormal = [&](double sigma) {
    const double normal = std::sqrt(-2 * std::log(uniform())) * std::cos(2 * M_PI * uniform());
    return std::exp(sigma * normal - sigma * sigma / 2);
  };
  const std::vector<std::pair<const char*, std::function<double()>>> kinds{
      {"lognormal, sigma = 0.1", [&] { return lognormal(0.1); }},
      {"lognormal, sigma = 0.6", [&] { return lognormal(0.6); }},
      {"exponential", [&] { return -std::log(uniform()); }}};
  for (const auto& [name, draw] : kinds) {
    std::vector<std::string> bounded;
    std::vector<std::string> students;
    for (const std::size_t n : {2, 3, 5, 10}) {
      constexpr int kTrials = 20'000;
      int within = 0;
      int plain = 0;
      for (int trial = 0; trial < kTrials; ++trial) {
        std::vector<double> values(n);
        for (double& v : values) v = draw();
        const auto contains = [](const Interval& i) { return i.low <= 1 && 1 <= i.high ? 1 : 0; };
        within += contains(confidence(values, {0, kInfinity}));
        plain += contains(confidence(values));
      }
      EXPECT_GT(within, 0.92 * kTrials) << name << ", " << n;
      EXPECT_LT(within, 0.965 * kTrials) << name << ", " << n;
      EXPECT_GT(within, plain - 0.005 * kTrials) << name << ", " << n;
      bounded.push_back(fmt::format("{:.1f} %", 100.0 * within / kTrials));
      students.push_back(fmt::format("{:.1f} %", 100.0 * plain / kTrials));
    }
    bounded.insert(bounded.end(), students.begin(), students.end());
    expect_row("docs/concepts/statistics.md", "intervals that contain the mean", name, bounded);
  }
}

// What weir compare and measures of ratios tell over seeds: the same of a ratio and of its inverse.
TEST(Confidence, OfGeometricMeans) {
  const auto v = geometric_confidence(std::vector<double>{1, 4});
  EXPECT_DOUBLE_EQ(v.mean, 2);
  EXPECT_EQ(v.count, 2u);
  EXPECT_NEAR(std::log(v.high / v.mean), 12.7062 * std::log(2.0), 1e-9);
  EXPECT_NEAR(v.low * v.high, v.mean * v.mean, 1e-9);
  const auto inverse = geometric_confidence(std::vector<double>{1, 0.25});
  EXPECT_DOUBLE_EQ(inverse.mean, 0.5);
  EXPECT_NEAR(inverse.low * v.high, 1, 1e-9);
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
