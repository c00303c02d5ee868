#include "weir/probe/statistics.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <vector>

#include "weir/base/random.h"
#include "weir/probe/histogram.h"

namespace weir::probe {
namespace {

TEST(Percentile, IsTheValueAtTheFloorOfNTimesP) {
  const std::vector<int> ten{1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  const std::span<const int> all(ten);
  EXPECT_EQ(percentile(all, 0), 1);
  EXPECT_EQ(percentile(all, 500), 6);
  EXPECT_EQ(percentile(all, 899), 9);
  EXPECT_EQ(percentile(all, 900), 10);
  EXPECT_EQ(percentile(all, 1000), 10);
  EXPECT_EQ(percentile(all.first(1), 500), 1);
  EXPECT_EQ(percentile_place(1000, 999), 999u);
  EXPECT_EQ(percentile_place(1'000'000'000, 999), 999'000'000u);
}

// p99 of 100 values is the one at place 99, the last.
TEST(Percentile, OfFewValuesIsTheLargest) {
  EXPECT_TRUE(is_the_largest(100, 990));
  EXPECT_FALSE(is_the_largest(101, 990));
  EXPECT_TRUE(is_the_largest(1000, 999));
  EXPECT_FALSE(is_the_largest(1001, 999));
  EXPECT_TRUE(is_the_largest(20, 950));
  EXPECT_FALSE(is_the_largest(21, 950));
  EXPECT_TRUE(is_the_largest(2, 500));
  EXPECT_FALSE(is_the_largest(3, 500));
  EXPECT_FALSE(is_the_largest(3, 1000));  // asked for as such
  EXPECT_FALSE(is_the_largest(0, 990));
}

TEST(Distribution, OfValues) {
  std::vector<float> values{4, 1, 3, 2};
  const Distribution d = distribution_of(values);
  EXPECT_EQ(d.count, 4u);
  EXPECT_EQ(d.mean, 2.5);
  EXPECT_EQ(d.p50, 3);
  EXPECT_EQ(d.p95, 4);
  EXPECT_EQ(d.max, 4);
  std::vector<float> none;
  EXPECT_EQ(distribution_of(none).count, 0u);
}

TEST(Jain, KnownVectors) {
  const auto index = [](std::vector<double> x) { return jain(x); };
  EXPECT_EQ(index({1, 1, 1}), 1);
  EXPECT_EQ(index({7}), 1);
  EXPECT_EQ(index({5, 0, 0, 0}), 0.25);
  EXPECT_DOUBLE_EQ(index({1, 2, 3}), 36.0 / 42);
  // RFC 5166 2.3 gives the formula; k of n equal shares have k/n
  EXPECT_DOUBLE_EQ(index({1, 1, 1, 0, 0}), 0.6);
  EXPECT_LT(index({}), 0);
  EXPECT_LT(index({0, 0}), 0);
}

// Values of all magnitudes: every percentile is within 1/128 of the exact one.
TEST(Histogram, StaysWithinItsBound) {
  const RandomStream random(7, 0, Purpose::algorithm);
  for (std::uint64_t round = 0; round < 20; ++round) {
    Histogram h;
    std::vector<std::uint32_t> exact;
    for (std::uint64_t i = 0; i < 3000; ++i) {
      const auto draw = random.bits(round * 3000 + i);
      const auto value = static_cast<std::uint32_t>(draw) >> (draw >> 32) % 32;
      h.add(value);
      exact.push_back(value);
    }
    std::sort(exact.begin(), exact.end());
    for (unsigned p = 0; p <= 1000; p += 7) {
      const double want = percentile(std::span<const std::uint32_t>(exact), p);
      ASSERT_NEAR(h.percentile(p), want, want / 128) << p;
    }
    EXPECT_EQ(h.max(), exact.back());
    EXPECT_EQ(h.count(), exact.size());
  }
}

TEST(Histogram, IsExactWhereABinHoldsOneValue) {
  Histogram h;
  for (const std::uint32_t packets : {0u, 0u, 1u, 2u, 100u}) h.add(packets * 1048);
  EXPECT_EQ(h.percentile(500), 1048);
  const Distribution d = h.distribution();
  EXPECT_EQ(d.p50, 1048);
  EXPECT_EQ(d.p99, 104800);
  EXPECT_EQ(d.max, 104800);
  EXPECT_EQ(d.mean, 103 * 1048 / 5.0);
}

TEST(Histogram, TakesTheWholeRange) {
  Histogram h;
  for (int bit = 0; bit < 32; ++bit) {
    h.add(std::uint32_t{1} << bit);
    h.add((std::uint32_t{1} << bit) - 1);
  }
  h.add(~std::uint32_t{0});
  EXPECT_EQ(h.count(), 65u);
  EXPECT_EQ(h.max(), ~std::uint32_t{0});
  EXPECT_NEAR(h.percentile(1000), 4294967295.0, 4294967295.0 / 128);
}

TEST(Histogram, Merges) {
  Histogram a, b, both;
  for (std::uint32_t i = 0; i < 5000; ++i) {
    (i % 3 == 0 ? a : b).add(i * i);
    both.add(i * i);
  }
  a.merge(b);
  for (const unsigned p : {0u, 500u, 950u, 999u}) EXPECT_EQ(a.percentile(p), both.percentile(p));
  EXPECT_EQ(a.distribution().mean, both.distribution().mean);
}

}  // namespace
}  // namespace weir::probe
