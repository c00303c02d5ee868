// A ranked port: packets of the priority class go ahead of those of one data class, with one event per packet and hop.
//
// Which packet leaves next is not known before the one in transmission has ended, for a packet of the first class may
// still come. But nobody has to know it earlier: as long as a packet waits that may leave, the one in transmission has
// not arrived at the far end, and its arrival is the port's only pending event. Transmissions that have begun since are
// worked out then, or when somebody looks before, one after the other: `drain_ranked` gives each its departure, which
// is final. So a packet of the first class delays those of the second that have not begun to leave, and nothing has to
// be undone for that.
//
// Each class has a ring like that of a FIFO port, with a cursor at the first packet that has not begun to leave. The
// order in which packets of both rings have left is noted in the port, a bit for each. Pause and resume frames stand
// first in the ring of the first class.
#pragma once

#include "weir/base/prefetch.h"
#include "weir/net/port.h"

namespace weir::net {

// No packet has begun to leave that has not arrived. Of any port.
inline bool wire_is_empty(const Port& p) { return p.ring.head == p.cursor && p.urgent.head == p.urgent_cursor; }

// How many packets have begun to leave that have not arrived.
inline std::uint32_t count_on_wire(const Port& p) {
  return (p.cursor - p.ring.head) + (p.urgent_cursor - p.urgent.head);
}

// Notes the classes of the first packets on the wire, in the order of their departures.
void note_order(Port& p);

// The ring whose first packet arrives next, of a port whose wire is not empty.
inline PacketRing& first_on_wire(Port& p) {
  if (p.kind != PortKind::ranked) return p.ring;
  if (p.order.empty()) [[unlikely]]
    note_order(p);
  return p.order.urgent_is_first() ? p.urgent : p.ring;
}

// The ring of the packet that will probably arrive next, of any port: for prefetching only.
inline const PacketRing& probably_first(const Port& p) {
  return p.kind == PortKind::ranked && !p.order.empty() && p.order.urgent_is_first() ? p.urgent : p.ring;
}

// Takes the packet that arrives next off a wire that is not empty. It stays in its place until another is pushed.
inline Packet& take_off_wire(Port& p) {
  PacketRing& ring = first_on_wire(p);
  Packet& packet = ring.front();
  ring.pop();
  if (p.kind == PortKind::ranked) p.order.pop();
  return packet;
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
    const bool urgent = p.urgent_cursor != p.urgent.tail;
    if (!urgent && (p.cursor == p.ring.tail || p.paused)) return;
    p.order.push(urgent, count_on_wire(p));
    PacketRing& ring = urgent ? p.urgent : p.ring;
    std::uint32_t& cursor = urgent ? p.urgent_cursor : p.cursor;
    Packet& packet = ring[cursor++];
    prefetch_line(ring.address(cursor));  // that of the next one to leave
    packet.departs = p.free_at;
    p.free_at += p.serialisation(packet.wire);
    if (packet.is_control()) [[unlikely]] {
      --p.pending_control;
      packet.queue = p.queued;
      on_control(packet);
      continue;
    }
    p.queued -= packet.wire;
    p.urgent_queued -= urgent ? packet.wire : 0;
    packet.queue = urgent ? p.urgent_queued : p.queued;
    on_depart(packet);
  }
}

// Accepts a packet that has to wait, or nearly so; the caller has drained the port up to `now`, and does it again.
inline void accept_ranked(Port& p, const Packet& packet, std::uint16_t ingress, Time now) {
  const bool urgent = packet.traffic_class == TrafficClass::priority;
  PacketRing& ring = urgent ? p.urgent : p.ring;
  if (ring.empty()) {
    ring.rewind();
    (urgent ? p.urgent_cursor : p.cursor) = 0;
  }
  Packet& place = ring.push();
  place = packet;
  place.ingress = ingress;
  p.queued += packet.wire;
  p.urgent_queued += urgent ? packet.wire : 0;
  if (p.free_at < now) p.free_at = now;
}

// Can this packet start at `now` without waiting? The caller has drained the port up to `now`.
inline bool starts_at_once(const Port& p, const Packet& packet, Time now) {
  return p.free_at <= now && (!p.paused || packet.traffic_class == TrafficClass::priority);
}

// Starts such a packet: it is never queued.
inline Packet& start_ranked(Port& p, const Packet& packet, std::uint16_t ingress, Time now) {
  const bool urgent = packet.traffic_class == TrafficClass::priority;
  PacketRing& ring = urgent ? p.urgent : p.ring;
  if (ring.empty()) ring.rewind();
  Packet& place = ring.push();
  place = packet;
  place.ingress = ingress;
  place.departs = now;
  place.queue = 0;
  p.order.push(urgent, count_on_wire(p));
  (urgent ? p.urgent_cursor : p.cursor) = ring.tail;
  p.free_at = now + p.serialisation(packet.wire);
  return place;
}

// Puts a pause or resume frame in front of all that waits.
void insert_control_ranked(Port& p, const Packet& frame, Time now);

}  // namespace weir::net
