// The algorithm "external": the flow observes, and the program that embeds the run decides its window and rate.
//
// The flow's life is divided into monitor intervals, as in PCC (Dong et al., NSDI'15, section 2.2). At the end of each
// interval, even one without an acknowledgement, the flow asks for a decision (Control::ask), and last() gives what it
// has observed in the interval. A decision holds until the next one.
#pragma once

#include <cstdint>

#include "weir/cc/algorithm.h"

namespace weir::cc {

// What a flow has observed in one monitor interval.
struct Observation {
  Time from;
  Time until;
  Bytes sent;                    // bytes on the wire, with headers and retransmissions
  Bytes acked;                   // payload that was newly acknowledged
  Bytes lost;                    // payload that was found lost
  Time least_rtt = Time::max();  // smallest RTT of the acknowledgements; max = there were none
  Time sum_rtt;
  std::uint32_t acks = 0;
  std::uint32_t marked = 0;    // acknowledgements of marked packets
  std::uint32_t timeouts = 0;  // of the retransmission timer

  Time mean_rtt() const { return acks > 0 ? sum_rtt / acks : Time{}; }
};

class External {
 public:
  struct Params {
    Time interval;
    double rate = 1;
    double window = 0;
    static void describe(ParamList<Params>& p);
  };
  static constexpr About about{.name = "external",
                               .title = "decided from outside",
                               .source = "monitor intervals as in PCC, Dong et al., NSDI 2015, section 2.2",
                               .needs = Needs::decisions};

  External(const Params& p, const FlowFacts& flow, Control& control);
  void on_ack(const Params& p, const FlowFacts& flow, const Ack& ack, Control& control);
  void on_loss(const Params& p, const FlowFacts& flow, const Loss& loss, Control& control);
  void on_send(const Params& p, const FlowFacts& flow, const Send& send, Control& control);
  void on_timer(const Params& p, const FlowFacts& flow, Time now, Control& control);

  // The interval that has ended last. Until the first one has, it is empty, with from = until = the flow's start.
  const Observation& last() const { return last_; }
  // The number of intervals that have ended.
  std::uint32_t intervals() const { return intervals_; }

 private:
  Observation last_;
  Observation present_;
  std::uint32_t intervals_ = 0;
};

}  // namespace weir::cc
