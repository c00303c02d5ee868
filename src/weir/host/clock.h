// The clock of a host: what time the host believes it is.
#pragma once

#include <cmath>
#include <cstdint>

#include "weir/base/params.h"
#include "weir/base/random.h"
#include "weir/base/units.h"

namespace weir::host {

// Each host's clock is off by an offset and a drift of its own, drawn from normal distributions with mean 0.
struct ClockParams {
  Time offset;       // standard deviation
  double drift = 0;  // standard deviation, parts per million

  static void describe(ParamList<ClockParams>& p) {
    p.time("offset", &ClockParams::offset, "standard deviation of the clocks' offsets at time 0",
           "On-Ramp 6: 200 ns in ns-3", Time{0}, Time{1'000'000'000'000})
        .only_with("algorithm.on_ramp");
    p.number("drift", &ClockParams::drift, 0, 1'000, "standard deviation of the clocks' drifts, in parts per million")
        .only_with("algorithm.on_ramp");
  }
};

class Clock {
 public:
  Clock() = default;
  Clock(const ClockParams& p, std::uint64_t seed, std::uint32_t host) {
    const RandomStream random(seed, host, Purpose::clock);
    offset_ = {std::llround(normal(random, 0) * static_cast<double>(p.offset.ps))};
    drift_ppb_ = std::llround(normal(random, 1) * p.drift * 1e3);
  }

  // The reading at true time `now`.
  Time at(Time now) const {
    return now + offset_ + Time{static_cast<std::int64_t>(static_cast<__int128>(now.ps) * drift_ppb_ / 1'000'000'000)};
  }

 private:
  // A standard normal number, approximated by the sum of twelve uniform numbers less 6. It is the same on every
  // machine, unlike libm's logarithm, and never beyond 6 in size.
  static double normal(const RandomStream& random, std::uint64_t which) {
    double sum = -6;
    for (std::uint64_t i = 0; i < 12; ++i) sum += random.uniform(12 * which + i);
    return sum;
  }

  Time offset_;
  std::int64_t drift_ppb_ = 0;
};

}  // namespace weir::host
