// Partition: the receiving end. Included by partition.cc only.
//
// With go-back-N it takes packets in order only, reports the first of a gap with a NACK, and acknowledges every packet
// it takes and every duplicate. With selective recovery it keeps what comes out of order, and acknowledges every packet
// with what it has.
#pragma once

#include "weir/engine/partition.h"

namespace weir::engine {

template <sim::Scheduler S>
inline void Partition<S>::receive(std::uint32_t h, Packet& packet, Time now) {
  if (packet.kind == net::PacketKind::data || packet.kind == net::PacketKind::trimmed)
    receive_data(h, packet, now);
  else
    receive_feedback(h, packet, now);
}

template <sim::Scheduler S>
inline host::Receiver& Partition<S>::receiver(std::uint32_t src, std::uint32_t slot) {
  auto& of_sender = receivers_[src];
  if (slot >= of_sender.size()) of_sender.resize(std::max<std::size_t>(4, 2 * (slot + std::size_t{1})));
  return of_sender[slot];
}

template <sim::Scheduler S>
inline host::Reassembly& Partition<S>::reassembly(std::uint32_t src, std::uint32_t slot) {
  auto& of_sender = reassemblies_[src];
  if (slot >= of_sender.size()) of_sender.resize(slot + std::size_t{1});
  return of_sender[slot];
}

// The slot has a new flow.
template <sim::Scheduler S>
inline host::Receiver& Partition<S>::begin_flow(std::uint32_t src, std::uint32_t slot, std::uint32_t generation,
                                                std::uint16_t profile) {
  if (model_.profiles[profile].recovery.selective()) reassembly(src, slot).start(model_.transport.payload.count);
  return receiver(src, slot) = {.generation = generation, .used = true};
}

// Acknowledgements choose their path by themselves.
inline std::uint32_t back(const net::Packet& packet) { return mix32(packet.entropy + 1); }

// A packet to the sender of this data packet, besides its acknowledgement.
inline net::Packet answer(const net::Packet& packet, net::PacketKind kind, Bytes wire, net::TrafficClass c) {
  net::Packet out;
  out.kind = kind;
  out.seq = packet.seq;
  out.sent = packet.sent;
  out.dst = packet.src;
  out.entropy = back(packet);
  out.slot = packet.slot;
  out.generation = packet.generation;
  out.profile = packet.profile;
  out.wire = static_cast<std::uint16_t>(wire.count);
  out.traffic_class = c;
  return out;
}

// On-Ramp: tells the sender when the packet arrived. OR-ACKs go with the data.
template <sim::Scheduler S>
void Partition<S>::report_arrival(std::uint32_t h, host::Receiver& r, const Packet& packet, Time now) {
  const cc::OnRamp::Params& params = *model_.profiles[packet.profile].on_ramp;
  if (++r.unreported < params.packets_per_ack) return;
  r.unreported = 0;
  ++counters_.or_acks;
  const host::Host& host = network_.hosts[h];
  Packet report = answer(packet, net::PacketKind::or_ack, params.ack_size, packet.traffic_class);
  report.sent = host.clock.at(now);
  send(host.port, report, now);
}

// With `ack_every` an acknowledgement stands for several packets, but for a marked one, the first of a flow, and where
// the sender asks (uet-htsim). What was sent before a packet that asks, and comes after it, is acknowledged at once
// too: the sender waits for it. Duplicates are acknowledged anyway.
inline bool acknowledges_now(host::Receiver& r, const host::Profile& profile, const net::Packet& packet) {
  if ((packet.flags & net::kAskAck) != 0) r.asked = std::max(r.asked, packet.seq + 1);
  r.unacknowledged += packet.payload;
  const bool now = r.unacknowledged >= profile.ack_every.count || packet.seq == 0 || packet.seq < r.asked ||
                   (packet.flags & net::kMarked) != 0;
  if (now) r.unacknowledged = 0;
  return now;
}

// A data packet becomes its own acknowledgement: the record is turned round in place and keeps
// its telemetry, time stamp and path.
//
// A packet older than the flow that now uses its slot is a duplicate that outlived its flow. It
// is acknowledged like any duplicate, whether or not its slot has been reused meanwhile: the
// sender will not listen, but the network carries the same bytes in every partitioning.
template <sim::Scheduler S>
inline void Partition<S>::receive_data(std::uint32_t h, Packet& packet, Time now) {
  host::Receiver& r = receiver(packet.src, packet.slot);
  const auto age = static_cast<std::int32_t>(packet.generation - r.generation);
  const host::Profile& profile = model_.profiles[packet.profile];
  if (!r.used || age > 0) begin_flow(packet.src, packet.slot, packet.generation, packet.profile);
  const bool stale = age < 0 && r.used;
  const bool marked = (packet.flags & net::kMarked) != 0;
  counters_.marked += marked;

  const std::int64_t first = packet.seq;
  const std::int64_t end = first + packet.payload;
  bool gap = false;     // go-back-N: it is dropped
  bool silent = false;  // ... and the gap has been reported just now
  bool taken = false;
  if (packet.kind == net::PacketKind::trimmed) [[unlikely]] {
    if (stale ||
        (profile.recovery.selective() ? reassembly(packet.src, packet.slot).holds(first) : first < r.expected)) {
      discard(packet);
      return;
    }
    gap = true;
  } else if (profile.recovery.selective()) {
    if (!stale) {
      host::Reassembly& have = reassembly(packet.src, packet.slot);
      taken = have.take(first, packet.payload);
      r.expected = have.expected();
    }
  } else if (!stale) {
    taken = first == r.expected;
    gap = first > r.expected;
    silent = gap && r.nacked == r.expected && now - r.last_nack < model_.transport.nack_interval;
    if (taken) r.expected = end;
  }
  if (taken && r.expected == r.end) finish_message(packet.src, packet.slot, now);

  // Duplicates do not count: one that outlived its flow would meet another one's state in some partitionings.
  if (profile.on_ramp && (taken || gap)) report_arrival(h, r, packet, now);
  const cc::ReceiverRules& rules = profile.receiver;
  bool cnp = false;
  if (marked && rules.cnp && (taken || (gap && (rules.cnp_packet || !silent))) && now >= r.next_cnp) {
    r.next_cnp = now + rules.cnp_interval;
    cnp = true;
    ++counters_.cnps;
    if (rules.cnp_packet)
      send(network_.hosts[h].port,
           answer(packet, net::PacketKind::cnp, model_.transport.min_frame, ack_class(packet.traffic_class)), now);
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
  if (taken && profile.ack_every.count > 0 && !acknowledges_now(r, profile, packet)) {
    discard(packet);
    return;
  }
  packet.kind = gap ? net::PacketKind::nack : net::PacketKind::ack;
  const bool selective = profile.recovery.selective() && !stale;
  packet.seq = stale ? end : selective && gap ? first : r.expected;
  packet.dst = packet.src;
  packet.flags =
      static_cast<std::uint8_t>((marked ? net::kEchoMarked : 0) | (cnp && !rules.cnp_packet ? net::kEchoCnp : 0));
  if (selective && !gap) {
    const std::uint32_t sack = sacks_.take();
    sacks_[sack] = reassembly(packet.src, packet.slot).sack(first);
    sacks_[sack].entropy = packet.entropy;
    packet.src = sack;
    packet.flags |= net::kSack;
  } else {
    packet.src = static_cast<std::uint32_t>(first - packet.seq);
  }
  packet.entropy = back(packet);
  packet.wire = ack_wire_[packet.profile];
  packet.traffic_class = ack_class(packet.traffic_class);
  send(network_.hosts[h].port, packet, now);
}

}  // namespace weir::engine
