#include "weir/host/nic_timing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace weir::host {
namespace {

using namespace literals;

constexpr Time kTurn{838'400};  // 1,048 B at 10 Gb/s

// What packet after packet waits at a NIC that always has another.
std::vector<Time> waits(NicTiming timing, int packets) {
  std::vector<Time> out;
  Time now = 1_us;
  for (int i = 0; i < packets; ++i) {
    out.push_back(timing.wait(now, now, kTurn));
    now += out.back() + kTurn;
  }
  return out;
}

Time sum(const std::vector<Time>& times) {
  Time out;
  for (const Time t : times) out += t;
  return out;
}

TEST(NicTiming, IdleNicsAreLateByWhatIsDrawn) {
  NicTiming timing({.send_jitter = 0.5}, 1, 0);
  Time least = kTurn;
  Time most;
  Time all;
  for (int i = 1; i <= 10'000; ++i) {
    const Time wait = timing.wait(i * 10_us, i * 10_us - Time{1}, kTurn);
    least = std::min(least, wait);
    most = std::max(most, wait);
    all += wait;
  }
  EXPECT_GE(least, Time{});
  EXPECT_LT(least, kTurn / 1'000);
  EXPECT_LE(most, kTurn / 2);
  EXPECT_GT(most, kTurn / 2 - kTurn / 1'000);
  EXPECT_NEAR(static_cast<double>(all.ps) / 10'000, static_cast<double>(kTurn.ps) / 4, 6'000);  // five standard errors
}

// A packet that is late does not make the next ones later than they are.
TEST(NicTiming, JitterCostsABusyNicNoRate) {
  const auto all = waits(NicTiming({.send_jitter = 1}, 1, 0), 100'000);
  EXPECT_GT(all.front(), Time{});
  EXPECT_LE(sum(all), kTurn);
  EXPECT_GT(sum(all), kTurn - kTurn / 1'000);
}

// Each host's rate is its own, and never above that of the link. Fractions of a picosecond are not lost.
TEST(NicTiming, BusyNicsAreSlowerByAConstant) {
  const HostParams params{.rate_tolerance = 100};
  double least = 1;
  double most = 0;
  for (std::uint32_t h = 0; h < 100; ++h) {
    const auto part = [&](int packets) {
      return static_cast<double>(sum(waits(NicTiming(params, 1, h), packets)).ps) /
             static_cast<double>((kTurn * packets).ps);
    };
    const double slower = part(1'000);
    EXPECT_NEAR(part(2'000), slower, 2e-9) << h;  // the picosecond that is not full yet
    least = std::min(least, slower);
    most = std::max(most, slower);
  }
  EXPECT_GE(least, 0);
  EXPECT_LT(least, 5e-6);
  EXPECT_LE(most, 100e-6);
  EXPECT_GT(most, 95e-6);
}

// Both together: at a rate that is lower by as much.
TEST(NicTiming, JitterDoesNotHideARate) {
  const auto slower = sum(waits(NicTiming({.rate_tolerance = 100}, 7, 3), 100'000));
  const auto both = sum(waits(NicTiming({.rate_tolerance = 100, .send_jitter = 1}, 7, 3), 100'000));
  EXPECT_GE(both, slower);
  EXPECT_LE(both, slower + kTurn);
}

TEST(NicTiming, DependsOnSeedAndHostOnly) {
  const HostParams params{.rate_tolerance = 100, .send_jitter = 1};
  const auto of = [&](std::uint64_t seed, std::uint32_t host) { return waits(NicTiming(params, seed, host), 50); };
  EXPECT_EQ(of(1, 0), of(1, 0));
  EXPECT_NE(of(1, 0), of(2, 0));
  EXPECT_NE(of(1, 0), of(1, 1));
}

}  // namespace
}  // namespace weir::host
