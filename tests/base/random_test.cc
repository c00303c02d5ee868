#include "weir/base/random.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

namespace weir {
namespace {

RandomStream stream(std::uint64_t seed, std::uint32_t entity, std::uint32_t purpose) {
  return {seed, entity, static_cast<Purpose>(purpose)};
}

// The three vectors of philox4x32-10 that Random123 publishes (tests/kat_vectors). A stream keeps
// the first two words of the block; its counter is {index low, index high, entity, purpose}.
TEST(Random, PhiloxKnownAnswers) {
  EXPECT_EQ(stream(0, 0, 0).bits(0), 0xe169c58d'6627e8d5u);
  EXPECT_EQ(stream(~0ull, ~0u, ~0u).bits(~0ull), 0x41c83b0e'408f276du);
  EXPECT_EQ(stream(0x299f31d0'a4093822u, 0x13198a2eu, 0x03707344u).bits(0x85a308d3'243f6a88u), 0x94fdcceb'd16cfe09u);
}

TEST(Random, PurposesKeepTheirNumbers) {
  EXPECT_EQ(static_cast<int>(Purpose::flow_arrival), 1);
  EXPECT_EQ(static_cast<int>(Purpose::flow_size), 2);
  EXPECT_EQ(static_cast<int>(Purpose::flow_destination), 3);
  EXPECT_EQ(static_cast<int>(Purpose::incast_arrival), 4);
  EXPECT_EQ(static_cast<int>(Purpose::incast_members), 5);
  EXPECT_EQ(static_cast<int>(Purpose::ecn_mark), 6);
  EXPECT_EQ(static_cast<int>(Purpose::ecmp_salt), 7);
  EXPECT_EQ(static_cast<int>(Purpose::algorithm), 8);
  EXPECT_EQ(static_cast<int>(Purpose::permutation), 9);
}

TEST(Random, NoDrawDependsOnAnother) {
  const RandomStream once(7, 3, Purpose::flow_size);
  const auto tenth = once.bits(10);
  RandomStream again(7, 3, Purpose::flow_size);
  for (std::uint64_t i = 100; i-- > 0;) again.bits(i);
  (void)again.exponential(10);
  EXPECT_EQ(again.bits(10), tenth);
}

TEST(Random, SeedEntityPurposeAndIndexAllMatter) {
  std::set<std::uint64_t> seen;
  for (const std::uint64_t seed : {0ull, 1ull, 1ull << 32})
    for (const std::uint32_t entity : {0u, 1u})
      for (const auto purpose : {Purpose::flow_arrival, Purpose::flow_size})
        for (const std::uint64_t index : {0ull, 1ull, 1ull << 32})
          seen.insert(RandomStream(seed, entity, purpose).bits(index));
  EXPECT_EQ(seen.size(), 3u * 2 * 2 * 3);
}

constexpr int kDraws = 200'000;

TEST(Random, UniformFillsTheUnitInterval) {
  const RandomStream random(1, 2, Purpose::ecn_mark);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double u = random.uniform(static_cast<std::uint64_t>(i));
    ASSERT_GE(u, 0);
    ASSERT_LT(u, 1);
    sum += u;
    squares += u * u;
  }
  const double mean = sum / kDraws;
  // Five standard errors.
  EXPECT_NEAR(mean, 0.5, 5 * std::sqrt(1.0 / 12 / kDraws));
  EXPECT_NEAR(squares / kDraws, 1.0 / 3, 5 * std::sqrt(4.0 / 45 / kDraws));
}

TEST(Random, BelowIsEven) {
  const RandomStream random(1, 2, Purpose::flow_destination);
  int count[10] = {};
  for (int i = 0; i < kDraws; ++i) {
    const auto v = random.below(static_cast<std::uint64_t>(i), 10);
    ASSERT_LT(v, 10u);
    ++count[v];
  }
  for (const int c : count) EXPECT_NEAR(c, kDraws / 10, 5 * std::sqrt(kDraws * 0.09));
  EXPECT_EQ(random.below(0, 1), 0u);
  EXPECT_EQ(random.below(5, ~0ull), random.bits(5) - 1);
}

TEST(Random, ExponentialIsMinusTheLogarithm) {
  const RandomStream random(42, 9, Purpose::flow_arrival);
  for (int i = 0; i < kDraws; ++i) {
    const auto index = static_cast<std::uint64_t>(i);
    const double u = static_cast<double>((random.bits(index) >> 11) + 1) * 0x1.0p-53;
    const double expected = -std::log(u);
    ASSERT_NEAR(random.exponential(index), expected, 1e-14 * expected) << "u = " << u;
  }
}

TEST(Random, ExponentialHasMeanAndVarianceOne) {
  const RandomStream random(5, 0, Purpose::flow_arrival);
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double x = random.exponential(static_cast<std::uint64_t>(i));
    ASSERT_GE(x, 0);
    sum += x;
    squares += x * x;
  }
  const double mean = sum / kDraws;
  EXPECT_NEAR(mean, 1, 5 / std::sqrt(kDraws));
  // The variance of the sample variance of an exponential is 8 / n.
  EXPECT_NEAR(squares / kDraws - mean * mean, 1, 5 * std::sqrt(8.0 / kDraws));
}

// These values are part of every digest: they may differ on no compiler and no machine.
TEST(Random, ExponentialIsTheSameEverywhere) {
  EXPECT_EQ(stream(0, 0, 0).exponential(0), 0x1.0497ab7861bc4p-3);
  EXPECT_EQ(stream(1, 2, 3).exponential(4), 0x1.74d37695affb6p-3);
  EXPECT_EQ(stream(~0ull, ~0u, ~0u).exponential(~0ull), 0x1.5bdc36014fbcbp+0);
}

TEST(Random, Mix32) {
  // MurmurHash3's fmix32.
  EXPECT_EQ(mix32(0), 0u);
  EXPECT_EQ(mix32(1), 0x514e28b7u);
  EXPECT_EQ(mix32(0xffffffffu), 0x81f16f39u);
}

}  // namespace
}  // namespace weir
