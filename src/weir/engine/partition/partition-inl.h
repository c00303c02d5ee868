// Partition, and the bodies of all its parts. Included by the five partition*.cc only. Each of them instantiates
// few kinds of partitions, because g++ inlines less in a source with several.
#pragma once

#include <algorithm>
#include <cassert>

#include "weir/engine/model/epochs.h"
#include "weir/engine/partition/drivers-inl.h"
#include "weir/engine/partition/partition.h"
#include "weir/engine/prefetch/moving-inl.h"
#include "weir/engine/prefetch/prefetcher-inl.h"
#include "weir/host/connections-inl.h"
#include "weir/host/decisions-inl.h"
#include "weir/host/feedback-inl.h"
#include "weir/host/intake-inl.h"
#include "weir/host/losses-inl.h"
#include "weir/host/nics-inl.h"
#include "weir/host/pacing-inl.h"
#include "weir/host/receive_delays-inl.h"
#include "weir/host/receivers-inl.h"
#include "weir/host/senders-inl.h"
#include "weir/host/several_ports-inl.h"
#include "weir/host/stack-inl.h"
#include "weir/net/switch/links-inl.h"
#include "weir/net/switch/pausing-inl.h"
#include "weir/net/switch/switching-inl.h"
#include "weir/net/switch/tracing-inl.h"
#include "weir/net/switch/turns-inl.h"

namespace weir::engine {

// If there are more partitions than this, most elements of arrays over the whole network are of other partitions.
inline constexpr std::uint16_t kFewPartitions = 4;

// The node at which each entity acts, in the order of PartitionState. The partition's own nodes are counted from 0;
// entities of other nodes have no events.
inline std::vector<std::uint32_t> nodes_of_entities(const Model& model, const std::vector<std::uint16_t>& of_node,
                                                    std::uint16_t partition) {
  const net::Topology& topology = model.topology;
  std::vector<std::uint32_t> number(of_node.size(), sim::kNone);
  std::uint32_t own = 0;
  for (std::size_t node = 0; node < of_node.size(); ++node)
    if (of_node[node] == partition) number[node] = own++;
  std::vector<std::uint32_t> out;
  const bool departs = model.port_kind() == net::PortKind::queued || model.nic_kind() == net::PortKind::queued;
  for (std::uint32_t port = 0; port < topology.ports(); ++port)
    out.push_back(departs ? number[topology.port_owner(port)] : sim::kNone);
  for (std::uint32_t s = 0; s < topology.switches; ++s) out.push_back(number[topology.hosts + s]);
  for (std::uint32_t port = 0; port < topology.ports(); ++port) out.push_back(number[topology.port_peer(port)]);
  for (int kinds = 1 + model.host.delays() + !model.faults.slow.empty(); kinds > 0; --kinds)
    for (std::uint32_t h = 0; h < topology.hosts; ++h) out.push_back(number[h]);
  return out;
}

// Whether the packets of a turn that is twice as long as `turn`, and the places to which they go, fit L1 at the switch
// that has the most of them.
inline bool long_turns_fit(const Model& model, Time turn) {
  const Time longest = 2 * turn;
  std::vector<std::int64_t> bytes(model.topology.nodes());
  for (const auto& link : model.topology.links) {
    const std::int64_t packets = bytes_in(longest, link.rate).count / model.largest_data_wire().count;
    for (const std::uint32_t node : {link.a, link.b})
      bytes[node] += packets * static_cast<std::int64_t>(2 * sizeof(net::Descriptor));
  }
  return sim::CacheFit::turn_in_l1(*std::max_element(bytes.begin(), bytes.end()));
}

// The side of each of the partition's own nodes, by the numbers of nodes_of_entities(). It is empty if sides are not
// used: in a large network wide switches gain nothing by longer turns.
inline std::vector<bool> sides_of_own(const Model& model, Time turn, const std::vector<std::uint16_t>& of_node,
                                      std::uint16_t partition) {
  std::vector<bool> out;
  if (!sim::CacheFit(model.topology.ports()).ports_in_l2 && !long_turns_fit(model, turn)) return out;
  const std::vector<bool> all = net::sides(model.topology);
  for (std::size_t node = 0; node < all.size(); ++node)
    if (of_node[node] == partition) out.push_back(all[node]);
  return out;
}

// What the scheduler needs to know of this network.
template <sim::Scheduler S>
sim::SchedulerHints hints(const Model& model, const Network& network, const std::vector<std::uint16_t>& of_node,
                          std::uint16_t partition, std::uint16_t partitions) {
  const Time turn = turn_length(model.topology, network.soonest_news);
  double bits_per_second = 0;
  Time longest{};
  for (const auto& link : model.topology.links) {
    bits_per_second += 2 * static_cast<double>(link.rate.bits_per_second);
    longest = std::max(longest, link.delay + transmission_time(model.transport.payload, link.rate));
  }
  const double bits_per_packet = 8.0 * static_cast<double>(model.transport.payload.count);
  return {.events_per_second = bits_per_second / bits_per_packet,
          .horizon = longest + longest / 4,
          .caches = sim::CacheFit(model.topology.ports()),
          .sparse = partitions > kFewPartitions,
          .node_of = S::kOrdersWithinNode ? nodes_of_entities(model, of_node, partition) : std::vector<std::uint32_t>(),
          .turn = turn,
          .sides = S::kOrdersWithinNode ? sides_of_own(model, turn, of_node, partition) : std::vector<bool>()};
}

// The first port of a partition; 0 if it has none.
inline std::uint32_t first_port(const net::Topology& topology, const std::vector<std::uint16_t>& of_node,
                                std::uint16_t partition) {
  for (std::uint32_t port = 0; port < topology.ports(); ++port)
    if (of_node[topology.port_owner(port)] == partition) return port;
  return 0;
}

template <sim::Scheduler S, class T>
Partition<S, T>::Partition(const Model& model, Network& network, const std::vector<std::uint16_t>& of_node,
                           std::uint16_t index, std::uint16_t count)
    : StateHolder<S, T>{{model, network, of_node, index, hints<S>(model, network, of_node, index, count)}},
      net::Links<Partition>(count),
      host::Nics<Partition>(model),
      host::Senders<Partition>(model),
      host::Receivers<Partition>(model, count > kFewPartitions),
      host::ReceiveDelays<Partition>(model),
      host::Intake<Partition>(model),
      Prefetcher<Partition>(model.port_kind(), first_port(model.topology, of_node, index)) {}

template <sim::Scheduler S, class T>
void Partition<S, T>::add_driver(traffic::Driver& driver, [[maybe_unused]] bool tells_others, Time lag) {
  if constexpr (kOrdersWithinNode)
    if (tells_others && lag < shared().scheduler.longest_turn()) shared().scheduler.disable_sides();
  drivers().add(driver, lag);
}

template <sim::Scheduler S, class T>
std::span<const host::QueuedMessage> Partition<S, T>::messages_of(std::uint32_t src, const host::Flow& flow) const {
  return drivers().messages_of(src, flow);
}

template <sim::Scheduler S, class T>
std::optional<std::int64_t> Partition<S, T>::expected_end(std::uint32_t src, const host::Flow& flow) const {
  return drivers().expected_end(src, flow);
}

template <sim::Scheduler S, class T>
void Partition<S, T>::add_flow(const traffic::Flow& flow) {
  nics().add_flow(flow);
}

template <sim::Scheduler S, class T>
void Partition<S, T>::run_until(Time end) {
  sim::Event event;
  TurnHandler turns{*this};
  while (shared().scheduler.next(end, event, turns)) {
    ++shared().counters.events;
    prefetcher().before_event();
    if (const std::uint32_t port = event.entity - shared().first_arrival; port < shared().ports) [[likely]]
      links().on_arrival(port, event.time);
    else if (const std::uint32_t h = event.entity - shared().first_wake; h < shared().hosts)
      nics().on_wake(h, event.time);
    else
      on_rare(event);
  }
}

template <sim::Scheduler S, class T>
Time Partition<S, T>::earliest() const {
  return std::min(shared().scheduler.earliest(), links().next_to_leave_partition());
}

template <sim::Scheduler S, class T>
void Partition<S, T>::on_rare(const sim::Event& event) {
  if (event.entity >= shared().intake(0))
    intake().on_due(event.entity - shared().intake(0), event.time);
  else if (event.entity >= shared().receive_delays(0))
    receive_delays().on_due(event.entity - shared().receive_delays(0), event.time);
  else if (event.entity < shared().departures_of_switch(0))
    links().on_departure(event.entity, event.time);
  else
    switching().on_departures(event.entity - shared().departures_of_switch(0), event.time);
}

template <sim::Scheduler S, class T>
void Partition<S, T>::hand_over(Time end, std::vector<Mailbox>& outboxes) {
  drivers().hand_over(outboxes);
  const auto box_of = [&](std::uint32_t port) -> PackedPackets& {
    return outboxes[shared().of_node[shared().network.ports[port].peer]].packets;
  };
  links().hand_over(end, box_of, [&](PackedPackets& box, std::uint32_t port, const net::Packet& packet) {
    box.add(packet, port, shared().packets);
    shared().packets.release(packet);
  });
}

template <sim::Scheduler S, class T>
void Partition<S, T>::take_over(const Mailbox& inbox) {
  drivers().take_over(inbox);
  inbox.packets.for_each(shared().packets,
                         [&](std::uint32_t port, const net::Packet& packet) { links().take_over(port, packet); });
}

template <sim::Scheduler S, class T>
void Partition<S, T>::take_down(std::uint32_t port, Time now) {
  pausing().take_down(port, now);
}

template <sim::Scheduler S, class T>
void Partition<S, T>::stall(std::uint32_t h, Time until, Time now) {
  for (const std::uint32_t port : shared().model.routing.ports_of(h)) pausing().stop_sending(port, until, now);
  nics().update_wake(h, now);
}

template <sim::Scheduler S, class T>
void Partition<S, T>::take_decision(const host::Question& question, const cc::Control& control, Time now) {
  senders().take_decision(question.src, question, control, now);
}

template <sim::Scheduler S, class T>
void Partition<S, T>::watch(Time now) {
  pausing().watch(now);
}

template <sim::Scheduler S, class T>
void Partition<S, T>::settle_before(std::uint32_t port, Time end) {
  links().settle(shared().network.ports[port], {end.ps - 1});
}

template <sim::Scheduler S, class T>
void Partition<S, T>::for_each_waiting(std::uint32_t port, const net::PacketVisit& visit) const {
  links().for_each_waiting(port, visit);
}

template <sim::Scheduler S, class T>
template <class A>
void Partition<S, T>::archive(A& a, Time now) {
  Network& network = shared().network;
  std::vector<const host::BalancingParams*> known;
  for (const auto& profile : shared().model.profiles) known.push_back(&profile.balancing);
  for (std::uint32_t id = 0; id < shared().ports; ++id) {
    net::Port& port = network.ports[id];
    if (!shared().mine(port.owner)) continue;
    port.archive(a);
    if (port.kind == net::PortKind::queued) network.queues[port.queues].archive(a);
    if (!network.watches.empty()) a.value(network.watches[id]);
  }
  for (std::uint32_t s = 0; s < shared().switches; ++s)
    if (shared().mine(shared().hosts + s)) {
      network.switches[s].archive(a);
      network.path_policies.archive(a, s, shared().model.routing.ports(s));
    }
  for (std::uint32_t h = 0; h < shared().hosts; ++h) {
    if (!shared().mine(h)) continue;
    network.hosts[h].archive(a, known);
    senders().archive_flows(a, network.hosts[h]);
  }
  links().archive(a);
  nics().archive(a);
  receivers().archive(a);
  receive_delays().archive(a);
  intake().archive(a);
  drivers().archive(a);
  shared().packets.archive(a);
  a.value(shared().counters);
  shared().tracer.archive(a);
  archive_events(a, now);
}

template <sim::Scheduler S, class T>
template <class A>
void Partition<S, T>::archive_events(A& a, Time now) {
  std::vector<sim::Event> events;
  shared().scheduler.for_each_pending([&](const sim::Event& event) { events.push_back(event); });
  if constexpr (A::kLoads) {
    for (const sim::Event& event : events) shared().scheduler.cancel(event.entity);
    shared().scheduler.skip_to(now);
  }
  a.values(events);
  if constexpr (A::kLoads)
    for (const sim::Event& event : events) shared().scheduler.schedule(event.entity, event.time);
}

template <sim::Scheduler S, class T>
void Partition<S, T>::save(Saver& a) {
  assert(shared().packets.in_use() == bodies_on_their_way());
  archive(a, {});
}

template <sim::Scheduler S, class T>
void Partition<S, T>::load(Loader& a, Time now) {
  archive(a, now);
}

template <sim::Scheduler S, class T>
std::uint32_t Partition<S, T>::bodies_on_their_way() const {
  std::uint32_t bodies = 0;
  for_each_packet([&](std::uint32_t, const net::Packet& packet) { bodies += packet.has_record(); });
  return bodies;
}

template <sim::Scheduler S, class T>
void Partition<S, T>::for_each_packet(const net::PacketVisit& visit) const {
  links().for_each_packet(visit);
  receive_delays().for_each_packet(visit);
  intake().for_each_packet(visit);
}

}  // namespace weir::engine
