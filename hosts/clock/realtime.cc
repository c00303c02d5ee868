#include "hosts/clock/realtime.h"

#include <algorithm>
#include <ctime>

namespace weir::hosts::clock {
namespace {

// Either clock is rounded to a nanosecond.
constexpr std::int64_t kRounding = 2;
// So many readings narrow the bounds each time.
constexpr int kReadingsAtOnce = 3;

// Between what CLOCK_REALTIME minus CLOCK_MONOTONIC was at a reading.
struct Bounds {
  std::int64_t low = 0;
  std::int64_t high = 0;
};
Bounds bounds(const ClockReading& r) { return {r.realtime - r.after - kRounding, r.realtime - r.before + kRounding}; }

std::int64_t read(clockid_t id) {
  timespec t{};
  ::clock_gettime(id, &t);
  return std::int64_t{t.tv_sec} * 1'000'000'000 + t.tv_nsec;
}

}  // namespace

ClockReading read_clocks() {
  ClockReading r;
  r.before = read(CLOCK_MONOTONIC);
  r.realtime = read(CLOCK_REALTIME);
  r.after = read(CLOCK_MONOTONIC);
  return r;
}

bool Realtime::check() {
  bool same = true;
  for (int i = 0; i < kReadingsAtOnce; ++i) {
    const auto [low, high] = bounds(read_());
    if (low > high_ || high < low_) {
      low_ = low;
      high_ = high;
      same = false;
    } else {
      low_ = std::max(low_, low);
      high_ = std::min(high_, high);
    }
  }
  return same;
}

bool Realtime::still_holds() const {
  for (int i = 0; i < kReadingsAtOnce; ++i) {
    const auto [low, high] = bounds(read_());
    if (low > high_ || high < low_) return false;
  }
  return true;
}

}  // namespace weir::hosts::clock
