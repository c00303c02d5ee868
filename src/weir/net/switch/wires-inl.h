// Fabric: links, and the ports that packets leave by. Included by engine/partition/partition-inl.h only.
#pragma once

#include <algorithm>

#include "weir/base/int_wire.h"
#include "weir/net/switch/fabric.h"

namespace weir::net {

template <class P>
Fabric<P>::Fabric(std::uint16_t partitions)
    : class_rules_(model().class_rules()),
      routing_(&model().routing),
      alone_(partitions == 1),
      int_format_(model().int_format()),
      exact_telemetry_(int_format_.is_exact()) {
  if constexpr (P::kOrdersWithinNode) prepare_turns();
  if (alone_) return;
  inbound_ = ZeroedArray<std::uint32_t>(shared().ports, shared().sparse);
  for (std::uint32_t port = 0; port < shared().ports; ++port) {
    const bool from = shared().mine(model().topology.port_owner(port));
    const bool to = shared().mine(model().topology.port_peer(port));
    if (from && !to) {
      shared().port(port).cut = true;
      cut_ports_.push_back(port);
    }
    if (to && !from) {
      wires_.emplace_back();
      inbound_[port] = static_cast<std::uint32_t>(wires_.size());
    }
  }
}

template <class P>
inline void Fabric<P>::trace(EventKind kind, std::uint32_t port, const Descriptor& packet, Time time,
                             std::uint32_t queued) {
  if constexpr (P::Tracer::kOn) {
    if (!tracer().takes(kind, port, time) || (packet.is_control() && !is_of_port(kind))) return;
    TraceEvent& event = tracer().add();
    event.time = time;
    event.kind = kind;
    event.port = port;
    event.queued = queued;
    event.packet = packets().packet(packet);
    event.src = event.packet.sender();
  }
}

// Its record of telemetry and what it tells selectively go with it: both are only known here.
template <class P>
inline void Fabric<P>::trace_on_wire(EventKind kind, std::uint32_t port, const Descriptor& packet, Time time,
                                     std::uint32_t queued) {
  if constexpr (P::Tracer::kOn) {
    if (!tracer().takes(kind, port, time)) return;
    TraceEvent& event = tracer().add();
    event.time = time;
    event.kind = kind;
    event.port = port;
    event.queued = queued;
    event.packet = packets().packet(packet);
    if (!packet.is_control()) {
      event.src = event.packet.sender();
      if (packet.has_telemetry()) {
        const Telemetry& telemetry = packets().telemetry(packet);
        const std::uint64_t hops = std::min<std::uint64_t>(telemetry.hops, kMaxWireHops);
        event.int_head = int_head(hops, path_id(telemetry.path));
        for (std::uint64_t i = 0; i < hops; ++i) event.int_hop[i] = on_wire(telemetry.hop[i]);
      }
      if ((packet.flags & kSack) != 0 && !packet.to_receiver()) {
        const Sack& sack = packets().sack(packet);
        event.sack = {sack.trigger, sack.first(), sack.arrived, sack.entropy, event.packet.src};
      }
    }
  }
}

template <class P>
inline std::uint64_t Fabric<P>::on_wire(const HopTelemetry& hop) const {
  return int_hop_word(exact_telemetry_ ? IntFormat::wire(model().transport.int_multiplier).quantise(hop) : hop);
}

// A packet that has begun to leave, as it will be at the far end.
template <class P>
void Fabric<P>::trace_sent(const Port& p, std::uint32_t port, const Descriptor& packet, bool marked,
                           std::uint32_t queued) {
  if constexpr (P::Tracer::kOn) {
    if (!tracer().takes(EventKind::sent, port, packet.departs)) return;
    trace_on_wire(EventKind::sent, port, packet, packet.departs, queued);
    TraceEvent& event = tracer().events().back();
    if (marked) event.packet.flags |= kMarked;
    if (!is_stamped(p, packet)) return;
    const std::uint64_t hops = packets().telemetry(packet).hops;
    if (hops == kMaxTelemetryHops) return;
    // what has begun to leave and is not at the far end is not counted yet
    std::uint64_t before = p.tx_bytes;
    for_each_on_wire(p, [&](const Descriptor& other) { before += other.wire; });
    before -= packet.wire;
    const HopTelemetry hop = stamp(p, packet, before);
    if (hops < kMaxWireHops) event.int_hop[hops] = on_wire(exact_telemetry_ ? hop : int_format_.quantise(hop));
    event.int_head = int_head(std::min<std::uint64_t>(hops + 1, kMaxWireHops),
                              path_id_of_head(event.int_head) ^ path_id(path_number(port)));
  }
}

template <class P>
inline void Fabric<P>::trace_left(const Port& p, const Descriptor& packet) {
  if (!tracer().is_recording()) return;
  const auto port = static_cast<std::uint32_t>(&p - network().ports.data());
  if (!tracer().takes(port, packet.departs)) return;
  // the queue of a packet in a class of its own is shorter than what waits at the port
  const std::uint32_t queued = p.kind == PortKind::fifo ? packet.queue : p.queued;
  trace(EventKind::left, port, packet, packet.departs, queued);
  const std::uint64_t index = p.tx_packets + count_on_wire(p) - 1;
  const bool has_mark = is_marked(p, port, packet, model().seed, index);
  trace_sent(p, port, packet, has_mark, queued);
  if (!has_mark) return;
  Descriptor marked = packet;
  marked.flags |= kMarked;
  trace(EventKind::marked, port, marked, packet.departs, queued);
}

// The first packet of a link has reached the far end.
template <class P>
inline void Fabric<P>::on_arrival(std::uint32_t port, Time now) {
  if (is_inbound(port)) {
    PacketRing& wire = wires_[inbound_[port] - 1];
    Descriptor& packet = wire.front();
    wire.pop();
    if (!wire.empty()) scheduler().add(shared().arrival(port), wire.front().departs);
    const Topology& t = model().topology;
    const std::uint32_t own = Topology::reverse(port);
    deliver(port, t.port_peer(port), shared().port(own).local, packet, now);
    return;
  }
  Port& p = shared().port(port);
  // It stays in its place until another is pushed on this ring.
  Descriptor* packet = nullptr;
  if (p.kind == PortKind::priority) {
    packet = arrive_priority(p, port, now);
    if (packet == nullptr) return;
  } else {
    packet = &take_first(p, port, now);
    apply_departure(p, port, *packet);
  }
  if (senders().flows_exceed_cache() && p.peer < shared().hosts && p.ring.tail - p.ring.head > kAhead) [[unlikely]]
    prefetch_at_host(p.peer, p.ring[p.ring.head + kAhead]);
  deliver(port, p.peer, p.index_at_peer, *packet, now);
}

// Until when the port at the other end of a link may be settled. Where nodes take turns, its owner has gone on farther
// than to `now` or not as far.
template <class P>
inline Time Fabric<P>::settled_by_owner(Time now) const {
  if constexpr (P::kOrdersWithinNode)
    return {shared().scheduler.neighbours_taken_before().ps - 1};
  else
    return now;
}

// The next packets of a ring, and what they will touch if they come to a host.
template <class P>
inline void Fabric<P>::prefetch_following(std::uint32_t peer, const PacketRing& ring) const {
  prefetch_line(ring.address(ring.head + 2));
  if (peer < shared().hosts && !ring.empty()) packets().prefetch(ring.front());
}

// The packet that arrives, off the wire; the next one's arrival is scheduled.
template <class P>
inline Descriptor& Fabric<P>::take_first(Port& p, std::uint32_t port, Time now) {
  if (p.ring.cursor == p.ring.head) settle_plain(p, settled_by_owner(now));
  Descriptor& packet = p.ring.front();
  p.ring.pop();
  if constexpr (P::kOrdersWithinNode) prefetch_following(p.peer, p.ring);
  if (!p.ring.empty()) {
    const Descriptor& first = p.ring.front();
    if (first.departs != kNotScheduled) scheduler().add(shared().arrival(port), p.arrival(first));
  }
  return packet;
}

// From one priority port to the next in one function. Null if the packet has been forwarded; else it is delivered
// still.
template <class P>
Descriptor* Fabric<P>::arrive_priority(Port& p, std::uint32_t port, Time now) {
  Descriptor& packet = take_priority(p, port, now);
  apply_departure(p, port, packet);
  if (p.peer < shared().hosts || packet.ends_with_link()) return &packet;
  count_arrival(port, packet, now);
  const std::uint32_t s = p.peer - shared().hosts;
  const std::uint32_t out = route(s, packet, now);
  if constexpr (P::Tracer::kOn) packet.ingress = p.index_at_peer;
  prefetch_far_end(shared().port(out), packet);
  rewind_for(shared().port(out), packet);
  forward_priority(s, p.index_at_peer, out, packet, now);
  return nullptr;
}

// The packet that arrives, off the wire; the next one's arrival is scheduled.
template <class P>
inline Descriptor& Fabric<P>::take_priority(Port& p, std::uint32_t port, Time now) {
  // The next packet started when this one's transmission ended. That is computed now, while this packet still counts as
  // on the wire.
  if (p.order.has_one_at_most()) settle_priority(p, p.owner - shared().hosts, settled_by_owner(now));
  Descriptor& packet = take_off_wire(p);
  if constexpr (P::kOrdersWithinNode) {
    prefetch_following(p.peer, p.ring);
    prefetch_following(p.peer, p.urgent);
  }
  if (const PacketRing* next = next_on_wire(p); next != nullptr) {
    scheduler().add(shared().arrival(port), p.arrival(next->front()));
  } else if constexpr (P::kOrdersWithinNode) {
    // A resumed packet starts after the time up to which its sender was simulated, so it is not on the wire yet.
    if (const Descriptor* waits = next_to_leave(p); waits != nullptr) [[unlikely]]
      scheduler().add(shared().arrival(port), p.free_at + p.serialisation(waits->wire) + p.delay);
  }
  return packet;
}

template <class P>
void Fabric<P>::prefetch_at_host(std::uint32_t h, const Descriptor& packet) const {
  if (!packet.has_record()) return;
  const PacketBody& body = packets().body(packet);
  if (packet.to_receiver())
    receivers().prefetch_entries(body.src, body.slot);
  else
    senders().prefetch(network().hosts[h], body.slot, body.generation);
}

template <class P>
inline void Fabric<P>::prefetch_far_end(const Port& out, const Descriptor& packet) const {
  if (senders().flows_exceed_cache() && out.peer < shared().hosts && !out.cut &&
      out.ring.tail - out.ring.head <= kAhead) [[unlikely]]
    prefetch_at_host(out.peer, packet);
}

// What the port did to the packet when it departed, made up for now that it is known.
template <class P>
inline void Fabric<P>::apply_departure(Port& p, std::uint32_t port, Descriptor& packet) {
  if (is_marked(p, port, packet, model().seed, p.tx_packets)) {
    packet.flags |= kMarked;
    ++p.marks;
  }
  if (is_stamped(p, packet)) {
    Telemetry& telemetry = packets().telemetry(packet);
    if (telemetry.hops < kMaxTelemetryHops) {
      const HopTelemetry exact = stamp(p, packet, p.tx_bytes);
      telemetry.path ^= path_number(port);
      telemetry.hop[telemetry.hops++] = exact_telemetry_ ? exact : int_format_.quantise(exact);
    }
  }
  if (p.loses) [[unlikely]]
    lose(p, port, packet);
  p.tx_bytes += packet.wire;
  ++p.tx_packets;
}

template <class P>
void Fabric<P>::lose(Port& p, std::uint32_t port, Descriptor& packet) {
  if (!is_lost(p, port, packet, model().seed, p.tx_packets)) return;
  trace(EventKind::lost, port, packet, p.arrival(packet), 0);
  packet.kind = PacketKind::lost;
  ++p.lost;
}

// A packet has arrived that is neither lost nor a pause or resume frame.
template <class P>
inline void Fabric<P>::count_arrival(std::uint32_t port, const Descriptor& packet, Time now) {
  if constexpr (P::Tracer::kOn)
    if (tracer().takes_arrivals_at_switches() || shared().port(port).peer < shared().hosts)
      trace(EventKind::arrived, port, packet, now, 0);
  trace_on_wire(EventKind::received, Topology::reverse(port), packet, now, 0);
  ++counters().packet_hops;
  counters().data_packet_hops += packet.kind == PacketKind::data;
}

template <class P>
inline void Fabric<P>::deliver(std::uint32_t port, std::uint32_t node, std::uint32_t ingress, Descriptor& packet,
                               Time now) {
  if (packet.ends_with_link()) [[unlikely]] {
    deliver_slow(port, packet, now);
    return;
  }
  count_arrival(port, packet, now);
  if (node >= shared().hosts)
    forward(node - shared().hosts, ingress, packet, now);
  else if (intake().is_slow(node)) [[unlikely]]
    intake().arrive(node, packet, now);
  else
    receivers().receive(node, packets().load(packet), now);
}

// Pause and resume frames end here, and what the link has lost.
template <class P>
void Fabric<P>::deliver_slow(std::uint32_t port, const Descriptor& packet, Time now) {
  if (packet.kind == PacketKind::lost) {
    ++counters().lost;
    shared().drop(packet);
    return;
  }
  ++counters().packet_hops;
  trace_on_wire(EventKind::received, Topology::reverse(port), packet, now, 0);
  set_paused(Topology::reverse(port), packet.traffic_class, packet.kind == PacketKind::pause, now);
}

template <class P>
inline void Fabric<P>::send(std::uint32_t port, const Packet& whole, Time now) {
  Port& p = shared().port(port);
  const std::uint32_t body = packets().store(whole);
  if (!P::Tracer::kOn && p.kind != PortKind::queued) [[likely]] {
    enqueue(p, port, whole, now).record = body;
    return;
  }
  Descriptor packet = whole;
  packet.record = body;
  if (p.kind == PortKind::queued)
    send_queued(p, port, packet, now);
  else
    enqueue(p, port, packet, now);
}

// Puts a packet on a FIFO port's queue: a Descriptor, or the Packet that a host has just made.
template <class P>
template <class AnyPacket>
inline Descriptor& Fabric<P>::enqueue(Port& p, std::uint32_t port, const AnyPacket& packet, Time now) {
  if constexpr (P::Tracer::kOn)
    if (tracer().takes(port, now)) settle(p, now);  // so that what waits is known
  const bool first = p.ring.empty();
  Descriptor& placed = accept(p, packet, now);
  trace(EventKind::accepted, port, packet, now, p.queued);
  if (first && !p.cut && placed.departs != kNotScheduled) scheduler().add(shared().arrival(port), p.free_at + p.delay);
  return placed;
}

template <class P>
void Fabric<P>::send_queued(Port& p, std::uint32_t port, const Descriptor& packet, Time now) {
  ClassQueues& queues = network().queues[p.queues];
  p.queued += packet.wire;
  queues.push(packet);
  trace(EventKind::accepted, port, packet, now, p.queued);
  if (!queues.busy) start_next(p, port, now);
}

// On a priority port, settled up to `now`.
template <class P>
void Fabric<P>::send_priority(Port& p, std::uint32_t port, const Descriptor& packet, std::uint32_t ingress, Time now) {
  const bool bare = wire_is_empty(p);
  accept_priority(p, packet, static_cast<std::uint16_t>(ingress), now);
  trace(EventKind::accepted, port, packet, now, p.queued);
  const std::uint32_t s = p.owner - shared().hosts;
  const bool eager = network().switches[s].buffer.needs_departure_events();
  const bool starts = p.free_at == now && starts_at_once(p, packet, now);
  settle_priority(p, s, now);
  if (bare) reschedule_first_arrival(p, port);
  if (!eager) [[likely]]
    return;
  if (starts)
    schedule_departures(s);
  else if (next_to_leave(p) != nullptr)
    expect_departure(s, p.free_at);
}

template <class P>
inline void Fabric<P>::settle_priority(Port& p, std::uint32_t s, Time now) {
  drain_priority(
      p, now,
      [&](const Descriptor& departed) {
        trace_left(p, departed);
        release(s, departed, now);
      },
      [&](const Descriptor& frame) { trace_left(p, frame); });
}

template <class P>
inline void Fabric<P>::settle(Port& p, Time now) {
  if (p.kind == PortKind::priority)
    settle_priority(p, p.owner - shared().hosts, now);
  else
    settle_plain(p, now);
}

template <class P>
inline void Fabric<P>::settle_plain(Port& p, Time now) {
  const auto tell = [&](const Descriptor& departed) { trace_left(p, departed); };
  if (p.at_switch)
    settle_switch(p, p.owner - shared().hosts, now);
  else
    drain(p, now, tell, tell);
}

template <class P>
inline void Fabric<P>::settle_switch(Port& p, std::uint32_t s, Time now) {
  drain(
      p, now,
      [&](const Descriptor& departed) {
        trace_left(p, departed);
        release(s, departed, now);
      },
      [&](const Descriptor& frame) { trace_left(p, frame); });
}

// The pending arrival of a priority port: of the first packet on the wire, which has been settled, or of the one that
// leaves next.
template <class P>
inline void Fabric<P>::schedule_first_arrival(Port& p, std::uint32_t port) {
  if (const PacketRing* first = next_on_wire(p); first != nullptr) {
    scheduler().schedule(shared().arrival(port), p.arrival(first->front()));
  } else if (const Descriptor* next = next_to_leave(p); next != nullptr) {
    scheduler().schedule(shared().arrival(port), p.free_at + p.serialisation(next->wire) + p.delay);
  } else {
    scheduler().cancel(shared().arrival(port));
  }
}

// The pending arrival of a port after what waits was given new departures.
template <class P>
void Fabric<P>::reschedule_first_arrival(Port& p, std::uint32_t port) {
  if (p.kind == PortKind::priority) {
    if (!p.cut) schedule_first_arrival(p, port);
    return;
  }
  if (p.cut || p.ring.head != p.ring.cursor || p.ring.empty()) return;
  if (p.ring.front().departs == kNotScheduled)
    scheduler().cancel(shared().arrival(port));
  else
    scheduler().schedule(shared().arrival(port), p.arrival(p.ring.front()));
}

template <class P>
inline std::uint32_t Fabric<P>::guess_next_port(std::uint32_t port) const {
  const Port& p = shared().port(port);
  if (p.peer < shared().hosts) return Topology::reverse(port);
  const PacketRing& ring = probably_first(p);
  if (ring.empty()) return port;
  const Descriptor& packet = ring.front();
  return packet.is_control() ? port : routing_->egress(p.peer - shared().hosts, packet.dst, packet.entropy);
}

template <class P>
template <class Out>
void Fabric<P>::hand_over(Time end, Out&& out) {
  for (const std::uint32_t port : cut_ports_) {
    Port& p = shared().port(port);
    if (p.ring.empty() && p.urgent.empty()) continue;
    settle(p, {end.ps - 1});
    while (!wire_is_empty(p)) {
      Descriptor& packet = take_off_wire(p);
      apply_departure(p, port, packet);
      packet.departs = p.arrival(packet);
      p.not_before = std::max(p.not_before, packet.departs - p.delay);
      out(port, packet.has_record() ? packets().load(packet) : packets().packet(packet));
    }
  }
}

template <class P>
Time Fabric<P>::next_to_leave_partition() const {
  Time next = Time::max();
  for (const std::uint32_t port : cut_ports_) next = std::min(next, next_departure(shared().port(port)));
  return next;
}

template <class P>
void Fabric<P>::take_over(std::uint32_t port, const Packet& packet) {
  PacketRing& wire = wires_[inbound_[port] - 1];
  if (wire.empty()) scheduler().add(shared().arrival(port), packet.departs);
  Descriptor& placed = wire.push();
  placed = packet;
  if (!packet.is_control()) placed.record = packets().store(packet);
}

template <class P>
template <class Visit>
void Fabric<P>::for_each_packet(Visit&& visit) const {
  const auto all = [&](std::uint32_t port, const PacketRing& ring) {
    for (std::uint32_t at = ring.head; at != ring.tail; ++at) visit(port, packets().packet(ring[at]));
  };
  for (std::uint32_t port = 0; port < shared().ports; ++port) {
    if (is_inbound(port)) all(port, wires_[inbound_[port] - 1]);
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
void Fabric<P>::for_each_waiting(std::uint32_t port, Visit&& visit) const {
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
