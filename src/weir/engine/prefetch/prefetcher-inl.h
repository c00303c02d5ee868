// Prefetcher: what is fetched as the scheduler comes nearer to an event, or to a node's turn. Included by
// partition-inl.h only.
#pragma once

#include <algorithm>

#include "weir/base/prefetch.h"
#include "weir/engine/prefetch/prefetcher.h"
#include "weir/host/host.h"
#include "weir/net/port/wire.h"

namespace weir::engine {

// Fetch so many places of a ring from `first` on, or the first ones that have packets, at most so many.
inline void prefetch_places(const net::PacketRing& ring, std::uint32_t first, std::uint32_t places) {
  for (std::uint32_t i = 0; i < places; i += 2) prefetch_line(ring.address(first + i));
}
inline void prefetch_first(const net::PacketRing& ring, std::uint32_t places) {
  prefetch_places(ring, ring.head, std::min(ring.size(), places));
}

// Fetches the lines of a port that every packet touches.
inline void prefetch_port(const net::Port* p) {
  prefetch_line(p);
  prefetch_line(reinterpret_cast<const char*>(p) + 64);
}

// For a priority port: whether the packet that will probably arrive next is in the ring of the first class, and the
// place of the packet behind it.
inline bool urgent_is_probably_first(const net::Port& p) {
  return net::choose_if(p.order.empty(), p.urgent.cursor != p.urgent.tail, p.order.urgent_is_first()) != 0;
}
inline const void* probably_second(const net::Port& p, bool urgent_is_first) {
  const bool waits = p.urgent.cursor != p.urgent.tail;
  const bool urgent = net::choose_if(p.order.has_one_at_most(), waits, p.order.urgent_is_second()) != 0;
  const net::PacketRing& ring = p.ring_of(urgent);
  return ring.address(ring.head + (urgent == urgent_is_first ? 1 : 0));
}

// The ring of the packet that will probably arrive next, of any port.
inline const net::PacketRing& probably_first(const net::Port& p) {
  return p.kind == net::PortKind::priority ? p.ring_of(urgent_is_probably_first(p)) : p.ring;
}

template <class P>
inline void Prefetcher<P>::on_ready(sim::Entity e, [[maybe_unused]] sim::Horizon due) {
  if constexpr (P::kOrdersWithinNode) {
    if (due == sim::Horizon::next_node)
      prefetch_of_next_node(e);
    else
      prefetch_of_node(e);
    return;
  }
  if (shared().caches.ports_in_l1) return;
  if (const std::uint32_t port = nearest_port(e); !links().is_inbound(port)) prefetch_port(&shared().port(port));
  if (shared().caches.ports_in_l2) [[likely]]
    return;
  if (const std::uint32_t h = e - shared().first_wake; h < shared().hosts) prefetch_object(&network().hosts[h]);
}

// Where nodes take turns: fetches what the events of the next node will touch first.
template <class P>
inline void Prefetcher<P>::prefetch_of_next_node(sim::Entity e) {
  if (const std::uint32_t port = e - shared().first_arrival; port < shared().ports) {
    if (links().is_inbound(port)) return;
    prefetch_port(&shared().port(port));
    prefetch_port(&shared().port(net::Topology::reverse(port)));
  }
}

// Most of the lines that a host touches in its turn are found by pointers in other ones: hence several stages.
template <class P>
inline void Prefetcher<P>::on_coming(std::uint32_t node, std::uint32_t by) {
  if (node >= turns().own_hosts().size()) return;
  const net::OwnHost& own = turns().own_hosts()[node];
  const host::Host& host = network().hosts[own.number];
  const std::uint32_t in = net::Topology::reverse(own.port);
  const bool is_own_link = !links().is_inbound(in);
  switch (by) {
    case 5:
      prefetch_object(&host);
      prefetch_port(&shared().port(own.port));
      if (is_own_link) prefetch_port(&shared().port(in));
      break;
    case 4: {
      host.prefetch_queues();
      prefetch_line(host.extras.data());
      if (!is_own_link) break;
      const net::Port& p = shared().port(in);
      prefetch_first(p.ring, sim::kPlacesAhead);
      if (priority_) prefetch_first(p.urgent, sim::kPlacesAhead);
      break;
    }
    case 3: visit_first(own, [&](const net::Descriptor& packet) { packets().prefetch(packet); }); break;
    case 2:
      prefetch_flow(host);
      visit_first(own, [&](const net::Descriptor& packet) {
        const net::PacketBody& body = packets().body(packet);
        if (packet.kind == net::PacketKind::data) {
          receivers().prefetch_lists(body.src);
          return;
        }
        senders().prefetch(host, body.slot, body.generation);
        if (body.slot < host.extras.size()) prefetch_object(&host.extras[body.slot]);
      });
      break;
    default:
      prefetch_sending(host);
      visit_first(own, [&](const net::Descriptor& packet) {
        const net::PacketBody& body = packets().body(packet);
        if (packet.kind == net::PacketKind::data) {
          receivers().prefetch_entries(body.src, body.slot);
        } else if (body.slot < host.extras.size()) {
          host.extras[body.slot].scoreboard.prefetch_next();
          host.extras[body.slot].scoreboard.prefetch_first();
          host.connections.prefetch(host.extras[body.slot].connection);
        }
      });
  }
}

// Visits the first packets that come to a host, if its link is of this partition.
template <class P>
template <class Visit>
inline void Prefetcher<P>::visit_first(const net::OwnHost& own, Visit&& visit) const {
  const std::uint32_t in = net::Topology::reverse(own.port);
  if (links().is_inbound(in)) return;
  const net::Port& p = shared().port(in);
  for (const net::PacketRing* ring : {&p.ring, &p.urgent})
    for (std::uint32_t at = ring->head, end = ring->head + std::min(ring->size(), sim::kPacketsAhead); at != end; ++at)
      if ((*ring)[at].has_record()) visit((*ring)[at]);
}

// For the node whose turn it is, if its events are taken one by one: fetches the first packets of its links, and, in
// large networks, the flow from which it will send. Later packets of a link are fetched as the ones before them arrive
// (Links::take_first).
template <class P>
inline void Prefetcher<P>::prefetch_of_node(sim::Entity e) {
  if (const std::uint32_t port = e - shared().first_arrival; port < shared().ports) {
    if (links().is_inbound(port)) return;
    const net::Port& p = shared().port(port);
    const std::uint32_t places = p.peer < shared().hosts ? sim::kPlacesAhead : 4;
    prefetch_first(p.ring, places);
    if (priority_) prefetch_first(p.urgent, places);
    if (shared().caches.ports_in_l2) return;
    const net::Port& out = shared().port(net::Topology::reverse(port));
    prefetch_line(out.ring.address(out.ring.cursor));
    prefetch_line(out.ring.next_place());
  } else if (const std::uint32_t h = e - shared().first_wake; !shared().caches.ports_in_l2 && h < shared().hosts) {
    const host::Host& host = network().hosts[h];
    host.prefetch_queues();
    prefetch_flow(host);
  }
}

// The port on whose link the event is an arrival. For other events it is some port of this partition, since ports of
// other partitions change meanwhile: to fetch that costs less than a branch that cannot be predicted.
template <class P>
inline std::uint32_t Prefetcher<P>::nearest_port(sim::Entity e) const {
  const std::uint32_t port = e - shared().first_arrival;
  return net::choose_if(port < shared().ports, port, own_port_);
}

// Looks at the event that is due so many events later: calls of_port(port) if it is an arrival on a link of this
// partition, of_host(host) if a host wakes.
template <class P>
template <class OfPort, class OfHost>
inline void Prefetcher<P>::look(std::uint32_t ahead, OfPort&& of_port, OfHost&& of_host) {
  const sim::Entity e = scheduler().upcoming(ahead);
  if (const std::uint32_t port = e - shared().first_arrival; port < shared().ports) [[likely]] {
    if (!links().is_inbound(port)) of_port(port);
  } else if (const std::uint32_t h = e - shared().first_wake; h < shared().hosts) {
    of_host(network().hosts[h]);
  }
}

template <class P>
inline void Prefetcher<P>::before_event() {
  if (P::kOrdersWithinNode || shared().caches.ports_in_l1) return;
  if (!shared().caches.ports_in_l2) [[unlikely]] {
    before_event_deep();
    return;
  }
  const std::uint32_t port = nearest_port(scheduler().upcoming(sim::kEventsAhead));
  if (!links().is_inbound(port)) prefetch_ring(port);
}

// In a network too large for the caches: fetches also what the packet will touch at the node at which it arrives, and
// what a host touches to send.
template <class P>
void Prefetcher<P>::before_event_deep() {
  scheduler().look_ahead();
  look(
      sim::kStagesAhead[0], [this](std::uint32_t port) { prefetch_ring(port); },
      [this](const host::Host& host) {
        host.prefetch_queues();
        prefetch_port(&shared().port(host.nic()));
      });
  look(
      sim::kStagesAhead[1], [this](std::uint32_t port) { prefetch_body(port); }, [](const host::Host&) {});
  look(
      sim::kStagesAhead[2], [this](std::uint32_t port) { prefetch_node(port); },
      [this](const host::Host& host) { prefetch_flow(host); });
  look(
      sim::kStagesAhead[3], [this](std::uint32_t port) { prefetch_behind(port); },
      [this](const host::Host& host) { prefetch_sending(host); });
  look(
      sim::kStagesAhead[4], [this](std::uint32_t port) { prefetch_selective(port); }, [](const host::Host&) {});
}

// Fetches the first packet of this link, and those after it, whose departures give the port's next events.
template <class P>
inline void Prefetcher<P>::prefetch_ring(std::uint32_t port) {
  const net::Port& p = shared().port(port);
  if (priority_) {  // what follows is right for a FIFO port, too
    const bool urgent = urgent_is_probably_first(p);
    const net::PacketRing& ring = p.ring_of(urgent);
    prefetch_line(ring.address(ring.head));
    prefetch_line(probably_second(p, urgent));
    return;
  }
  prefetch_line(p.ring.address(p.ring.head));
  prefetch_line(p.ring.address(p.ring.head + 1));
  if (!shared().caches.ports_in_l2) prefetch_line(p.ring.address(p.ring.head + 2));
}

// Fetches the body of the first packet of a link that ends at a host.
template <class P>
inline void Prefetcher<P>::prefetch_body(std::uint32_t port) {
  const net::Port& p = shared().port(port);
  if (p.peer >= shared().hosts) return;
  if (const net::PacketRing& ring = probably_first(p); !ring.empty()) packets().prefetch(ring.front());
}

// Fetches what selective recovery looks at, at either end.
template <class P>
inline void Prefetcher<P>::prefetch_selective(std::uint32_t port) {
  const net::Port& p = shared().port(port);
  const net::PacketRing& ring = probably_first(p);
  if (p.peer >= shared().hosts || ring.empty()) return;
  const net::Descriptor& packet = ring.front();
  if (!packet.has_record()) return;
  const net::PacketBody& body = packets().body(packet);
  if (packet.kind == net::PacketKind::data) {
    receivers().prefetch_bitmap(body.src, body.slot);
  } else {
    const auto& extras = network().hosts[p.peer].extras;
    if (body.slot >= extras.size()) return;
    extras[body.slot].scoreboard.prefetch_first();
    network().hosts[p.peer].connections.prefetch(extras[body.slot].connection);
    if ((packet.flags & net::kSack) != 0) extras[body.slot].scoreboard.prefetch(packets().sack(packet).trigger);
  }
}

// For a host that wakes to send: fetches the flow whose turn it is, and what that has beside it.
template <class P>
inline void Prefetcher<P>::prefetch_flow(const host::Host& host) {
  if (host.ready.empty()) return;
  const auto next = host.ready.front();
  if (const host::Flow* flow = host.find(next.slot, next.generation); flow != nullptr) prefetch_object(flow);
  if (next.slot < host.extras.size()) prefetch_object(&host.extras[next.slot]);
}

template <class P>
inline void Prefetcher<P>::prefetch_sending(const host::Host& host) {
  prefetch_line(shared().port(host.nic()).ring.next_place());
  if (host.ready.empty()) return;
  const auto next = host.ready.front();
  if (next.slot >= host.extras.size()) return;
  host.extras[next.slot].scoreboard.prefetch_next();
  host.connections.prefetch(host.extras[next.slot].connection);
}

// The port by which this link's first packet will leave the next node; if that is a host, the port by which it answers.
template <class P>
inline std::uint32_t Prefetcher<P>::guess_next_port(std::uint32_t port) const {
  const net::Port& p = shared().port(port);
  if (p.peer < shared().hosts) return net::Topology::reverse(port);
  const net::PacketRing& ring = probably_first(p);
  if (ring.empty()) return port;
  const net::Descriptor& packet = ring.front();
  return packet.is_control() ? port : switching().routing().egress(p.peer - shared().hosts, packet.dst, packet.entropy);
}

// Fetches what the first packet of this link will touch first: the port by which it, or its acknowledgement,
// will leave, and the switch's counters or the host.
template <class P>
inline void Prefetcher<P>::prefetch_node(std::uint32_t port) {
  net::Port& p = shared().port(port);
  p.expected_egress = guess_next_port(port);
  prefetch_port(&shared().port(p.expected_egress));
  if (p.peer >= shared().hosts) {
    shared().switch_state(p.peer - shared().hosts).buffer.prefetch(p.index_at_peer);
  } else if (const net::PacketRing& ring = probably_first(p); !ring.empty()) {
    const net::Descriptor& packet = ring.front();
    if (packet.kind == net::PacketKind::data) {
      prefetch_line(&network().hosts[p.peer]);
      receivers().prefetch_lists(packets().body(packet).src);
    } else {
      prefetch_object(&network().hosts[p.peer]);
    }
  }
}

// Fetches what it will touch next: the place where it, or its acknowledgement, will be put, and the state
// of its flow at this end.
template <class P>
inline void Prefetcher<P>::prefetch_behind(std::uint32_t port) {
  const net::Port& p = shared().port(port);
  const net::Port& out = shared().port(p.expected_egress);
  const net::PacketRing& ring = probably_first(p);
  if (ring.empty()) return;
  if (priority_) {
    prefetch_line(out.ring_of(out.at_switch && net::is_urgent(ring.front())).next_place());
    const net::PacketRing& leaving = out.ring_of(out.urgent.cursor != out.urgent.tail);
    prefetch_line(leaving.address(leaving.cursor));
    prefetch_line(out.ring.address(out.ring.cursor));
    prefetch_line(out.ring.address(out.ring.cursor + 1));
  } else {
    prefetch_line(out.ring.next_place());
    for (std::uint32_t behind = 0; behind < 4; ++behind) prefetch_line(out.ring.address(out.ring.cursor + behind));
  }
  if (p.peer >= shared().hosts) return;
  const net::Descriptor& packet = ring.front();
  if (!packet.has_record()) return;
  const net::PacketBody& body = packets().body(packet);
  if (packet.kind == net::PacketKind::data) {
    receivers().prefetch_entries(body.src, body.slot);
  } else if (const host::Flow* flow = network().hosts[p.peer].find(body.slot, body.generation); flow != nullptr) {
    prefetch_object(flow);
    const auto& extras = network().hosts[p.peer].extras;
    if (body.slot < extras.size()) prefetch_object(&extras[body.slot]);
  }
}

}  // namespace weir::engine
