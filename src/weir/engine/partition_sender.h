// Partition: the sending end. Included by partition.cc only.
//
// With go-back-N a NACK or a timeout makes the sender start again at the first unacknowledged byte. With selective
// recovery (IRN, SACK) it keeps a scoreboard, and sends again what is lost before anything new. A sender that hears
// nothing for its retransmission timeout sends again, so that a flow ends whatever is lost.
#pragma once

#include "weir/engine/partition.h"

namespace weir::engine {

template <sim::Scheduler S>
inline Time Partition<S>::timeout(const host::Flow& flow) const {
  const host::RecoveryParams& recovery = model_.profiles[flow.profile].recovery;
  if (recovery.kind == host::RecoveryKind::irn)
    return flow.in_flight() <= few_bytes(recovery) ? recovery.rto_low : recovery.rto_high;
  const Time estimate = flow.srtt + 4 * flow.rttvar;
  const Time base = std::max(model_.transport.min_rto, estimate);
  return base * (std::int64_t{1} << flow.backoff);
}

template <sim::Scheduler S>
inline void Partition<S>::transmit(std::uint32_t h, host::Flow& flow, Time now) {
  host::Host& host = network_.hosts[h];
  host::Beside* const beside = flow.selective || flow.sprayed ? &host.beside(flow.slot) : nullptr;
  Packet packet;
  packet.seq = flow.resend ? beside->scoreboard.first_lost() : flow.snd_nxt;
  const std::int64_t payload = std::min(model_.transport.payload.count, flow.size() - packet.seq);
  packet.sent = now;
  packet.src = h;
  packet.dst = flow.dst;
  packet.entropy = flow.sprayed ? host.connections.paths(beside->connection).next(now) : flow.entropy;
  packet.slot = flow.slot;
  packet.generation = flow.generation;
  packet.profile = flow.profile;
  packet.payload = static_cast<std::uint16_t>(payload);
  packet.wire = static_cast<std::uint16_t>(payload + data_header_[flow.profile]);
  packet.traffic_class = net::data_class(model_.profiles[flow.profile].data_class);
  const cc::Algorithm& algorithm = *model_.profiles[flow.profile].algorithm;
  if (cc::has(algorithm.about.needs, cc::Needs::telemetry)) packet.telemetry = telemetry_.take();
  packet.flags = flow.packet_flags;
  const bool again = packet.seq < flow.snd_max;
  if (again) {
    packet.flags |= net::kRetransmission;
    ++flow.retransmitted;
    ++counters_.retransmitted;
  }
  ++counters_.data_packets;
  if (model_.profiles[flow.profile].ack_every.count > 0 && asks(flow, packet)) packet.flags |= net::kAskAck;
  send(host.port, packet, now);

  if (packet.seq == flow.snd_nxt) flow.snd_nxt += payload;
  flow.snd_max = std::max(flow.snd_max, flow.snd_nxt);
  if (flow.selective) {
    beside->scoreboard.on_send(packet.seq, now);
    note_scoreboard(host, flow, beside->scoreboard);
  }
  if (flow.on_ramp) {
    host.beside(flow.slot).on_ramp.on_send(packet.seq, flow.snd_una, now, again);
    hold(host, flow);
  }
  if (cc::has(algorithm.about.needs, cc::Needs::delivery_rate)) note_delivery(host, flow, packet, now);
  flow.last_sent = now;
  flow.last_wire = packet.wire;
  if (flow.control.rate.bits_per_second != 0)
    flow.next_send = now + transmission_time(Bytes{packet.wire}, flow.control.rate);
  watch_for_timeout(flow, payload, now);
  if (algorithm.on_send != nullptr)
    algorithm.on_send(flow.state(), model_.profiles[flow.profile].params.get(), flow.facts,
                      {.now = now,
                       .seq = {packet.seq},
                       .wire = {packet.wire},
                       .in_flight = {flow.in_flight()},
                       .retransmission = again,
                       .app_limited = flow.exhausted()},
                      flow.control);
  arm(host, flow);
}

// Acknowledgements of several packets do not wait when the sender does: for the last packet, one that is sent again,
// the last that the window allows, and with a window of which half would be less than an acknowledgement stands for.
template <sim::Scheduler S>
inline bool Partition<S>::asks(const host::Flow& flow, const Packet& packet) const {
  return (packet.flags & net::kRetransmission) != 0 || packet.seq + packet.payload >= flow.size() ||
         flow.in_flight() + 2 * packet.payload >= flow.control.window.count ||
         flow.control.window.count <= 2 * model_.profiles[flow.profile].ack_every.count;
}

// A packet has been sent. IRN's timeout is the longer one as soon as there are more than a few in flight.
template <sim::Scheduler S>
inline void Partition<S>::watch_for_timeout(host::Flow& flow, std::int64_t payload, Time now) const {
  if (flow.rto_at == Time::max()) {
    flow.rto_at = now + timeout(flow);
    return;
  }
  const host::RecoveryParams& recovery = model_.profiles[flow.profile].recovery;
  if (recovery.kind != host::RecoveryKind::irn) return;
  const std::int64_t few = few_bytes(recovery);
  if (flow.in_flight() > few && flow.in_flight() - payload <= few) flow.rto_at += recovery.rto_high - recovery.rto_low;
}

template <sim::Scheduler S>
inline void Partition<S>::note_scoreboard(host::Host& host, host::Flow& flow, const host::Scoreboard& board) {
  flow.resend = board.lost_bytes() > 0;
  flow.gone = board.lost_bytes() + board.delivered_bytes();
  flow.limit = board.limit(flow.snd_una);
  hold(host, flow);
}

// Tells the algorithm that `lost` of the bytes that were in flight are lost.
template <sim::Scheduler S>
void Partition<S>::report_loss(host::Flow& flow, cc::Loss::Kind kind, Bytes first, Bytes lost, Bytes in_flight,
                               Time now, Bytes in_a_row) {
  const host::Profile& profile = model_.profiles[flow.profile];
  if (profile.algorithm->on_loss == nullptr) return;
  const cc::Loss loss{.kind = kind,
                      .now = now,
                      .seq = first,
                      .lost = lost,
                      .in_a_row = in_a_row,
                      .snd_nxt = {flow.snd_nxt},
                      .in_flight = in_flight,
                      .entropy = flow.entropy};
  profile.algorithm->on_loss(flow.state(), profile.params.get(), flow.facts, loss, flow.control);
  repace(flow);
}

// The packet that goes next has changed, or On-Ramp's pause.
template <sim::Scheduler S>
inline void Partition<S>::hold(host::Host& host, host::Flow& flow) const {
  if (!flow.on_ramp) return;
  host::Beside& beside = host.beside(flow.slot);
  flow.held = beside.on_ramp.next_packet(flow.resend ? beside.scoreboard.first_lost() : flow.snd_nxt);
}

// Go-back-N: sends again from the first unacknowledged byte.
template <sim::Scheduler S>
void Partition<S>::go_back(host::Host& host, host::Flow& flow, cc::Loss::Kind kind, Time now) {
  report_loss(flow, kind, {flow.snd_una}, {flow.in_flight()}, {flow.in_flight()}, now);
  flow.snd_nxt = flow.snd_una;
  hold(host, flow);
}

template <sim::Scheduler S>
void Partition<S>::time_out(host::Host& host, host::Flow& flow, Time now) {
  if (flow.in_flight() == 0) {  // all is known to be lost, and its turn has not come
    flow.rto_at = Time::max();
    return;
  }
  ++counters_.timeouts;
  if (flow.backoff < 6) ++flow.backoff;
  if (flow.selective) {
    const Bytes in_flight{flow.in_flight()};
    const Bytes lost{host.beside(flow.slot).scoreboard.lose_all()};
    if (flow.sprayed) host.connections.paths(host.beside(flow.slot).connection).on_timeout(now);
    note_scoreboard(host, flow, host.beside(flow.slot).scoreboard);
    report_loss(flow, cc::Loss::Kind::timeout, {flow.snd_una}, lost, in_flight, now);
  } else {
    go_back(host, flow, cc::Loss::Kind::timeout, now);
  }
  flow.rto_at = now + timeout(flow);
}

// An algorithm that wants it gets the running pacing gap adapted to its new rate.
template <sim::Scheduler S>
inline void Partition<S>::repace(host::Flow& flow) {
  if (!flow.control.repace || flow.last_wire == 0) return;
  flow.next_send = flow.control.rate.bits_per_second == 0
                       ? flow.last_sent
                       : flow.last_sent + transmission_time(Bytes{flow.last_wire}, flow.control.rate);
}

template <sim::Scheduler S>
inline void Partition<S>::receive_feedback(std::uint32_t h, Packet& packet, Time now) {
  host::Host& host = network_.hosts[h];
  host::Flow* flow = host.find(packet.slot, packet.generation);
  if (flow == nullptr) {
    discard(packet);
    return;
  }
  if (packet.kind == net::PacketKind::or_ack) {
    receive_or_ack(host, *flow, packet, now);
  } else if (packet.kind == net::PacketKind::nack && flow->selective) {
    receive_trim_notice(host, *flow, packet, now);
    discard(packet);
  } else {
    if (packet.kind == net::PacketKind::cnp || (packet.flags & net::kEchoCnp) != 0) notify_congestion(*flow, now);
    if (packet.kind != net::PacketKind::cnp) {
      acknowledge(host, *flow, packet, now);
      discard(packet);
      if (flow->snd_una >= flow->size()) {
        finish_flow(h, *flow, now);
        serve(h, now);
        update_wake(h, now);
        return;
      }
      if (packet.kind == net::PacketKind::nack && flow->snd_nxt > flow->snd_una)
        go_back(host, *flow, cc::Loss::Kind::nack, now);
    }
  }
  arm(host, *flow);
  consider(host, *flow, now);
  serve(h, now);
  update_wake(h, now);
}

template <sim::Scheduler S>
inline void Partition<S>::notify_congestion(host::Flow& flow, Time now) {
  const host::Profile& profile = model_.profiles[flow.profile];
  if (profile.algorithm->on_cnp == nullptr) return;
  profile.algorithm->on_cnp(flow.state(), profile.params.get(), flow.facts, now, flow.control);
  repace(flow);
}

// A packet of this flow has reached the receiver without its payload.
template <sim::Scheduler S>
void Partition<S>::receive_trim_notice(host::Host& host, host::Flow& flow, const Packet& packet, Time now) {
  const Bytes in_flight{flow.in_flight()};
  const Bytes lost{host.beside(flow.slot).scoreboard.lose_one(packet.seq)};
  if (lost.count == 0) return;
  note_scoreboard(host, flow, host.beside(flow.slot).scoreboard);
  report_loss(flow, cc::Loss::Kind::trim, {packet.seq}, lost, in_flight, now);
}

// The packet's one-way delay, by the clocks of both ends, may pause its flow.
template <sim::Scheduler S>
void Partition<S>::receive_or_ack(host::Host& host, host::Flow& flow, const Packet& packet, Time now) {
  cc::OnRamp& shim = host.beside(flow.slot).on_ramp;
  const Time sent = shim.sent_at(packet.seq);
  if (sent == Time::max()) return;
  const Time delay = packet.sent - host.clock.at(sent);
  shim.on_or_ack(packet.seq, delay, now);
  hold(host, flow);
  if (model_.profiles[flow.profile].on_ramp->memory) {
    if (!host.seen_delays) host.seen_delays = std::make_unique<std::unordered_map<std::uint32_t, host::SeenDelay>>();
    (*host.seen_delays)[flow.dst] = {delay, now};
  }
}

template <sim::Scheduler S>
inline void Partition<S>::acknowledge(host::Host& host, host::Flow& flow, const Packet& packet, Time now) {
  const Time rtt = now - packet.sent;
  const Time error = rtt > flow.srtt ? rtt - flow.srtt : flow.srtt - rtt;
  flow.rttvar = flow.rttvar + (error - flow.rttvar) / 4;
  flow.srtt = flow.srtt + (rtt - flow.srtt) / 8;
  const std::int64_t progress = std::max<std::int64_t>(0, packet.seq - flow.snd_una);
  flow.snd_una += progress;
  std::int64_t acked = progress;
  host::Scoreboard::News news;
  std::int64_t trigger = packet.seq;
  std::uint32_t entropy = flow.entropy;
  if (flow.selective) {
    const host::Sack& sack = sacks_[packet.src];
    trigger = sack.trigger * model_.transport.payload.count;
    entropy = sack.entropy;
    host::Beside& beside = host.beside(flow.slot);
    if (flow.sprayed)
      host.connections.paths(beside.connection).on_ack(entropy, (packet.flags & net::kEchoMarked) != 0, now);
    news = beside.scoreboard.on_ack(packet.seq, sack, packet.sent);
    acked = news.delivered;
    note_scoreboard(host, flow, beside.scoreboard);
  } else {
    trigger += static_cast<std::int32_t>(packet.src);
    flow.snd_nxt = std::max(flow.snd_nxt, flow.snd_una);
  }
  // What arrives behind a missing packet does not put off its timeout: it may have been sent again, and lost again
  // (RFC 6298, section 5.3).
  if (progress > 0) {
    flow.backoff = 0;
    flow.rto_at = flow.snd_nxt > flow.snd_una ? now + timeout(flow) : Time::max();
    if (flow.snd_una >= flow.size()) return;
  }
  const host::Profile& profile = model_.profiles[flow.profile];
  cc::Ack ack{.now = now,
              .rtt = rtt,
              .sent_at = packet.sent,
              .seq = {packet.seq},
              .acked = {acked},
              .packet_seq = {trigger},
              .snd_nxt = {flow.snd_nxt},
              .in_flight = {flow.in_flight() + news.lost},
              .ecn = (packet.flags & net::kEchoMarked) != 0,
              .app_limited = flow.exhausted(),
              .hops = packet.hops,
              .entropy = entropy,
              .telemetry = packet.telemetry == net::kNoTelemetry ? nullptr : &telemetry_[packet.telemetry]};
  if (cc::has(profile.algorithm->about.needs, cc::Needs::delivery_rate)) sample_delivery(host, flow, packet, ack);
  profile.algorithm->on_ack(flow.state(), profile.params.get(), flow.facts, ack, flow.control);
  repace(flow);
  if (news.lost > 0) find_losses(host, flow, news, now);
}

// Losses of one episode, up to what had been sent when the first was found, are reported once, unless the algorithm
// judges by how many there are in a row.
template <sim::Scheduler S>
void Partition<S>::find_losses(host::Host& host, host::Flow& flow, const host::Scoreboard::News& news, Time now) {
  if (!host.beside(flow.slot).scoreboard.begins_episode(news) && !flow.control.every_loss) return;
  report_loss(flow, cc::Loss::Kind::sack_hole, {news.first_lost}, {news.lost}, {flow.in_flight() + news.lost}, now,
              {news.in_a_row});
}

// A packet has been sent whose acknowledgement shall tell a delivery rate.
template <sim::Scheduler S>
void Partition<S>::note_delivery(host::Host& host, const host::Flow& flow, const Packet& packet, Time now) {
  host::DeliveryLog& log = host.beside(flow.slot).delivery;
  log.on_send(packet.seq, flow.snd_una, (packet.flags & net::kRetransmission) != 0, now);
  if (flow.exhausted() && flow.in_flight() < flow.control.window.count) log.limit(flow.in_flight());
}

template <sim::Scheduler S>
void Partition<S>::sample_delivery(host::Host& host, const host::Flow& flow, const Packet& packet, cc::Ack& ack) {
  host::DeliveryLog& log = host.beside(flow.slot).delivery;
  const auto sample = log.on_ack(ack.acked.count, ack.packet_seq.count, packet.sent, ack.now);
  ack.delivered = sample.delivered;
  ack.delivery_span = sample.span;
  ack.delivery_app_limited = sample.app_limited;
}

}  // namespace weir::engine
