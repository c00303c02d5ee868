// Two flows that only decrease, one faster than the other: once per round trip, or with Sampling Frequency
// once per s acknowledgements. The fluid model of "Fast Convergence to Fairness", section IV-B and figure 4:
//   R_i' = -beta R_i / r              once per round trip
//   S_i' = -beta S_i^2 / (s MTU)      every s acknowledgements, that is in intervals of s MTU / S_i
// with R_1(0) = S_1(0) = C_1 > C_0 = R_0(0) = S_0(0). Sampling is the fairer one while the gain
// F = (R_1 - R_0) - (S_1 - S_0) is positive.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "weir/base/params.h"

namespace weir::theory {

using literals::operator""_Gbps;
using literals::operator""_us;

struct SamplingModel {
  Time rtt = 30_us;                 // r
  std::int64_t acks_per_drop = 30;  // s
  Bytes mtu{1'000};
  double beta = 0.5;
  Rate fast = 100_Gbps;  // C_1
  Rate slow = 50_Gbps;   // C_0
  static void describe(ParamList<SamplingModel>&);

  // F'(0) > 0, which is 1 / r < (C_1 + C_0) / (s MTU).
  bool gains() const;
};

// Rates in bytes per nanosecond, as in the paper; [0] is the slower flow.
struct SamplingState {
  Time time;
  std::array<double, 2> per_rtt{};  // R
  std::array<double, 2> sampled{};  // S

  double gain() const { return (per_rtt[1] - per_rtt[0]) - (sampled[1] - sampled[0]); }
};

double jain(const std::array<double, 2>& rates);

// The states at 0, step, 2 step, ... until, by the classical method of Runge and Kutta.
std::vector<SamplingState> integrate(const SamplingModel&, Time step, Time until);

// Instants in nanoseconds; nothing where there is none, or none within five million steps.
struct SamplingTimes {
  std::optional<double> peak;  // of F
  double peak_gain = 0;
  std::optional<double> end_of_gain;  // F falls below 0: an exponential is below 1 / t^2 in the end
  std::optional<double> per_rtt_gap;  // the difference of the rates has come down to 5 %
  std::optional<double> sampled_gap;
  std::optional<double> per_rtt_jain;  // Jain's index reaches 0.95
  std::optional<double> sampled_jain;
};
SamplingTimes sampling_times(const SamplingModel&);

}  // namespace weir::theory
