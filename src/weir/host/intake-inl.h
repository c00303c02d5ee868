// Intake. Included by engine/partition/partition-inl.h only.
#pragma once

#include <algorithm>

#include "weir/host/intake.h"

namespace weir::host {

// When a host has taken a packet that it may begin to take at `start`. `spans`: when it is slow.
inline Time taken_at(std::span<const SlowSpan> spans, Time start, Bytes wire) {
  const auto span = std::find_if(spans.begin(), spans.end(), [&](const SlowSpan& s) { return s.until > start; });
  if (span == spans.end() || span->from > start) return start;
  return std::min(start + transmission_time(wire, span->rate), span->until);
}

template <class P>
void Intake<P>::arrive(std::uint32_t h, std::uint32_t port, net::Descriptor& packet, Time now) {
  Queue& queue = queues_[h];
  net::PacketRing& ring = queue.packets;
  const Time start = ring.empty() ? now : ring[ring.tail - 1].departs;
  const Time due = taken_at(queue.spans, start, Bytes{packet.wire});
  if (ring.empty() && due == now) {
    receivers().receive(h, packets().load(packet), now);
    return;
  }
  const bool is_protected = is_paused(packet.traffic_class);
  std::int64_t& bytes = queue.bytes[is_protected ? 1 : 0];
  if (bytes + packet.wire > model().host.receive_buffer.count) {
    pausing().drop_at_host(port, packet, now);
    return;
  }
  const bool first = ring.empty();
  net::Descriptor& placed = ring.push();
  placed = packet;
  placed.departs = due;
  placed.ingress = shared().port(port).local;
  bytes += packet.wire;
  if (first) scheduler().schedule(shared().intake(h), due);
  if (queue.paused || !is_protected || bytes <= model().host.pause_above.count) return;
  queue.paused = true;
  pause_switches(h, true, now);
}

template <class P>
void Intake<P>::pause_switches(std::uint32_t h, bool paused, Time now) {
  for (const std::uint32_t port : model().routing.ports_of(h)) pausing().pause_switch(port, paused, now);
}

template <class P>
void Intake<P>::on_due(std::uint32_t h, Time now) {
  Queue& queue = queues_[h];
  net::PacketRing& ring = queue.packets;
  while (!ring.empty() && ring.front().departs <= now) {
    queue.bytes[is_paused(ring.front().traffic_class) ? 1 : 0] -= ring.front().wire;
    nics().note_arrival(model().routing.ports_of(h)[ring.front().ingress]);
    const net::Packet packet = packets().load(ring.front());
    ring.pop();
    receivers().receive(h, packet, now);
  }
  if (!ring.empty()) scheduler().schedule(shared().intake(h), ring.front().departs);
  if (!queue.paused || queue.bytes[1] > model().host.resume_below.count) return;
  queue.paused = false;
  pause_switches(h, false, now);
}

template <class P>
template <class Visit>
void Intake<P>::for_each_packet(Visit&& visit) const {
  for (std::uint32_t h = 0; h < queues_.size(); ++h) {
    const net::PacketRing& ring = queues_[h].packets;
    for (std::uint32_t at = ring.head; at != ring.tail; ++at)
      visit(net::Topology::reverse(model().routing.ports_of(h)[ring[at].ingress]), packets().packet(ring[at]));
  }
}

}  // namespace weir::host
