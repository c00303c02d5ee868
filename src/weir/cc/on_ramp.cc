#include "weir/cc/on_ramp.h"

#include <algorithm>
#include <cmath>

namespace weir::cc {
namespace {

unsigned fixed_point(double fraction) { return static_cast<unsigned>(std::lround(fraction * WEIR_ON_RAMP_ONE)); }

}  // namespace

void OnRamp::Params::describe(ParamList<Params>& p) {
  p.choice("rule", &Params::rule, {"strawman", "final"},
           "pause for the whole excess of delay, or take off what one's own pauses will have done", "On-Ramp 3.1, 3.2");
  p.time("T", &Params::T,
         "one-way delay above which the flow is paused; 0 = the largest one-way delay of the empty network + headroom",
         "On-Ramp 3.2: 16 us in ns-3, 30 us in section 2, 50 us on CloudLab");
  p.time("headroom", &Params::headroom, "part of T, if it is derived, for errors of measurement and some queueing",
         "On-Ramp 5.1.4: 6 us + 10 us in ns-3")
      .only_with("T", {"0 ps"});
  p.number("gain", &Params::gain, 1e-6, 1, "g: weight of a new sample in beta", "On-Ramp 3.2, equation 3")
      .only_with("rule", {"final"});
  p.number("initial_beta", &Params::initial_beta, 0, 1, "beta before the first sample",
           "not in the paper; with 1 a flow takes off its pauses in full until it has measured what they do, with 0 it "
           "pauses as the strawman does; why 1: docs/evidence/claims/on-ramp.md")
      .only_with("rule", {"final"});
  p.flag("memory", &Params::memory, "a new flow starts with the last delay measured to the same host", "On-Ramp 5.2.3");
  p.bytes(
       "segment", &Params::segment,
       "bytes of a flow that are timed and paused as one; 0 = those of a packet, or with a host's stack those of each "
       "segment that it hands down (`stack.segment`)",
       "On-Ramp 4.1: a segment, up to 64 KB", Bytes{0}, Bytes{64'000})
      .only_with("early", {"false"});
  p.flag(
      "early", &Params::early,
      "when a packet leaves is decided when the host's stack hands its segment down, and no later OR-ACK changes it; "
      "else when it leaves. It needs the stack, whose segments it uses instead of `segment`",
      "weir-host's mode bpf");
  p.integer("packets_per_ack", &Params::packets_per_ack, 1, 1'000, "data packets per OR-ACK",
            "On-Ramp 4.1: about 10 in Linux; 1 in ns-3");
  p.time("burst_gap", &Params::burst_gap,
         "the first data packet of a flow after so long a silence has an OR-ACK, too, and its last one; 0 = only each "
         "packets_per_ack-th, so that flows with fewer packets have none",
         "as weir-host; On-Ramp, footnote 8: flows of 2 KB have enough OR-ACKs", Time{}, Time{kPicosecondsPerSecond});
  p.bytes("ack_size", &Params::ack_size, "size of an OR-ACK on the wire", "On-Ramp 4.1", Bytes{1}, Bytes{1'000});
}

void OnRamp::start(const Params& p, Time threshold, Bytes payload) {
  payload_ = payload.count;
  segment_ = p.early ? 0 : p.segment.count;
  segment_begin_ = 0;
  segment_end_ = 0;
  report_ = {};
  params_ = {.threshold = threshold.ps,
             .gain = std::max(1u, fixed_point(p.gain)),
             .initial_beta = fixed_point(p.initial_beta),
             .strawman = p.rule == Rule::strawman};
  weir_on_ramp_start(&rule_, &params_);
}

void OnRamp::on_send(std::int64_t seq, Bytes size, Time now, bool again) {
  const auto first = static_cast<unsigned>(seq);
  const auto length = static_cast<unsigned>(size.count);
  if (again) {
    weir_on_ramp_on_resend(&rule_, first, length);
    // What is left of it does not leave with its first packet.
    if (within_segment(seq)) segment_begin_ = segment_end_ = 0;
  } else if (within_segment(seq)) {
    weir_on_ramp_on_more(&rule_, first, length);
  } else {
    weir_on_ramp_on_send(&rule_, &params_, first, length, now.ps);
    if (segment_ <= payload_) return;
    segment_begin_ = seq;
    segment_end_ = seq + segment_;
  }
}

OnRamp::Departure OnRamp::departure(std::int64_t seq) const {
  Departure out;
  out.seq_ = seq;
  out.found_ = weir_on_ramp_find(&rule_, static_cast<unsigned>(seq), &out.note_);
  return out;
}

void OnRamp::on_or_ack(const Departure& green, Time delay, Time now) {
  weir_on_ramp_on_found(&rule_, &params_, green.found_, &green.note_, static_cast<unsigned>(green.seq_), delay.ps,
                        now.ps);
  report_ = {green.sent(), delay, now};
}

void OnRamp::on_or_ack(std::int64_t seq, Time delay, Time now) {
  if (const Departure green = departure(seq)) on_or_ack(green, delay, now);
}

Time threshold_of(const OnRamp::Params& p, Time largest_empty_delay) {
  return p.T > Time{} ? p.T : largest_empty_delay + p.headroom;
}

}  // namespace weir::cc
