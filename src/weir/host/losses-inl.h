// Senders: losses and timeouts. Included by engine/partition/partition-inl.h only.
#pragma once

#include <algorithm>

#include "weir/host/senders.h"

namespace weir::host {

template <class P>
inline Time Senders<P>::timeout(const Flow& flow) const {
  const RecoveryParams& recovery = model().profiles[flow.profile].recovery;
  if (recovery.kind == RecoveryKind::irn)
    return flow.in_flight() <= few_bytes(recovery) ? recovery.rto_low : recovery.rto_high;
  // The variance decays while queues are empty; half of srtt keeps the first queue that builds up from being a timeout.
  const Time spread = std::max(4 * flow.rttvar, flow.srtt / 2);
  Time base = std::max(model().transport.min_rto, flow.srtt + spread);
  if (flow.tcp_timers) {
    base = flow.srtt + std::max(model().transport.min_rto, spread);
    if (!flow.measured) base = std::max(base, model().transport.first_rto);
  }
  return base * (std::int64_t{1} << flow.backoff);
}

// Sets the timeout after a packet has been sent, unless it is set. IRN's timeout becomes the longer one as soon as more
// than a few packets are in flight.
template <class P>
inline void Senders<P>::watch_for_timeout(Flow& flow, std::int64_t payload, Time now) const {
  if (flow.rto_at == Time::max()) {
    flow.rto_at = now + timeout(flow);
    return;
  }
  const RecoveryParams& recovery = model().profiles[flow.profile].recovery;
  if (recovery.kind != RecoveryKind::irn) return;
  const std::int64_t few = few_bytes(recovery);
  if (flow.in_flight() > few && flow.in_flight() - payload <= few) flow.rto_at += recovery.rto_high - recovery.rto_low;
}

// Handles the notice that a packet of this flow has reached the receiver without its payload: the packet is lost.
template <class P>
void Senders<P>::receive_trim_notice(Host& host, Flow& flow, const Packet& packet, Time now) {
  const Bytes in_flight{flow.in_flight()};
  const Bytes lost{host.extras_of(flow.slot).scoreboard.lose_one(packet.seq)};
  if (lost.count == 0) return;
  note_scoreboard(host, flow, host.extras_of(flow.slot).scoreboard);
  report_loss(host, flow, cc::Loss::Kind::trim, {packet.seq}, lost, in_flight, now);
}

template <class P>
inline void Senders<P>::note_scoreboard(Host& host, Flow& flow, const Scoreboard& board) {
  flow.resend = board.lost_bytes() > 0;
  flow.not_in_flight = board.lost_bytes() + board.delivered_bytes() + board.gap_bytes();
  if (!flow.stacked) flow.send_limit = board.limit(flow.snd_una);
  update_on_ramp_hold(host, flow);
}

// Reports losses that have been found. Of one episode, which is all losses up to what had been sent when the first was
// found, only the first are reported, unless the algorithm asks for all (Control::every_loss).
template <class P>
void Senders<P>::find_losses(Host& host, Flow& flow, const Scoreboard::Findings& found, Time now) {
  if (!host.extras_of(flow.slot).scoreboard.begins_episode(found) && !flow.control.every_loss) return;
  report_loss(host, flow, cc::Loss::Kind::sack_hole, {found.first_lost}, {found.lost}, {flow.in_flight() + found.lost},
              now, {found.in_a_row});
}

// Tells the algorithm that `lost` of the bytes that were in flight are lost.
template <class P>
void Senders<P>::report_loss(Host& host, Flow& flow, cc::Loss::Kind kind, Bytes first, Bytes lost, Bytes in_flight,
                             Time now, Bytes in_a_row) {
  trace(net::EventKind::told_loss, host, flow, now, first, lost,
        kind == cc::Loss::Kind::timeout ? net::Cause::timeout : net::Cause::told);
  const Profile& profile = model().profiles[flow.profile];
  if (profile.algorithm->on_loss == nullptr) return;
  const std::int64_t waiting = flow.stacked ? host.stack_of(flow.slot).waiting(flow.snd_nxt) : 0;
  const cc::Loss loss{.kind = kind,
                      .now = now,
                      .seq = first,
                      .lost = lost,
                      .in_a_row = in_a_row,
                      .snd_nxt = {flow.snd_nxt + waiting},
                      .in_flight = {in_flight.count + waiting},
                      .entropy = flow.entropy};
  profile.algorithm->on_loss(flow.state(), profile.params.get(), flow.facts, loss, flow.control);
  apply_control(host, flow, now);
}

// Go-back-N: sends again from the first unacknowledged byte.
template <class P>
void Senders<P>::go_back(Host& host, Flow& flow, cc::Loss::Kind kind, Time now) {
  report_loss(host, flow, kind, {flow.snd_una}, {flow.in_flight()}, {flow.in_flight()}, now);
  flow.snd_nxt = flow.snd_una;
  flow.not_in_flight = 0;
  update_on_ramp_hold(host, flow);
}

// When a timer that is set at `now` for `wait` runs out: with transport.timer_tick, at a tick of the host.
template <class P>
inline Time Senders<P>::at_tick(const Host& host, const Flow& flow, Time wait, Time now) const {
  const std::int64_t tick = model().transport.timer_tick.ps;
  if (!flow.tcp_timers || tick == 0) return now + wait;
  const std::int64_t ticks = (now - host.first_tick).ps / tick + (wait.ps + tick - 1) / tick + 1;
  return host.first_tick + Time{ticks * tick};
}

// Sets the timer for the packets that are out: for a tail probe, or for the timeout if a probe is out already, if
// something is missing or if flows send no probes.
template <class P>
void Senders<P>::set_tcp_timer(Host& host, Flow& flow, Time now) {
  const TransportParams& transport = model().transport;
  flow.timer = TimerKind::timeout;
  if (flow.snd_nxt == flow.snd_una) {
    flow.rto_at = waits_for_credit(flow) ? at_tick(host, flow, timeout(flow), now) : Time::max();
    return;
  }
  Time wait = timeout(flow);
  if (transport.tail_probe && !flow.probing && !host.extras_of(flow.slot).scoreboard.misses_any()) {
    const bool alone = flow.snd_nxt - flow.snd_una <= transport.payload.count;
    wait = std::min(wait, 2 * flow.srtt + (alone ? transport.min_rto : transport.timer_slack));
    flow.timer = TimerKind::probe;
  }
  flow.rto_at = at_tick(host, flow, wait, now);
}

// Sets the timer after a packet has left: anew if the packet is new and a tail probe may follow it, else only if the
// timer is not set.
template <class P>
void Senders<P>::on_tcp_send(Host& host, Flow& flow, bool again, Time now) {
  const bool moves =
      !again && model().transport.tail_probe && !flow.probing && !host.extras_of(flow.slot).scoreboard.misses_any();
  if (moves || flow.rto_at == Time::max()) set_tcp_timer(host, flow, now);
}

// Ends a tail probe and sets the timers after an acknowledgement, which the scoreboard has taken in already.
template <class P>
void Senders<P>::on_tcp_ack(Host& host, Flow& flow, const Packet& packet, bool progress, Time now) {
  flow.measured = true;
  FlowExtras& extras = host.extras_of(flow.slot);
  if (flow.probing && flow.snd_una >= extras.tail_probe.end) {
    // If the acknowledgement is for the probe, the packet that the probe repeated was lost.
    flow.probing = false;
    const TailProbe& probe = extras.tail_probe;
    if (probe.payload > 0 && packet.sent >= probe.at && (flow.snd_una < flow.size() || flow.is_connection))
      report_loss(host, flow, cc::Loss::Kind::sack_hole, {probe.seq}, {probe.payload},
                  {flow.in_flight() + probe.payload}, now);
  }
  if (progress) {
    flow.backoff = 0;
    set_tcp_timer(host, flow, now);
  }
  wait_for_reordering(host, flow, now);
}

// Sets RACK's timer, which goes before the others as long as RACK waits for a packet.
template <class P>
void Senders<P>::wait_for_reordering(Host& host, Flow& flow, Time now) {
  const Time until = host.extras_of(flow.slot).scoreboard.waits_until();
  if (until != Time::max()) {
    flow.timer = TimerKind::reordering;
    flow.rto_at = at_tick(host, flow, until - now + model().transport.timer_slack, now);
  } else if (flow.timer == TimerKind::reordering) {
    set_tcp_timer(host, flow, now);
  }
}

template <class P>
void Senders<P>::on_timer(Host& host, Flow& flow, Time now) {
  const TimerKind due = flow.timer;
  flow.timer = TimerKind::timeout;
  switch (due) {
    case TimerKind::timeout: return time_out(host, flow, now);
    case TimerKind::probe: return probe_tail(host, flow, now);
    case TimerKind::reordering: return end_reordering(host, flow, now);
  }
}

// Lets a tail probe leave whatever the window: a new packet, or else the last one again. Nothing counts as in flight
// until it has left.
template <class P>
void Senders<P>::probe_tail(Host& host, Flow& flow, Time now) {
  FlowExtras& extras = host.extras_of(flow.slot);
  if (flow.stacked && flow.snd_nxt >= flow.send_limit) hand_down(host, flow, now, true);
  TailProbe& probe = extras.tail_probe;
  const bool is_new = flow.snd_nxt < flow.send_limit;
  if (is_new) {
    probe = {.at = now, .seq = flow.snd_nxt, .end = std::min(flow.size(), flow.snd_nxt + flow.facts.payload.count)};
  } else {
    probe = {.at = now, .seq = extras.scoreboard.last_sent(), .end = flow.snd_nxt};
    probe.payload = extras.scoreboard.lose_one(probe.seq);
  }
  note_scoreboard(host, flow, extras.scoreboard);
  flow.not_in_flight = flow.snd_nxt - flow.snd_una;
  flow.probing = true;
  set_tcp_timer(host, flow, now);
}

template <class P>
void Senders<P>::end_reordering(Host& host, Flow& flow, Time now) {
  Scoreboard& board = host.extras_of(flow.slot).scoreboard;
  const Scoreboard::Findings found = board.judge(now);
  note_scoreboard(host, flow, board);
  set_tcp_timer(host, flow, now);
  wait_for_reordering(host, flow, now);
  if (found.lost > 0) find_losses(host, flow, found, now);
  if (flow.stacked) hand_down(host, flow, now);
}

template <class P>
void Senders<P>::time_out(Host& host, Flow& flow, Time now) {
  if (waits_for_credit(flow)) {  // the credit may be lost: one packet asks again
    ++counters().timeouts;
    if (flow.backoff < 6 && timeout(flow) <= kMaxTime / 2) ++flow.backoff;
    allow(host, flow, flow.send_limit + flow.facts.payload.count);
    flow.rto_at = at_tick(host, flow, timeout(flow), now);
    return;
  }
  if (flow.in_flight() == 0) {  // all is known to be lost already, and waits to be sent again
    flow.rto_at = Time::max();
    return;
  }
  ++counters().timeouts;
  if (flow.backoff < 6 && timeout(flow) <= kMaxTime / 2) ++flow.backoff;
  if (flow.selective) {
    const Bytes in_flight{flow.in_flight()};
    const Bytes lost{host.extras_of(flow.slot).scoreboard.lose_all()};
    if (flow.sprayed) host.connections.paths(host.extras_of(flow.slot).connection).on_timeout(now);
    note_scoreboard(host, flow, host.extras_of(flow.slot).scoreboard);
    report_loss(host, flow, cc::Loss::Kind::timeout, {flow.snd_una}, lost, in_flight, now);
  } else {
    go_back(host, flow, cc::Loss::Kind::timeout, now);
  }
  flow.probing = false;
  flow.rto_at = at_tick(host, flow, timeout(flow), now);
}

}  // namespace weir::host
