// Prefetches the lines of memory that the next events of a partition will touch. It changes no result.
//
// What is asked for, when and for whom stands in this folder, and how far ahead in sim/caches.h; data structures only
// know what lines they have. Each stage asks for what the one before it has brought, so that no stage waits. With a
// timing wheel: as the scheduler opens a slot, the ports and hosts of its events; then, so many events before each,
// what these name. Where nodes take turns: in large networks the ports of the next node, and what the next hosts and
// the first packets that come to them name. In a turn, what its next packets will touch (moving-inl.h); where the
// events of a node are taken one by one, the first packets of its links as its turn comes, and the following ones as
// those arrive.
#pragma once

#include <cstdint>

#include "weir/base/prefetch.h"
#include "weir/host/host.h"
#include "weir/net/port/port.h"
#include "weir/net/switch/turns.h"
#include "weir/sim/caches.h"
#include "weir/sim/partition_part.h"
#include "weir/sim/scheduler.h"

namespace weir::engine {

template <class P>
class Prefetcher : public sim::PartitionPart<Prefetcher, P> {
 public:
  // `kind` is that of the ports of the network's switches; `own_port` is any of the partition's.
  Prefetcher(net::PortKind kind, std::uint32_t own_port)
      : priority_(kind == net::PortKind::priority), own_port_(own_port) {}

  // An event will be handled soon.
  void on_ready(sim::Entity e, sim::Horizon due);
  // Where nodes take turns: the turn of a node of the partition, by its number there, comes `by` turns from now, 5
  // to 1.
  void on_coming(std::uint32_t node, std::uint32_t by);
  // An event has been taken from the scheduler and is about to be handled.
  void before_event();

  // Where packets are taken one by one: one has arrived from this port, and has been taken off its ring; one is about
  // to be put on this port, or on one to that host which has so many packets, and has been put there.
  void at_arrival(const net::Port& p) const;
  template <class Discipline>
  void after_arrival(const net::Port& p) const;
  void before_port(const net::Port& out, const net::Descriptor& packet) const;
  void before_port(std::uint32_t h, std::uint32_t on_ring, const net::Descriptor& packet) const;
  void after_port(const net::Port& out) const;
  // In a turn: packets of this link are handled next; those that come to the host by this link; this egress comes next;
  // so many packets are about to be put on this port.
  void before_link(std::uint32_t port) const;
  void before_turn_of_host(std::uint32_t port) const;
  void before_egress(std::uint32_t port) const;
  void before_batch(const net::Port& out, std::uint32_t count) const;
  // Whether before_port() has to be called for each packet that is put on this port; and flow_of_next() for each that
  // arrives at a host by this link.
  bool asks_for_flows_behind(const net::Port& out) const;
  bool asks_for_flows_of(std::uint32_t port) const;
  // As packets arrive at a host: this one will soon, that one will next.
  void record_of(const net::Descriptor& packet) const;
  void flow_of_next(std::uint32_t h, const net::Descriptor& packet) const;
  // A host will wake at another time than before.
  void before_wake(const host::Host& host) const;

 private:
  using Base = sim::PartitionPart<Prefetcher, P>;
  using Base::links;
  using Base::network;
  using Base::packets;
  using Base::receivers;
  using Base::scheduler;
  using Base::senders;
  using Base::shared;
  using Base::switching;
  using Base::turns;

  template <class Visit>
  void visit_first(const net::OwnHost& own, Visit&& visit) const;
  template <class OfPort, class OfHost>
  void look(std::uint32_t ahead, OfPort&& of_port, OfHost&& of_host);
  [[gnu::noinline]] void before_event_deep();
  std::uint32_t nearest_port(sim::Entity e) const;
  std::uint32_t guess_next_port(std::uint32_t port) const;
  void prefetch_of_next_node(sim::Entity e);
  void prefetch_of_node(sim::Entity e);
  void prefetch_ring(std::uint32_t port);
  void prefetch_body(std::uint32_t port);
  void prefetch_node(std::uint32_t port);
  void prefetch_behind(std::uint32_t port);
  void prefetch_selective(std::uint32_t port);
  void prefetch_flow(const host::Host& host);
  void prefetch_sending(const host::Host& host);
  bool flows_exceed_cache() const;
  [[gnu::noinline]] void prefetch_at_host(std::uint32_t h, const net::Descriptor& packet) const;
  void prefetch_following(std::uint32_t peer, const net::PacketRing& ring) const;
  void prefetch_recovery(std::uint32_t h, const net::Descriptor& packet) const;

  const bool priority_;
  const std::uint32_t own_port_;
};

}  // namespace weir::engine
