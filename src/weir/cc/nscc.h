// NSCC: network signal congestion control of Ultra Ethernet (UEC specification 1.0), made for packet spraying.
//
// Two signals of each acknowledgement, the queueing delay d (round-trip time less the unloaded one) and the ECN mark,
// give four cases:
//
//               d < target                        d >= target
//   no mark     grow in proportion to target - d  grow by a fair amount: the queue is being left already
//   mark        nothing, another path will do     decrease, once per round trip, by the smoothed delay
//
// What grows is summed up and added every 8 packets, or once per round trip, together with a small step eta. Where
// there is no delay at all for a window, the window grows with each acknowledgement (fast increase). Where much less
// arrives than the window promised, and there was a loss or a very long delay, the window becomes what did arrive
// (quick adapt), and marks of what is still in flight do not count.
//
// Windows are whole bytes, delays whole picoseconds, and rounded down at each step, so that every window is the one of
// the public reference (uet-htsim, uec.cpp) for the same feedback; tests/cc/nscc_reference_test.cc feeds it that of
// its traces. Bytes are those that Ack and Control count. Constants scale with the network: a = its bandwidth-delay
// product over 150 KB, that of 100 Gb/s and 12 us.
#pragma once

#include <cstdint>
#include <optional>

#include "weir/cc/algorithm.h"
#include "weir/cc/congestion_signal.h"

namespace weir::cc {

class Nscc {
 public:
  struct Params {
    Time target_qdelay;
    double alpha = 4;
    double fair_increase = 5;
    double eta = 0.15;
    double fast_increase = 0.25;
    Time fast_delay{1'000'000};
    double gamma = 0.8;
    double max_decrease = 0.5;
    double delay_gain = 0.0125;
    double good_delay = 0.25;
    std::int32_t adjust_packets = 8;
    bool quick_adapt = true;
    double qa_threshold = 4;
    std::int32_t qa_gate = 3;
    double max_window = 1.5;
    double initial_window = 1.5;
    Time base_rtt;
    static void describe(ParamList<Params>&);
  };

  static constexpr About about{.name = "nscc",
                               .title = "NSCC",
                               .source = "Ultra Ethernet specification 1.0; uet-htsim, uec.cpp",
                               .needs = Needs::ecn};
  static std::span<const Preset> presets();

  Nscc(const Params&, const FlowFacts&, Control&);
  void on_ack(const Params&, const FlowFacts&, const Ack&, Control&);
  void on_loss(const Params&, const FlowFacts&, const Loss&, Control&);

  // Of the queueing delay, in which the receiving host's part of a round trip is.
  static DelayTarget delay_target(const Params&, const FlowFacts&, Time host_delay);

  // on_ack in two steps (congestion_signal.h). The signal is d, in picoseconds.
  std::optional<CongestionSignal> measure(const Params&, const FlowFacts&, const Ack&);
  void react(const Params&, const FlowFacts&, const Ack&, CongestionSignal, Control&);

  // For a transport that learns the path's base round-trip time as it goes: another largest window, and another window
  // than the first one.
  void set_largest_window(Bytes largest) { max_window_ = largest.count; }
  void set_window(Bytes window) { window_ = window.count; }
  // As on_loss, of a packet that was trimmed at the link to its receiver, for a transport whose receiver sees to that
  // link: the window stays.
  void on_trim_at_receiver(const Params&, const FlowFacts&, const Loss&, Control&);
  // For a replica of the reference, whose sum of increases has 32 bits and wraps.
  void wrap_sum_at_32_bits() { wraps_ = true; }

  // For probes and tests.
  Time average_delay() const { return {avg_delay_}; }
  Time target() const { return {target_}; }
  Bytes largest_window() const { return {max_window_}; }
  bool fast() const { return fast_; }

 private:
  struct Event {
    Time now;
    Bytes in_flight;
    double delay;
    bool marked;
    bool lost;
  };

  bool adapts_to_trim(const Params&, const FlowFacts&, const Loss&);
  void add_to_sum(double increase);
  void smooth(const Params&, std::int64_t delay, std::int64_t base_rtt, bool marked);
  bool quick_adapt(const Params&, const FlowFacts&, const Event&);
  bool fast_increase(const Params&, std::int64_t acked, double delay);
  void decrease(const Params&, const FlowFacts&, Time now);
  void fulfil(Time now);
  void bound();
  static Time round_trip(const Params&, const FlowFacts&);
  static Time target(const Params&, const FlowFacts&);

  // Facts of the flow: picoseconds and bytes.
  std::int64_t t_;       // round trip of the network
  std::int64_t target_;  // of the queueing delay
  std::int64_t min_window_;
  std::int64_t max_window_;
  double alpha_;
  double fi_;
  double eta_;
  double fi_scale_;

  std::int64_t window_;
  std::int64_t avg_delay_ = 0;
  std::int64_t inc_ = 0;       // bytes times window, to be added
  std::int64_t received_ = 0;  // since the last adjustment
  std::int64_t last_adjust_ = 0;
  std::int64_t last_decrease_ = 0;
  std::int64_t fast_count_ = 0;  // bytes without delay
  std::int64_t qa_end_ = 0;      // of quick adapt's period; 0 = before the first
  std::int64_t achieved_ = 0;    // received in it
  std::int64_t to_ignore_ = 0;
  std::int64_t ignored_ = 0;
  bool fast_ = false;
  bool trigger_qa_ = false;
  bool wraps_ = false;  // inc_ has 32 bits
};

}  // namespace weir::cc
