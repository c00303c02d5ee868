// Fabric: how a switch forwards, buffers and drops. Included by engine/partition/partition-inl.h only.
#pragma once

#include <algorithm>
#include <span>
#include <utility>

#include "weir/net/switch/fabric.h"

namespace weir::net {

// The port by which it leaves a switch.
template <class P>
inline std::uint32_t Fabric<P>::route(std::uint32_t s, const Descriptor& packet, Time now) {
  return packet.is_routed_by_hash() ? routing_->egress(s, packet.dst, packet.entropy) : choose(s, packet, now);
}

template <class P>
inline void Fabric<P>::forward(std::uint32_t s, std::uint32_t ingress, Descriptor& packet, Time now) {
  const std::uint32_t port = route(s, packet, now);
  Port& out = shared().port(port);
  // Else it is noted where the packet is put: to copy what has just been written takes long.
  if constexpr (P::Tracer::kOn) packet.ingress = static_cast<std::uint16_t>(ingress);
  prefetch_far_end(out, packet);
  if (out.kind != PortKind::fifo) [[unlikely]] {
    if (out.kind == PortKind::priority)
      forward_priority_slow(s, ingress, port, packet, now);
    else
      forward_exactly(s, ingress, port, packet, now);
    return;
  }
  forward_fifo(s, ingress, port, packet, now);
}

template <class P>
inline void Fabric<P>::forward_fifo(std::uint32_t s, std::uint32_t ingress, std::uint32_t port, Descriptor& packet,
                                    Time now) {
  Port& out = shared().port(port);
  SwitchBuffer& buffer = shared().switch_state(s).buffer;
  settle_switch(out, s, now);
  if (!buffer.below_thresholds(out.queued, packet.wire)) [[unlikely]] {
    forward_exactly(s, ingress, port, packet, now);
    return;
  }
  if (idle(out, now)) {
    // It enters and leaves the buffer in one instant.
    const bool first = out.ring.empty();
    Descriptor& placed = start(out, packet, now);
    placed.ingress = static_cast<std::uint16_t>(ingress);
    trace(EventKind::accepted, port, packet, now, packet.wire);
    trace_left(out, placed);
    if (first && !out.cut) scheduler().add(shared().arrival(port), out.free_at + out.delay);
    return;
  }
  buffer.add_unpaused(ingress, packet.traffic_class, packet.wire);
  enqueue(out, port, packet, now).ingress = static_cast<std::uint16_t>(ingress);
}

// By a port that is not priority, near a threshold, or while something is paused.
template <class P>
void Fabric<P>::forward_exactly(std::uint32_t s, std::uint32_t ingress, std::uint32_t port, Descriptor& packet,
                                Time now) {
  Port& out = shared().port(port);
  SwitchBuffer& buffer = shared().switch_state(s).buffer;
  packet.ingress = static_cast<std::uint16_t>(ingress);
  if (out.kind == PortKind::fifo && buffer.fits_upper_bound(ingress, packet.traffic_class, out.queued, packet.wire))
    buffer.add_unpaused(ingress, packet.traffic_class, packet.wire);
  else if (!admit(s, ingress, out, packet, now))
    return;
  if (out.kind == PortKind::queued) {
    send_queued(out, port, packet, now);
    return;
  }
  const Descriptor& placed = enqueue(out, port, packet, now);
  if (buffer.needs_departure_events())
    after_accept(s, out, placed, now);
  else if (placed.departs == now)
    settle_switch(out, s, now);
}

// By a priority port, after rewind_for().
template <class P>
inline void Fabric<P>::forward_priority(std::uint32_t s, std::uint32_t ingress, std::uint32_t port, Descriptor& packet,
                                        Time now) {
  Port& out = shared().port(port);
  SwitchBuffer& buffer = shared().switch_state(s).buffer;
  settle_priority(out, s, now);
  const std::uint32_t queued = queued_for(out, packet.traffic_class, buffer.per_port());
  if (!buffer.fits_upper_bound(ingress, packet.traffic_class, queued, packet.wire)) [[unlikely]] {
    packet.ingress = static_cast<std::uint16_t>(ingress);
    if (admit(s, ingress, out, packet, now)) send_priority(out, port, packet, ingress, now);
    return;
  }
  if (buffer.needs_departure_events() || (out.paused && out.free_at <= now)) [[unlikely]] {
    buffer.add_unpaused(ingress, packet.traffic_class, packet.wire);
    send_priority(out, port, packet, ingress, now);
    return;
  }
  if (out.free_at > now) {
    // What is in transmission has not arrived, and its arrival is scheduled.
    buffer.add_unpaused(ingress, packet.traffic_class, packet.wire);
    accept_priority(out, packet, static_cast<std::uint16_t>(ingress), now);
    if constexpr (P::kOrdersWithinNode) prefetch_line(out.ring.next_place());
    trace(EventKind::accepted, port, packet, now, out.queued);
    return;
  }
  const bool first = wire_is_empty(out);
  const Descriptor& placed = start_priority(out, packet, static_cast<std::uint16_t>(ingress), now);
  if constexpr (P::kOrdersWithinNode) prefetch_line(out.ring.next_place());
  trace(EventKind::accepted, port, packet, now, out.queued + packet.wire);
  trace_left(out, placed);
  if (first && !out.cut) scheduler().schedule(shared().arrival(port), out.arrival(placed));
}

template <class P>
void Fabric<P>::forward_priority_slow(std::uint32_t s, std::uint32_t ingress, std::uint32_t port, Descriptor& packet,
                                      Time now) {
  rewind_for(shared().port(port), packet);
  forward_priority(s, ingress, port, packet, now);
}

// The port of a packet that leaves the choice to the switch.
template <class P>
std::uint32_t Fabric<P>::choose(std::uint32_t s, const Descriptor& packet, Time now) {
  const std::span<const std::uint32_t> hops = routing_->next_hops(s, packet.dst);
  if (hops.size() == 1) return hops[0];
  return network().path_policies.choose({s, routing_->salt(s), hops, packet, now}, [&](std::uint32_t port) {
    Port& p = shared().port(port);
    if (p.kind != PortKind::queued) settle(p, now);
    return p.queued;
  });
}

// The queue that a packet of this class would join. The priority class has room of its own or counts with all others.
template <class P>
inline std::uint32_t Fabric<P>::queued_for(const Port& p, TrafficClass c, bool alone) const {
  if (p.kind == PortKind::fifo) return p.queued;
  if (p.kind == PortKind::priority) {
    const std::uint32_t own = choose_if(c == TrafficClass::priority, p.urgent_queued, p.queued - p.urgent_queued);
    return alone ? own : p.queued;
  }
  if (alone) return network().queues[p.queues].bytes[static_cast<std::size_t>(c)];
  if (c == TrafficClass::priority) return p.queued;
  return network().queues[p.queues].ahead_of(c);
}

// Near a threshold: brings the buffer's counters up to date, then decides exactly.
template <class P>
bool Fabric<P>::admit(std::uint32_t s, std::uint32_t ingress, Port& out, Descriptor& packet, Time now) {
  SwitchState& state = network().switches[s];
  if (PauseWatch* watch = watch_of(out); watch != nullptr && watch->drops(packet.traffic_class, model().watchdog)) {
    drop_in_storm(model().routing.ports(s)[out.local], packet, now);
    return false;
  }
  if (!state.buffer.needs_departure_events() && !state.buffer.per_port())
    for (const std::uint32_t id : model().routing.ports(s)) settle(shared().port(id), now);
  const std::uint32_t queued = queued_for(out, packet.traffic_class, state.buffer.per_port());
  if (!state.buffer.admits(ingress, packet.traffic_class, queued, packet.wire)) {
    if (model().network.trimming && trim(s, out, packet, now)) return true;
    trace(EventKind::dropped, model().routing.ports(s)[out.local], packet, now, out.queued);
    ++state.drops;
    ++counters().dropped;
    shared().drop(packet);
    return false;
  }
  state.buffer.take(ingress, packet.traffic_class, packet.wire);
  if (state.buffer.pause(ingress, packet.traffic_class)) {
    ++state.pauses_sent;
    ++counters().pauses;
    send_control(model().routing.ports(s)[ingress], PacketKind::pause, packet.traffic_class, now);
    schedule_departures(s);
  }
  return true;
}

// A packet for which there is no room loses its payload. False if there is no room for the rest either.
template <class P>
bool Fabric<P>::trim(std::uint32_t s, const Port& out, Descriptor& packet, Time now) {
  if (packet.kind != PacketKind::data) return false;
  SwitchState& state = network().switches[s];
  const auto wire = static_cast<std::uint16_t>(model().network.trimmed_frame.count);
  const std::uint32_t queued = queued_for(out, TrafficClass::priority, true);
  if (!state.buffer.admits(packet.ingress, TrafficClass::priority, queued, wire)) return false;
  trace(EventKind::trimmed, model().routing.ports(s)[out.local], packet, now, out.queued);
  packet.kind = PacketKind::trimmed;
  packet.wire = wire;
  packet.traffic_class = TrafficClass::priority;
  ++counters().trimmed;
  state.buffer.take(packet.ingress, packet.traffic_class, wire);
  return true;
}

// A packet has left the shared buffer.
template <class P>
inline void Fabric<P>::release(std::uint32_t s, const Descriptor& packet, Time now) {
  SwitchBuffer& buffer = shared().switch_state(s).buffer;
  if (buffer.per_port()) return;  // it counts nothing, and pauses nobody
  const std::uint32_t ingress = packet.ingress;
  const TrafficClass c = packet.traffic_class;
  buffer.release(ingress, c, packet.wire);
  if (buffer.needs_departure_events() && buffer.resume(ingress, c)) [[unlikely]]
    send_control(model().routing.ports(s)[ingress], PacketKind::resume, c, now);
}

// While some ingress is paused, departures are settled at their instants, for one of them may
// be the one that resumes it.
template <class P>
void Fabric<P>::after_accept(std::uint32_t s, Port& out, const Descriptor& placed, Time now) {
  if (placed.departs == now) {
    settle(out, now);
    schedule_departures(s);
  } else {
    expect_departure(s, placed.departs);
  }
}

template <class P>
void Fabric<P>::expect_departure(std::uint32_t s, Time at) {
  if (at >= network().switches[s].next_departure) return;
  network().switches[s].next_departure = at;
  scheduler().schedule(shared().departures_of_switch(s), at);
}

template <class P>
void Fabric<P>::schedule_departures(std::uint32_t s) {
  if (departing_) return;
  SwitchState& state = network().switches[s];
  Time next = Time::max();
  if (state.buffer.needs_departure_events())
    for (const std::uint32_t id : model().routing.ports(s)) {
      const Port& p = shared().port(id);
      if (p.kind == PortKind::fifo && p.ring.cursor != p.ring.tail)
        next = std::min(next, p.ring[p.ring.cursor].departs);
      if (p.kind == PortKind::priority && next_to_leave(p) != nullptr) next = std::min(next, p.free_at);
    }
  state.next_departure = next;
  if (next == Time::max())
    scheduler().cancel(shared().departures_of_switch(s));
  else
    scheduler().schedule(shared().departures_of_switch(s), next);
}

template <class P>
void Fabric<P>::on_departures(std::uint32_t s, Time now) {
  departing_ = true;
  for (const std::uint32_t id : model().routing.ports(s)) settle(shared().port(id), now);
  departing_ = false;
  schedule_departures(s);
}

// Queued port: a transmission has ended.
template <class P>
void Fabric<P>::on_departure(std::uint32_t port, Time now) {
  Port& p = shared().port(port);
  network().queues[p.queues].busy = false;
  start_next(p, port, now);
}

// Queued port: begins the next transmission, if anything may be sent.
template <class P>
void Fabric<P>::start_next(Port& p, std::uint32_t port, Time now) {
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
  p.free_at = now + p.serialisation(packet.wire);
  trace_left(p, packet);
  queues.busy = true;
  if (first && !p.cut) scheduler().schedule(shared().arrival(port), p.arrival(packet));
  scheduler().schedule(shared().departure_of_port(port), p.free_at);
  if (p.at_switch && !packet.is_control()) release(p.owner - shared().hosts, Descriptor(packet), now);
}

}  // namespace weir::net
