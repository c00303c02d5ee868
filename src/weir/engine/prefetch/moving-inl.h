// Prefetcher: what is fetched as packets move. Included by partition-inl.h only.
#pragma once

#include <algorithm>
#include <type_traits>

#include "weir/engine/prefetch/prefetcher-inl.h"

namespace weir::engine {

// Whether so many flows are active that a core's own caches do not hold them, so that it is worth while to fetch those
// that are needed soon. It is false in networks so large that they are fetched before the event.
template <class P>
inline bool Prefetcher<P>::flows_exceed_cache() const {
  return senders().active() > shared().caches.flows_in_l2;
}

// Fetches what a packet will touch at this host of the partition.
template <class P>
void Prefetcher<P>::prefetch_at_host(std::uint32_t h, const net::Descriptor& packet) const {
  if (!packet.has_record()) return;
  const net::PacketBody& body = packets().body(packet);
  if (packet.to_receiver())
    receivers().prefetch_entries(body.src, body.slot);
  else
    senders().prefetch(network().hosts[h], body.slot, body.generation);
}

template <class P>
inline void Prefetcher<P>::at_arrival(const net::Port& p) const {
  if (flows_exceed_cache() && p.peer < shared().hosts && p.ring.size() > sim::kFlowsAhead) [[unlikely]]
    prefetch_at_host(p.peer, p.ring[p.ring.head + sim::kFlowsAhead]);
}

template <class P>
template <class Discipline>
inline void Prefetcher<P>::after_arrival(const net::Port& p) const {
  if constexpr (P::kOrdersWithinNode) {
    prefetch_following(p.peer, p.ring);
    if constexpr (std::is_same_v<Discipline, net::Priority>) prefetch_following(p.peer, p.urgent);
  }
}

// Fetches the next packets of a ring, and their records if they come to a host.
template <class P>
inline void Prefetcher<P>::prefetch_following(std::uint32_t peer, const net::PacketRing& ring) const {
  prefetch_line(ring.address(ring.head + 2));
  if (peer < shared().hosts && !ring.empty()) packets().prefetch(ring.front());
}

template <class P>
inline void Prefetcher<P>::before_port(const net::Port& out, const net::Descriptor& packet) const {
  if (asks_for_flows_behind(out)) [[unlikely]]
    before_port(out.peer, out.ring.size(), packet);
}

template <class P>
inline void Prefetcher<P>::before_port(std::uint32_t h, std::uint32_t on_ring, const net::Descriptor& packet) const {
  if (on_ring <= sim::kFlowsAhead) prefetch_at_host(h, packet);
}

template <class P>
inline bool Prefetcher<P>::asks_for_flows_behind(const net::Port& out) const {
  return flows_exceed_cache() && out.peer < shared().hosts && !out.cut;
}

template <class P>
inline void Prefetcher<P>::after_port(const net::Port& out) const {
  if constexpr (P::kOrdersWithinNode) prefetch_line(out.ring.next_place());
}

template <class P>
inline void Prefetcher<P>::before_link(std::uint32_t port) const {
  if (links().is_inbound(port)) return;
  const net::Port& p = shared().port(port);
  prefetch_first(p.ring, sim::kPlacesAhead);
  if (p.kind == net::PortKind::priority) prefetch_first(p.urgent, sim::kPlacesAhead);
}

// In a larger network these have been fetched already (on_coming()).
template <class P>
inline void Prefetcher<P>::before_turn_of_host(std::uint32_t port) const {
  if (shared().caches.ports_in_l2) before_link(port);
}

template <class P>
inline void Prefetcher<P>::before_egress(std::uint32_t port) const {
  prefetch_port(&shared().port(port));
}

template <class P>
inline void Prefetcher<P>::before_batch(const net::Port& out, std::uint32_t count) const {
  const std::uint32_t places = std::min(count, sim::kPlacesAhead);
  prefetch_places(out.ring, out.ring.cursor, places);
  prefetch_places(out.ring, out.ring.tail, places);
}

// It does if flows are in no near cache. If few packets are on the link, what they touch has been fetched at the
// switch.
template <class P>
inline bool Prefetcher<P>::asks_for_flows_of(std::uint32_t port) const {
  return !shared().caches.ports_in_l2 ||
         (!links().is_inbound(port) && flows_exceed_cache() && shared().port(port).ring.size() > sim::kFlowsAhead);
}

template <class P>
inline void Prefetcher<P>::record_of(const net::Descriptor& packet) const {
  packets().prefetch(packet);
  if (packet.has_telemetry() && packet.kind == net::PacketKind::ack) packets().prefetch_telemetry(packet);
}

template <class P>
inline void Prefetcher<P>::flow_of_next(std::uint32_t h, const net::Descriptor& packet) const {
  shared().caches.ports_in_l2 ? prefetch_at_host(h, packet) : prefetch_recovery(h, packet);
}

// Fetches what selective recovery looks at, at either end.
template <class P>
inline void Prefetcher<P>::prefetch_recovery(std::uint32_t h, const net::Descriptor& packet) const {
  if (!packet.has_record()) return;
  const net::PacketBody& body = packets().body(packet);
  if ((packet.flags & net::kSack) != 0) {
    const auto& extras = network().hosts[h].extras;
    if (body.slot < extras.size()) extras[body.slot].scoreboard.prefetch(packets().sack(packet).trigger);
  } else if (packet.kind == net::PacketKind::data) {
    receivers().prefetch_bitmap(body.src, body.slot);
  }
}

// Fetches the flow that will probably send next.
template <class P>
inline void Prefetcher<P>::before_wake(const host::Host& host) const {
  if (!flows_exceed_cache()) [[likely]]
    return;
  if (!host.ready.empty())
    senders().prefetch(host, host.ready.front().slot, host.ready.front().generation);
  else if (!host.pacing.empty())
    senders().prefetch(host, host.pacing.top().slot, host.pacing.top().generation);
}

}  // namespace weir::engine
