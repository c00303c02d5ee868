// What rate-based algorithms share: a window beside the rate, and steps in proportion to the speed of the NIC.
#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/base/params.h"
#include "weir/cc/algorithm.h"

namespace weir::cc {

// Bounds the bytes in flight of an algorithm that itself only knows a rate (HPCC 5.1: DCQCN+win, TIMELY+win).
struct RateWindow {
  enum class Kind : std::uint8_t { none, bdp, variable };

  Kind kind = Kind::none;
  Time base_rtt;

  static void describe(ParamList<RateWindow>& p) {
    p.choice("window", &RateWindow::kind, {"none", "bdp", "variable"},
             "bytes in flight: unlimited, the line rate times T, or the current rate times T (DCQCN+win, TIMELY+win)",
             "HPCC 5.1, alternative approaches");
    p.time("T", &RateWindow::base_rtt, "round-trip time for the window; 0 = the largest of the network", "HPCC 5.1")
        .not_with("window", {"none"});
  }

  // The answer to a new rate.
  void answer(Rate rate, const FlowFacts& facts, Control& control) const {
    if (control.rate == rate) return;
    control.rate = rate;
    if (kind == Kind::none) return;
    const Time t = base_rtt.ps > 0 ? base_rtt : facts.network_rtt;
    control.window = std::max(bytes_in(t, kind == Kind::bdp ? facts.line_rate : rate), Bytes{1});
  }
};

// A step that is given for a NIC of speed `of`, for one of line_rate; of = 0: for any.
inline Rate scaled(Rate step, Rate of, Rate line_rate) {
  if (of.bits_per_second == 0) return step;
  const auto product = static_cast<__int128>(step.bits_per_second) * line_rate.bits_per_second;
  return {static_cast<std::int64_t>(std::min<__int128>(product / of.bits_per_second, kMaxRate.bits_per_second))};
}

}  // namespace weir::cc
