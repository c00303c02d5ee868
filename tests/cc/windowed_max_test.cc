#include "weir/cc/windowed_max.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <random>
#include <utility>

namespace weir::cc::windowed_max_test {
namespace {

TEST(WindowedMax, KeepsAPeakForItsWindow) {
  WindowedMax max;
  EXPECT_EQ(max.value(), 0);
  max.add(10, 1, 5);
  max.add(10, 2, 9);
  EXPECT_EQ(max.value(), 9);
  for (std::uint32_t round = 3; round <= 12; ++round) {
    max.add(10, round, 4);
    EXPECT_EQ(max.value(), 9) << round;
  }
  max.add(10, 13, 4);
  EXPECT_EQ(max.value(), 4);
}

TEST(WindowedMax, ASuccessorStandsReady) {
  WindowedMax max;
  max.add(10, 1, 9);
  max.add(10, 4, 7);
  max.add(10, 7, 6);
  for (std::uint32_t round = 8; round <= 11; ++round) max.add(10, round, 1);
  EXPECT_EQ(max.value(), 9);
  max.add(10, 12, 1);
  EXPECT_EQ(max.value(), 7);
  max.add(10, 15, 1);
  EXPECT_EQ(max.value(), 6);
}

TEST(WindowedMax, ALongSilenceForgetsAll) {
  WindowedMax max;
  max.add(10, 1, 9);
  max.add(10, 2, 8);
  max.add(10, 3, 7);
  max.add(10, 14, 1);
  EXPECT_EQ(max.value(), 1);
}

TEST(WindowedMax, RoundsMayWrap) {
  WindowedMax max;
  max.add(10, 0xffff'fffa, 9);
  max.add(10, 4, 3);
  EXPECT_EQ(max.value(), 9);
  max.add(10, 5, 3);
  EXPECT_EQ(max.value(), 3);
}

// Never more than the true maximum of the window, never less than that of its last quarter.
TEST(WindowedMax, IsCloseToTheTrueMaximum) {
  std::mt19937_64 random(7);
  for (int run = 0; run < 200; ++run) {
    WindowedMax max;
    std::deque<std::pair<std::uint32_t, double>> all;
    std::uint32_t round = 100;
    for (int i = 0; i < 300; ++i) {
      round += static_cast<std::uint32_t>(random() % 3 == 0);
      const auto value = static_cast<double>(random() % 1'000);
      max.add(10, round, value);
      all.emplace_back(round, value);
      while (round - all.front().first > 10) all.pop_front();
      double most = 0;
      double lately = 0;
      for (const auto& [r, v] : all) {
        most = std::max(most, v);
        if (round - r <= 2) lately = std::max(lately, v);
      }
      ASSERT_LE(max.value(), most);
      ASSERT_GE(max.value(), lately);
    }
  }
}

}  // namespace
}  // namespace weir::cc::windowed_max_test
