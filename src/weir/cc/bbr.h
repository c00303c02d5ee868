// BBR, version 1: Bottleneck Bandwidth and Round-trip propagation time (Cardwell et al., CACM 60(2), 2017), as Linux
// has it.
//
// A path is described by two numbers: BtlBw, the largest rate at which data was delivered lately, and RTprop, the least
// round-trip time lately. Packets are paced at BtlBw, and no more than two BtlBw * RTprop are in flight. Since the two
// cannot be seen at once, BBR looks for them in turn:
//
//   startup    doubles the rate every round, until it has not grown by a quarter for three rounds
//   drain      sends slower until the queue that startup made is gone
//   probe bw   eight phases of one RTprop each: paced at 5/4, 3/4 and six times 1 of BtlBw
//   probe rtt  four packets in flight for a while, whenever RTprop has not been seen for its window
//
// A loss changes no estimate, it only holds back the window: packets are conserved for one round, and at the end of
// recovery the window is what it was. Marks are ignored. Not here are what Linux added for policers and for aggregated
// acknowledgements.
#pragma once

#include <cstdint>

#include "weir/cc/algorithm.h"
#include "weir/cc/windowed_max.h"

namespace weir::cc {

class Bbr {
 public:
  enum class Mode : std::uint8_t { startup, drain, probe_bw, probe_rtt };

  struct Params {
    double high_gain = 2.885;
    double cwnd_gain = 2;
    std::int64_t bw_rounds = 10;
    Time min_rtt_window{10 * kPicosecondsPerSecond};
    Time probe_rtt_duration{200'000'000'000};
    double pacing_margin = 0.01;
    std::int64_t initial_window = 10;
    std::int64_t min_window = 4;
    std::int64_t send_quantum = 1;
    static void describe(ParamList<Params>&);
  };

  static constexpr About about{.name = "bbr",
                               .title = "BBR",
                               .source = "Cardwell et al., BBR: Congestion-Based Congestion Control, CACM 60(2), 2017",
                               .needs = Needs::delivery_rate};

  Bbr(const Params&, const FlowFacts&, Control&);
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);
  void on_loss(const Params&, const FlowFacts&, const Loss&, Control&);

  // For probes and tests. The bandwidth is in payload bytes per second.
  Mode mode() const { return mode_; }
  int phase() const { return phase_; }
  double bandwidth() const { return bandwidth_.value(); }
  Time min_rtt() const { return min_rtt_; }
  bool conserving() const { return conserving_; }

 private:
  void update_bandwidth(const Params&, const Ack&);
  void check_full();
  void update_phase(const Params&, const FlowFacts&, const Ack&);
  void check_drained(const Params&, const FlowFacts&, const Ack&);
  void update_min_rtt(const Params&, const FlowFacts&, const Ack&);
  void set_rate(const Params&, const FlowFacts&, Control&) const;
  void set_window(const Params&, const FlowFacts&, const Ack&);

  void probe_bandwidth(const FlowFacts&, Time now);
  void next_phase(Time now);
  void save_window();
  double pacing_gain(const Params&) const;
  double window_gain(const Params&) const;
  Bytes inflight(const Params&, const FlowFacts&, double gain) const;

  WindowedMax bandwidth_;  // BtlBw
  double full_bw_ = 0;     // startup: the rate that the next round must exceed by a quarter
  Time min_rtt_;           // RTprop
  Time min_rtt_time_;      // when it was seen
  Time probe_rtt_until_ = kNoTimer;
  Time phase_start_;
  Bytes window_;
  Bytes prior_window_;     // before recovery or probe rtt
  Bytes delivered_;        // of the whole flow
  Bytes round_end_;        // a round ends when a packet is acknowledged that was sent after so much was delivered
  Bytes limited_from_{1};  // packets sent between these two of delivered_ tell of probe rtt, not of the path
  Bytes limited_until_;
  Bytes recover_;            // loss recovery ends when all below is acknowledged
  std::uint32_t round_ = 0;  // count
  std::uint32_t draws_ = 0;
  Mode mode_ = Mode::startup;
  std::uint8_t phase_ = 0;        // of probe bw
  std::uint8_t full_rounds_ = 0;  // rounds without growth
  bool round_start_ = false;      // this acknowledgement began a round
  bool probe_rtt_round_ = false;  // a round has passed in probe rtt
  bool lost_ = false;             // since the previous acknowledgement
  bool recovering_ = false;
  bool conserving_ = false;
};

}  // namespace weir::cc
