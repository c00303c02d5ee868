// Receivers. Included by engine/partition/partition-inl.h only.
#pragma once

#include <algorithm>
#include <bit>

#include "weir/host/receivers.h"

namespace weir::host {

template <class P>
template <class Model>
Receivers<P>::Receivers(const Model& m, bool sparse) : places_(m.topology.hosts, sparse) {
  for (const auto& profile : m.profiles)
    ack_frames_.push_back({static_cast<std::uint16_t>(m.ack_wire(profile).count), profile.balancing.ack_flags()});
  for (const auto& profile : m.profiles)
    if (profile.unsolicited.count > 0) credits_.resize(m.topology.hosts, Credits(m.transport));
}

// Makes a packet to the sender of this data packet that is not its acknowledgement: a CNP, an OR-ACK or an echo.
inline net::Packet answer(const net::Packet& packet, net::PacketKind kind, Bytes wire, net::TrafficClass c) {
  net::Packet out;
  out.kind = kind;
  out.seq = packet.seq;
  out.sent = packet.sent;
  out.dst = packet.src;
  out.entropy = net::answer_entropy(packet.entropy);
  out.slot = packet.slot;
  out.generation = packet.generation;
  out.profile = packet.profile;
  out.wire = static_cast<std::uint16_t>(wire.count);
  out.traffic_class = c;
  return out;
}

// Whether a data packet is acknowledged at once. With `ack_every` an acknowledgement stands for several packets, but a
// marked packet, the first one of a flow and one whose sender asks are acknowledged at once (uet-htsim); with TCP's
// delayed acknowledgements a packet out of order is, instead of the first one. Packets that were sent before one that
// asks and come after it are acknowledged at once too, since the sender waits for them. Duplicates always are.
inline bool acknowledges_now(Receiver& r, const Profile& profile, const net::Packet& packet) {
  if ((packet.flags & net::kAskAck) != 0) r.ack_at_once_below = std::max(r.ack_at_once_below, packet.seq + 1);
  r.unacknowledged += packet.payload;
  const bool urgent = profile.delayed_acks ? r.expected != packet.seq + packet.payload : packet.seq == 0;
  const bool now = r.unacknowledged >= profile.ack_every.count || urgent || packet.seq < r.ack_at_once_below ||
                   (packet.flags & net::kMarked) != 0;
  if (now) r.unacknowledged = 0;
  return now;
}

// Whether an OR-ACK tells the sender when this packet arrived (On-Ramp): every packets_per_ack-th packet, and with
// burst_gap also the first one of the flow or after a silence of that length, and the last one.
inline bool reports_now(Receiver& r, const cc::OnRamp::Params& params, const net::Packet& packet, Time now) {
  bool out = ++r.since_or_ack >= params.packets_per_ack;
  if (params.burst_gap > Time{}) {
    const auto at = static_cast<std::uint32_t>(now.ps / Receiver::kDataTick);
    const bool first = packet.seq == 0 || at - r.data_at >= params.burst_gap.ps / Receiver::kDataTick;
    out = out || first || (packet.flags & net::kLast) != 0;
    r.data_at = at;
  }
  if (out) r.since_or_ack = 0;
  return out;
}

template <class P>
inline void Receivers<P>::receive(std::uint32_t h, const Packet& packet, Time now) {
  if (!packet.to_receiver())
    senders().receive_feedback(h, packet, now);
  else if (packet.kind == net::PacketKind::probe) [[unlikely]]
    return_probe(h, packet, now);
  else
    receive_data(h, packet, now);
}

template <class P>
void Receivers<P>::return_probe(std::uint32_t h, const Packet& probe, Time now) {
  Packet echo = answer(probe, net::PacketKind::echo, model().transport.min_frame, ack_class(probe.traffic_class));
  receive_delays().send(h, echo, now);
}

template <class P>
inline typename Receivers<P>::Sender& Receivers<P>::sender(std::uint32_t src) {
  if (places_[src] == 0) [[unlikely]]
    know(src);
  return known_[places_[src] - 1];
}

template <class P>
void Receivers<P>::know(std::uint32_t src) {
  known_.emplace_back().host = src;
  places_[src] = static_cast<std::uint32_t>(known_.size());
}

template <class P>
inline Receiver& Receivers<P>::receiver(std::uint32_t src, std::uint32_t slot) {
  auto& of_sender = sender(src).receivers;
  if (slot >= of_sender.size()) [[unlikely]]
    grow(of_sender, std::bit_ceil(std::max<std::size_t>(4, slot + std::size_t{1})));
  return of_sender[slot];
}

template <class P>
inline Reassembly& Receivers<P>::reassembly(std::uint32_t src, std::uint32_t slot) {
  auto& of_sender = sender(src).reassemblies;
  if (slot >= of_sender.size()) [[unlikely]]
    grow(of_sender, slot + std::size_t{1});
  return of_sender[slot];
}

// Begins a new flow in this slot.
template <class P>
Receiver& Receivers<P>::begin_flow(std::uint32_t src, std::uint32_t slot, std::uint32_t generation,
                                   std::uint16_t profile) {
  if (model().profiles[profile].recovery.selective()) reassembly(src, slot).start(model().transport.payload.count);
  return receiver(src, slot) = {.generation = generation, .used = true};
}

// On-Ramp: tells the sender when the packet arrived. OR-ACKs have the traffic class of the data.
template <class P>
void Receivers<P>::report_arrival(std::uint32_t h, Receiver& r, const Packet& packet, Time now) {
  const cc::OnRamp::Params& params = *model().profiles[packet.profile].on_ramp;
  if (!reports_now(r, params, packet, now)) return;
  ++counters().or_acks;
  Packet report = answer(packet, net::PacketKind::or_ack, params.ack_size, packet.traffic_class);
  report.sent = network().hosts[h].clock.at(receive_delays().stamp(h, now));
  receive_delays().send(h, report, now);
}

// Handles data of a flow with On-Ramp or credits that is new (`taken`), or that is not taken because of a gap.
template <class P>
void Receivers<P>::on_data(std::uint32_t h, Receiver& r, const Packet& packet, bool taken, Time now) {
  if (model().profiles[packet.profile].on_ramp) report_arrival(h, r, packet, now);
  if (!taken || (packet.flags & net::kAsksCredit) == 0) return;
  const std::int64_t size = packets().told_size(packet), payload = model().transport.payload.count;
  const std::int64_t unsolicited = model().profiles[packet.profile].unsolicited_packets(Bytes{payload});
  credits_[h].ask(packet, size, (size + payload - 1) / payload - unsolicited);
  grant_credits(h, now);
}

template <class P>
void Receivers<P>::on_timer(std::uint32_t h, Time now) {
  credits_[h].is_timed = false;
  grant_credits(h, now);
}

template <class P>
void Receivers<P>::set_timer(std::uint32_t h, Time at) {
  network().hosts[h].timers.push({at, kReceiverSlot, 0});
  nics().wake_by(h, at);
}

template <class P>
void Receivers<P>::grant_credits(std::uint32_t h, Time now) {
  Credits& credits = credits_[h];
  if (credits.is_timed) return;
  if (credits.next <= now && credits.has_waiting()) {
    const Credits::Account& to = credits.grant();
    Packet credit;
    credit.kind = net::PacketKind::credit;
    credit.seq = to.packets * model().transport.payload.count;
    credit.sent = now;
    credit.dst = to.src;
    credit.entropy = net::answer_entropy(to.entropy);
    credit.slot = to.slot;
    credit.generation = to.generation;
    credit.profile = to.profile;
    credit.wire = static_cast<std::uint16_t>(model().transport.min_frame.count);
    credit.traffic_class = ack_class(to.data_class);
    const Bytes full = model().data_wire(model().profiles[to.profile]);
    credits.next = now + transmission_time(full, model().routing.rate_of_host(h));
    receive_delays().send_by(switching().routing().nic(h, credit.dst, credit.entropy), h, credit, now);
  }
  if (!credits.has_waiting()) return;
  credits.is_timed = true;
  set_timer(h, credits.next);
}

// Takes the bytes of a data packet, or finds that they are known or that a gap is in front of them.
template <class P>
inline typename Receivers<P>::Arrival Receivers<P>::take(Receiver& r, const Packet& packet, bool stale,
                                                         std::int64_t span, Time now) {
  Arrival out;
  const std::int64_t first = packet.seq;
  const bool selective = model().profiles[packet.profile].recovery.selective();
  if (packet.kind == net::PacketKind::trimmed) [[unlikely]] {
    out.known = stale || (selective ? reassembly(packet.src, packet.slot).holds(first) : first < r.expected);
    out.gap = true;
  } else if (selective) {
    if (!stale) {
      Reassembly& have = reassembly(packet.src, packet.slot);
      out.taken = have.take(first, span);
      r.expected = have.expected();
    }
  } else if (!stale) {
    out.taken = first == r.expected;
    out.gap = first > r.expected;
    out.silent = out.gap && r.last_nacked == r.expected && now - r.last_nack < model().transport.nack_interval;
    if (out.taken) r.expected = first + span;
  }
  return out;
}

// Sends a CNP for a marked packet if one is due, or has the acknowledgement say it: returns whether it does.
template <class P>
inline bool Receivers<P>::notify(std::uint32_t h, Receiver& r, const Packet& packet, Time now) {
  const cc::ReceiverRules& rules = model().profiles[packet.profile].receiver;
  if (now < r.next_cnp) return false;
  r.next_cnp = now + rules.cnp_interval;
  ++counters().cnps;
  if (!rules.cnp_packet) return true;
  Packet notice = answer(packet, net::PacketKind::cnp, model().transport.min_frame, ack_class(packet.traffic_class));
  receive_delays().send(h, notice, now);
  return false;
}

// A packet older than the flow that now uses its slot is a duplicate that outlived its flow. It
// is acknowledged like any duplicate, whether or not its slot has been reused meanwhile: the
// sender will not listen, but the network carries the same bytes in every partitioning.
template <class P>
inline void Receivers<P>::receive_data(std::uint32_t h, const Packet& packet, Time now) {
  Receiver& r = receiver(packet.src, packet.slot);
  const auto age = static_cast<std::int32_t>(packet.generation - r.generation);
  const Profile& profile = model().profiles[packet.profile];
  if (!r.used || age > 0) [[unlikely]]
    begin_flow(packet.src, packet.slot, packet.generation, packet.profile);
  const bool stale = age < 0 && r.used;
  const bool marked = (packet.flags & net::kMarked) != 0;
  counters().marked += marked;

  const std::int64_t span = (packet.flags & net::kEndsMessage) == 0 ? packet.payload : model().transport.payload.count;
  const Arrival arrival = take(r, packet, stale, span, now);
  if (arrival.known) [[unlikely]] {
    packets().release(packet);
    return;
  }
  const auto [taken, gap, silent, known] = arrival;
  if (taken && r.expected >= r.end) drivers().receive(packet.src, packet.slot, r, now);

  // Duplicates do not count: one that outlived its flow would meet the state of another flow in some partitionings.
  if ((profile.on_ramp || (packet.flags & net::kAsksCredit) != 0) && (taken || gap)) on_data(h, r, packet, taken, now);
  const cc::ReceiverRules& rules = profile.receiver;
  const bool echo_cnp =
      marked && rules.cnp && (taken || (gap && (rules.cnp_packet || !silent))) && notify(h, r, packet, now);
  if (silent) [[unlikely]] {
    packets().release(packet);
    return;
  }
  if (gap) [[unlikely]] {
    r.last_nacked = r.expected;
    r.last_nack = now;
    ++counters().nacks;
  }
  if (taken && profile.ack_every.count > 0 && !acknowledges_now(r, profile, packet)) {
    packets().release(packet);
    return;
  }
  const bool selective = profile.recovery.selective() && !stale;
  const std::int64_t seq = stale ? packet.seq + span : selective && gap ? packet.seq : r.expected;
  const std::uint16_t flags = (marked ? net::kEchoMarked : 0) | (echo_cnp ? net::kEchoCnp : 0);
  send_ack(h, packet, {.seq = seq, .flags = flags, .is_nack = gap, .has_sack = selective && !gap}, now);
}

// A data packet becomes its own acknowledgement, which keeps its telemetry, time stamp and path.
template <class P>
inline void Receivers<P>::send_ack(std::uint32_t h, const Packet& packet, Answer what, Time now) {
  Packet ack;
  net::copy_fields(static_cast<net::Descriptor&>(ack), packet);
  net::copy_fields(static_cast<net::PacketBody&>(ack), packet);
  ack.kind = what.is_nack ? net::PacketKind::nack : net::PacketKind::ack;
  ack.seq = what.seq;
  ack.dst = packet.src;
  const AckFrame frame = ack_frames_[packet.profile];
  ack.flags = static_cast<std::uint16_t>(what.flags | frame.flags);
  const std::int64_t first = packet.seq;
  if (what.has_sack) {
    net::Sack told = reassembly(packet.src, packet.slot).sack(first);
    told.entropy = packet.entropy;
    net::copy_fields(packets().add_sack(ack), told);
  } else if (receive_delays().tell_delay() && !model().profiles[packet.profile].recovery.selective()) {
    const std::int64_t trigger = first / model().transport.payload.count;
    packets().add_sack(ack) = {.trigger = trigger, .ahead = static_cast<std::int32_t>(-trigger)};
  } else {
    ack.src = static_cast<std::uint32_t>(first - ack.seq);
  }
  if ((ack.flags & net::kSack) != 0) ack.src = P::Tracer::kOn ? static_cast<std::uint32_t>(now.ps / 1'000'000) : 0;
  ack.entropy = net::answer_entropy(packet.entropy);
  ack.wire = frame.wire;
  ack.traffic_class = ack_class(packet.traffic_class);
  receive_delays().send(h, ack, now);
}

}  // namespace weir::host
