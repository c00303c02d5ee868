// Switching: how a switch forwards, buffers and drops. Included by engine/partition/partition-inl.h only.
#pragma once

#include <algorithm>
#include <span>
#include <type_traits>
#include <utility>

#include "weir/net/switch/switching.h"

namespace weir::net {

// The port by which it leaves a switch.
template <class P>
inline std::uint32_t Switching<P>::route(std::uint32_t s, std::uint32_t ingress, const Descriptor& packet, Time now) {
  return packet.is_routed_by_hash() ? routing_->egress(s, packet.dst, packet.entropy) : choose(s, ingress, packet, now);
}

template <class P>
inline void Switching<P>::forward(std::uint32_t s, std::uint32_t ingress, Descriptor& packet, Time now) {
  const std::uint32_t port = route(s, ingress, packet, now);
  const Port& out = shared().port(port);
  // Else it is noted where the packet is put: to copy what has just been written takes long.
  if constexpr (P::Tracer::kOn) packet.ingress = static_cast<std::uint16_t>(ingress);
  prefetcher().before_port(out, packet);
  if (out.kind == PortKind::fifo) [[likely]]
    forward_one<Fifo>(s, ingress, port, packet, now);
  else if (out.kind == PortKind::priority)
    forward_by_priority(s, ingress, port, packet, now);
  else
    forward_slow(s, ingress, port, packet, now);
}

template <class P>
void Switching<P>::forward_by_priority(std::uint32_t s, std::uint32_t ingress, std::uint32_t port, Descriptor& packet,
                                       Time now) {
  forward_one<Priority>(s, ingress, port, packet, now);
}

// Puts a packet on the port by which it leaves a switch, as long as nothing is near.
template <class P>
template <class Discipline>
inline void Switching<P>::forward_one(std::uint32_t s, std::uint32_t ingress, std::uint32_t port, Descriptor& packet,
                                      Time now) {
  constexpr bool kPriority = std::is_same_v<Discipline, Priority>;
  Port& out = shared().port(port);
  SwitchBuffer& buffer = shared().switch_state(s).buffer;
  links().template settle_as<Discipline>(out, now);
  bool fits;
  if constexpr (kPriority)
    fits = buffer.fits_upper_bound(ingress, packet.traffic_class,
                                   queued_for(out, packet.traffic_class, buffer.per_port()), packet.wire) &&
           !buffer.needs_departure_events() && !(out.paused && out.free_at <= now);
  else
    fits = buffer.below_thresholds(out.queued, packet.wire);
  if (!fits) [[unlikely]] {
    forward_slow(s, ingress, port, packet, now);
    return;
  }
  if (kPriority ? out.free_at <= now : Discipline::starts_at_once(out, packet, now)) {
    // It enters and leaves the buffer in one instant.
    const bool first = kPriority ? wire_is_empty(out) : out.ring.empty();
    const std::uint32_t queued = out.queued + packet.wire;
    const Descriptor& placed = Discipline::start(out, packet, static_cast<std::uint16_t>(ingress), now);
    if constexpr (kPriority) prefetcher().after_port(out);
    links().trace(EventKind::accepted, port, packet, now, queued);
    links().trace_left(out, placed);
    if (first && !out.cut) scheduler().schedule(shared().arrival(port), out.arrival(placed));
    return;
  }
  buffer.add_unpaused(ingress, packet.traffic_class, packet.wire);
  if constexpr (kPriority) {
    // What is in transmission has not arrived, and its arrival is scheduled.
    Priority::accept(out, packet, static_cast<std::uint16_t>(ingress), now);
    prefetcher().after_port(out);
    links().trace(EventKind::accepted, port, packet, now, out.queued);
  } else {
    links().enqueue(out, port, packet, now).ingress = static_cast<std::uint16_t>(ingress);
  }
}

// The same near a threshold, while something is paused, or by a queued port.
template <class P>
void Switching<P>::forward_slow(std::uint32_t s, std::uint32_t ingress, std::uint32_t port, Descriptor& packet,
                                Time now) {
  Port& out = shared().port(port);
  SwitchBuffer& buffer = shared().switch_state(s).buffer;
  packet.ingress = static_cast<std::uint16_t>(ingress);
  if (out.kind != PortKind::queued &&
      buffer.fits_upper_bound(ingress, packet.traffic_class, queued_for(out, packet.traffic_class, buffer.per_port()),
                              packet.wire))
    buffer.add_unpaused(ingress, packet.traffic_class, packet.wire);
  else if (!admit(s, ingress, out, packet, now))
    return;
  if (out.kind == PortKind::queued) {
    links().send_queued(out, port, packet, now);
    return;
  }
  if (out.kind == PortKind::priority) {
    send_priority(out, port, packet, ingress, now);
    return;
  }
  const Descriptor& placed = links().enqueue(out, port, packet, now);
  if (buffer.needs_departure_events())
    after_accept(s, out, placed, now);
  else if (placed.departs == now)
    links().settle(out, now);
}

// On a priority port, settled up to `now`.
template <class P>
void Switching<P>::send_priority(Port& p, std::uint32_t port, const Descriptor& packet, std::uint32_t ingress,
                                 Time now) {
  const bool bare = wire_is_empty(p);
  Priority::accept(p, packet, static_cast<std::uint16_t>(ingress), now);
  links().trace(EventKind::accepted, port, packet, now, p.queued);
  const std::uint32_t s = p.owner - shared().hosts;
  const bool eager = network().switches[s].buffer.needs_departure_events();
  const bool starts = p.free_at == now && Priority::starts_at_once(p, packet, now);
  links().settle(p, now);
  if (bare) links().schedule_first_arrival(p, port);
  if (!eager) [[likely]]
    return;
  if (starts)
    schedule_departures(s);
  else if (Priority::next_to_leave(p) != nullptr)
    expect_departure(s, p.free_at);
}

// What policies may ask of the switch's ports.
template <class P>
struct Switching<P>::AskedPorts {
  Switching& switching;
  std::uint32_t s;
  std::uint32_t ingress;
  const Descriptor& packet;
  Time now;

  // The node from which the packet comes.
  std::uint32_t from() const { return switching.model().topology.port_peer(switching.routing_->ports(s)[ingress]); }
  Port& settled(std::uint32_t port) const {
    Port& p = switching.shared().port(port);
    if (p.kind != PortKind::queued) switching.links().settle(p, now);
    return p;
  }
  // How many bytes wait there.
  std::uint32_t queued(std::uint32_t port) const { return settled(port).queued; }
  // What has left by it so far, and is on the wire: departed() has not told of it. In the order of departures.
  template <class Visit>
  void each_on_wire(std::uint32_t port, Visit&& visit) const {
    for_each_on_wire(settled(port), visit);
  }
  // By which the packet would go if hashes chose.
  std::uint32_t hashed() const { return switching.routing().egress(s, packet.dst, packet.entropy); }
};

// The port of a packet that leaves the choice to the switch.
template <class P>
std::uint32_t Switching<P>::choose(std::uint32_t s, std::uint32_t ingress, const Descriptor& packet, Time now) {
  PathNote* note = nullptr;
  if constexpr (PathPolicies::kSomeWriteNotes)
    if (packet.has_path_note()) note = &packets().path_note(packet);
  const auto hops = routing_->next_hops(s, packet.dst);
  if (note == nullptr && hops.size() == 1) return hops[0];
  const Fork fork{s, routing_->salt(s), hops, packet, note, now};
  return network().path_policies.choose(fork, AskedPorts{*this, s, ingress, packet, now});
}

// The queue that a packet of this class would join. The priority class has room of its own or counts with all others.
template <class P>
inline std::uint32_t Switching<P>::queued_for(const Port& p, TrafficClass c, bool alone) const {
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
bool Switching<P>::admit(std::uint32_t s, std::uint32_t ingress, Port& out, Descriptor& packet, Time now) {
  SwitchState& state = network().switches[s];
  if (PauseWatch* watch = pausing().watch_of(out);
      watch != nullptr && watch->drops(packet.traffic_class, model().watchdog)) {
    pausing().drop_in_storm(model().routing.ports(s)[out.local], packet, now);
    return false;
  }
  if (!state.buffer.needs_departure_events() && !state.buffer.per_port())
    for (const std::uint32_t id : model().routing.ports(s)) links().settle(shared().port(id), now);
  const std::uint32_t queued = queued_for(out, packet.traffic_class, state.buffer.per_port());
  if (!state.buffer.admits(ingress, packet.traffic_class, queued, packet.wire)) {
    if (model().network.trimming && trim(s, out, packet, now)) return true;
    links().trace(EventKind::dropped, model().routing.ports(s)[out.local], packet, now, out.queued);
    ++state.drops;
    ++counters().dropped;
    shared().drop(packet);
    return false;
  }
  state.buffer.take(ingress, packet.traffic_class, packet.wire);
  if (state.buffer.pause(ingress, packet.traffic_class)) {
    ++state.pauses_sent;
    ++counters().pauses;
    pausing().send_control(model().routing.ports(s)[ingress], PacketKind::pause, packet.traffic_class, now);
    schedule_departures(s);
  }
  return true;
}

// A packet for which there is no room loses its payload. False if there is no room for the rest either.
template <class P>
bool Switching<P>::trim(std::uint32_t s, const Port& out, Descriptor& packet, Time now) {
  if (packet.kind != PacketKind::data) return false;
  SwitchState& state = network().switches[s];
  const auto wire = static_cast<std::uint16_t>(model().network.trimmed_frame.count);
  const std::uint32_t queued = queued_for(out, TrafficClass::priority, true);
  if (!state.buffer.admits(packet.ingress, TrafficClass::priority, queued, wire)) return false;
  links().trace(EventKind::trimmed, model().routing.ports(s)[out.local], packet, now, out.queued);
  packet.kind = PacketKind::trimmed;
  packet.wire = wire;
  packet.traffic_class = TrafficClass::priority;
  ++counters().trimmed;
  state.buffer.take(packet.ingress, packet.traffic_class, wire);
  return true;
}

// A packet has left the shared buffer.
template <class P>
inline void Switching<P>::release(std::uint32_t s, const Descriptor& packet, Time now) {
  SwitchBuffer& buffer = shared().switch_state(s).buffer;
  if (buffer.per_port()) return;  // it counts nothing, and pauses nobody
  const std::uint32_t ingress = packet.ingress;
  const TrafficClass c = packet.traffic_class;
  buffer.release(ingress, c, packet.wire);
  if (buffer.needs_departure_events() && buffer.resume(ingress, c)) [[unlikely]]
    pausing().send_control(model().routing.ports(s)[ingress], PacketKind::resume, c, now);
}

// While some ingress is paused, departures are settled at their instants, for one of them may
// be the one that resumes it.
template <class P>
void Switching<P>::after_accept(std::uint32_t s, Port& out, const Descriptor& placed, Time now) {
  if (placed.departs == now) {
    links().settle(out, now);
    schedule_departures(s);
  } else {
    expect_departure(s, placed.departs);
  }
}

template <class P>
void Switching<P>::expect_departure(std::uint32_t s, Time at) {
  if (at >= network().switches[s].next_departure) return;
  network().switches[s].next_departure = at;
  scheduler().schedule(shared().departures_of_switch(s), at);
}

template <class P>
void Switching<P>::schedule_departures(std::uint32_t s) {
  if (departing_) return;
  SwitchState& state = network().switches[s];
  Time next = Time::max();
  if (state.buffer.needs_departure_events())
    for (const std::uint32_t id : model().routing.ports(s)) next = std::min(next, next_departure(shared().port(id)));
  state.next_departure = next;
  if (next == Time::max())
    scheduler().cancel(shared().departures_of_switch(s));
  else
    scheduler().schedule(shared().departures_of_switch(s), next);
}

template <class P>
void Switching<P>::on_departures(std::uint32_t s, Time now) {
  departing_ = true;
  for (const std::uint32_t id : model().routing.ports(s)) links().settle(shared().port(id), now);
  departing_ = false;
  schedule_departures(s);
}

}  // namespace weir::net
