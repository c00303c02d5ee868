// The FIFO discipline: packets leave a port in the order in which they have come to it, so a packet's departure is
// known when it is accepted (port.h).
//
// A discipline is a set of functions over a view of a port. A view is the Port itself, or a copy of what they change in
// registers (port_batch.h), which has members of the same names. A view of a port on which nothing is paused and no
// pause or resume frame waits says so by kIsUnpaused.
#pragma once

#include <algorithm>

#include "weir/net/port/port.h"

namespace weir::net {

struct Ignore {
  void operator()(const Descriptor&) const {}
};

// Copies a packet to its place. That of a host has just been written.
inline void copy_to(Descriptor& place, const Descriptor& packet) { place = packet; }
inline void copy_to(Descriptor& place, const Packet& packet) { copy_fields(place, packet); }

struct Fifo {
  // Settles all departures up to and including `now`. on_depart(const Descriptor&) is called for each packet that began
  // to leave, in order, and on_control(const Descriptor&) for each pause and resume frame.
  template <class View, class OnDepart, class OnControl = Ignore>
  static void drain(View& p, Time now, OnDepart&& on_depart, OnControl&& on_control = {}) {
    while (p.ring.cursor != p.ring.tail) {
      Descriptor& packet = p.ring[p.ring.cursor];
      if (packet.departs > now) return;
      ++p.ring.cursor;
      if constexpr (!View::kIsUnpaused) {
        if (packet.is_control()) {
          --p.pending_control;
          packet.queue = p.queued;
          on_control(packet);
          continue;
        }
      }
      p.queued -= packet.wire;
      packet.queue = p.queued;
      on_depart(packet);
    }
  }

  // The following are asked and called after the port has been drained up to `now`.

  // Can a packet start at `now` without waiting?
  template <class View>
  static bool starts_at_once(const View& p, const Descriptor&, Time now) {
    if constexpr (View::kIsUnpaused)
      return p.free_at <= now;  // what has waited has left
    else
      return p.free_at <= now && p.ring.cursor == p.ring.tail && !p.paused;
  }
  // Starts such a packet: it is never queued.
  template <class View>
  static Descriptor& start(View& p, const Descriptor& packet, std::uint16_t ingress, Time now) {
    const std::uint32_t wire = packet.wire;
    Descriptor& place = p.ring.append();
    place = packet;
    place.ingress = ingress;
    place.departs = now;
    place.queue = 0;
    p.ring.cursor = p.ring.tail;
    p.free_at = now + p.serialisation(wire);
    return place;
  }
  // Puts a packet behind those that wait.
  template <class View, class AnyPacket>
  static Descriptor& accept(View& p, const AnyPacket& packet, Time now) {
    const std::uint32_t wire = packet.wire;
    Descriptor& place = p.ring.append();
    copy_to(place, packet);
    p.queued += wire;
    if constexpr (!View::kIsUnpaused) {
      if (p.paused && packet.traffic_class == TrafficClass::data) {
        place.departs = kNotScheduled;
        return place;
      }
    }
    place.departs = std::max(now, p.free_at);
    p.free_at = place.departs + p.serialisation(wire);
    return place;
  }

  // Nothing that has begun to leave is known to be on the wire, or more may have followed than is known.
  static bool wire_may_be_longer(const Port& p) { return p.ring.cursor == p.ring.head; }
  // Takes the packet that arrives next off a wire that is not empty. It stays in its place until another is pushed.
  static Descriptor& take_off_wire(Port& p) {
    Descriptor& packet = p.ring.front();
    p.ring.pop();
    return packet;
  }
  // When the next packet arrives at the far end, on the wire or not; Time::max(): none that may leave is known.
  static Time first_arrival(const Port& p) {
    return p.ring.empty() || p.ring.front().departs == kNotScheduled ? Time::max() : p.arrival(p.ring.front());
  }
  // When the next packet leaves if nothing else happens; Time::max(): none may.
  static Time next_departure(const Port& p) {
    return p.ring.cursor != p.ring.tail ? p.ring[p.ring.cursor].departs : Time::max();
  }
};

}  // namespace weir::net
