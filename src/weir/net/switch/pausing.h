// What holds the ports of a partition: priority flow control, its watchdog, links that go down and hosts that stall.
#pragma once

#include <cstdint>

#include "weir/net/port/class_queues.h"
#include "weir/net/port/port.h"
#include "weir/net/switch/watchdog.h"
#include "weir/net/trace.h"
#include "weir/sim/partition_part.h"

namespace weir::net {

template <class P>
class Pausing : public sim::PartitionPart<Pausing, P> {
 public:
  Pausing() = default;

  // Sends a pause or resume frame by a port; one has arrived for this port.
  [[gnu::noinline]] void send_control(std::uint32_t port, PacketKind kind, TrafficClass of, Time now);
  [[gnu::noinline]] void set_paused(std::uint32_t port, TrafficClass of, bool paused, Time now);
  // A host's NIC tells the switch at the other end to pause all data classes that can be, or to resume them.
  [[gnu::noinline]] void pause_switch(std::uint32_t port, bool paused, Time now);
  // A host's NIC has no room for a packet that has come by its link.
  [[gnu::noinline]] void drop_at_host(std::uint32_t port, const Descriptor& packet, Time now);

  // Between epochs, before all else at `now`. The link of this port has gone down.
  [[gnu::noinline]] void take_down(std::uint32_t port, Time now);
  // No packet begins to leave by this port before `until`.
  [[gnu::noinline]] void stop_sending(std::uint32_t port, Time until, Time now);
  // The PFC watchdog of this partition's switches looks at their ports. Only if the model has one.
  [[gnu::noinline]] void watch(Time now);
  // What watches this port; null if nothing does.
  PauseWatch* watch_of(const Port& p);
  [[gnu::cold]] void drop_in_storm(std::uint32_t port, const Descriptor& packet, Time now);

 private:
  using Base = sim::PartitionPart<Pausing, P>;
  using Base::counters;
  using Base::intake;
  using Base::links;
  using Base::model;
  using Base::network;
  using Base::nics;
  using Base::scheduler;
  using Base::shared;
  using Base::switching;
  using Base::tracer;

  [[gnu::noinline]] void restart(Port& p, std::uint32_t port, Time now);
  [[gnu::cold]] void begin_storm(std::uint32_t port, TrafficClass c, Time now);
  void trace_paused(std::uint32_t port, TrafficClass of, bool paused, Time now);
};

}  // namespace weir::net
