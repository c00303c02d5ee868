#include "weir/cc/on_ramp.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace weir::cc {

void OnRamp::Params::describe(ParamList<Params>& p) {
  p.choice("rule", &Params::rule, {"strawman", "final"},
           "pause for the whole excess of delay, or take off what one's own pauses will have done", "On-Ramp 3.1, 3.2");
  p.time("T", &Params::T,
         "one-way delay above which the flow is paused; 0 = the largest one-way delay of the empty network + headroom",
         "On-Ramp 3.2: 16 us in ns-3, 30 us in section 2, 50 us on CloudLab");
  p.time("headroom", &Params::headroom, "part of T, if it is derived, for errors of measurement and some queueing",
         "On-Ramp 5.1.4: 6 us + 10 us in ns-3");
  p.number("gain", &Params::gain, 1e-6, 1, "g: weight of a new sample in beta", "On-Ramp 3.2, equation 3");
  p.number("initial_beta", &Params::initial_beta, 0, 1, "beta before the first sample",
           "not in the paper; with 0 the first pause is the strawman's");
  p.flag("memory", &Params::memory, "a new flow starts with the last delay measured to the same host", "On-Ramp 5.2.3");
  p.bytes("segment", &Params::segment,
          "flows are paused and packets timed in segments of this size, as with segmentation offload; 0 = each packet",
          "On-Ramp 4: up to 64 KB", Bytes{0}, Bytes{64'000});
  p.integer("packets_per_ack", &Params::packets_per_ack, 1, 1'000, "data packets per OR-ACK",
            "On-Ramp 4.1: about 10 in Linux; 1 in ns-3");
  p.bytes("ack_size", &Params::ack_size, "size of an OR-ACK on the wire", "On-Ramp 4.1", Bytes{1}, Bytes{1'000});
}

void OnRamp::start(const Params& p, Time threshold, Bytes payload) {
  std::vector<Note> room = std::move(notes_);
  *this = {};
  std::fill(room.begin(), room.end(), Note{});
  notes_ = std::move(room);
  rule_ = p.rule;
  gain_ = p.gain;
  beta_ = p.initial_beta;
  payload_ = payload.count;
  segment_ = p.segment.count;
  threshold_ = threshold;
}

Time OnRamp::paused(Time now) const {
  return paused_before_ + (std::clamp(now, pause_begin_, pause_end_) - pause_begin_);
}

// The new pause takes the place of what is left of the one before.
void OnRamp::pause_until(Time until, Time now) {
  paused_before_ = paused(now);
  pause_begin_ = now;
  pause_end_ = std::max(until, now);
}

void OnRamp::on_send(std::int64_t seq, std::int64_t una, Time now, bool again) {
  Note note{seq, now, paused(now)};
  if (again) {
    note.seq = -1;
  } else if (within_segment(seq)) {
    note.sent = segment_first_.sent;
    note.paused = segment_first_.paused;
  } else if (segment_ > payload_) {
    segment_first_ = note;
    segment_end_ = seq + segment_;
  }
  while (notes_.empty() || (place(seq).seq >= una && place(seq).seq != seq)) grow();
  place(seq) = note;
}

// The place of a packet is taken by one that may still be acknowledged.
void OnRamp::grow() {
  std::vector<Note> old(std::max<std::size_t>(16, 2 * notes_.size()));
  old.swap(notes_);
  for (const Note& n : old)
    if (n.seq >= 0) place(n.seq) = n;
}

const OnRamp::Note* OnRamp::find(std::int64_t seq) const {
  if (notes_.empty()) return nullptr;
  const Note& n = notes_[static_cast<std::size_t>(seq / payload_) & (notes_.size() - 1)];
  return n.seq == seq ? &n : nullptr;
}

Time OnRamp::sent_at(std::int64_t seq) const {
  const Note* note = find(seq);
  return note == nullptr ? Time::max() : note->sent;
}

void OnRamp::on_or_ack(std::int64_t seq, Time delay, Time now) {
  const Note* green = find(seq);
  if (green == nullptr) return;
  Time excess = delay - threshold_;
  const bool in_order = seq > black_.seq;  // a late one tells nothing of what lies between
  if (rule_ == Rule::final) {
    const Time between = green->paused - black_.paused;
    if (in_order && black_.seq >= 0 && between > Time{}) {
      const double fall = static_cast<double>((report_.delay - delay).ps) / static_cast<double>(between.ps);
      beta_ = (1 - gain_) * beta_ + gain_ * std::clamp(fall, 0.0, 1.0);
    }
    const Time in_flight = paused(now) - green->paused;
    excess -= Time{std::llround(beta_ * static_cast<double>(in_flight.ps))};
  }
  if (in_order) {
    black_ = *green;
    report_ = {green->sent, delay, now};
  }
  if (excess > Time{}) pause_until(now + excess, now);
}

void OnRamp::remember(Time delay, Time then) {
  if (delay > threshold_) pause_until(then + delay - threshold_, then);
}

Time threshold_of(const OnRamp::Params& p, Time largest_empty_delay) {
  return p.T > Time{} ? p.T : largest_empty_delay + p.headroom;
}

}  // namespace weir::cc
