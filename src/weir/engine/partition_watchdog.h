// Partition: the PFC watchdog of its switches (net/watchdog.h), at its polls. Included by partition.cc only.
//
// Only queued ports have one (Model::port_kind). A poll is between epochs, before all else at its instant, so it acts
// in the same order whatever the partitions are.
#pragma once

#include "weir/engine/partition.h"

namespace weir::engine {

template <sim::Scheduler S>
void Partition<S>::watch(Time now) {
  for (std::uint32_t port = 0; port < network_.watches.size(); ++port) {
    net::PauseWatch& watch = network_.watches[port];
    if (watch.idle() || !mine(network_.ports[port].owner)) continue;
    const net::ClassQueues& queues = network_.queues[network_.ports[port].queues];
    for (unsigned number = 0; number < model_.data_classes(); ++number) {
      const net::TrafficClass c = net::data_class(number);
      if (watch.begins(c, queues.has(number), now, model_.watchdog)) begin_storm(port, c, now);
      if (watch.ends(c, now, model_.watchdog))
        watch.storm = static_cast<net::ClassSet>(watch.storm & ~net::class_bit(c));
    }
  }
}

template <sim::Scheduler S>
void Partition<S>::begin_storm(std::uint32_t port, net::TrafficClass c, Time now) {
  Port& p = network_.ports[port];
  net::PauseWatch& watch = network_.watches[port];
  watch.storm = static_cast<net::ClassSet>(watch.storm | net::class_bit(c));
  ++watch.storms;
  ++counters_.storms;
  p.note_paused(c, false, now);
  if (model_.watchdog.action == net::StormAction::forward) {
    restart(p, port, now);
    return;
  }
  net::ClassQueues& queues = network_.queues[p.queues];
  net::PacketRing& waiting = queues.waiting[static_cast<std::size_t>(c)];
  while (!waiting.empty()) {
    const Packet packet = waiting.front();
    queues.pop(waiting);
    p.queued -= packet.wire;
    drop_in_storm(watch, packet);
    release(p.owner - hosts_, packet, now);
  }
}

template <sim::Scheduler S>
void Partition<S>::drop_in_storm(net::PauseWatch& watch, const Packet& packet) {
  ++watch.dropped;
  ++counters_.storm_dropped;
  discard(packet);
}

}  // namespace weir::engine
