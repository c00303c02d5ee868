// The wire of a port, whatever its discipline: packets that have begun to leave it and have not arrived.
#pragma once

#include <cassert>
#include <cstdint>

#include "weir/net/port/fifo_port.h"
#include "weir/net/port/port.h"
#include "weir/net/port/priority_port.h"

namespace weir::net {

inline bool wire_is_empty(const Port& p) { return p.ring.head == p.ring.cursor && p.urgent.head == p.urgent.cursor; }

inline std::uint32_t count_on_wire(const Port& p) {
  return (p.ring.cursor - p.ring.head) + (p.urgent.cursor - p.urgent.head);
}

// Calls visit(packet) for each packet on the wire, in the order of departures.
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

// The same as those of the disciplines.
inline Descriptor& take_off_wire(Port& p) {
  assert(!wire_is_empty(p));
  return p.kind == PortKind::priority ? Priority::take_off_wire(p) : Fifo::take_off_wire(p);
}
inline Time first_arrival(Port& p) {
  return p.kind == PortKind::priority ? Priority::first_arrival(p) : Fifo::first_arrival(p);
}
// Of a port that has been settled. A queued port has an event for that.
inline Time next_departure(const Port& p) {
  if (p.kind == PortKind::queued) return Time::max();
  return p.kind == PortKind::priority ? Priority::next_departure(p) : Fifo::next_departure(p);
}

}  // namespace weir::net
