// Senders: acknowledgements and notices that come back to a flow. Included by engine/partition/partition-inl.h only.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <utility>

#include "weir/host/senders.h"

namespace weir::host {

template <class P>
inline void Senders<P>::receive_feedback(std::uint32_t h, const Packet& packet, Time now) {
  Host& host = network().hosts[h];
  Flow* flow = host.find(packet.slot, packet.generation);
  if (flow == nullptr) {
    packets().release(packet);
    return;
  }
  if (packet.is_notice()) [[unlikely]] {
    receive_notice(host, *flow, packet, now);
  } else if (packet.kind == net::PacketKind::nack && flow->selective) {
    receive_trim_notice(host, *flow, packet, now);
    packets().release(packet);
  } else {
    if ((packet.flags & net::kEchoCnp) != 0) notify_congestion(host, *flow, now);
    acknowledge(host, *flow, packet, now);
    packets().release(packet);
    if (flow->snd_una >= flow->size() && !flow->is_connection) {
      finish_flow(h, *flow, now);
      nics().serve(h, now);
      return;
    }
    if (packet.kind == net::PacketKind::nack && flow->snd_nxt > flow->snd_una)
      go_back(host, *flow, cc::Loss::Kind::nack, now);
  }
  if (flow->is_connection) [[unlikely]]
    drivers().on_feedback(h, *flow, now);
  nics().arm(host, *flow);
  nics().consider(host, *flow, now);
  nics().serve(h, now);
}

template <class P>
void Senders<P>::receive_notice(Host& host, Flow& flow, const Packet& packet, Time now) {
  switch (packet.kind) {
    case net::PacketKind::or_ack: return receive_or_ack(host, flow, packet, now);
    case net::PacketKind::echo: return receive_echo(host, flow, packet, now);
    case net::PacketKind::credit: {
      if (waits_for_credit(flow)) flow.rto_at = Time::max();  // the next packet sets it again
      return allow(host, flow, unsolicited(flow) + packet.seq);
    }
    default: return notify_congestion(host, flow, now);
  }
}

// Takes over what the acknowledgement says of the flow's bytes.
template <class P>
inline typename Senders<P>::Told Senders<P>::take_ack(Host& host, Flow& flow, const Packet& packet,
                                                      Scoreboard::Findings& found, Time now) {
  Told out;
  out.progress = std::max<std::int64_t>(0, packet.seq - flow.snd_una);
  flow.snd_una += out.progress;
  out.acked = out.progress;
  out.trigger = packet.seq;
  out.entropy = flow.entropy;
  if (flow.selective) {
    const Sack& sack = packets().sack(packet);
    out.held = sack.host_delay;
    out.trigger = sack.trigger * model().transport.payload.count;
    out.entropy = sack.entropy;
    FlowExtras& extras = host.extras_of(flow.slot);
    if (flow.sprayed) host.connections.paths(extras.connection).on_ack(out.entropy, packet.flags, now);
    found = extras.scoreboard.on_ack(packet.seq, sack, packet.sent, now);
    out.acked = found.delivered;
    note_scoreboard(host, flow, extras.scoreboard);
    return out;
  }
  if ((packet.flags & net::kSack) != 0) [[unlikely]] {
    const Sack& sack = packets().sack(packet);
    out.held = sack.host_delay;
    out.trigger = sack.trigger * model().transport.payload.count;
  } else {
    out.trigger += static_cast<std::int32_t>(packet.src);
  }
  const std::int64_t sent = std::exchange(flow.snd_nxt, std::max(flow.snd_nxt, flow.snd_una));
  if (flow.is_connection) [[unlikely]]
    out.acked -= pass_gaps(host, flow, flow.snd_una - out.progress, sent);
  return out;
}

template <class P>
inline void Senders<P>::acknowledge(Host& host, Flow& flow, const Packet& packet, Time now) {
  Time rtt = now - packet.sent;
  if (flow.stacked) [[unlikely]]
    rtt = now - under_way(host, flow, packet);
  const Time error = rtt > flow.srtt ? rtt - flow.srtt : flow.srtt - rtt;
  flow.rttvar = flow.rttvar + (error - flow.rttvar) / 4;
  flow.srtt = flow.srtt + (rtt - flow.srtt) / 8;
  Scoreboard::Findings found;
  const Told told = take_ack(host, flow, packet, found, now);
  // What arrives behind a missing packet does not put off its timeout: it may have been sent again, and lost again
  // (RFC 6298, section 5.3).
  if (flow.tcp_timers) [[unlikely]] {
    on_tcp_ack(host, flow, packet, told.progress > 0, now);
    if (flow.snd_una >= flow.size() && !flow.is_connection) return;
  } else if (told.progress > 0) {
    flow.backoff = 0;
    flow.rto_at = flow.snd_nxt > flow.snd_una || waits_for_credit(flow) ? now + timeout(flow) : Time::max();
    if (flow.snd_una >= flow.size() && !flow.is_connection) return;
  }
  const Profile& profile = model().profiles[flow.profile];
  const Telemetry* const telemetry = packet.has_telemetry() ? &packets().telemetry(packet) : nullptr;
  cc::Ack ack{.now = now,
              .rtt = rtt,
              .sent_at = packet.sent,
              .endpoint_delay = told.held,
              .seq = {packet.seq},
              .acked = {told.acked},
              .packet_seq = {told.trigger},
              .snd_nxt = {flow.snd_nxt},
              .in_flight = {flow.in_flight() + found.lost},
              .ecn = (packet.flags & net::kEchoMarked) != 0,
              .app_limited = flow.exhausted(),
              .hops = static_cast<std::uint8_t>(telemetry != nullptr ? telemetry->hops : 0),
              .entropy = told.entropy,
              .telemetry = telemetry};
  if (flow.has_log) fill_rate_sample(host, flow, packet, ack);
  profile.algorithm->on_ack(flow.state(), profile.params.get(), flow.facts, ack, flow.control);
  apply_control(host, flow, now);
  if (found.lost > 0) find_losses(host, flow, found, now);
  if (flow.stacked) [[unlikely]]
    hand_down(host, flow, now);
}

// Whether the application is the limit: the flow has nothing to send, or its stack nothing to hand down while the
// window has room.
template <class P>
inline bool Senders<P>::app_limited(Host& host, const Flow& flow) const {
  return flow.exhausted() || (flow.stacked && host.stack_of(flow.slot).app_limited());
}

// Notes that a packet has left, for the delivery rate and for the flow's stack.
template <class P>
void Senders<P>::on_packet_left(Host& host, Flow& flow, const Packet& packet, Time now) {
  const bool again = (packet.flags & net::kRetransmission) != 0;
  if (cc::has(model().profiles[flow.profile].algorithm->about.needs, cc::Needs::delivery_rate)) {
    DeliveryLog& log = host.extras_of(flow.slot).delivery;
    log.on_send(packet.seq, flow.snd_una, again, now);
    if (app_limited(host, flow) && flow.in_flight() < flow.control.window.count) log.limit(flow.in_flight());
  }
  if (flow.stacked) leave_stack(host, flow, packet, again, now);
}

// Adds to `ack` what the flow's stack and the notes of the acknowledged packet tell.
template <class P>
void Senders<P>::fill_rate_sample(Host& host, const Flow& flow, const Packet& packet, cc::Ack& ack) {
  if (flow.stacked) {
    const HostStack& queue = host.stack_of(flow.slot);
    const Bytes waiting{queue.waiting(flow.snd_nxt)};
    ack.snd_nxt += waiting;
    ack.in_flight += waiting;
    ack.window_limited = queue.window_limited();
    ack.app_limited |= queue.app_limited();
  }
  if (!cc::has(model().profiles[flow.profile].algorithm->about.needs, cc::Needs::delivery_rate)) return;
  DeliveryLog& log = host.extras_of(flow.slot).delivery;
  const auto sample = log.on_ack(ack.acked.count, ack.packet_seq.count, packet.sent, ack.now);
  ack.delivered = sample.delivered;
  ack.delivery_span = sample.span;
  ack.delivery_app_limited = sample.app_limited;
}

// On-Ramp learns the one-way delay of a data packet, by the clocks of both ends, and may pause the flow.
template <class P>
void Senders<P>::receive_or_ack(Host& host, Flow& flow, const Packet& packet, Time now) {
  cc::OnRamp& shim = *host.on_ramps[flow.slot];
  const cc::OnRamp::Departure data = shim.departure(packet.seq);
  if (!data) return;
  const Time delay = packet.sent - host.clock.at(data.sent());
  shim.on_or_ack(data, delay, now);
  update_on_ramp_hold(host, flow);
  if (model().profiles[flow.profile].on_ramp->memory) {
    if (!host.seen_delays) host.seen_delays = std::make_unique<std::unordered_map<std::uint32_t, SeenDelay>>();
    (*host.seen_delays)[flow.dst] = {delay, now};
  }
}

}  // namespace weir::host
