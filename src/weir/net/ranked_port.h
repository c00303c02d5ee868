// A ranked port: packets of the priority class go ahead of those of one data class, with one event per packet and hop.
//
// Which packet leaves next is not known before the one in transmission has ended, for a packet of the first class may
// still come. But nobody has to know it earlier: as long as a packet waits that may leave, the one in transmission has
// not arrived at the far end, and its arrival is the port's only pending event. Transmissions that have begun since are
// worked out then, or when somebody looks before, one after the other: `drain_ranked` gives each its departure, which
// is final. So a packet of the first class delays those of the second that have not begun to leave, and nothing has to
// be undone for that.
//
// Each class has a ring like that of a FIFO port, with a cursor at the first packet that has not begun to leave. What
// is on the wire lies in two rings, in the order of departures. Pause and resume frames stand first in the ring of the
// first class.
#pragma once

#include "weir/net/port.h"

namespace weir::net {

// No packet has begun to leave that has not arrived. Of any port.
inline bool wire_is_empty(const Port& p) { return p.ring.head == p.cursor && p.urgent.head == p.urgent_cursor; }

// The ring whose first packet arrives next, of a port whose wire is not empty.
inline PacketRing& first_on_wire(Port& p) {
  if (p.urgent.head == p.urgent_cursor) [[likely]]
    return p.ring;
  if (p.ring.head == p.cursor) return p.urgent;
  return p.urgent.front().departs < p.ring.front().departs ? p.urgent : p.ring;
}

// Calls visit(packet) for each packet on the wire, in the order of departures. Of any port.
template <class Visit>
void for_each_on_wire(const Port& p, Visit&& visit) {
  std::uint32_t urgent = p.urgent.head;
  for (std::uint32_t at = p.ring.head; at != p.cursor; ++at) {
    for (; urgent != p.urgent_cursor && p.urgent[urgent].departs < p.ring[at].departs; ++urgent)
      visit(p.urgent[urgent]);
    visit(p.ring[at]);
  }
  for (; urgent != p.urgent_cursor; ++urgent) visit(p.urgent[urgent]);
}

// The packet that leaves next if nothing else comes, or null if none may.
inline const Packet* next_to_leave(const Port& p) {
  if (p.urgent_cursor != p.urgent.tail) return &p.urgent[p.urgent_cursor];
  return p.cursor != p.ring.tail && !p.paused ? &p.ring[p.cursor] : nullptr;
}

// As drain() of a FIFO port.
template <class OnDepart, class OnControl = Ignore>
inline void drain_ranked(Port& p, Time now, OnDepart&& on_depart, OnControl&& on_control = {}) {
  while (p.free_at <= now) {
    Packet* packet;
    if (p.urgent_cursor != p.urgent.tail) {
      packet = &p.urgent[p.urgent_cursor++];
      if (packet->is_control()) [[unlikely]] {
        --p.pending_control;
        packet->queue = p.queued;
        packet->departs = p.free_at;
        p.free_at += p.serialisation(packet->wire);
        on_control(*packet);
        continue;
      }
      p.queued -= packet->wire;
      p.urgent_queued -= packet->wire;
      packet->queue = p.urgent_queued;
    } else if (p.cursor != p.ring.tail && !p.paused) {
      packet = &p.ring[p.cursor++];
      p.queued -= packet->wire;
      packet->queue = p.queued;
    } else {
      return;
    }
    packet->departs = p.free_at;
    p.free_at += p.serialisation(packet->wire);
    on_depart(*packet);
  }
}

// Accepts a packet that has to wait, or nearly so; the caller has drained the port up to `now`, and does it again.
inline void accept_ranked(Port& p, const Packet& packet, Time now) {
  const bool urgent = packet.traffic_class == TrafficClass::priority;
  PacketRing& ring = urgent ? p.urgent : p.ring;
  if (ring.empty()) {
    ring.rewind();
    (urgent ? p.urgent_cursor : p.cursor) = 0;
  }
  ring.push() = packet;
  p.queued += packet.wire;
  if (urgent) p.urgent_queued += packet.wire;
  if (p.free_at < now) p.free_at = now;
}

// Can this packet start at `now` without waiting? The caller has drained the port up to `now`.
inline bool starts_at_once(const Port& p, const Packet& packet, Time now) {
  return p.free_at <= now && (!p.paused || packet.traffic_class == TrafficClass::priority);
}

// Starts such a packet: it is never queued.
inline Packet& start_ranked(Port& p, const Packet& packet, Time now) {
  const bool urgent = packet.traffic_class == TrafficClass::priority;
  PacketRing& ring = urgent ? p.urgent : p.ring;
  if (ring.empty()) ring.rewind();
  Packet& place = ring.push();
  place = packet;
  place.departs = now;
  place.queue = 0;
  (urgent ? p.urgent_cursor : p.cursor) = ring.tail;
  p.free_at = now + p.serialisation(packet.wire);
  return place;
}

// Puts a pause or resume frame in front of all that waits.
void insert_control_ranked(Port& p, const Packet& frame, Time now);

}  // namespace weir::net
