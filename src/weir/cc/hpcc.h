// HPCC: High Precision Congestion Control (Li et al., SIGCOMM'19).
//
// With every acknowledgement comes what each switch on the path wrote into the packet as it left: time, bytes sent so
// far, queue behind it. Two successive records of a port give its output rate, and with the queue the bytes that all
// flows together have in flight across it, I = qlen + txRate T (equation 1). The window follows the fullest link:
// multiplied by eta / U, so that I lands just under the link's bandwidth-delay product, plus a small step W_AI that
// makes flows equal in time (equation 4).
//
// Reacting to each acknowledgement is quick but counts the same queue many times; reacting once per round trip is safe
// but slow. HPCC does both: every acknowledgement computes W anew from a reference W_c, and W_c moves only when the
// first packet sent under it has been acknowledged (algorithm 1).
//
// That is for flows that keep to one path: when the pathID of their packets changes, what they know is of no more use.
// hpcc_sprayed.h has the form for flows that spray.
//
// With options, the mechanisms of Fast Convergence to Fairness: Variable AI, Sampling Frequency, probabilistic
// feedback. hpcc_per_hop.h has the form with a reference window for each link, hpcc_alpha_fair.h that with registers.
#pragma once

#include <cstdint>
#include <optional>

#include "weir/cc/algorithm.h"
#include "weir/cc/congestion_signal.h"
#include "weir/cc/hpcc_links.h"
#include "weir/cc/reciprocal_table.h"
#include "weir/cc/reference_update.h"
#include "weir/cc/variable_ai.h"

namespace weir::cc {

class HpccPerHop;
class HpccSprayed;

class Hpcc {
 public:
  using Sprayed = HpccSprayed;
  enum class Reaction : std::uint8_t { hpcc, per_ack, per_rtt };
  enum class Signal : std::uint8_t { tx_rate, rx_rate };
  enum class Increase : std::uint8_t { window, rate, rule };
  enum class Tokens : std::uint8_t { queue, excess };

  struct Params {
    double eta = 0.95;
    std::int32_t max_stage = 5;
    Increase additive_increase = Increase::window;
    Bytes w_ai{80};
    Rate r_ai{50'000'000};
    std::int32_t flows = 100;
    Time base_rtt;
    Rate r_min{100'000'000};
    Reaction reaction = Reaction::hpcc;
    Signal signal = Signal::tx_rate;
    bool min_queue = true;
    bool ewma = true;
    ReciprocalTable reciprocal;
    VariableAi::Params vai;
    Bytes vai_token_thresh{50'000};
    Bytes vai_ai_div{1'000};
    Tokens vai_tokens = Tokens::queue;
    ReferenceUpdate::Params reference;
    static void describe(ParamList<Params>&);
  };

  static constexpr About about{.name = "hpcc",
                               .title = "HPCC",
                               .source = "Li et al., HPCC: High Precision Congestion Control, SIGCOMM'19",
                               .needs = Needs::telemetry};
  static std::span<const Preset> presets();

  Hpcc(const Params&, const FlowFacts&, Control&);
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);

  // on_ack in two steps (congestion_signal.h). The signal is U of the latest acknowledgement, weighted as
  // it is smoothed.
  std::optional<CongestionSignal> measure(const Params&, const FlowFacts&, const Ack&);
  void react(const Params&, const FlowFacts&, const Ack&, CongestionSignal, Control&);

  // The rule of thumb W_AI = W_init (1 - eta) / N: N flows on a link then add, in one round, no more than the
  // headroom that eta leaves, and no queue forms (section 3.3).
  static constexpr double additive_step(double w_init, double eta, std::int64_t flows) {
    return w_init * (1 - eta) / static_cast<double>(flows);
  }

  // The parts of measure(), for whoever keeps the records of links elsewhere. Nothing is known yet of any path:
  void start_over(const Ack&);
  // Algorithm 1, MeasureInflight, with the previous records of the path.
  CongestionSignal measure_inflight(const Params&, const IntFormat&, const HpccLinks&, const Ack&) const;
  // The weight in U of what was measured for so many picoseconds.
  double weight_of(double span) const { return span < t_ ? span * per_t_ : 1; }

  // For probes and tests, in bytes.
  double reference_window() const { return w_c_; }
  double utilisation() const { return u_; }
  double step() const { return w_ai_; }
  int stage() const { return inc_stage_; }
  const VariableAi& variable_ai() const { return vai_; }

 private:
  friend class HpccPerHop;

  CongestionSignal measure_links(const Params&, const IntFormat&, const HpccLinks&, const Ack&) const;
  void react_plainly(const Params&, const Ack&, Control&);
  double compute_wind(const Params&, bool update_w_c);
  void react_with_parts(const Params&, const FlowFacts&, const Ack&, Control&);
  double variable_step(const Params&, const FlowFacts&, const Ack&);
  void begin_round(const Ack&);
  void answer(double w, Control&) const;

  // Facts of the flow, kept so that an acknowledgement costs no division to find them.
  double t_;      // T, in picoseconds
  double per_t_;  // 1 / T
  double w_ai_;
  double w_min_;
  double w_init_;

  double w_c_;    // reference window
  double u_ = 1;  // U: inflight bytes of the fullest link over its bandwidth-delay product, smoothed
  std::int64_t last_update_seq_ = 0;
  std::int32_t inc_stage_ = 0;
  bool plain_;  // as the HPCC paper has it: what follows links_ is not used
  HpccLinks links_;

  ReferenceUpdate reference_;
  VariableAi vai_;
};

}  // namespace weir::cc
