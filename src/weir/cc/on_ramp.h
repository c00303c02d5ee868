// On-Ramp: an underlay that holds a flow back while its packets queue (Liu et al., "Breaking the Transience-Equilibrium
// Nexus: A New Approach to Datacenter Packet Transport", NSDI 2021, section 3).
//
// It stands between any congestion control and the network, and knows nothing of the one above it. For each packet, or
// each of so many, the receiver sends an OR-ACK with the time at which it arrived; the sender subtracts the time at
// which it left, and if this one-way delay is above a threshold T, it sends nothing of the flow until the excess should
// be gone. The strawman pauses for the whole excess, again and again while the packets that left before the pause are
// being acknowledged (equation 2). The final rule takes off what its own pauses within the last round trip will have
// done already, of which it measures the effect: beta, the fall of the delay per unit of pause (equations 3 and 4).
//
//   OnRamp shim;
//   shim.start(params, threshold, payload);
//   shim.on_send(seq, una, now, again);        // each packet that leaves
//   shim.on_or_ack(seq, one_way_delay, now);   // each OR-ACK
//   // nothing of the flow may leave before shim.next_packet(seq)
//
// `now` is the sender's time, and must not go back.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/params.h"
#include "weir/base/units.h"

namespace weir::cc {

class OnRamp {
 public:
  enum class Rule : std::uint8_t { strawman, final };

  struct Params {
    Rule rule = Rule::final;
    Time T;
    Time headroom{10'000'000};
    double gain = 1.0 / 16;
    double initial_beta = 0;
    bool memory = true;
    Bytes segment{0};
    std::int64_t packets_per_ack = 1;
    Bytes ack_size{78};

    static void describe(ParamList<Params>&);
  };

  // A flow begins; `threshold` is T, `payload` that of a full packet. The room of the previous flow is kept.
  void start(const Params&, Time threshold, Bytes payload);

  // The packet at `seq` leaves, perhaps `again`; all bytes below `una` are acknowledged. Of a segment all packets count
  // as leaving with its first one, but for those sent again.
  void on_send(std::int64_t seq, std::int64_t una, Time now, bool again = false);
  // When the packet at seq was sent, as On-Ramp sees it; Time::max() if it never was, or more than once, so that
  // nobody knows which one an OR-ACK means (Karn's rule), or is forgotten.
  Time sent_at(std::int64_t seq) const;
  // The packet at seq took this long, by the two hosts' clocks: less than 0 is possible.
  void on_or_ack(std::int64_t seq, Time one_way_delay, Time now);
  // What an earlier flow has measured on the same path, at `then`, counts as if it had been this one.
  void remember(Time one_way_delay, Time then);

  // t_NextPkt: the packet at seq, the next one, may not leave before. Within a segment nothing is held.
  Time next_packet(std::int64_t seq) const { return within_segment(seq) ? Time{} : pause_end_; }
  // How long pauses have been asserted until `now`, whether or not there was something to send.
  Time paused(Time now) const;
  double beta() const { return beta_; }
  // What the last OR-ACK told, late ones excepted.
  struct Report {
    Time sent{-1};  // -1: none has come
    Time delay;
    Time heard;
  };
  const Report& last_report() const { return report_; }
  template <class A>
  void archive(A& a) {
    a.value(rule_);
    a.value(gain_);
    a.value(beta_);
    for (auto* figure : {&payload_, &segment_, &segment_end_}) a.value(*figure);
    for (auto* time : {&threshold_, &paused_before_, &pause_begin_, &pause_end_}) a.value(*time);
    a.value(segment_first_);
    a.value(black_);
    a.value(report_);
    a.values(notes_);
  }
  Time threshold() const { return threshold_; }

 private:
  struct Note {
    std::int64_t seq = -1;
    Time sent;
    Time paused;  // by then
  };

  bool within_segment(std::int64_t seq) const { return seq >= segment_first_.seq && seq < segment_end_; }
  void pause_until(Time until, Time now);
  const Note* find(std::int64_t seq) const;
  Note& place(std::int64_t seq) { return notes_[static_cast<std::size_t>(seq / payload_) & (notes_.size() - 1)]; }
  void grow();

  Rule rule_ = Rule::final;
  double gain_ = 0;
  double beta_ = 0;
  std::int64_t payload_ = 1;
  std::int64_t segment_ = 0;
  Time threshold_;

  // Pauses: those that have been replaced or have ended, and the last one.
  Time paused_before_;
  Time pause_begin_;
  Time pause_end_;

  Note segment_first_;            // of the segment that is being sent ...
  std::int64_t segment_end_ = 0;  // ... up to here
  Note black_;                    // the packet acknowledged before the one at hand; seq < 0: none
  Report report_;                 // of it
  std::vector<Note> notes_;       // a ring, by number of packet
};

// T: as given, or else the largest one-way delay of the empty network and the headroom (section 5.1.4).
Time threshold_of(const OnRamp::Params&, Time largest_empty_delay);

}  // namespace weir::cc
