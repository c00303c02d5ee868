// TIMELY (Mittal et al., SIGCOMM'15), and its patched form (Zhu et al., ECN or Delay, CoNEXT'16).
//
// A rate that follows the gradient of the round-trip time: while RTTs get shorter the rate grows by delta, after a
// while faster (hyperactive increase), and while they get longer it shrinks in proportion. Only when the RTT is below
// T_low or above T_high does its value count, not its change.
//
// Any rates have a gradient of zero in the end, so TIMELY has no fixed point and need not become fair. The patch lets
// the gradient fade between increase and decrease, and decreases by the distance of the RTT from a reference.
//
// Completion events come once per segment in the paper, once per round trip in the HPCC authors' simulator.
#pragma once

#include <cstdint>

#include "weir/cc/algorithm.h"
#include "weir/cc/rate_based.h"

namespace weir::cc {

class TimelyVaiSf;

class Timely {
 public:
  enum class Form : std::uint8_t { original, patched };
  enum class Event : std::uint8_t { segment, rtt, ack };
  enum class Hyper : std::uint8_t { gradient, stage, never };

  // The defaults are those of the HPCC authors' simulator.
  struct Params {
    Form form = Form::original;
    Event event = Event::rtt;
    Bytes segment{16'000};
    double alpha = 0.875;
    double beta = 0.8;
    Time t_low{50'000'000};
    Time t_high{500'000'000};
    Time min_rtt{20'000'000};
    Time rtt_ref;
    Rate delta{10'000'000};
    Hyper hyper_increase = Hyper::stage;
    Rate hai{50'000'000};
    std::int32_t hai_after = 5;
    Rate scale_rate{10'000'000'000};
    Rate r_min{1'000'000'000};
    Rate initial_rate;
    RateWindow window;
    static void describe(ParamList<Params>&);
  };

  static constexpr About about{
      .name = "timely",
      .title = "TIMELY",
      .source = "Mittal et al., TIMELY: RTT-based Congestion Control for the Datacenter, SIGCOMM'15"};
  static std::span<const Preset> presets();

  // Above T_high every round trip counts as congestion; above rtt_ref, in the patched form.
  static DelayTarget delay_target(const Params&, const FlowFacts&, Time host_delay);

  Timely(const Params&, const FlowFacts&, Control&);
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);

  // The patch's weight of a decrease: 0 where the RTT falls quickly, 1 where it rises quickly.
  static constexpr double weight(double gradient) {
    return gradient <= -0.25 ? 0 : gradient >= 0.25 ? 1 : 2 * gradient + 0.5;
  }

  // For probes and tests.
  double rate() const { return rate_; }  // b/s
  double rtt_diff() const { return rtt_diff_; }

 private:
  friend class TimelyVaiSf;

  bool completes(const Params&, const Ack&);
  void complete(const Params&, const FlowFacts&, const Ack&, Control&);
  double next_rate(const Params&, double rtt);

  double delta_;  // b/s, for this NIC
  double hai_;
  double rate_;
  double prev_rtt_ = 0;          // ps; 0 = none yet
  double rtt_diff_ = 0;          // ps, smoothed
  std::int64_t next_event_ = 0;  // the next completion event comes when more than this is acknowledged
  std::int32_t streak_ = 0;      // events in a row with a falling RTT, or increases in a row
};

}  // namespace weir::cc
