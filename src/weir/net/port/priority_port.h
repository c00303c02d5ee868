// A priority port: packets of the priority class go ahead of those of one data class, with one event per packet and
// hop.
//
// Which packet leaves next is not known before the one in transmission has ended, for a packet of the first class may
// still come. But nobody has to know it earlier: as long as a packet waits that may leave, the one in transmission has
// not arrived at the far end, and its arrival is the port's only pending event. Transmissions that have begun since are
// worked out then, or when somebody looks before, one after the other: `drain_priority` gives each its departure, which
// is final. So a packet of the first class delays those of the second that have not begun to leave, and nothing has to
// be undone for that.
//
// Each class has a ring like that of a FIFO port, with a cursor at the first packet that has not begun to leave. The
// order in which packets of both rings have left is noted in the port, a bit for each. Pause and resume frames stand
// first in the ring of the first class.
#pragma once

#include <cassert>

#include "weir/base/prefetch.h"
#include "weir/net/port/port.h"

namespace weir::net {

// No packet has begun to leave that has not arrived. Of any port.
inline bool wire_is_empty(const Port& p) { return p.ring.head == p.ring.cursor && p.urgent.head == p.urgent.cursor; }

// How many packets have begun to leave that have not arrived.
inline std::uint32_t count_on_wire(const Port& p) {
  return (p.ring.cursor - p.ring.head) + (p.urgent.cursor - p.urgent.head);
}

inline bool is_urgent(const Descriptor& packet) { return packet.traffic_class == TrafficClass::priority; }

// Of a priority port: notes the classes of the first packets on the wire, in the order of their departures.
void note_order(Port& p);

// The ring whose first packet arrives next, of a priority port; null if nothing is on the wire.
inline PacketRing* next_on_wire(Port& p) {
  if (p.order.empty()) {
    if (!p.order_is_partial) [[likely]]
      return nullptr;
    note_order(p);
    if (p.order.empty()) return nullptr;
  }
  return &p.ring_of(p.order.urgent_is_first());
}

// Of a priority port, for prefetching only: the ring of the packet that will probably arrive next, and the packet
// behind it.
inline bool urgent_is_probably_first(const Port& p) {
  return choose_if(p.order.empty(), p.urgent.cursor != p.urgent.tail, p.order.urgent_is_first()) != 0;
}
inline const void* probably_second(const Port& p, bool urgent_is_first) {
  const bool waits = p.urgent.cursor != p.urgent.tail;
  const bool urgent = choose_if(p.order.has_one_at_most(), waits, p.order.urgent_is_second()) != 0;
  const PacketRing& ring = p.ring_of(urgent);
  return ring.address(ring.head + (urgent == urgent_is_first ? 1 : 0));
}

// The ring of the packet that will probably arrive next, of any port: for prefetching only.
inline const PacketRing& probably_first(const Port& p) {
  return p.kind == PortKind::priority ? p.ring_of(urgent_is_probably_first(p)) : p.ring;
}

// Takes the packet that arrives next off a wire that is not empty. It stays in its place until another is pushed.
inline Descriptor& take_off_wire(Port& p) {
  assert(!wire_is_empty(p));
  PacketRing& ring = p.kind == PortKind::priority ? *next_on_wire(p) : p.ring;
  Descriptor& packet = ring.front();
  ring.pop();
  if (p.kind == PortKind::priority) p.order.pop();
  return packet;
}

// Calls visit(packet) for each packet on the wire, in the order of departures. Of any port.
template <class Visit>
void for_each_on_wire(const Port& p, Visit&& visit) {
  std::uint32_t urgent = p.urgent.head;
  for (std::uint32_t at = p.ring.head; at != p.ring.cursor; ++at) {
    for (; urgent != p.urgent.cursor && p.urgent[urgent].departs < p.ring[at].departs; ++urgent)
      visit(p.urgent[urgent]);
    visit(p.ring[at]);
  }
  for (; urgent != p.urgent.cursor; ++urgent) visit(p.urgent[urgent]);
}

// The packet that leaves next if nothing else comes, or null if none may.
inline const Descriptor* next_to_leave(const Port& p) {
  if (p.urgent.cursor != p.urgent.tail) return &p.urgent[p.urgent.cursor];
  return p.ring.cursor != p.ring.tail && !p.paused ? &p.ring[p.ring.cursor] : nullptr;
}

// When the next packet leaves if nothing else happens, of any port that has been settled; Time::max(): none may. A
// queued port has an event for that.
inline Time next_departure(const Port& p) {
  if (p.kind == PortKind::queued) return Time::max();
  if (p.kind == PortKind::priority) return next_to_leave(p) != nullptr ? p.free_at : Time::max();
  return p.ring.cursor != p.ring.tail ? p.ring[p.ring.cursor].departs : Time::max();
}

// As drain() of a FIFO port.
template <class OnDepart, class OnControl = Ignore>
inline void drain_priority(Port& p, Time now, OnDepart&& on_depart, OnControl&& on_control = {}) {
  while (p.free_at <= now) {
    const bool urgent = p.urgent.cursor != p.urgent.tail;
    PacketRing& ring = p.ring_of(urgent);
    if (ring.cursor == ring.tail || (p.paused && !urgent)) return;
    p.note_departure(urgent);
    Descriptor& packet = ring[ring.cursor++];
    prefetch_line(ring.address(ring.cursor));  // that of the next one to leave
    packet.departs = p.free_at;
    p.free_at += p.serialisation(packet.wire);
    if (packet.is_control()) [[unlikely]] {
      --p.pending_control;
      packet.queue = p.queued;
      on_control(packet);
      continue;
    }
    p.queued -= packet.wire;
    p.urgent_queued -= packet.wire & bits_if(urgent);
    packet.queue = choose_if(urgent, p.urgent_queued, p.queued);
    on_depart(packet);
  }
}

// Before a packet is put on a ring of the port: an empty one begins again at its first place.
inline void rewind_for(Port& p, const Descriptor& packet) { p.ring_of(is_urgent(packet)).rewind_if_empty(); }

// Puts a packet on its ring. The caller drains the port up to `now` before and after.
inline void accept_priority(Port& p, const Descriptor& packet, std::uint16_t ingress, Time now) {
  const bool urgent = is_urgent(packet);
  Descriptor& place = p.ring_of(urgent).push();
  place = packet;
  place.ingress = ingress;
  p.queued += packet.wire;
  p.urgent_queued += packet.wire & bits_if(urgent);
  if (p.free_at < now) p.free_at = now;
}

// Can this packet start at `now` without waiting? The caller has drained the port up to `now`.
inline bool starts_at_once(const Port& p, const Descriptor& packet, Time now) {
  return p.free_at <= now && (!p.paused || is_urgent(packet));
}

// Starts such a packet: it is never queued.
inline Descriptor& start_priority(Port& p, const Descriptor& packet, std::uint16_t ingress, Time now) {
  const bool urgent = is_urgent(packet);
  PacketRing& ring = p.ring_of(urgent);
  Descriptor& place = ring.push();
  place = packet;
  place.ingress = ingress;
  place.departs = now;
  place.queue = 0;
  p.note_departure(urgent);
  ring.cursor = ring.tail;
  p.free_at = now + p.serialisation(packet.wire);
  return place;
}

// Puts a pause or resume frame in front of all that waits.
void insert_control_priority(Port& p, const Descriptor& frame, Time now);

}  // namespace weir::net
