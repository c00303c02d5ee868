// The discipline of a priority port: packets of the priority class go ahead of those of one data class, with one event
// per packet and hop.
//
// Which packet leaves next is not known before the one in transmission has ended, for a packet of the first class may
// still come. But nobody has to know it earlier: as long as a packet waits that may leave, the one in transmission has
// not arrived at the far end, and its arrival is the port's only pending event. Transmissions that have begun since are
// worked out then, or when somebody looks before, one after the other: `drain` gives each its departure, which is
// final. So a packet of the first class delays those of the second that have not begun to leave, and nothing has to be
// undone for that.
//
// Each class has a ring like that of a FIFO port, with a cursor at the first packet that has not begun to leave. The
// order in which packets of both rings have left is noted in the port, a bit for each. Pause and resume frames stand
// first in the ring of the first class.
#pragma once

#include <algorithm>
#include <cassert>
#include <cstdint>

#include "weir/base/prefetch.h"
#include "weir/net/port/fifo_port.h"
#include "weir/net/port/port.h"

namespace weir::net {

inline bool is_urgent(const Descriptor& packet) { return packet.traffic_class == TrafficClass::priority; }

// As Fifo.
struct Priority {
  // Another one is on the wire.
  template <class View>
  static void note_departure(View& p, bool urgent) {
    if (p.order_is_partial || !p.order.push(urgent)) [[unlikely]]
      p.order_is_partial = true;
  }
  // A packet begins to leave.
  template <class View>
  static void begin_transmission(View& p, Descriptor& packet, bool urgent, Time departs) {
    packet.departs = departs;
    p.free_at = departs + p.serialisation(packet.wire);
    note_departure(p, urgent);
  }
  // What a packet that begins to leave finds behind it.
  static std::uint32_t queue_behind(bool urgent, ClassBytes waiting) {
    return choose_if(urgent, waiting.urgent(), waiting.all());
  }

  // PriorityBatch does the same for many packets at once.
  template <class OnDepart, class OnControl = Ignore>
  static void drain(Port& p, Time now, OnDepart&& on_depart, OnControl&& on_control = {}) {
    while (p.free_at <= now) {
      const bool urgent = p.urgent.cursor != p.urgent.tail;
      PacketRing& ring = p.ring_of(urgent);
      if (ring.cursor == ring.tail || (p.paused && !urgent)) return;
      Descriptor& packet = ring[ring.cursor++];
      prefetch_line(ring.address(ring.cursor));  // that of the next one to leave
      begin_transmission(p, packet, urgent, p.free_at);
      if (packet.is_control()) [[unlikely]] {
        --p.pending_control;
        packet.queue = p.queued;
        on_control(packet);
        continue;
      }
      p.queued -= packet.wire;
      p.urgent_queued -= packet.wire & bits_if(urgent);
      packet.queue = queue_behind(urgent, {p.queued, p.urgent_queued});
      on_depart(packet);
    }
  }

  static bool starts_at_once(const Port& p, const Descriptor& packet, Time now) {
    return p.free_at <= now && (!p.paused || is_urgent(packet));
  }
  static Descriptor& start(Port& p, const Descriptor& packet, std::uint16_t ingress, Time now) {
    const bool urgent = is_urgent(packet);
    PacketRing& ring = p.ring_of(urgent);
    Descriptor& place = ring.append_without_branch();
    place = packet;
    place.ingress = ingress;
    place.queue = 0;
    ring.cursor = ring.tail;
    begin_transmission(p, place, urgent, now);
    return place;
  }
  // The caller drains the port once more.
  template <class View>
  static Descriptor& accept(View& p, const Descriptor& packet, std::uint16_t ingress, Time now) {
    const bool urgent = is_urgent(packet);
    Descriptor& place = p.ring_of(urgent).append_without_branch();
    p.note_waiting(ClassBytes::of_packet(packet.wire, urgent), now);
    place = packet;
    place.ingress = ingress;
    return place;
  }

  // The packet that leaves next if nothing else comes, or null if none may.
  static const Descriptor* next_to_leave(const Port& p) {
    if (p.urgent.cursor != p.urgent.tail) return &p.urgent[p.urgent.cursor];
    return p.ring.cursor != p.ring.tail && !p.paused ? &p.ring[p.ring.cursor] : nullptr;
  }
  static Time next_departure(const Port& p) { return next_to_leave(p) != nullptr ? p.free_at : Time::max(); }

  // The ring whose first packet arrives next; null if nothing is on the wire.
  static PacketRing* next_on_wire(Port& p) {
    if (p.order.empty()) {
      if (!p.order_is_partial) [[likely]]
        return nullptr;
      note_order(p);
      if (p.order.empty()) return nullptr;
    }
    return &p.ring_of(p.order.urgent_is_first());
  }
  static bool wire_may_be_longer(const Port& p) { return p.order.has_one_at_most(); }
  static Descriptor& take_off_wire(Port& p) {
    PacketRing& ring = *next_on_wire(p);
    Descriptor& packet = ring.front();
    ring.pop();
    p.order.pop();
    return packet;
  }
  // If something waits that may leave while nothing is on the wire: a resumed packet starts after the time up to which
  // its sender has been simulated.
  static Time first_arrival(Port& p) {
    if (const PacketRing* first = next_on_wire(p); first != nullptr) return p.arrival(first->front());
    const Descriptor* next = next_to_leave(p);
    return next == nullptr ? Time::max() : p.free_at + p.serialisation(next->wire) + p.delay;
  }
};

}  // namespace weir::net
