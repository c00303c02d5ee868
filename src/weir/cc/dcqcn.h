// DCQCN: the congestion control of RoCE networks (Zhu et al., SIGCOMM'15), and the form that network cards ship.
//
// Switches mark packets (ECN); the receiver returns congestion notifications (CNPs). A sender cuts its rate R_C by
// alpha / 2, where alpha estimates how often it is notified, and remembers the rate it came from as target R_T. Then a
// timer (every T_i) and a byte counter (every B bytes) raise R_C: first halfway back to R_T (fast recovery, F stages),
// then R_T itself grows by R_AI (additive increase) and at last by R_HAI (hyper increase).
//
// The paper and the network cards differ in when alpha moves and when a CNP cuts:
//
//                       rate_decrease = on-cnp (SIGCOMM'15)      rate_decrease = periodic (network cards)
//   a CNP               cuts at once; alpha += g (1 - alpha)     is remembered
//   alpha               shrinks by g every T_alpha without CNP   every T_alpha: shrinks, and + g if a CNP came
//   cut                 with the CNP                             every T_d, if a CNP came since the last check
//
// The grids of T_alpha and T_d run from a flow's first CNP on. None of their ticks is an event here: alpha is brought
// up to date when somebody looks at it, and a timer is asked for only where the rate can change.
#pragma once

#include <cstdint>

#include "weir/cc/algorithm.h"
#include "weir/cc/rate_based.h"

namespace weir::cc {

class Dcqcn {
 public:
  enum class Decrease : std::uint8_t { on_cnp, periodic };
  enum class Hyper : std::uint8_t { constant, growing };

  // The defaults are those of the HPCC authors' simulator.
  struct Params {
    Decrease rate_decrease = Decrease::periodic;
    Time t_i{300'000'000};
    Time t_d{4'000'000};
    Time t_alpha{1'000'000};
    double g = 1.0 / 256;
    double initial_alpha = 1;
    bool clamp_target = false;
    Bytes byte_counter;
    std::int32_t fast_recovery = 1;
    bool count_first = false;
    Rate r_ai{5'000'000};
    Rate r_hai{50'000'000};
    Rate scale_rate{25'000'000'000};
    Hyper hyper_increase = Hyper::constant;
    Rate r_min{1'000'000'000};
    RateWindow window;
    bool cnp_packet = false;
    Time cnp_interval;
    static void describe(ParamList<Params>&);
  };

  static constexpr About about{.name = "dcqcn",
                               .title = "DCQCN",
                               .source = "Zhu et al., Congestion Control for Large-Scale RDMA Deployments, SIGCOMM'15",
                               .needs = Needs::ecn};
  static std::span<const Preset> presets();
  static ReceiverRules receiver(const Params&);

  Dcqcn(const Params&, const FlowFacts&, Control&);
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&) {}
  void on_cnp(const Params&, const FlowFacts&, Time now, Control&);
  void on_send(const Params&, const FlowFacts&, const Send&, Control&);
  void on_timer(const Params&, const FlowFacts&, Time now, Control&);

  // For probes and tests. alpha is as of its last look.
  double alpha() const { return alpha_; }
  Rate target_rate() const { return r_t_; }

 private:
  bool recovered(const FlowFacts& facts) const { return r_c_ == facts.line_rate; }
  void advance(const Params&, const FlowFacts&, Time now);
  void age_alpha(const Params&, Time now);
  void cut(const Params&, Time now);
  void raise(const Params&, const FlowFacts&, std::uint32_t& stage);
  void answer(const Params&, const FlowFacts&, Control&) const;

  Rate r_c_;  // current rate
  Rate r_t_;  // target rate; r_c_ <= r_t_ <= line rate
  double alpha_;
  Time alpha_time_;               // the tick of T_alpha up to which alpha_ is right
  Time first_cnp_ = kNoTimer;     // origin of the grid of T_d
  Time decrease_at_ = kNoTimer;   // next check that will cut
  Time increase_at_ = kNoTimer;   // next expiry of the increase timer
  Bytes sent_;                    // since the byte counter last expired
  std::uint32_t time_stage_ = 0;  // T: expiries of the timer since the last cut
  std::uint32_t byte_stage_ = 0;  // BC: expiries of the byte counter since the last cut
  bool cnp_in_tick_ = false;      // a CNP came since alpha_time_
};

}  // namespace weir::cc
