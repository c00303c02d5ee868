// HPCC with a reference window, a U and a stage for each link of the path, of which the smallest window counts.
//
// The HPCC paper has one of each, for the fullest link. Its authors' simulator can keep one for each hop (MULTI_RATE,
// which is on where nothing else is written), and so, by their footnote 1, does the HPCC of Fast Convergence to
// Fairness, whose simulator it is: "the window based on the per-hop, per-RTT rate". On a path with one full link both
// are the same.
//
// The mechanisms of Fast Convergence work on the flow: Variable AI is fed by the longest queue of the path and enlarges
// the step of all links; Sampling Frequency and probabilistic feedback look at the smallest reference window, and all
// of them move together. A link alone that has become emptier may move only once per round trip, or with the decrease
// of another one. This is also hpcc-alpha-fair with alpha = inf, except that windows here never exceed that of line
// rate.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "weir/cc/hpcc.h"

namespace weir::cc {

class HpccPerHop {
 public:
  using Params = Hpcc::Params;
  static constexpr About about{.name = "hpcc-per-hop",
                               .title = "HPCC, per hop",
                               .source = "the HPCC authors' simulator, MULTI_RATE; Fast Convergence III-D, footnote 1",
                               .needs = Needs::telemetry | Needs::one_path};
  static std::span<const Preset> presets() { return Hpcc::presets(); }

  HpccPerHop(const Params& p, const FlowFacts& facts, Control& control) : flow_(p, facts, control) {}
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);

  // For probes and tests.
  double reference_window(std::size_t hop) const { return at_[hop].w_c; }  // in bytes
  double utilisation(std::size_t hop) const { return at_[hop].u; }
  const Hpcc& algorithm() const { return flow_; }

 private:
  struct Register {
    double w_c = 0;
    double u = 1;
    std::int32_t inc_stage = 0;
    bool multiplies = false;  // what this acknowledgement says
    double next = 0;          // the window that it asks for
  };

  void start_over(const Ack&, Bytes window);
  void measure(const Params&, const FlowFacts&, const Ack&);
  void compute(const Params&, double w_ai);
  void ignore_decreases(double w_ai);
  void move();
  double least(double Register::*window) const;
  double clamped(double w) const;

  Hpcc flow_;  // its records of links, its round, and the parts of Fast Convergence
  std::size_t hops_ = 0;
  std::array<Register, kMaxTelemetryHops> at_;
};

}  // namespace weir::cc
