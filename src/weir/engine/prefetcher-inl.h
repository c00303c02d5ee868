// Prefetcher. Included by partition-inl.h only.
#pragma once

#include "weir/base/prefetch.h"
#include "weir/engine/prefetcher.h"
#include "weir/host/host.h"
#include "weir/net/port.h"

namespace weir::engine {

// The lines of a port that every packet touches.
inline void prefetch_port(const net::Port* p) {
  prefetch_line(p);
  prefetch_line(reinterpret_cast<const char*>(p) + 64);
}

// The link of the arrival that is so many events ahead; no port of the network if that is none, or if another thread is
// at work at the port.
template <class P>
inline std::uint32_t Prefetcher<P>::arrival_ahead(std::uint32_t events) {
  const std::uint32_t port = scheduler().upcoming(events) - lane().arrival(0);
  return port < lane().ports && fabric().is_inbound(port) ? kNoPort : port;
}

// Brings the lines near that the next arrivals will touch, in the order in which each leads to
// the next: the port; its first packet, and the one after it, whose departure gives the port's
// next event; in a network too large for the caches also what the packet will meet at the node
// that it comes to.
template <class P>
inline void Prefetcher<P>::before_event() {
  if (!on_) return;
  if (const std::uint32_t port = arrival_ahead(deep_ ? 10 : 6); port < lane().ports) {
    prefetch_port(&network().ports[port]);
  }
  if (const std::uint32_t port = arrival_ahead(deep_ ? 7 : 3); port < lane().ports) {
    const net::PacketRing& ring = network().ports[port].ring;
    prefetch_line(ring.address(ring.head));
    prefetch_line(ring.address(ring.head + 1));
    prefetch_line(ring.address(ring.head + 2));
  }
  if (!deep_) return;
  scheduler().look_ahead();
  if (const std::uint32_t port = arrival_ahead(4); port < lane().ports) prefetch_node(port);
  if (const std::uint32_t port = arrival_ahead(2); port < lane().ports) prefetch_behind(port);
  if (const std::uint32_t port = arrival_ahead(1); port < lane().ports) prefetch_selective(port);
  prefetch_senders();
}

// What selective recovery looks at, at either end.
template <class P>
inline void Prefetcher<P>::prefetch_selective(std::uint32_t port) {
  const net::Port& p = network().ports[port];
  if (p.peer >= lane().hosts || p.ring.empty()) return;
  const net::Packet& packet = p.ring.front();
  if (packet.kind == net::PacketKind::data) {
    receivers().prefetch_bitmap(packet.src, packet.slot);
  } else {
    const auto& extras = network().hosts[p.peer].extras;
    if (packet.slot < extras.size()) extras[packet.slot].scoreboard.prefetch_first();
  }
}

// The same for hosts that wake, to send: the host, its queues, the flow whose turn it is, and what that has beside it.
template <class P>
inline void Prefetcher<P>::prefetch_senders() {
  const auto host_ahead = [this](std::uint32_t ahead) { return scheduler().upcoming(ahead) - lane().wake(0); };
  if (const std::uint32_t h = host_ahead(12); h < lane().hosts) prefetch_object(&network().hosts[h]);
  if (const std::uint32_t h = host_ahead(9); h < lane().hosts) {
    network().hosts[h].prefetch_queues();
    prefetch_port(&network().ports[network().hosts[h].port]);
  }
  if (const std::uint32_t h = host_ahead(6); h < lane().hosts) {
    const host::Host& host = network().hosts[h];
    if (host.ready.empty()) return;
    const auto next = host.ready.front();
    if (const host::Flow* flow = host.find(next.slot, next.generation); flow != nullptr) prefetch_object(flow);
    if (next.slot < host.extras.size()) prefetch_object(&host.extras[next.slot]);
  }
  if (const std::uint32_t h = host_ahead(3); h < lane().hosts) {
    const host::Host& host = network().hosts[h];
    const auto& ring = network().ports[host.port].ring;
    prefetch_line(ring.address(ring.tail));
    if (host.ready.empty()) return;
    const auto next = host.ready.front();
    if (next.slot < host.extras.size()) host.extras[next.slot].scoreboard.prefetch_next();
  }
}

// What the first packet of this link will meet first: the port that it, or its acknowledgement,
// will leave by, and the switch's books or the host.
template <class P>
inline void Prefetcher<P>::prefetch_node(std::uint32_t port) {
  net::Port& p = network().ports[port];
  p.expected_egress = fabric().departs_by(port);
  prefetch_port(&network().ports[p.expected_egress]);
  if (p.peer >= lane().hosts) {
    network().switches[p.peer - lane().hosts].buffer.prefetch(p.peer_ingress);
  } else if (!p.ring.empty()) {
    prefetch_object(&network().hosts[p.peer]);
    const net::Packet& packet = p.ring.front();
    if (packet.kind == net::PacketKind::data) receivers().prefetch_lists(packet.src);
  }
}

// What it will meet next: the place where it, or its acknowledgement, will be put, and the state
// of its flow at this end.
template <class P>
inline void Prefetcher<P>::prefetch_behind(std::uint32_t port) {
  const net::Port& p = network().ports[port];
  const net::Port& out = network().ports[p.expected_egress];
  prefetch_line(out.ring.address(out.cursor));
  prefetch_line(out.ring.address(out.cursor + 1));
  prefetch_line(out.ring.address(out.cursor + 2));
  prefetch_line(out.ring.address(out.cursor + 3));
  prefetch_line(out.ring.address(out.ring.tail));
  if (p.peer >= lane().hosts || p.ring.empty()) return;
  const net::Packet& packet = p.ring.front();
  if (packet.kind == net::PacketKind::data) {
    receivers().prefetch_entries(packet.src, packet.slot);
  } else if (const host::Flow* flow = network().hosts[p.peer].find(packet.slot, packet.generation); flow != nullptr) {
    prefetch_object(flow);
    const auto& extras = network().hosts[p.peer].extras;
    if (packet.slot < extras.size()) prefetch_object(&extras[packet.slot]);
  }
}

}  // namespace weir::engine
