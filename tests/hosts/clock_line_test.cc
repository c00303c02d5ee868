#include "hosts/clock/line.h"

#include <gtest/gtest.h>

#include <limits>

#include "hosts/clock/test_clock.h"
#include "tests/hosts/clock_random.h"

namespace weir::hosts::clock::clock_line_test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kDay = 86'400 * kSecond;

ClockLine random_line(Random& random) {
  return {static_cast<std::int64_t>(random.uniform(0, 1e16)), static_cast<std::int64_t>(random.uniform(-1e16, 1e16)),
          static_cast<std::int64_t>(random.uniform(-1e6, 1e6)), 5};
}

TEST(ClockLine, IsRight) {
  const ClockLine line{100 * kSecond, -3 * kDay, 32'212, 40};  // 30 us/s
  EXPECT_EQ(offset_at(line, 100 * kSecond), -3 * kDay);
  EXPECT_NEAR(static_cast<double>(offset_at(line, 101 * kSecond) + 3 * kDay), 30'000, 1);
  EXPECT_NEAR(static_cast<double>(offset_at(line, 99 * kSecond) + 3 * kDay), -30'000, 1);
  EXPECT_EQ(moved(line, 101 * kSecond).offset, offset_at(line, 101 * kSecond));
}

TEST(ClockLine, GoesThereAndBack) {
  Random random(1);
  for (int i = 0; i < 10'000; ++i) {
    const ClockLine line = random_line(random);
    const std::int64_t t = line.at + static_cast<std::int64_t>(random.uniform(-1e13, 1e13));
    EXPECT_NEAR(static_cast<double>(to_ours(line, to_theirs(line, t)) - t), 0, 1);
    // a drift is rounded to a nanosecond per second, and again when it is turned round
    const ClockLine back = reversed(line);
    const std::int64_t near = line.at + static_cast<std::int64_t>(random.uniform(-1e9, 1e9));
    EXPECT_NEAR(static_cast<double>(to_theirs(back, to_theirs(line, near)) - near), 0, 3);
  }
}

TEST(ClockLine, IsChained) {
  Random random(2);
  for (int i = 0; i < 10'000; ++i) {
    const ClockLine ab = random_line(random);
    ClockLine bc = random_line(random);
    bc.at = to_theirs(ab, ab.at) + static_cast<std::int64_t>(random.uniform(-1e9, 1e9));
    const ClockLine ac = chained(ab, bc);
    EXPECT_EQ(ac.sigma, 10);
    const std::int64_t t = ab.at + static_cast<std::int64_t>(random.uniform(-1e9, 1e9));
    EXPECT_NEAR(static_cast<double>(to_theirs(ac, t) - to_theirs(bc, to_theirs(ab, t))), 0, 4);
  }
}

TEST(ClockLine, IsSaturatedAtTheEnds) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(sum(most, 1), most);
  EXPECT_EQ(sum(least, -1), least);
  EXPECT_EQ(drifted(most, most), most);
  EXPECT_EQ(drifted(most, least), least);
  const ClockLine line{least, most, most, 0};
  EXPECT_EQ(offset_at(line, most), most);
  (void)to_ours(line, least);
  (void)chained(line, line);
}

TEST(TestClock, RunsWrongAsTold) {
  const TestClock clock{1'000'000, -32'212, 5 * kSecond};
  EXPECT_EQ(clock.read(5 * kSecond), 5 * kSecond + 1'000'000);
  EXPECT_NEAR(static_cast<double>(clock.read(6 * kSecond) - 6 * kSecond), 1'000'000 - 30'000, 1);
  EXPECT_EQ(TestClock{}.read(123), 123);
}

}  // namespace
}  // namespace weir::hosts::clock::clock_line_test
