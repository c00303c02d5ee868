// What a flow observes when an RTT probe returns, and the signal that a policy is trained on.
//
// Source: Tessler et al., Reinforcement Learning for Datacenter Congestion Control (2021), sections 3 and 6, and the
// public code of the same authors (profile `code`), which measures round trips in units of 8.192 us and subtracts 1.5.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "weir/base/units.h"

namespace weir::policy {

struct Observation {
  Time rtt;                 // of the probe; above 0
  Time base_rtt;            // of the flow's path when it is empty; above 0
  double rate = 1;          // of the flow since its last decision, as a fraction of its line rate, in (0, 1]
  std::uint32_t sent = 0;   // data packets since its last decision ...
  std::uint32_t cnps = 0;   // ... of which so many were reported as marked (CNPs, or marks on acknowledgements)
  std::uint32_t nacks = 0;  // ... and so many losses were reported
};

// How a round trip and a rate become one number, which is 0 where the flow should be and above 0 if it is too
// aggressive: (max(rtt / base_rtt - beta, 0) * sqrt(rate) - target) * scale. The paper's own form has beta 0, scale 1.
struct Signal {
  double target = 0.064;     // above 0
  double beta = 1.5;         // from 0 on
  double scale = 12.5;       // above 0
  Time base_rtt{8'192'000};  // 0 = the base_rtt of each flow
};

inline double signal(const Signal& s, const Observation& o) {
  const Time base = s.base_rtt.ps > 0 ? s.base_rtt : o.base_rtt;
  const double inflation = static_cast<double>(o.rtt.ps) / static_cast<double>(base.ps);
  return (std::max(inflation - s.beta, 0.0) * std::sqrt(o.rate) - s.target) * s.scale;
}

}  // namespace weir::policy
