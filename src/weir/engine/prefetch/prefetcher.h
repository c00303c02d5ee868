// Prefetches the lines of memory that the next events of a partition will touch. It changes no result.
//
// This folder decides what is fetched, when and for whom; sim/caches.h decides how far ahead; data structures only know
// which lines they have. Each stage follows pointers that the stage before it has brought, so that no stage waits.
//
// With a timing wheel: when the scheduler opens a slot, the ports and hosts of its events are fetched; then, a number
// of events before each, what these point to. Where nodes take turns, in large networks: the ports of the next node,
// and what the next hosts and the first packets that come to them point to. In a turn: what its next packets will touch
// (moving-inl.h). Where the events of a node are taken one by one: the first packets of its links as its turn comes,
// and the following ones as those arrive.
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
  // `kind` is that of the switches' ports; `own_port` is any port of the partition.
  Prefetcher(net::PortKind kind, std::uint32_t own_port)
      : priority_(kind == net::PortKind::priority), own_port_(own_port) {}

  // Called when an event will be handled soon.
  void on_ready(sim::Entity e, sim::Horizon due);
  // Called where nodes take turns: the turn of a node of the partition, by its number there, comes `by` turns from now,
  // 5 to 1.
  void on_coming(std::uint32_t node, std::uint32_t by);
  // Called when an event has been taken from the scheduler and is about to be handled.
  void before_event();

  // Called where packets are taken one by one. at_arrival(): a packet has arrived from this port; after_arrival(): it
  // has been taken off the port's ring. before_port(): a packet is about to be put on this port, or on a port to host h
  // whose ring has `on_ring` packets; after_port(): it has been put there.
  void at_arrival(const net::Port& p) const;
  template <class Discipline>
  void after_arrival(const net::Port& p) const;
  void before_port(const net::Port& out, const net::Descriptor& packet) const;
  void before_port(std::uint32_t h, std::uint32_t on_ring, const net::Descriptor& packet) const;
  void after_port(const net::Port& out) const;
  // Called in a turn. before_link(): packets of this link are handled next; before_turn_of_host(): the same for the
  // link to a host. before_egress(): packets for this port are handled next. before_batch(): `count` packets are about
  // to be put on this port.
  void before_link(std::uint32_t port) const;
  void before_turn_of_host(std::uint32_t port) const;
  void before_egress(std::uint32_t port) const;
  void before_batch(const net::Port& out, std::uint32_t count) const;
  // Whether before_port() has to be called for each packet that is put on this port.
  bool asks_for_flows_behind(const net::Port& out) const;
  // Whether flow_of_next() has to be called for each packet that arrives at a host by this link.
  bool asks_for_flows_of(std::uint32_t port) const;
  // Called as packets arrive at a host, for a packet that will arrive soon, and for the one that will arrive next.
  void record_of(const net::Descriptor& packet) const;
  void flow_of_next(std::uint32_t h, const net::Descriptor& packet) const;
  // Called when the time at which a host will wake changes.
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
