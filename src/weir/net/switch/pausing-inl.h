// Fabric: priority flow control, its watchdog, and what holds a port. Included by engine/partition/partition-inl.h
// only.
//
// Only queued ports have a watchdog (Model::port_kind). It polls between epochs, before all else at that instant, so it
// acts in the same order whatever the partitions are.
#pragma once

#include <algorithm>

#include "weir/net/switch/fabric.h"

namespace weir::net {

// Sends a pause or resume frame by a port; it goes ahead of all waiting packets.
template <class P>
void Fabric<P>::send_control(std::uint32_t port, PacketKind kind, TrafficClass of, Time now) {
  Port& p = shared().port(port);
  Descriptor frame;
  frame.kind = kind;
  frame.traffic_class = of;
  frame.wire = static_cast<std::uint16_t>(model().network.pfc_frame.count);
  if (p.kind == PortKind::queued) {
    ClassQueues& queues = network().queues[p.queues];
    queues.push(frame);
    if (!queues.busy) start_next(p, port, now);
    return;
  }
  if (p.kind == PortKind::priority) {
    const bool bare = wire_is_empty(p);
    insert_control_priority(p, frame, now);
    settle_priority(p, p.owner - shared().hosts, now);
    if (bare) reschedule_first_arrival(p, port);
  } else {
    insert_control(p, frame, now);
    reschedule_first_arrival(p, port);
  }
  if (p.at_switch) schedule_departures(p.owner - shared().hosts);
}

template <class P>
void Fabric<P>::pause_switch(std::uint32_t port, bool paused, Time now) {
  Port& p = shared().port(port);
  if (p.kind != PortKind::queued) settle(p, now);
  for (unsigned c = 0; c < model().data_classes(); ++c)
    if ((model().pfc_classes() & class_bit(data_class(c))) != 0) {
      counters().pauses += paused;
      send_control(port, paused ? PacketKind::pause : PacketKind::resume, data_class(c), now);
    }
  nics().update_wake(p.owner, now);
}

template <class P>
void Fabric<P>::drop_at_host(std::uint32_t port, const Descriptor& packet, Time now) {
  trace(EventKind::dropped, port, packet, now, shared().port(port).queued);
  ++counters().dropped;
  shared().drop(packet);
}

// Null if nothing watches this port.
template <class P>
inline PauseWatch* Fabric<P>::watch_of(const Port& p) {
  if (network().watches.empty() || !p.at_switch) return nullptr;
  return &network().watches[static_cast<std::size_t>(&p - network().ports.data())];
}

template <class P>
inline void Fabric<P>::trace_paused(std::uint32_t port, TrafficClass of, bool paused, Time now) {
  if (!tracer().is_recording()) return;
  Descriptor frame;
  frame.kind = paused ? PacketKind::pause : PacketKind::resume;
  frame.traffic_class = of;
  trace(paused ? EventKind::paused : EventKind::resumed, port, frame, now, 0);
}

// A pause or resume frame for this port has arrived.
template <class P>
void Fabric<P>::set_paused(std::uint32_t port, TrafficClass of, bool paused, Time now) {
  Port& p = shared().port(port);
  if (PauseWatch* watch = watch_of(p); watch != nullptr && !watch->hear(of, paused, now)) return;
  if (((p.paused & class_bit(of)) != 0) == paused) return;
  if (p.kind != PortKind::queued) settle(p, now);
  p.note_paused(of, paused, now);
  trace_paused(port, of, paused, now);
  if (p.kind == PortKind::queued) {
    if (!paused && !network().queues[p.queues].busy) start_next(p, port, now);
    if (!p.at_switch) nics().unpark(p.owner, now);
    return;
  }
  restart(p, port, now);
  if (p.at_switch) {
    settle(p, now);  // what may leave at once has left
    if (network().switches[p.owner - shared().hosts].buffer.needs_departure_events())
      schedule_departures(p.owner - shared().hosts);
  } else {
    nics().update_wake(p.owner, now);
  }
}

// A link that is down forgets what its ends have told each other to pause. Both ports of the link go on sending, for
// nobody: what they send is lost (net/link/link_faults.h), and the buffers' books stay right.
template <class P>
void Fabric<P>::take_down(std::uint32_t port, Time now) {
  Port& p = shared().port(port);
  settle(p, {now.ps - 1});
  // A pause frame that still waits might leave when the link is up again, and shall not pause anybody then.
  const bool queued = p.kind == PortKind::queued;
  const bool priority = p.kind == PortKind::priority;
  PacketRing& ring = queued ? network().queues[p.queues].control : priority ? p.urgent : p.ring;
  const std::uint32_t first = queued ? ring.head : priority ? p.urgent.cursor : p.ring.cursor;
  const std::uint32_t frames = queued ? ring.size() : p.pending_control;
  for (std::uint32_t at = first; at != first + frames; ++at) ring[at].kind = PacketKind::resume;
  if (PauseWatch* watch = watch_of(p); watch != nullptr) watch->forget(now);
  if (p.paused) {
    for (unsigned c = 0; c < model().data_classes(); ++c)
      if ((p.paused & class_bit(data_class(c))) != 0) trace_paused(port, data_class(c), false, now);
    p.paused = 0;
    p.paused_total += now - p.paused_since;
    restart(p, port, now);
  }
  if (p.at_switch) {
    network().switches[p.owner - shared().hosts].buffer.forget_pauses(p.local);
    schedule_departures(p.owner - shared().hosts);
  } else {
    intake().forget_pause(p.owner);
    nics().unpark(p.owner, now);
  }
}

template <class P>
void Fabric<P>::stop_sending(std::uint32_t port, Time until, Time now) {
  Port& p = shared().port(port);
  if (p.kind == PortKind::fifo) {
    settle(p, {now.ps - 1});
    p.not_before = std::max(p.not_before, until);
    restart(p, port, now);
  } else {
    // as if it were sending until then
    p.free_at = std::max(p.free_at, until);
    network().queues[p.queues].busy = true;
    scheduler().schedule(shared().departure_of_port(port), p.free_at);
  }
}

// What waits at a port may leave at other times than before, from `now` on.
template <class P>
void Fabric<P>::restart(Port& p, std::uint32_t port, Time now) {
  if (p.kind == PortKind::priority) {
    p.free_at = std::max(p.free_at, now);
    if (wire_is_empty(p)) reschedule_first_arrival(p, port);
    return;
  }
  if (p.kind == PortKind::fifo) {
    retime(p, now);
    reschedule_first_arrival(p, port);
    return;
  }
  // The transmitter decides in its turn among the departures of this instant.
  ClassQueues& queues = network().queues[p.queues];
  if (queues.busy) return;
  queues.busy = true;
  scheduler().schedule(shared().departure_of_port(port), now);
}

template <class P>
void Fabric<P>::watch(Time now) {
  for (std::uint32_t port = 0; port < network().watches.size(); ++port) {
    PauseWatch& watch = network().watches[port];
    if (watch.idle() || !shared().mine(shared().port(port).owner)) continue;
    const ClassQueues& queues = network().queues[shared().port(port).queues];
    for (unsigned number = 0; number < model().data_classes(); ++number) {
      const TrafficClass c = data_class(number);
      if (watch.begins(c, queues.has(number), now, model().watchdog)) begin_storm(port, c, now);
      if (watch.ends(c, now, model().watchdog)) watch.storm = static_cast<ClassSet>(watch.storm & ~class_bit(c));
    }
  }
}

template <class P>
void Fabric<P>::begin_storm(std::uint32_t port, TrafficClass c, Time now) {
  Port& p = shared().port(port);
  PauseWatch& watch = network().watches[port];
  watch.storm = static_cast<ClassSet>(watch.storm | class_bit(c));
  ++watch.storms;
  ++counters().storms;
  p.note_paused(c, false, now);
  trace_paused(port, c, false, now);
  if (model().watchdog.action == StormAction::forward) {
    restart(p, port, now);
    return;
  }
  ClassQueues& queues = network().queues[p.queues];
  PacketRing& waiting = queues.waiting[static_cast<std::size_t>(c)];
  while (!waiting.empty()) {
    const Descriptor packet = waiting.front();
    queues.pop(waiting);
    p.queued -= packet.wire;
    drop_in_storm(port, packet, now);
    release(p.owner - shared().hosts, packet, now);
  }
}

template <class P>
void Fabric<P>::drop_in_storm(std::uint32_t port, const Descriptor& packet, Time now) {
  trace(EventKind::dropped, port, packet, now, shared().port(port).queued);
  ++network().watches[port].dropped;
  ++counters().storm_dropped;
  shared().drop(packet);
}

}  // namespace weir::net
