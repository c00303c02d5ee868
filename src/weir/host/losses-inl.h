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
  // While queues are empty the variance dies away, and the first queue that builds up must not be a timeout.
  const Time spread = std::max(4 * flow.rttvar, flow.srtt / 2);
  const Time base = std::max(model().transport.min_rto, flow.srtt + spread);
  return base * (std::int64_t{1} << flow.backoff);
}

// A packet has been sent. IRN's timeout is the longer one as soon as there are more than a few in flight.
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

// A packet of this flow has reached the receiver without its payload.
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

// Losses of one episode, up to what had been sent when the first was found, are reported once, unless the algorithm
// judges by how many there are in a row.
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

template <class P>
void Senders<P>::time_out(Host& host, Flow& flow, Time now) {
  if (waits_for_credit(flow)) {  // which may be lost: one packet asks again
    ++counters().timeouts;
    if (flow.backoff < 6 && timeout(flow) <= kMaxTime / 2) ++flow.backoff;
    allow(host, flow, flow.send_limit + flow.facts.payload.count);
    flow.rto_at = now + timeout(flow);
    return;
  }
  if (flow.in_flight() == 0) {  // all is known to be lost, and its turn has not come
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
  flow.rto_at = now + timeout(flow);
}

}  // namespace weir::host
