// Links: packets on their way, and the ports that they leave by. Included by engine/partition/partition-inl.h only.
#pragma once

#include <algorithm>

#include "weir/base/int_wire.h"
#include "weir/net/port/link_reader.h"
#include "weir/net/switch/links.h"

namespace weir::net {

template <class P>
Links<P>::Links(std::uint16_t partitions)
    : class_rules_(model().class_rules()),
      alone_(partitions == 1),
      int_format_(model().int_format()),
      exact_telemetry_(int_format_.is_exact()),
      tells_found_queue_(model().tells_found_queue()),
      tells_as_stamped_(exact_telemetry_ && !tells_found_queue_) {
  if (alone_) return;
  inbound_ = ZeroedArray<std::uint32_t>(shared().ports, shared().sparse);
  for (std::uint32_t port = 0; port < shared().ports; ++port) {
    const bool from = shared().mine(model().topology.port_owner(port));
    const bool to = shared().mine(model().topology.port_peer(port));
    if (from && !to) {
      shared().port(port).cut = true;
      bool is_far = false;
      if constexpr (P::kOrdersWithinNode)
        is_far = scheduler().is_far(shared().departures_of_switch(model().topology.port_owner(port) - shared().hosts));
      cut_ports_[is_far].push_back(port);
    }
    if (to && !from) {
      wires_.emplace_back();
      inbound_[port] = static_cast<std::uint32_t>(wires_.size());
    }
  }
}

// The first packet of a link has reached the far end.
template <class P>
inline void Links<P>::on_arrival(std::uint32_t port, Time now) {
  if (is_inbound(port)) return on_inbound_arrival(port, now);
  Port& p = shared().port(port);
  // It stays in its place until another is pushed on this ring.
  Descriptor* packet = nullptr;
  if (p.kind == PortKind::priority) {
    packet = arrive_priority(p, port, now);
    if (packet == nullptr) return;
  } else {
    packet = &take_first<Fifo>(p, port, now);
    apply_departure(p, port, *packet);
  }
  prefetcher().at_arrival(p);
  deliver(port, p.peer, p.index_at_peer, *packet, now);
}

// The same of a link from another partition.
template <class P>
void Links<P>::on_inbound_arrival(std::uint32_t port, Time now) {
  InboundLinkReader link(inbound(port));
  Descriptor& packet = link.take();
  if (const Descriptor* next = link.first(); next != nullptr)
    scheduler().add(shared().arrival(port), link.arrival(*next));
  const Topology& t = model().topology;
  const std::uint32_t own = Topology::reverse(port);
  deliver(port, t.port_peer(port), shared().port(own).local, packet, now);
}

// Until when the port at the other end of a link may be settled. Where nodes take turns, its owner has gone on farther
// than to `now` or not as far.
template <class P>
inline Time Links<P>::settled_by_owner(Time now) const {
  if constexpr (P::kOrdersWithinNode)
    return {shared().scheduler.neighbours_taken_before().ps - 1};
  else
    return now;
}

// The packet that arrives, off the wire; the next one's arrival is scheduled.
template <class P>
template <class Discipline>
inline Descriptor& Links<P>::take_first(Port& p, std::uint32_t port, Time now) {
  // What has left since is worked out while this packet still counts as on the wire.
  if (Discipline::wire_may_be_longer(p)) settle_as<Discipline>(p, settled_by_owner(now));
  Descriptor& packet = Discipline::take_off_wire(p);
  prefetcher().template after_arrival<Discipline>(p);
  if (const Time next = Discipline::first_arrival(p); next < Time::max()) scheduler().add(shared().arrival(port), next);
  return packet;
}

// From one priority port to the next in one function. Null if the packet has been forwarded; else it is delivered
// still.
template <class P>
Descriptor* Links<P>::arrive_priority(Port& p, std::uint32_t port, Time now) {
  Descriptor& packet = take_first<Priority>(p, port, now);
  apply_departure(p, port, packet);
  if (p.peer < shared().hosts || packet.ends_with_link()) return &packet;
  count_arrival(port, packet, now);
  const std::uint32_t s = p.peer - shared().hosts;
  const std::uint32_t out = switching().route(s, p.index_at_peer, packet, now);
  if constexpr (P::Tracer::kOn) packet.ingress = p.index_at_peer;
  prefetcher().before_port(shared().port(out), packet);
  switching().template forward_one<Priority>(s, p.index_at_peer, out, packet, now);
  return nullptr;
}

// What the port did to the packet when it departed, made up for now that it is known.
template <class P>
inline void Links<P>::apply_departure(Port& p, std::uint32_t port, Descriptor& packet) {
  if (is_marked(p, port, packet, model().seed, p.tx_packets)) {
    packet.flags |= kMarked;
    ++p.marks;
  }
  if (is_stamped(p, packet)) {
    Telemetry& telemetry = packets().telemetry(packet);
    if (telemetry.hops < kMaxTelemetryHops) {
      const HopTelemetry stamped = stamp(p, packet, p.tx_bytes);
      telemetry.path ^= path_number(port);
      telemetry.hop[telemetry.hops] = tells_as_stamped_ ? stamped : told(stamped, telemetry);
      ++telemetry.hops;
    }
  }
  if (p.effects != 0) [[unlikely]]
    apply_rare_effects(p, port, packet);
  p.tx_bytes += packet.wire;
  ++p.tx_packets;
}

template <class P>
inline HopTelemetry Links<P>::told(const HopTelemetry& stamped, const Telemetry& telemetry) const {
  HopTelemetry out = stamped;
  if (tells_found_queue_) [[unlikely]]
    out.queue = telemetry.hop[telemetry.hops].queue;
  return int_format_.quantise(out);
}

template <class P>
void Links<P>::note_found_queue(const Descriptor& packet, std::uint32_t queue) {
  Telemetry& telemetry = packets().telemetry(packet);
  if (telemetry.hops < kMaxTelemetryHops) telemetry.hop[telemetry.hops].queue = static_cast<std::int32_t>(queue);
}

template <class P>
void Links<P>::apply_rare_effects(Port& p, std::uint32_t port, Descriptor& packet) {
  if ((p.effects & kTells) != 0)
    network().path_policies.departed(port, packet, packet.has_path_note() ? &packets().path_note(packet) : nullptr);
  if ((p.effects & kLoses) != 0) lose(p, port, packet);
}

template <class P>
void Links<P>::lose(Port& p, std::uint32_t port, Descriptor& packet) {
  if (!is_lost(p, port, packet, model().seed, p.tx_packets)) return;
  trace(EventKind::lost, port, packet, p.arrival(packet), 0);
  packet.kind = PacketKind::lost;
  ++p.lost;
}

// A packet has arrived that is neither lost nor a pause or resume frame.
template <class P>
inline void Links<P>::count_arrival(std::uint32_t port, const Descriptor& packet, Time now) {
  trace_arrival(port, packet, now);
  ++counters().packet_hops;
  counters().data_packet_hops += packet.kind == PacketKind::data;
}

template <class P>
inline void Links<P>::deliver(std::uint32_t port, std::uint32_t node, std::uint32_t ingress, Descriptor& packet,
                              Time now) {
  if (node < shared().hosts) {
    deliver_to_host(port, node, packet, now);
  } else if (packet.ends_with_link()) [[unlikely]] {
    deliver_slow(port, packet, now);
  } else {
    count_arrival(port, packet, now);
    switching().forward(node - shared().hosts, ingress, packet, now);
  }
}

template <class P>
inline void Links<P>::deliver_to_host(std::uint32_t port, std::uint32_t h, Descriptor& packet, Time now) {
  if (packet.ends_with_link()) [[unlikely]] {
    deliver_slow(port, packet, now);
    return;
  }
  count_arrival(port, packet, now);
  nics().note_arrival(Topology::reverse(port));
  if (intake().is_slow(h)) [[unlikely]]
    intake().arrive(h, Topology::reverse(port), packet, now);
  else
    receivers().receive(h, packets().load(packet), now);
}

// Pause and resume frames end here, and what the link has lost.
template <class P>
void Links<P>::deliver_slow(std::uint32_t port, const Descriptor& packet, Time now) {
  if (packet.kind == PacketKind::lost) {
    ++counters().lost;
    shared().drop(packet);
    return;
  }
  ++counters().packet_hops;
  trace_on_wire(EventKind::received, Topology::reverse(port), packet, now, 0);
  pausing().set_paused(Topology::reverse(port), packet.traffic_class, packet.kind == PacketKind::pause, now);
}

template <class P>
inline void Links<P>::send(std::uint32_t port, const Packet& whole, Time now) {
  Port& p = shared().port(port);
  const std::uint32_t record = packets().store(whole);
  if (!P::Tracer::kOn && p.kind != PortKind::queued) [[likely]] {
    enqueue(p, port, whole, now).record = record;
    return;
  }
  Descriptor packet = whole;
  packet.record = record;
  if (p.kind == PortKind::queued)
    send_queued(p, port, packet, now);
  else
    enqueue(p, port, packet, now);
}

// Puts a packet on a FIFO port's queue: a Descriptor, or the Packet that a host has just made.
template <class P>
template <class AnyPacket>
inline Descriptor& Links<P>::enqueue(Port& p, std::uint32_t port, const AnyPacket& packet, Time now) {
  if constexpr (P::Tracer::kOn)
    if (tracer().takes(port, now)) settle(p, now);  // so that what waits is known
  const bool first = p.ring.empty();
  Descriptor& placed = Fifo::accept(p, packet, now);
  trace(EventKind::accepted, port, packet, now, p.queued);
  if (first && !p.cut && placed.departs != kNotScheduled) scheduler().add(shared().arrival(port), p.free_at + p.delay);
  return placed;
}

template <class P>
void Links<P>::send_queued(Port& p, std::uint32_t port, const Descriptor& packet, Time now) {
  ClassQueues& queues = network().queues[p.queues];
  if (tells_found_queue_ && is_stamped(p, packet)) [[unlikely]]
    note_found_queue(packet, queues.ahead_of(packet.traffic_class));
  p.queued += packet.wire;
  queues.push(packet);
  trace(EventKind::accepted, port, packet, now, p.queued);
  if (!queues.busy) start_next(p, port, now);
}

template <class P>
inline void Links<P>::settle(Port& p, Time now) {
  p.kind == PortKind::priority ? settle_as<Priority>(p, now) : settle_as<Fifo>(p, now);
}

template <class P>
template <class Discipline>
inline void Links<P>::settle_as(Port& p, Time now) {
  Discipline::drain(
      p, now,
      [&](const Descriptor& departed) {
        trace_left(p, departed);
        if (p.at_switch) switching().release(p.owner - shared().hosts, departed, now);
      },
      [&](const Descriptor& frame) { trace_left(p, frame); });
}

// Queued port: a transmission has ended.
template <class P>
void Links<P>::on_departure(std::uint32_t port, Time now) {
  Port& p = shared().port(port);
  network().queues[p.queues].busy = false;
  start_next(p, port, now);
}

// Queued port: begins the next transmission, if anything may be sent.
template <class P>
void Links<P>::start_next(Port& p, std::uint32_t port, Time now) {
  ClassQueues& queues = network().queues[p.queues];
  PacketRing* from = queues.select(class_rules_, p.paused);
  if (from == nullptr) return;
  const bool first = p.ring.empty();
  Descriptor& packet = p.ring.push();
  packet = from->front();
  queues.pop(*from);
  packet.departs = now;
  if (!packet.is_control()) p.queued -= packet.wire;
  packet.queue = queues.ahead_of(packet.traffic_class);
  p.ring.cursor = p.ring.tail;
  trace_left(p, packet);
  if ((p.effects & kLoses) != 0) [[unlikely]]
    packet.departs += time_of_failures(p, port, packet, model().seed, p.tx_packets + count_on_wire(p) - 1);
  p.free_at = packet.departs + p.serialisation(packet.wire);
  queues.busy = true;
  if (first && !p.cut) scheduler().schedule(shared().arrival(port), p.arrival(packet));
  scheduler().schedule(shared().departure_of_port(port), p.free_at);
  if (p.at_switch && !packet.is_control()) switching().release(p.owner - shared().hosts, Descriptor(packet), now);
}

// The pending arrival of a port of which nothing was on the wire.
template <class P>
inline void Links<P>::schedule_first_arrival(Port& p, std::uint32_t port) {
  if (p.cut) return;
  if (const Time first = first_arrival(p); first < Time::max())
    scheduler().schedule(shared().arrival(port), first);
  else
    scheduler().cancel(shared().arrival(port));
}

template <class P>
template <class BoxOf, class Out>
void Links<P>::hand_over(Time end, BoxOf&& box_of, Out&& out) {
  for (const int side : {0, 1}) {
    if constexpr (P::kOrdersWithinNode) end = scheduler().taken_before(side);
    hand_over_side(side, end, box_of, out);
  }
}

template <class P>
template <class BoxOf, class Out>
void Links<P>::hand_over_side(int side, Time end, BoxOf& box_of, Out& out) {
  if (handed_over_[side] == end) return;
  handed_over_[side] = end;
  for (const std::uint32_t port : cut_ports_[side]) {
    Port& p = shared().port(port);
    if (p.ring.empty() && p.urgent.empty()) continue;
    settle(p, {end.ps - 1});
    if (wire_is_empty(p)) continue;
    auto& box = box_of(port);
    do {
      Descriptor& packet = take_off_wire(p);
      apply_departure(p, port, packet);
      packet.departs = p.arrival(packet);
      p.not_before = std::max(p.not_before, packet.departs - p.delay);
      out(box, port, packets().packet(packet));
    } while (!wire_is_empty(p));
  }
}

template <class P>
Time Links<P>::next_to_leave_partition() const {
  Time next = Time::max();
  for (const auto& of_side : cut_ports_)
    for (const std::uint32_t port : of_side) next = std::min(next, next_departure(shared().port(port)));
  return next;
}

template <class P>
void Links<P>::take_over(std::uint32_t port, const Packet& packet) {
  PacketRing& wire = inbound(port);
  if (wire.empty()) scheduler().add(shared().arrival(port), packet.departs);
  Descriptor& placed = wire.push();
  placed = packet;
  if (!packet.is_control()) placed.record = packets().store(packet);
}

template <class P>
template <class Visit>
void Links<P>::for_each_packet(Visit&& visit) const {
  const auto all = [&](std::uint32_t port, const PacketRing& ring) {
    for (std::uint32_t at = ring.head; at != ring.tail; ++at) visit(port, packets().packet(ring[at]));
  };
  for (std::uint32_t port = 0; port < shared().ports; ++port) {
    if (is_inbound(port)) all(port, inbound(port));
    const Port& p = shared().port(port);
    if (!shared().mine(p.owner)) continue;
    all(port, p.ring);
    all(port, p.urgent);
    if (p.kind != PortKind::queued) continue;
    const ClassQueues& queues = network().queues[p.queues];
    all(port, queues.control);
    for (const PacketRing& waiting : queues.waiting) all(port, waiting);
  }
}

template <class P>
template <class Visit>
void Links<P>::for_each_waiting(std::uint32_t port, Visit&& visit) const {
  const auto tell = [&](const PacketRing& ring, std::uint32_t first) {
    for (std::uint32_t at = first; at != ring.tail; ++at)
      if (!ring[at].is_control()) visit(port, packets().packet(ring[at]));
  };
  const Port& p = shared().port(port);
  tell(p.urgent, p.urgent.cursor);
  tell(p.ring, p.ring.cursor);
  if (p.kind == PortKind::queued)
    for (const PacketRing& waiting : network().queues[p.queues].waiting) tell(waiting, waiting.head);
}

}  // namespace weir::net
