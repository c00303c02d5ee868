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
  Time packet{};            // that a full packet takes on the slowest link of the path; 0 = not known
  Bytes acknowledged{};     // payload since its last decision; policies do not see it
};

// How a round trip and a rate become one number, which is 0 where the flow should be and above 0 if it is too
// aggressive. Without queue_unit it is that of the paper and of the public code, with inflation = rtt / base_rtt:
//   (max(inflation - beta, 0) * rate^power - target) * scale
// The paper has power 1/2, and its own form beta 0 and scale 1.
//
// With queue_unit (ours) the inflation gives way to the queueing delay, and the signal is 0 at the same delay whatever
// the flow's path: flows of different base RTTs that share a queue become equal. U = queue_unit + queue_packets *
// packet, and
//   (max((rtt - base_rtt) / U - beta, 0) * rate^power - target) * scale * U / base_rtt
// The last factor keeps the loop's gain: a rate that is 1 % too high for one round trip lengthens the queue by 1 % of
// the base RTT.
struct Signal {
  double target = 0.064;     // above 0
  double beta = 1.5;         // from 0 on
  double scale = 12.5;       // above 0
  Time base_rtt{8'192'000};  // 0 = the base_rtt of each flow; with queue_unit it must be 0
  Time queue_unit{};         // 0 = by inflation
  double queue_packets = 0;  // from 0 on; without queue_unit it must be 0
  int power = 4;             // in eighths, 1 to 8
};

// x^(eighths / 8) for x from 0 on, by square roots: the same bits on every machine.
inline double root_power(double x, int eighths) {
  double out = 1;
  for (int bit = 8; bit > 0; bit /= 2) {
    if ((eighths & bit) != 0) out *= x;
    x = std::sqrt(x);
  }
  return out;
}

inline double signal(const Signal& s, const Observation& o) {
  if (s.queue_unit.ps > 0) {
    const double unit = static_cast<double>(s.queue_unit.ps) + s.queue_packets * static_cast<double>(o.packet.ps);
    const double queue = static_cast<double>((o.rtt - o.base_rtt).ps) / unit;
    return (std::max(queue - s.beta, 0.0) * root_power(o.rate, s.power) - s.target) * s.scale * unit /
           static_cast<double>(o.base_rtt.ps);
  }
  const Time base = s.base_rtt.ps > 0 ? s.base_rtt : o.base_rtt;
  const double inflation = static_cast<double>(o.rtt.ps) / static_cast<double>(base.ps);
  return (std::max(inflation - s.beta, 0.0) * root_power(o.rate, s.power) - s.target) * s.scale;
}

// The queueing delay, in seconds, at which the signal of flows with this rate, base RTT and packet time is 0.
inline double queue_at(const Signal& s, double rate, Time base_rtt, Time packet) {
  const double above = s.beta + s.target / root_power(rate, s.power);
  if (s.queue_unit.ps > 0) return above * (s.queue_unit.seconds() + s.queue_packets * packet.seconds());
  return std::max(above * (s.base_rtt.ps > 0 ? s.base_rtt : base_rtt).seconds() - base_rtt.seconds(), 0.0);
}

}  // namespace weir::policy
