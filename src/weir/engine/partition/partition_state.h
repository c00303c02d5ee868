// The state that all parts of a partition share: the model, the network, the scheduler, the counters, and the records
// that packets have beside their descriptors.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/engine/counters.h"
#include "weir/engine/model/model.h"
#include "weir/engine/model/network.h"
#include "weir/host/decisions.h"
#include "weir/net/link/packet_store.h"
#include "weir/sim/caches.h"
#include "weir/sim/scheduler.h"

namespace weir::engine {

template <sim::Scheduler S, class Tracer>
struct PartitionState {
  // `nodes` gives the partition of every node; this one is number `i`.
  PartitionState(const Model& m, Network& n, const std::vector<std::uint16_t>& nodes, std::uint16_t i,
                 const sim::SchedulerHints& hints)
      : model(m),
        network(n),
        of_node(nodes),
        index(i),
        hosts(m.topology.hosts),
        ports(m.topology.ports()),
        switches(m.topology.switches),
        caches(ports),
        sparse(hints.sparse),
        first_arrival(ports + switches),
        first_wake(first_arrival + ports),
        first_intake(first_wake + (m.host.delays() ? 2 : 1) * hosts),
        first_port(n.ports.data()),
        first_switch(n.switches.data()),
        scheduler(first_intake + (m.faults.slow.empty() ? 0 : hosts), hints) {}

  bool mine(std::uint32_t node) const { return of_node[node] == index; }

  // Entities in the order in which they act at one instant: departures, arrivals, hosts' NICs, hosts' delayed answers,
  // intakes of slow hosts.
  sim::Entity departure_of_port(std::uint32_t port) const { return port; }
  sim::Entity departures_of_switch(std::uint32_t s) const { return ports + s; }
  sim::Entity arrival(std::uint32_t port) const { return first_arrival + port; }
  sim::Entity wake(std::uint32_t h) const { return first_wake + h; }
  sim::Entity receive_delays(std::uint32_t h) const { return first_wake + hosts + h; }
  sim::Entity intake(std::uint32_t h) const { return first_intake + h; }

  net::Port& port(std::uint32_t id) const { return first_port[id]; }
  net::SwitchState& switch_state(std::uint32_t s) const { return first_switch[s]; }

  // Frees the record of a packet that is lost on its way, or dropped.
  void drop(const net::Descriptor& packet) {
    if (packet.has_record()) packets.release(packets.load(packet));
  }

  const Model& model;
  Network& network;
  const std::vector<std::uint16_t>& of_node;
  const std::uint16_t index;
  const std::uint32_t hosts;
  const std::uint32_t ports;
  const std::uint32_t switches;
  const sim::CacheFit caches;
  const bool sparse;  // most of the network belongs to other partitions
  const sim::Entity first_arrival;
  const sim::Entity first_wake;
  const sim::Entity first_intake;
  net::Port* const first_port;
  net::SwitchState* const first_switch;
  S scheduler;
  net::PacketStore packets;
  Counters counters;
  [[no_unique_address]] Tracer tracer;
  host::Decisions decisions;  // in use only if the tracer is on
};

}  // namespace weir::engine
