// Variable AI and Sampling Frequency for algorithms that its paper only names as further ones ("we believe our
// mechanisms are broadly applicable", Fast Convergence V): DCQCN, TIMELY and DCTCP. How the parts are put in is ours.
//
// Variable AI. Measured Congestion is the longest round-trip time of a round trip, as in Swift. Tokens are minted where
// it is longer than the unloaded one by more than Token_Thresh, one for each AI_DIV of what it is longer by. The base
// step is the algorithm's: delta of TIMELY, R_AI of DCQCN, one packet per round trip of DCTCP. None of the three adds
// its step while it decreases, so that tokens are spent by steps, and not by decreases. A round trip is free of
// congestion if none of its acknowledgements was marked (DCQCN, DCTCP), or called for a decrease (TIMELY).
//
// Sampling Frequency. A decrease comes when s acknowledgements have come since the last one and there is congestion:
// instead of once per round trip in TIMELY and DCTCP, and instead of with a CNP or a check in DCQCN. Increases stay as
// they are.
//
// With `vai_enabled = false` and `sf_acks = 0` each is the algorithm that it is named after; TIMELY is the one with
// `event = "rtt"`.
#pragma once

#include <cstdint>
#include <span>

#include "weir/cc/algorithm.h"
#include "weir/cc/dcqcn.h"
#include "weir/cc/dctcp.h"
#include "weir/cc/sampling_frequency.h"
#include "weir/cc/timely.h"
#include "weir/cc/variable_ai.h"

namespace weir::cc {

// What all three have beside the algorithm.
class VaiSf {
 public:
  struct Params {
    VariableAi::Params vai{.enabled = true};
    Time token_thresh{4'000'000};
    Time ai_div{30'000};
    SamplingFrequency::Params sf{.acks = 30};
    static void describe(ParamList<Params>&);
  };

  // An acknowledgement has come. True: with it a round trip has ended.
  bool hear(const Params&, const FlowFacts&, const Ack&, bool congested);
  // How many base steps a step has now.
  double steps(const Params& p) const { return p.vai.enabled ? vai_.multiplier(p.vai) : 1; }
  // A step has been taken.
  void spend(const Params& p) {
    if (p.vai.enabled) vai_.spend(p.vai);
  }
  bool moves(const Params& p, bool decrease, bool round_ended) const { return sf_.moves(p.sf, decrease, round_ended); }
  bool moved(const Params& p, bool decrease) { return sf_.moved(p.sf, decrease); }

  const VariableAi& variable_ai() const { return vai_; }

 private:
  VariableAi vai_;
  SamplingFrequency sf_;
};

template <class A>
struct VaiSfParams {
  typename A::Params algorithm;
  VaiSf::Params parts;
  static void describe(ParamList<VaiSfParams>& p) {
    p.part("", &VaiSfParams::algorithm);
    p.part("", &VaiSfParams::parts);
  }
};

class TimelyVaiSf {
 public:
  using Params = VaiSfParams<Timely>;
  static constexpr About about{
      .name = "timely-vai-sf", .title = "TIMELY VAI SF", .source = "named in Fast Convergence V; the form is ours"};
  static std::span<const Preset> presets() { return Timely::presets(); }
  static DelayTarget delay_target(const Params& p, const FlowFacts& facts, Time host_delay) {
    return Timely::delay_target(p.algorithm, facts, host_delay);
  }

  TimelyVaiSf(const Params& p, const FlowFacts& facts, Control& control) : timely_(p.algorithm, facts, control) {}
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);

  // For probes and tests.
  const Timely& algorithm() const { return timely_; }
  const VaiSf& parts() const { return parts_; }

 private:
  Timely timely_;
  VaiSf parts_;
  std::int64_t round_end_ = 0;  // a round trip lasts until more than this is acknowledged
};

class DctcpVaiSf {
 public:
  using Params = VaiSfParams<Dctcp>;
  static constexpr About about{.name = "dctcp-vai-sf",
                               .title = "DCTCP VAI SF",
                               .source = "named in Fast Convergence V; the form is ours",
                               .needs = Needs::ecn};
  static std::span<const Preset> presets() { return Dctcp::presets(); }

  DctcpVaiSf(const Params& p, const FlowFacts& facts, Control& control) : dctcp_(p.algorithm, facts, control) {}
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);
  void on_loss(const Params& p, const FlowFacts& facts, const Loss& loss, Control& control) {
    dctcp_.on_loss(p.algorithm, facts, loss, control);
  }

  // For probes and tests.
  const Dctcp& algorithm() const { return dctcp_; }
  const VaiSf& parts() const { return parts_; }

 private:
  void grow(const Params&, const FlowFacts&, const Ack&);

  Dctcp dctcp_;
  VaiSf parts_;
  double more_ = 0;  // bytes by which steps beyond the first have enlarged the window, less what it has been given
};

class DcqcnVaiSf {
 public:
  using Params = VaiSfParams<Dcqcn>;
  static constexpr About about{.name = "dcqcn-vai-sf",
                               .title = "DCQCN VAI SF",
                               .source = "named in Fast Convergence V; the form is ours",
                               .needs = Needs::ecn};
  static std::span<const Preset> presets() { return Dcqcn::presets(); }
  static ReceiverRules receiver(const Params& p) { return Dcqcn::receiver(p.algorithm); }

  DcqcnVaiSf(const Params& p, const FlowFacts& facts, Control& control) : dcqcn_(p.algorithm, facts, control) {}
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);
  void on_cnp(const Params&, const FlowFacts&, Time now, Control&);
  void on_send(const Params&, const FlowFacts&, const Send&, Control&);
  void on_timer(const Params&, const FlowFacts&, Time now, Control&);

  // For probes and tests.
  const Dcqcn& algorithm() const { return dcqcn_; }
  const VaiSf& parts() const { return parts_; }

 private:
  template <class Tell>
  void with_steps(const Params&, Tell&& tell);

  Dcqcn dcqcn_;
  VaiSf parts_;
  bool notified_ = false;  // a CNP has come that no cut has answered yet
};

}  // namespace weir::cc
