// How far a run is simulated in one go, so that whoever watches it is asked about every 50 ms.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>

#include "weir/base/units.h"

namespace weir::run {

// Steps of whole epochs:
//
//   while (now < limit) { const Time until = steps.next(now, limit); ...; steps.done(); }
class EpochSteps {
 public:
  // Seconds; a step that has taken longer is followed by shorter ones.
  static constexpr double kLongest = 0.1;

  explicit EpochSteps(Time epoch) : epoch_(epoch) {}

  // The end of the next step, which begins at `now`.
  Time next(Time now, Time limit) {
    begin_ = Clock::now();
    const std::int64_t number = now / epoch_;
    // Times beyond the largest one are not reached.
    if (number > Time::max() / epoch_ - epochs_) return limit;
    return std::min(limit, (number + epochs_) * epoch_);
  }
  // The step has been simulated: the next one becomes longer or shorter by what it took.
  void done() {
    const std::chrono::duration<double> took = Clock::now() - begin_;
    if (took.count() < 0.04) epochs_ = std::min<std::int64_t>(epochs_ * 2, 1 << 20);
    if (took.count() > kLongest) epochs_ = std::max<std::int64_t>(epochs_ / 2, 1);
  }

 private:
  using Clock = std::chrono::steady_clock;
  Time epoch_;
  std::int64_t epochs_ = 1;
  Clock::time_point begin_;
};

}  // namespace weir::run
