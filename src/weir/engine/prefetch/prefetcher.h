// Prefetches the lines of memory that the next events of a partition will touch. It changes no result.
//
// Each stage asks for what the one before it has brought, so that no stage waits. With a timing wheel: as the scheduler
// opens a slot, the ports and hosts of its events; then, so many events before each, what these name. Where nodes take
// turns: in large networks the ports of the next node, and what the next hosts and the first packets that come to them
// name. A turn itself asks for what its next packets will touch (net/switch/turns-inl.h); where the events of a node
// are taken one by one, the first packets of its links as its turn comes, and the following ones as those arrive
// (Fabric::take_first).
#pragma once

#include <cstdint>

#include "weir/base/prefetch.h"
#include "weir/host/host.h"
#include "weir/net/port/port.h"
#include "weir/net/switch/fabric.h"
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

 private:
  using Base = sim::PartitionPart<Prefetcher, P>;
  using Base::fabric;
  using Base::network;
  using Base::packets;
  using Base::receivers;
  using Base::scheduler;
  using Base::senders;
  using Base::shared;

  static constexpr std::uint32_t kPacketsAhead = 3;

  template <class Visit>
  void visit_first(const net::OwnHost& own, Visit&& visit) const;
  template <class OfPort, class OfHost>
  void look(std::uint32_t ahead, OfPort&& of_port, OfHost&& of_host);
  [[gnu::noinline]] void before_event_deep();
  std::uint32_t nearest_port(sim::Entity e) const;
  void prefetch_of_next_node(sim::Entity e);
  void prefetch_of_node(sim::Entity e);
  void prefetch_ring(std::uint32_t port);
  void prefetch_body(std::uint32_t port);
  void prefetch_node(std::uint32_t port);
  void prefetch_behind(std::uint32_t port);
  void prefetch_selective(std::uint32_t port);
  void prefetch_flow(const host::Host& host);
  void prefetch_sending(const host::Host& host);

  const bool priority_;
  const std::uint32_t own_port_;
};

}  // namespace weir::engine
