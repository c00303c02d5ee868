#include "hosts/clock/least_delay.h"

#include <gtest/gtest.h>

#include "tests/hosts/clock_random.h"

namespace weir::hosts::clock::clock_least_delay_test {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;

// Fits twice a second with windows of 2 s, until then.
template <typename Margin>
void fit_until(LeastDelay& least, std::int64_t& now, std::int64_t end, const Margin& margin) {
  for (; now < end; now += kSecond / 2) {
    const double m = margin();
    least.add(now, m, m);
  }
}

TEST(LeastDelay, IsKnownOnceWindowsAgree) {
  Random random(1);
  LeastDelay least(2 * kSecond);
  std::int64_t now = 0;
  const auto idle = [&] { return 10'000 + random.exponential(50); };
  fit_until(least, now, 8 * kSecond, idle);
  EXPECT_FALSE(least.floor().known);
  EXPECT_EQ(least.floor().delay, 0);
  fit_until(least, now, 9 * kSecond, idle);
  EXPECT_TRUE(least.floor().known);
  EXPECT_NEAR(least.floor().delay, 10'000, 60);
  EXPECT_LT(least.floor().noise, 120);
}

TEST(LeastDelay, QueuesDoNotAgreeAndChangeNothing) {
  Random random(2);
  LeastDelay fresh(2 * kSecond);
  std::int64_t now = 0;
  const auto queues = [&] { return 10'000 + random.uniform(20'000, 60'000); };
  fit_until(fresh, now, 600 * kSecond, queues);
  EXPECT_FALSE(fresh.floor().known);

  LeastDelay least(2 * kSecond);
  now = 0;
  fit_until(least, now, 20 * kSecond, [&] { return 10'000 + random.exponential(50); });
  const double before = least.floor().delay;
  // even one that does not move
  fit_until(least, now, 1'800 * kSecond, [&] { return 50'000 + random.exponential(50); });
  EXPECT_EQ(least.floor().delay, before);
}

TEST(LeastDelay, ALongerRouteIsBelievedAfterAnHour) {
  LeastDelay least(2 * kSecond);
  std::int64_t now = 0;
  fit_until(least, now, 60 * kSecond, [] { return 10'000.0; });
  fit_until(least, now, 3'600 * kSecond, [] { return 30'000.0; });
  EXPECT_EQ(least.floor().delay, 10'000);
  fit_until(least, now, 6'000 * kSecond, [] { return 30'000.0; });
  EXPECT_EQ(least.floor().delay, 30'000);
  // a shorter one at once
  least.forget();
  EXPECT_EQ(least.floor().delay, 0);
}

TEST(LeastDelay, AWrongStampIsNotTheLeast) {
  LeastDelay least(2 * kSecond);
  std::int64_t now = 0;
  int i = 0;
  fit_until(least, now, 60 * kSecond, [&] { return i++ % 16 == 4 ? 4'000.0 : 10'000.0; });
  EXPECT_EQ(least.floor().delay, 10'000);
}

}  // namespace
}  // namespace weir::hosts::clock::clock_least_delay_test
