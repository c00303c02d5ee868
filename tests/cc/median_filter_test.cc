#include "weir/cc/median_filter.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <vector>

#include "weir/base/random.h"

namespace weir::cc::median_filter_test {
namespace {

double last_of(const MedianFilter::Params& p, std::size_t h, const std::vector<double>& signals) {
  MedianFilter filter;
  double out = 0;
  for (const double s : signals) out = filter.observe(p, s, h);
  return out;
}

TEST(MedianFilter, TakesTheMiddle) {
  EXPECT_EQ(last_of({}, 3, {5, 1, 3}), 3);
  EXPECT_EQ(last_of({}, 3, {9, 9, 5, 1, 3}), 3);
  EXPECT_EQ(last_of({}, 5, {2, 7, 7, 1, 7}), 7);
  // Of an even number, the lower one in the middle: 1 2 8 9.
  EXPECT_EQ(last_of({}, 4, {9, 1, 8, 2}), 2);
  // Fewer than H count as they are.
  EXPECT_EQ(last_of({}, 7, {4}), 4);
  EXPECT_EQ(last_of({}, 7, {4, 3}), 3);
}

TEST(MedianFilter, OfOneIsTheSignalItself) {
  const double tenth = 0.1;  // more digits than a sample keeps
  EXPECT_EQ(last_of({}, 1, {7, tenth}), tenth);
}

// 0 ... 10 in any order: places floor(10 p / 100).
TEST(MedianFilter, TakesPercentiles) {
  const std::vector<double> signals{7, 0, 10, 3, 9, 1, 4, 8, 2, 6, 5};
  for (const auto& [percentile, value] : {std::pair{0.0, 0.0}, {10, 1}, {19, 1}, {50, 5}, {90, 9}, {100, 10}})
    EXPECT_EQ(last_of({.percentile = percentile}, 11, signals), value) << percentile;
}

// Equations 7 to 9. "max(W / 2, 1)" of a window that is no whole number of packets: rounded down.
TEST(MedianFilter, HistoryByTheNyquistRule) {
  const auto swift = [](double w) { return MedianFilter::history({}, w); };
  EXPECT_EQ(swift(0.001), 1u);
  EXPECT_EQ(swift(1), 1u);
  EXPECT_EQ(swift(3.9), 1u);
  EXPECT_EQ(swift(4), 2u);
  EXPECT_EQ(swift(152), 76u);
  EXPECT_EQ(swift(152.7), 76u);
  EXPECT_EQ(swift(1e9), MedianFilter::kCapacity);
  const auto nscc = [](double w) { return MedianFilter::history({.nyquist_most = 8}, w); };
  EXPECT_EQ(nscc(1), 1u);
  EXPECT_EQ(nscc(4), 2u);
  EXPECT_EQ(nscc(7), 3u);
  EXPECT_EQ(nscc(8), 4u);
  EXPECT_EQ(nscc(152), 4u);
  EXPECT_EQ(MedianFilter::history({.history = 9}, 152), 9u);
}

// The newest stay when H shrinks: of 1 2 3 4 5 the last three, with 9.
TEST(MedianFilter, KeepsTheNewestOfAShrinkingHistory) {
  MedianFilter filter;
  for (const double s : {1, 2, 3, 4, 5}) filter.observe({}, s, 5);
  EXPECT_EQ(filter.observe({}, 9, 3), 5);  // 4 5 9
  EXPECT_EQ(filter.size(), 3u);
  EXPECT_EQ(filter.observe({}, 1, 5), 4);  // 1 4 5 9, the lower
}

// Against sorting, with histories that come and go and many equal signals, around the ring many times.
TEST(MedianFilter, AgreesWithSorting) {
  const RandomStream random(1, 2, Purpose::algorithm);
  std::uint64_t draws = 0;
  for (const double percentile : {0.0, 10.0, 50.0, 77.7, 100.0}) {
    MedianFilter filter;
    std::deque<double> kept;
    std::size_t h = 1;
    for (int i = 0; i < 20'000; ++i) {
      if (i % 37 == 0) h = 1 + random.below(draws++, MedianFilter::kCapacity);
      const auto signal = static_cast<double>(random.below(draws++, i % 1000 < 500 ? 20 : 1'000'000));
      kept.push_back(signal);
      while (kept.size() > h) kept.pop_front();
      std::vector<double> sorted(kept.begin(), kept.end());
      std::sort(sorted.begin(), sorted.end());
      const auto place = static_cast<std::size_t>(percentile * static_cast<double>(sorted.size() - 1) / 100);
      ASSERT_EQ(filter.observe({.percentile = percentile}, signal, h), sorted[place]) << i;
    }
  }
}

// Comparators of three: (5 1 3) (9 2 8) (4 7 6) -> 3 8 6 -> 6, where the median is 5. Two that are left give the lower:
// (5 1 3) (9 2) -> 3 2 -> 2.
TEST(MedianFilter, TreeOfComparators) {
  const MedianFilter::Params tree{.selection = MedianFilter::Selection::tree};
  EXPECT_EQ(last_of(tree, 9, {5, 1, 3, 9, 2, 8, 4, 7, 6}), 6);
  EXPECT_EQ(last_of({}, 9, {5, 1, 3, 9, 2, 8, 4, 7, 6}), 5);
  EXPECT_EQ(last_of(tree, 5, {5, 1, 3, 9, 2}), 2);
  EXPECT_EQ(last_of(tree, 4, {5, 1, 3, 9}), 3);
  EXPECT_EQ(last_of(tree, 3, {9, 5, 1, 3}), 3);
}

// Of random signals, what the tree gives lies near the middle; not at it.
TEST(MedianFilter, TreeIsNearTheMedian) {
  const RandomStream random(3, 4, Purpose::algorithm);
  MedianFilter filter;
  std::deque<double> kept;
  double below = 0;
  double worst = 0;
  int n = 0;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    const double signal = static_cast<double>(random.below(i, 1 << 20));
    kept.push_back(signal);
    if (kept.size() > 81) kept.pop_front();
    const double out = filter.observe({.selection = MedianFilter::Selection::tree}, signal, 81);
    if (kept.size() < 81) continue;
    const auto rank = static_cast<double>(std::count_if(kept.begin(), kept.end(), [&](double x) { return x < out; }));
    below += rank;
    worst = std::max(worst, std::abs(rank - 40));
    ++n;
  }
  EXPECT_NEAR(below / n, 40, 1);
  EXPECT_GT(worst, 5);
  EXPECT_LT(worst, 35);
}

}  // namespace
}  // namespace weir::cc::median_filter_test
