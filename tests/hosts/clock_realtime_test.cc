#include "hosts/clock/realtime.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "hosts/clock/hardware.h"
#include "tests/hosts/clock_random.h"

namespace weir::hosts::clock {
namespace {

// Reads of a machine whose time of day is `ahead` of its monotonic clock; a reading takes 40 ns, and sometimes long.
struct Machine {
  Random random{1};
  std::int64_t now = 1'000'000'000;
  std::int64_t ahead = 1'700'000'000'000'000'000;

  ClockReading operator()() {
    const std::int64_t took = random.below(10) == 0 ? 100'000 : 40 + static_cast<std::int64_t>(random.below(20));
    const std::int64_t within = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(took)));
    now += 1'000'000;
    return {now, now + within + ahead, now + took};
  }
};

TEST(Realtime, IsNarrowedDown) {
  Machine machine;
  Realtime realtime([&] { return machine(); });
  for (int i = 0; i < 1'000; ++i) {
    ASSERT_TRUE(realtime.check());
    EXPECT_NEAR(static_cast<double>(realtime.to_monotonic(machine.ahead + 5) - 5), 0,
                static_cast<double>(realtime.error()));
  }
  EXPECT_LE(realtime.error(), 8);
}

TEST(Realtime, NoticesThatTimeWasSet) {
  Machine machine;
  Realtime realtime([&] { return machine(); });
  for (const double by : {1e12, -3.6e12, 1e4, -1e4, 200.0, -200.0}) {
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(realtime.check());
    EXPECT_TRUE(realtime.still_holds());
    machine.ahead += std::llround(by);
    EXPECT_FALSE(realtime.still_holds()) << by;
    EXPECT_FALSE(realtime.check()) << by;
    EXPECT_TRUE(realtime.still_holds());
    EXPECT_NEAR(static_cast<double>(realtime.ahead() - machine.ahead), 0, static_cast<double>(realtime.error()));
    // and goes on with what is now
    EXPECT_TRUE(realtime.check());
    EXPECT_NEAR(static_cast<double>(realtime.to_monotonic(machine.ahead + 5) - 5), 0,
                static_cast<double>(realtime.error()));
  }
}

TEST(Realtime, ReadsThisMachine) {
  Realtime realtime;
  for (int i = 0; i < 100; ++i) realtime.check();
  EXPECT_LT(realtime.error(), 10'000);
  const ClockReading r = read_clocks();
  EXPECT_GE(realtime.to_monotonic(r.realtime), r.before - realtime.error());
  EXPECT_LE(realtime.to_monotonic(r.realtime), r.after + realtime.error());
}

// An interface's clock that runs wrong; reading it takes 1 to 3 us.
struct Interface {
  Random random{2};
  double offset = -5e15;
  double drift = 40e-6;
  std::int64_t now = 1'000'000'000;
  bool answers = true;

  std::int64_t shows(std::int64_t t) const { return t + std::llround(offset + drift * static_cast<double>(t)); }
  std::optional<HardwareReading> operator()() {
    if (!answers) return std::nullopt;
    const std::int64_t before = now;
    const std::int64_t at = before + 500 + static_cast<std::int64_t>(random.below(1'500));
    return HardwareReading{before, shows(at), at + 500 + static_cast<std::int64_t>(random.below(1'000))};
  }
};

TEST(HardwareClock, IsComparedWithOurs) {
  Interface nic;
  HardwareClock clock([&] { return nic(); });
  EXPECT_FALSE(clock.to_monotonic(nic.shows(nic.now)));
  const auto go_on = [&](int readings) {
    for (int i = 0; i < readings; ++i) {
      nic.now += 100'000'000;
      clock.check(nic.now);
    }
  };
  go_on(40);
  for (const std::int64_t ago : std::initializer_list<std::int64_t>{0, 4'000'000, 1'000'000'000}) {
    const auto t = clock.to_monotonic(nic.shows(nic.now - ago));
    ASSERT_TRUE(t);
    EXPECT_NEAR(static_cast<double>(*t - (nic.now - ago)), 0, 300);
  }
  EXPECT_LE(clock.error(), 1'500);
  EXPECT_GT(clock.error(), 0);
  // too often is no harm, and does not read
  const std::int64_t error = clock.error();
  clock.check(nic.now + 1);
  EXPECT_EQ(clock.error(), error);

  // somebody sets it
  nic.offset += 1e6;
  go_on(1);
  EXPECT_FALSE(clock.to_monotonic(nic.shows(nic.now)));
  go_on(5);
  const auto t = clock.to_monotonic(nic.shows(nic.now));
  ASSERT_TRUE(t);
  EXPECT_NEAR(static_cast<double>(*t - nic.now), 0, 1'500);
  nic.offset -= 3e9;
  go_on(6);
  ASSERT_TRUE(clock.to_monotonic(nic.shows(nic.now)));
  nic.answers = false;
  go_on(3);
  EXPECT_TRUE(clock.to_monotonic(nic.shows(nic.now)));
}

TEST(HardwareClock, SaysWhyThereIsNone) {
  std::string why;
  EXPECT_FALSE(find_hardware_clock("lo", why));
  EXPECT_FALSE(why.empty());
  EXPECT_FALSE(find_hardware_clock("an interface with a long name", why));
  EXPECT_EQ(why, "no such interface");
}

}  // namespace
}  // namespace weir::hosts::clock
