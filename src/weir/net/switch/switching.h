// The switches of a partition: which port a packet leaves by, and what shared buffers do to it.
//
// A packet that arrives alone is forwarded by forward_one(); those of a turn that leave by one port are put on it
// together (Turns::forward_batch). Both turn to the same slow path where something is near a threshold or paused.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/net/model/routing.h"
#include "weir/net/port/port.h"
#include "weir/net/port/wire.h"
#include "weir/net/switch/switch_buffer.h"
#include "weir/net/switch/switch_state.h"
#include "weir/net/trace.h"
#include "weir/sim/partition_part.h"

namespace weir::net {

template <class P>
class Switching : public sim::PartitionPart<Switching, P> {
 public:
  Switching() : routing_(&model().routing) {}

  // An event: packets have begun to leave a switch that pauses some ingress.
  [[gnu::noinline]] void on_departures(std::uint32_t s, Time now);

  // Packets find their way by this from now on; it must outlive its use.
  void route_by(const Routing& routing) { routing_ = &routing; }
  const Routing& routing() const { return *routing_; }
  // The port by which a packet leaves a switch, to which it has come by port number `ingress`.
  std::uint32_t route(std::uint32_t s, std::uint32_t ingress, const Descriptor& packet, Time now);
  // The same of one that leaves the choice to the switch.
  [[gnu::noinline]] std::uint32_t choose(std::uint32_t s, std::uint32_t ingress, const Descriptor& packet, Time now);
  // A packet has come to a switch, by this of its ports; one whose port is known, as is the discipline of that port.
  [[gnu::always_inline]] void forward(std::uint32_t s, std::uint32_t ingress, Descriptor& packet, Time now);
  template <class Discipline>
  [[gnu::always_inline]] void forward_one(std::uint32_t s, std::uint32_t ingress, std::uint32_t port,
                                          Descriptor& packet, Time now);
  [[gnu::noinline]] void forward_by_priority(std::uint32_t s, std::uint32_t ingress, std::uint32_t port,
                                             Descriptor& packet, Time now);
  // A packet has left the shared buffer.
  void release(std::uint32_t s, const Descriptor& packet, Time now);
  // The event on_departures() of a switch, as its ports are now.
  [[gnu::noinline]] void schedule_departures(std::uint32_t s);

 private:
  using Base = sim::PartitionPart<Switching, P>;
  using Base::counters;
  using Base::links;
  using Base::model;
  using Base::network;
  using Base::packets;
  using Base::pausing;
  using Base::prefetcher;
  using Base::scheduler;
  using Base::shared;

  struct AskedPorts;
  [[gnu::noinline]] void forward_slow(std::uint32_t s, std::uint32_t ingress, std::uint32_t port, Descriptor& packet,
                                      Time now);
  [[gnu::noinline]] void send_priority(Port& p, std::uint32_t port, const Descriptor& packet, std::uint32_t ingress,
                                       Time now);
  [[gnu::noinline]] bool admit(std::uint32_t s, std::uint32_t ingress, Port& out, Descriptor& packet, Time now);
  [[gnu::noinline]] bool trim(std::uint32_t s, const Port& out, Descriptor& packet, Time now);
  std::uint32_t queued_for(const Port& p, TrafficClass c, bool alone) const;
  [[gnu::noinline]] void after_accept(std::uint32_t s, Port& out, const Descriptor& placed, Time now);
  [[gnu::noinline]] void expect_departure(std::uint32_t s, Time at);

  const Routing* routing_;
  bool departing_ = false;  // inside on_departures: ports not yet reached have not departed
};

}  // namespace weir::net
