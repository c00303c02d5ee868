#include "weir/net/port/port.h"

#include <algorithm>

#include "weir/base/large_pages.h"
#include "weir/net/port/wire.h"

namespace weir::net {

void PacketRing::grow() {
  const std::uint32_t capacity = 2 * (mask_ + 1);
  auto* bigger = static_cast<Descriptor*>(take_large_page_block(capacity * sizeof(Descriptor)));
  for (std::uint32_t at = head; at != tail; ++at) new (&bigger[at & (capacity - 1)]) Descriptor(data_[at & mask_]);
  release();
  data_ = bigger;
  mask_ = capacity - 1;
}

void PacketRing::release() {
  if (data_ != nullptr) give_large_page_block(data_, (std::size_t{mask_} + 1) * sizeof(Descriptor));
}

void retime(Port& p, Time now) {
  if (p.kind == PortKind::priority) {  // departures follow when they come
    p.free_at = std::max(p.free_at, now);
    return;
  }
  Time start = std::max(now, p.not_before);
  if (p.ring.cursor != p.ring.head) {
    const Descriptor& last = p.ring[p.ring.cursor - 1];
    start = std::max(start, last.departs + p.serialisation(last.wire));
  }
  for (std::uint32_t at = p.ring.cursor; at != p.ring.tail; ++at) {
    Descriptor& packet = p.ring[at];
    if (p.paused && !packet.is_control() && packet.traffic_class == TrafficClass::data) {
      packet.departs = kNotScheduled;
    } else {
      packet.departs = start;
      start += p.serialisation(packet.wire);
    }
  }
  p.free_at = start;
}

void insert_control(Port& p, const Descriptor& frame, Time now) {
  PacketRing& ring = p.ring_of(p.kind == PortKind::priority);
  ring.append();
  const std::uint32_t place = ring.cursor + p.pending_control;
  for (std::uint32_t at = ring.tail - 1; at != place; --at) ring[at] = ring[at - 1];
  ring[place] = frame;
  ++p.pending_control;
  retime(p, now);
}

void note_order(Port& p) {
  p.order.clear();
  p.order_is_partial = false;
  for_each_on_wire(
      p, [&](const Descriptor& packet) { Priority::note_departure(p, packet.is_control() || is_urgent(packet)); });
}

}  // namespace weir::net
