// One clock against another, and what that may be wrong by: what pairs measure, hosts report and the graph reconciles.
#pragma once

#include <algorithm>
#include <cstdint>

namespace weir::hosts::clock {

// B's clock minus A's is offset + drift (t - at) at A's time t >= at, within error + growth (t - at). Of the error,
// `bias` is what it may have in common with others (PairLine). All in ns, drift and growth in ns per ns.
struct Estimate {
  std::int64_t at = 0;
  std::int64_t offset = 0;
  double drift = 0;
  double error = 0;
  double growth = 0;
  double bias = 0;

  double drifted_to(std::int64_t t) const { return drift * static_cast<double>(t - at); }
  double error_at(std::int64_t t) const {
    return error + growth * static_cast<double>(std::max<std::int64_t>(0, t - at));
  }
};

// Errors are exact at `at` and so much later; in between they are less than that, since they grow faster and faster.
inline constexpr std::int64_t kForesight = 2'000'000'000;

}  // namespace weir::hosts::clock
