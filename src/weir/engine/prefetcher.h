// What brings near the lines of memory that the next events of a partition will touch. It changes no result.
#pragma once

#include <cstdint>

#include "weir/base/prefetch.h"
#include "weir/sim/room.h"

namespace weir::engine {

template <class P>
class Prefetcher : public sim::Room<Prefetcher, P> {
 public:
  // Of a network with so many ports.
  explicit Prefetcher(std::uint32_t ports) : on_(ports > kPortsInFirstCache), deep_(ports > kPortsInCache) {}

  // An event has been taken from the scheduler and is about to be handled.
  void before_event();

 private:
  using Base = sim::Room<Prefetcher, P>;
  using Base::fabric;
  using Base::lane;
  using Base::network;
  using Base::receivers;
  using Base::scheduler;

  // Up to about here, ports and their rings stay in a core's first cache, and asking for them costs
  // more than it brings; with more than kPortsInCache they do not stay in any of its own.
  static constexpr std::uint32_t kPortsInFirstCache = 256;
  static constexpr std::uint32_t kNoPort = ~std::uint32_t{0};

  std::uint32_t arrival_ahead(std::uint32_t events);
  void prefetch_node(std::uint32_t port);
  void prefetch_behind(std::uint32_t port);
  void prefetch_selective(std::uint32_t port);
  void prefetch_senders();

  const bool on_;
  const bool deep_;
};

}  // namespace weir::engine
