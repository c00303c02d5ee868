// Swift: delay is simple and effective for congestion control in the datacenter (Kumar et al., SIGCOMM'20).
//
// A window in packets that grows by `ai` per round trip while the delay is below a target and otherwise shrinks in
// proportion to what it is above, at most once per round trip. There are two such windows, one for the delay of the
// fabric and one for that of the hosts (section 3.3), and the smaller one counts. The fabric's target grows with the
// hops of a path, and as the window gets smaller, because many flows make long queues (section 3.5). A window below one
// packet is kept by pacing (section 3.4).
//
// What "once per round trip" means is an option. Algorithm 1 compares the time since the last decrease with "RTT"; here
// that is the round trip of the packet whose delay calls for the decrease, or a smoothed one. The difference matters
// where one path is slow: its packets' own round trips are the longest of all, and smoothing forgets them.
//
// What a Control means here: with cwnd >= 1, the window has whole packets only and nothing is paced. With cwnd < 1 the
// window lets one packet be in flight, and the rate keeps rtt / cwnd between two of them.
//
// Sprayed packets overtake each other, and one slow path is heard of again and again. LSwift (Congestion Control for
// Spraying with Congested Paths, III-B, after the LTCP-U of Lazy TCP) is Swift that waits: a loss counts only where
// five packets in succession are missing. What the paper says, "five successive delayed packets", may also mean that
// only five long delays in succession decrease the window; both are options. MSwift is LSwift with the median of delays
// (median_algorithms.h).
//
// Options give the form of Fast Convergence to Fairness, which runs Swift on rates: flows start at line rate and are
// always paced, and with Variable AI and Sampling Frequency the window is computed anew by every acknowledgement from a
// reference window, as HPCC does it, with the additive increase always added. Its authors name a hyper additive
// increase "like in Timely" as a further one.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "weir/cc/algorithm.h"
#include "weir/cc/congestion_signal.h"
#include "weir/cc/reference_update.h"
#include "weir/cc/variable_ai.h"

namespace weir::cc {

class Swift {
 public:
  enum class Increase : std::uint8_t { packets, rate };
  enum class Pacing : std::uint8_t { below_one, always };
  enum class Tokens : std::uint8_t { queueing, delay, excess };
  enum class Guard : std::uint8_t { rtt, srtt };

  struct Params {
    Time base_target{20'000'000};
    Time hop_target{3'053'000};
    Time fs_range{100'000'000};
    double fs_min_cwnd = 0.1;
    double fs_max_cwnd = 100;
    Time endpoint_target{100'000'000};
    double endpoint_gain = 1;
    Increase additive_increase = Increase::packets;
    double ai = 1;
    Rate r_ai{50'000'000};
    std::int32_t hai_after = 0;
    double hai = 5;
    double beta = 0.8;
    double max_mdf = 0.5;
    Guard decrease_guard = Guard::rtt;
    std::int32_t retx_reset_threshold = 5;
    std::int64_t lost_in_a_row = 1;
    std::int32_t delayed_in_a_row = 1;
    double min_cwnd = 0.01;
    double max_cwnd = 1000;
    double initial_cwnd = 15;
    Time base_rtt;
    Pacing pacing = Pacing::below_one;
    bool reference_window = false;
    bool always_ai = false;
    VariableAi::Params vai;
    Time vai_token_thresh{4'000'000};
    Time vai_ai_div{30'000};
    Tokens vai_tokens = Tokens::queueing;
    ReferenceUpdate::Params reference;
    static void describe(ParamList<Params>&);
  };

  static constexpr About about{
      .name = "swift",
      .title = "Swift",
      .source =
          "Kumar et al., Swift: Delay is Simple and Effective for Congestion Control in the Datacenter, SIGCOMM'20"};
  static std::span<const Preset> presets();
  // Swift in the network of Spraying IV-A, 800 Gb/s and 0.5 us on each link: a target of 1 us of queueing on paths of
  // any length, whose unloaded round trips of 4 KB packets are 2.08, 4.17 and 6.25 us; fs_range is 5 times that of the
  // longest, 7.25 us; the first window is ideal. A decrease may follow another after the smoothed round trip, as in
  // csg-htsim, where the paper's Swift ran.
  static constexpr std::array kSpraying{PresetValue{"base_target", "2042 ns"},
                                        PresetValue{"hop_target", "1042 ns"},
                                        PresetValue{"fs_range", "36.25 us"},
                                        PresetValue{"fs_min_cwnd", "0.1"},
                                        PresetValue{"fs_max_cwnd", "100"},
                                        PresetValue{"ai", "1"},
                                        PresetValue{"beta", "0.8"},
                                        PresetValue{"max_mdf", "0.5"},
                                        PresetValue{"decrease_guard", "srtt"},
                                        PresetValue{"initial_cwnd", "0"}};

  Swift(const Params&, const FlowFacts&, Control&);
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);
  void on_loss(const Params&, const FlowFacts&, const Loss&, Control&);

  // Of the fabric, without what flow-based scaling adds for small windows.
  static DelayTarget delay_target(const Params&, const FlowFacts&, Time host_delay);

  // on_ack in two steps (congestion_signal.h). The signal is the fabric's delay, in picoseconds.
  std::optional<CongestionSignal> measure(const Params&, const FlowFacts&, const Ack&);
  void react(const Params&, const FlowFacts&, const Ack&, CongestionSignal, Control&);

  // Section 3.5, in picoseconds: the fabric's target delay for this window.
  double target_delay(const Params&, double cwnd) const;

  // For probes and tests. Windows are in packets.
  double cwnd() const { return fabric_.cwnd < endpoint_.cwnd ? fabric_.cwnd : endpoint_.cwnd; }
  double fabric_cwnd() const { return fabric_.cwnd; }
  double endpoint_cwnd() const { return endpoint_.cwnd; }
  double reference_cwnd() const { return reference_; }
  double additive_increase() const { return ai_; }
  const VariableAi& variable_ai() const { return vai_; }

 private:
  struct Window {
    double cwnd;
    Time last_decrease;
  };

  double varied_increase(const Params&, const FlowFacts&, const Ack&, double delay, double target);
  double hyper_increase(const Params&, const Ack&, bool delayed);
  double variable_increase(const Params&, const FlowFacts&, const Ack&, double delay, double target);
  void adjust(const Params&, const FlowFacts&, const Ack&, double delay, double target, double ai);
  void adjust_from_reference(const Params&, const FlowFacts&, const Ack&, double delay, double target, double ai);
  void adjust_endpoint(const Params&, const FlowFacts&, const Ack&);
  Time guard(const Params& p) const { return p.decrease_guard == Guard::rtt ? rtt_ : srtt_; }
  void cut(const Params&, Window&, double factor, Time now) const;
  double clamped(const Params& p, double cwnd) const;
  void answer(const Params&, const FlowFacts&, Control&) const;

  Window fabric_;    // fcwnd
  Window endpoint_;  // ecwnd
  double reference_;
  Time rtt_;                   // of the last acknowledgement
  Time srtt_;                  // smoothed, with decrease_guard = srtt; 0 = there has been none
  double endpoint_delay_ = 0;  // smoothed, in picoseconds
  std::int64_t last_update_seq_ = 0;

  // Facts of the flow, in picoseconds and packets.
  double t_;
  double line_cwnd_;  // at which a flow sends at line rate
  double max_cwnd_;
  double ai_;            // per round trip
  double fixed_target_;  // the target without flow-based scaling
  double fs_alpha_;
  double fs_beta_;

  std::int32_t retransmit_count_ = 0;
  std::int32_t delayed_ = 0;  // acknowledgements in a row with a delay above the target
  std::int32_t quiet_ = 0;    // round trips in a row without such a delay, for hyper additive increase
  bool varies_;               // the additive increase is not always ai_
  ReferenceUpdate update_;
  VariableAi vai_;
};

}  // namespace weir::cc
