// On-Ramp: an underlay that holds a flow back while its packets queue (Liu et al., "Breaking the Transience-Equilibrium
// Nexus: A New Approach to Datacenter Packet Transport", NSDI 2021, section 3).
//
// It stands between any congestion control and the network, and knows nothing of the one above it. For each packet, or
// each of so many, the first one of a burst and the last one of a flow, the receiver sends an OR-ACK with the time at
// which it arrived; the sender subtracts the time at which it left, and if this one-way delay is above a threshold T,
// it sends nothing of the flow until the excess should be gone. The strawman pauses for the whole excess, again and
// again while the packets that left before the pause are being acknowledged (equation 2). The final rule takes off what
// its own pauses within the last round trip will have done already, of which it measures the effect: beta, the fall of
// the delay per unit of pause (equations 3 and 4).
//
//   OnRamp shim;
//   shim.start(params, threshold, payload);
//   shim.on_send(seq, size, now, again);       // each packet that leaves
//   shim.on_or_ack(seq, one_way_delay, now);   // each OR-ACK
//   // nothing of the flow may leave before shim.next_packet(seq)
//
// The arithmetic is on_ramp_rule.h's, which hosts use too; here are its parameters and segments.
//
// `now` is the sender's time, and must not go back.
#pragma once

#include <cstdint>

#include "weir/base/params.h"
#include "weir/base/units.h"
#include "weir/cc/on_ramp_rule.h"

namespace weir::cc {

class OnRamp {
 public:
  enum class Rule : std::uint8_t { strawman, final };

  struct Params {
    Rule rule = Rule::final;
    Time T;
    Time headroom{10'000'000};
    double gain = 1.0 / 16;
    double initial_beta = 1;
    bool memory = true;
    bool early = false;
    Bytes segment{0};
    std::int64_t packets_per_ack = 1;
    Time burst_gap{100'000'000};
    Bytes ack_size{78};

    static void describe(ParamList<Params>&);
  };

  // A flow begins; `threshold` is T, `payload` that of a full packet.
  void start(const Params&, Time threshold, Bytes payload);

  // The next segment has this size instead of Params::segment.
  void next_segment(Bytes size) { segment_ = size.count; }
  // `size` bytes leave from `seq` on, perhaps `again`. Of a segment all packets count as leaving with its first one,
  // but for those sent again.
  void on_send(std::int64_t seq, Bytes size, Time now, bool again = false);

  // A packet that an OR-ACK is about. It is good until the next call that changes anything.
  class Departure {
   public:
    explicit operator bool() const { return found_ != 0; }
    // When it left, as On-Ramp sees it; of some packets of a flow that has many under way, about when.
    Time sent() const { return {note_.sent}; }

   private:
    friend class OnRamp;
    std::int64_t seq_ = 0;
    int found_ = 0;
    weir_on_ramp_note note_{};
  };
  // False for a packet that never left, or more than once, so that nobody knows which one an OR-ACK means (Karn's
  // rule); and for one that has been answered, or one behind which another one has been.
  Departure departure(std::int64_t seq) const;
  // The packet took this long, by the two hosts' clocks: less than 0 is possible.
  void on_or_ack(const Departure&, Time one_way_delay, Time now);
  // The same, if it may be answered.
  void on_or_ack(std::int64_t seq, Time one_way_delay, Time now);
  // What an earlier flow has measured on the same path, at `then`, counts as if it had been this one.
  void remember(Time one_way_delay, Time then) { weir_on_ramp_remember(&rule_, &params_, one_way_delay.ps, then.ps); }

  // t_NextPkt: the packet at seq, the next one, may not leave before. Within a segment nothing is held but what is sent
  // again, which waits for the end of the pause.
  Time next_packet(std::int64_t seq) const { return within_segment(seq) ? Time{} : pause_end(); }
  Time pause_end() const { return {rule_.pause_end}; }
  // How long pauses have been asserted until `now`, whether or not there was something to send.
  Time paused(Time now) const { return {weir_on_ramp_paused(&rule_, now.ps)}; }
  double beta() const { return static_cast<double>(rule_.beta) / WEIR_ON_RAMP_ONE; }
  // What the last OR-ACK told, late ones excepted.
  struct Report {
    Time sent{-1};  // -1: none has come
    Time delay;
    Time heard;
  };
  const Report& last_report() const { return report_; }
  template <class A>
  void archive(A& a) {
    for (auto* figure : {&params_.threshold, &params_.max_pause, &params_.max_age}) a.value(*figure);
    for (auto* figure : {&params_.gain, &params_.initial_beta, &params_.strawman}) a.value(*figure);
    for (auto* figure : {&payload_, &segment_, &segment_begin_, &segment_end_}) a.value(*figure);
    a.value(report_);
    weir_on_ramp& r = rule_;
    for (auto* figure : {&r.paused_before, &r.pause_begin, &r.pause_end, &r.black_paused, &r.black_delay})
      a.value(*figure);
    for (auto* figure : {&r.has_black, &r.beta, &r.begun, &r.answered, &r.end, &r.head}) a.value(*figure);
    r.tail = r.head + static_cast<unsigned>(a.length(r.tail - r.head, WEIR_ON_RAMP_NOTES));
    for (unsigned at = r.head; at != r.tail; ++at) a.value(r.notes[at & (WEIR_ON_RAMP_NOTES - 1)]);
  }
  Time threshold() const { return {params_.threshold}; }

 private:
  bool within_segment(std::int64_t seq) const { return seq >= segment_begin_ && seq < segment_end_; }

  std::int64_t payload_ = 1;
  std::int64_t segment_ = 0;
  std::int64_t segment_begin_ = 0;  // the segment that is being sent
  std::int64_t segment_end_ = 0;
  Report report_;
  weir_on_ramp_params params_{};
  weir_on_ramp rule_{};  // it sees sequence numbers modulo 2^32
};

// T: as given, or else the largest one-way delay of the empty network and the headroom (section 5.1.4).
Time threshold_of(const OnRamp::Params&, Time largest_empty_delay);

}  // namespace weir::cc
