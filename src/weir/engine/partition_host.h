// Partition: senders and receivers. Included by partition.cc only.
//
// Loss recovery is go-back-N: the receiver takes packets in order only, reports the first of a
// gap with a NACK, and acknowledges every packet it takes and every duplicate. A sender that
// hears nothing for its retransmission timeout starts again at the first unacknowledged byte,
// so that a flow ends whatever is lost.
#pragma once

#include "weir/engine/partition.h"

namespace weir::engine {

template <sim::Scheduler S>
void Partition<S>::on_wake(std::uint32_t h, Time now) {
  host::Host& host = network_.hosts[h];
  host.wake = Time::max();
  while (host.first_start() <= now) start_flow(h, host.starts[host.next_start++], now);
  run_timers(h, now);
  serve(h, now);
  update_wake(h, now);
}

template <sim::Scheduler S>
void Partition<S>::start_flow(std::uint32_t h, const traffic::Flow& start, Time now) {
  host::Host& host = network_.hosts[h];
  const host::Profile& profile = model_.profiles[start.profile];
  host::Flow& flow = *flows_.take(start.profile, profile.algorithm->state_size);
  flow.id = start.id;
  flow.size = start.size.count;
  flow.dst = start.dst;
  flow.tag = start.tag;
  flow.profile = start.profile;
  flow.entropy = net::flow_entropy(start.src, start.dst, start.sport, start.dport);
  flow.slot = host.take_slot();
  flow.generation = host.generations[flow.slot];
  host.flows[flow.slot] = &flow;

  const net::PathFacts path = model_.paths.facts(start.src, start.dst);
  const Bytes wire = model_.data_wire(profile);
  flow.facts = {.line_rate = network_.ports[host.port].rate,
                .path_rate = path.slowest,
                .base_rtt = model_.paths.base_rtt(start.src, start.dst, wire, model_.ack_wire(profile)),
                .network_rtt = network_.network_rtt,
                .payload = model_.transport.payload,
                .wire = wire,
                .size = start.size,
                .start = now,
                .switch_hops = static_cast<int>(path.switches),
                .telemetry = int_format_,
                .random = RandomStream(model_.seed, static_cast<std::uint32_t>(start.id), Purpose::algorithm)};
  flow.srtt = flow.facts.base_rtt;
  flow.next_send = now;
  if (cc::has(profile.algorithm->about.needs, cc::Needs::delivery_rate))
    host.delivery(flow.slot).start(model_.transport.payload);
  profile.algorithm->start(flow.state(), profile.params.get(), flow.facts, flow.control);
  ++counters_.flows_started;
  arm(host, flow);
  consider(host, flow, now);
}

template <sim::Scheduler S>
void Partition<S>::finish_flow(std::uint32_t h, host::Flow& flow, Time now) {
  finished_.push_back(record_of(h, flow, now));
  ++counters_.flows_completed;
  network_.hosts[h].free_slot(flow.slot);
  flows_.give(flow.profile, &flow);
}

// A flow may have become able to send: puts it where its turn will come.
template <sim::Scheduler S>
inline void Partition<S>::consider(host::Host& host, host::Flow& flow, Time now) {
  if (flow.ready || !flow.sendable()) return;
  if (flow.next_send <= now) {
    flow.ready = true;
    flow.paced_at = Time::max();
    host.ready.push({flow.slot, flow.generation});
  } else if (flow.next_send < flow.paced_at) {
    flow.paced_at = flow.next_send;
    host.pacing.push({flow.next_send, flow.slot, flow.generation});
  }
}

// Sends what may be sent now: at most one packet, since the link is busy afterwards.
template <sim::Scheduler S>
inline void Partition<S>::serve(std::uint32_t h, Time now) {
  host::Host& host = network_.hosts[h];
  const Port& nic = network_.ports[host.port];
  while (host.pacing.first() <= now) {
    const host::TimedSlot due = host.pacing.top();
    host.pacing.pop();
    host::Flow* flow = host.find(due.slot, due.generation);
    if (flow == nullptr || flow->paced_at != due.time) continue;
    flow->paced_at = Time::max();
    consider(host, *flow, now);
  }
  if (nic.paused == all_classes_) return;
  while (nic.free_at <= now && !host.ready.empty()) {
    const host::SlotQueue::Entry turn = host.ready.pop();
    host::Flow* flow = host.find(turn.slot, turn.generation);
    if (flow == nullptr) continue;
    if (nic.paused != 0 && (nic.paused >> model_.profiles[flow->profile].data_class & 1) != 0) {
      host.parked.push_back(turn);
      continue;
    }
    flow->ready = false;
    if (flow->sendable() && flow->next_send <= now) transmit(h, *flow, now);
    consider(host, *flow, now);
  }
}

template <sim::Scheduler S>
inline void Partition<S>::update_wake(std::uint32_t h, Time now) {
  host::Host& host = network_.hosts[h];
  const Port& nic = network_.ports[host.port];
  Time next = std::min(host.first_start(), host.timers.first());
  if (nic.paused != all_classes_) {
    if (!host.ready.empty())
      next = std::min(next, std::max(now, nic.free_at));
    else if (!host.pacing.empty())
      next = std::min(next, std::max(host.pacing.first(), nic.free_at));
  }
  if (next == host.wake) return;
  host.wake = next;
  if (next == Time::max())
    scheduler_.cancel(wake(h));
  else
    scheduler_.schedule(wake(h), next);
}

template <sim::Scheduler S>
inline Time Partition<S>::timeout(const host::Flow& flow) const {
  const Time estimate = flow.srtt + 4 * flow.rttvar;
  const Time base = std::max(model_.transport.min_rto, estimate);
  return base * (std::int64_t{1} << flow.backoff);
}

template <sim::Scheduler S>
inline void Partition<S>::transmit(std::uint32_t h, host::Flow& flow, Time now) {
  host::Host& host = network_.hosts[h];
  Packet packet;
  const std::int64_t payload = std::min(model_.transport.payload.count, flow.size - flow.snd_nxt);
  packet.seq = flow.snd_nxt;
  packet.sent = now;
  packet.src = h;
  packet.dst = flow.dst;
  packet.entropy = flow.entropy;
  packet.slot = flow.slot;
  packet.generation = flow.generation;
  packet.profile = flow.profile;
  packet.payload = static_cast<std::uint16_t>(payload);
  packet.wire = static_cast<std::uint16_t>(payload + data_header_[flow.profile]);
  packet.traffic_class = net::data_class(model_.profiles[flow.profile].data_class);
  const cc::Algorithm& algorithm = *model_.profiles[flow.profile].algorithm;
  if (cc::has(algorithm.about.needs, cc::Needs::telemetry)) packet.telemetry = telemetry_.take();
  const bool again = flow.snd_nxt < flow.snd_max;
  if (again) {
    packet.flags |= net::kRetransmission;
    ++flow.retransmitted;
    ++counters_.retransmitted;
  }
  ++counters_.data_packets;
  send(host.port, packet, now);

  flow.snd_nxt += payload;
  flow.snd_max = std::max(flow.snd_max, flow.snd_nxt);
  if (cc::has(algorithm.about.needs, cc::Needs::delivery_rate)) note_delivery(host, flow, packet, now);
  flow.last_sent = now;
  flow.last_wire = packet.wire;
  if (flow.control.rate.bits_per_second != 0)
    flow.next_send = now + transmission_time(Bytes{packet.wire}, flow.control.rate);
  if (flow.rto_at == Time::max()) flow.rto_at = now + timeout(flow);
  if (algorithm.on_send != nullptr)
    algorithm.on_send(flow.state(), model_.profiles[flow.profile].params.get(), flow.facts,
                      {.now = now,
                       .seq = {packet.seq},
                       .wire = {packet.wire},
                       .in_flight = {flow.in_flight()},
                       .retransmission = again,
                       .app_limited = flow.snd_nxt >= flow.size},
                      flow.control);
  arm(host, flow);
}

// Makes sure that the flow's earliest deadline has an entry in the timer queue.
template <sim::Scheduler S>
inline void Partition<S>::arm(host::Host& host, host::Flow& flow) {
  const Time deadline = std::min(flow.control.timer, flow.rto_at);
  if (deadline >= flow.armed) return;
  flow.armed = deadline;
  host.timers.push({deadline, flow.slot, flow.generation});
}

template <sim::Scheduler S>
inline void Partition<S>::run_timers(std::uint32_t h, Time now) {
  host::Host& host = network_.hosts[h];
  while (host.timers.first() <= now) {
    const host::TimedSlot due = host.timers.top();
    host.timers.pop();
    host::Flow* flow = host.find(due.slot, due.generation);
    if (flow == nullptr || flow->armed != due.time) continue;
    flow->armed = Time::max();
    if (flow->control.timer <= now) {
      flow->control.timer = cc::kNoTimer;
      const host::Profile& profile = model_.profiles[flow->profile];
      profile.algorithm->on_timer(flow->state(), profile.params.get(), flow->facts, now, flow->control);
      repace(*flow);
    }
    if (flow->rto_at <= now) {
      ++counters_.timeouts;
      if (flow->backoff < 6) ++flow->backoff;
      recover(*flow, cc::Loss::Kind::timeout, now);
      flow->rto_at = now + timeout(*flow);
    }
    arm(host, *flow);
    consider(host, *flow, now);
  }
}

// Go-back-N: sends again from the first unacknowledged byte.
template <sim::Scheduler S>
void Partition<S>::recover(host::Flow& flow, cc::Loss::Kind kind, Time now) {
  const host::Profile& profile = model_.profiles[flow.profile];
  if (profile.algorithm->on_loss != nullptr) {
    const cc::Loss loss{.kind = kind,
                        .now = now,
                        .seq = {flow.snd_una},
                        .lost = {flow.in_flight()},
                        .snd_nxt = {flow.snd_nxt},
                        .in_flight = {flow.in_flight()},
                        .entropy = flow.entropy};
    profile.algorithm->on_loss(flow.state(), profile.params.get(), flow.facts, loss, flow.control);
    repace(flow);
  }
  flow.snd_nxt = flow.snd_una;
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
inline void Partition<S>::receive(std::uint32_t h, Packet& packet, Time now) {
  if (packet.kind == net::PacketKind::data)
    receive_data(h, packet, now);
  else
    receive_feedback(h, packet, now);
}

template <sim::Scheduler S>
inline host::Receiver& Partition<S>::receiver(const Packet& packet) {
  auto& of_sender = receivers_[packet.src];
  if (packet.slot >= of_sender.size()) of_sender.resize(std::max<std::size_t>(4, 2 * (packet.slot + std::size_t{1})));
  return of_sender[packet.slot];
}

// A data packet becomes its own acknowledgement: the record is turned round in place and keeps
// its telemetry, time stamp and path.
//
// A packet older than the flow that now uses its slot is a duplicate that outlived its flow. It
// is acknowledged like any duplicate, whether or not its slot has been reused meanwhile: the
// sender will not listen, but the network carries the same bytes in every partitioning.
template <sim::Scheduler S>
inline void Partition<S>::receive_data(std::uint32_t h, Packet& packet, Time now) {
  host::Receiver& r = receiver(packet);
  const auto age = static_cast<std::int32_t>(packet.generation - r.generation);
  if (!r.used || age > 0) r = {.generation = packet.generation, .used = true};
  const bool stale = age < 0 && r.used;
  const std::int64_t first = packet.seq;
  const bool in_order = !stale && first == r.expected;
  const bool gap = !stale && first > r.expected;
  // A gap that has just been reported is not reported again.
  const bool silent = gap && r.nacked == r.expected && now - r.last_nack < model_.transport.nack_interval;
  if (in_order) r.expected += packet.payload;

  const cc::ReceiverRules& rules = model_.profiles[packet.profile].receiver;
  const bool marked = (packet.flags & net::kMarked) != 0;
  bool cnp = false;
  counters_.marked += marked;
  if (marked && rules.cnp && (in_order || (gap && (rules.cnp_packet || !silent))) && now >= r.next_cnp) {
    r.next_cnp = now + rules.cnp_interval;
    cnp = true;
    ++counters_.cnps;
  }
  std::uint32_t sender = packet.src;
  std::uint32_t back = mix32(packet.entropy + 1);  // acknowledgements choose their path by themselves
  if (cnp && rules.cnp_packet) {
    Packet notification;
    notification.kind = net::PacketKind::cnp;
    notification.sent = packet.sent;
    notification.dst = sender;
    notification.entropy = back;
    notification.slot = packet.slot;
    notification.generation = packet.generation;
    notification.profile = packet.profile;
    notification.wire = static_cast<std::uint16_t>(model_.transport.min_frame.count);
    notification.traffic_class = ack_class(packet.traffic_class);
    send(network_.hosts[h].port, notification, now);
  }
  if (silent) {
    discard(packet);
    return;
  }
  if (gap) {
    r.nacked = r.expected;
    r.last_nack = now;
    ++counters_.nacks;
  }
  packet.kind = gap ? net::PacketKind::nack : net::PacketKind::ack;
  packet.seq = stale ? first + packet.payload : r.expected;
  packet.src = static_cast<std::uint32_t>(first - packet.seq);
  packet.dst = sender;
  packet.entropy = back;
  packet.wire = ack_wire_[packet.profile];
  packet.traffic_class = ack_class(packet.traffic_class);
  packet.flags =
      static_cast<std::uint8_t>((marked ? net::kEchoMarked : 0) | (cnp && !rules.cnp_packet ? net::kEchoCnp : 0));
  send(network_.hosts[h].port, packet, now);
}

template <sim::Scheduler S>
inline void Partition<S>::receive_feedback(std::uint32_t h, Packet& packet, Time now) {
  host::Host& host = network_.hosts[h];
  host::Flow* flow = host.find(packet.slot, packet.generation);
  if (flow == nullptr) {
    discard(packet);
    return;
  }
  const host::Profile& profile = model_.profiles[flow->profile];
  if (packet.kind == net::PacketKind::cnp || (packet.flags & net::kEchoCnp) != 0)
    if (profile.algorithm->on_cnp != nullptr) {
      profile.algorithm->on_cnp(flow->state(), profile.params.get(), flow->facts, now, flow->control);
      repace(*flow);
    }
  if (packet.kind != net::PacketKind::cnp) {
    acknowledge(*flow, packet, now);
    discard(packet);
    if (flow->snd_una >= flow->size) {
      finish_flow(h, *flow, now);
      serve(h, now);
      update_wake(h, now);
      return;
    }
    if (packet.kind == net::PacketKind::nack && flow->snd_nxt > flow->snd_una)
      recover(*flow, cc::Loss::Kind::nack, now);
  }
  arm(host, *flow);
  consider(host, *flow, now);
  serve(h, now);
  update_wake(h, now);
}

template <sim::Scheduler S>
inline void Partition<S>::acknowledge(host::Flow& flow, const Packet& packet, Time now) {
  const Time rtt = now - packet.sent;
  const Time error = rtt > flow.srtt ? rtt - flow.srtt : flow.srtt - rtt;
  flow.rttvar = flow.rttvar + (error - flow.rttvar) / 4;
  flow.srtt = flow.srtt + (rtt - flow.srtt) / 8;
  const std::int64_t acked = std::max<std::int64_t>(0, packet.seq - flow.snd_una);
  if (acked > 0) {
    flow.snd_una += acked;
    flow.snd_nxt = std::max(flow.snd_nxt, flow.snd_una);
    flow.backoff = 0;
    flow.rto_at = flow.snd_nxt > flow.snd_una ? now + timeout(flow) : Time::max();
    if (flow.snd_una >= flow.size) return;
  }
  const host::Profile& profile = model_.profiles[flow.profile];
  cc::Ack ack{.now = now,
              .rtt = rtt,
              .sent_at = packet.sent,
              .seq = {packet.seq},
              .acked = {acked},
              .packet_seq = {packet.seq + static_cast<std::int32_t>(packet.src)},
              .snd_nxt = {flow.snd_nxt},
              .in_flight = {flow.in_flight()},
              .ecn = (packet.flags & net::kEchoMarked) != 0,
              .app_limited = flow.snd_nxt >= flow.size,
              .hops = packet.hops,
              .entropy = flow.entropy,
              .telemetry = packet.telemetry == net::kNoTelemetry ? nullptr : &telemetry_[packet.telemetry]};
  if (cc::has(profile.algorithm->about.needs, cc::Needs::delivery_rate)) sample_delivery(flow, packet, ack);
  profile.algorithm->on_ack(flow.state(), profile.params.get(), flow.facts, ack, flow.control);
  repace(flow);
}

// A packet has been sent whose acknowledgement shall tell a delivery rate.
template <sim::Scheduler S>
void Partition<S>::note_delivery(host::Host& host, const host::Flow& flow, const Packet& packet, Time now) {
  host::DeliveryLog& log = host.delivery(flow.slot);
  log.on_send(packet.seq, flow.snd_una, (packet.flags & net::kRetransmission) != 0, now);
  if (flow.snd_nxt >= flow.size && flow.in_flight() < flow.control.window.count) log.limit(flow.in_flight());
}

template <sim::Scheduler S>
void Partition<S>::sample_delivery(const host::Flow& flow, const Packet& packet, cc::Ack& ack) {
  host::DeliveryLog& log = network_.hosts[packet.dst].delivery(flow.slot);
  const auto sample = log.on_ack(ack.acked.count, ack.packet_seq.count, packet.sent, ack.now);
  ack.delivered = sample.delivered;
  ack.delivery_span = sample.span;
  ack.delivery_app_limited = sample.app_limited;
}

}  // namespace weir::engine
