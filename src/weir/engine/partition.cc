#include "weir/engine/partition.h"

#include <algorithm>
#include <cstdlib>

#include "weir/base/prefetch.h"
#include "weir/engine/partition_host.h"
#include "weir/engine/partition_net.h"
#include "weir/engine/partition_program.h"
#include "weir/engine/partition_receiver.h"
#include "weir/engine/partition_sender.h"
#include "weir/engine/partition_watchdog.h"

namespace weir::engine {
namespace {

// Up to about here, ports and their rings stay in a core's first cache, and asking for them costs
// more than it brings; from about there on, they do not stay in any of its own.
constexpr std::uint32_t kPortsInFirstCache = 256;
constexpr std::uint32_t kPortsInCache = 4096;

// What the scheduler may expect of this network.
sim::SchedulerHints hints(const Model& model) {
  double bits_per_second = 0;
  Time longest{};
  for (const auto& link : model.topology.links) {
    bits_per_second += 2 * static_cast<double>(link.rate.bits_per_second);
    longest = std::max(longest, link.delay + transmission_time(model.transport.payload, link.rate));
  }
  const double bits_per_packet = 8.0 * static_cast<double>(model.transport.payload.count);
  return {bits_per_second / bits_per_packet, longest + longest / 4};
}

// The largest one-way delay of the empty network is half a round trip of two full packets.
Time on_ramp_threshold(const Model& model, const host::Profile& profile) {
  const Bytes wire = model.data_wire(profile);
  return cc::threshold_of(*profile.on_ramp, model.paths.network_rtt(wire, wire) / 2);
}

// Moves a record into a mailbox; returns its place there.
template <class Record>
std::uint32_t post(std::vector<Record>& box, Pool<Record>& pool, std::uint32_t record) {
  box.push_back(pool[record]);
  pool.give(record);
  return static_cast<std::uint32_t>(box.size() - 1);
}

template <class Record>
std::uint32_t fetch(const std::vector<Record>& box, Pool<Record>& pool, std::uint32_t place) {
  const std::uint32_t record = pool.take();
  pool[record] = box[place];
  return record;
}

}  // namespace

void Counters::add(const Counters& o) {
  events += o.events;
  packet_hops += o.packet_hops;
  data_packet_hops += o.data_packet_hops;
  data_packets += o.data_packets;
  retransmitted += o.retransmitted;
  timeouts += o.timeouts;
  nacks += o.nacks;
  cnps += o.cnps;
  or_acks += o.or_acks;
  marked += o.marked;
  dropped += o.dropped;
  trimmed += o.trimmed;
  lost += o.lost;
  pauses += o.pauses;
  storms += o.storms;
  storm_dropped += o.storm_dropped;
  flows_started += o.flows_started;
  flows_completed += o.flows_completed;
}

host::Flow* FlowPool::take(std::uint16_t profile, std::size_t state_size) {
  constexpr std::size_t kChunk = (std::size_t{32} << 10) / sizeof(Line);
  if (free_.size() <= profile) free_.resize(profile + std::size_t{1});
  auto& free = free_[profile];
  if (free.empty()) {
    const std::size_t block = (sizeof(host::Flow) + state_size + sizeof(Line) - 1) / sizeof(Line);
    auto& chunk = chunks_.emplace_back(std::max(kChunk, block));
    for (std::size_t i = chunk.size() / block; i-- > 0;)
      free.push_back(reinterpret_cast<host::Flow*>(&chunk[i * block]));
  }
  host::Flow* flow = free.back();
  free.pop_back();
  return new (flow) host::Flow();
}

template <sim::Scheduler S>
Partition<S>::Partition(const Model& model, Network& network, const std::vector<std::uint16_t>& of_node,
                        std::uint16_t index, std::uint16_t count)
    : model_(model),
      network_(network),
      of_node_(of_node),
      index_(index),
      hosts_(model.topology.hosts),
      ports_(model.topology.ports()),
      switches_(model.topology.switches),
      first_arrival_(ports_ + switches_),
      class_rules_(model.class_rules()),
      all_classes_(static_cast<net::ClassSet>((1u << model.data_classes()) - 1)),
      prefetch_(ports_ > kPortsInFirstCache),
      deep_prefetch_(ports_ > kPortsInCache),
      routing_(&model.routing),
      scheduler_(2 * ports_ + switches_ + hosts_, hints(model)),
      int_format_(model.int_format()),
      exact_telemetry_(int_format_.is_exact()),
      receivers_(hosts_),
      reassemblies_(hosts_) {
  for (const auto& profile : model.profiles) {
    thresholds_.push_back(profile.on_ramp ? on_ramp_threshold(model, profile) : Time{});
    data_header_.push_back(static_cast<std::uint16_t>((model.data_wire(profile) - model.transport.payload).count));
    ack_wire_.push_back(static_cast<std::uint16_t>(model.ack_wire(profile).count));
  }
  if (count == 1) return;
  inbound_.assign(ports_, ~std::uint32_t{0});
  for (std::uint32_t id = 0; id < ports_; ++id) {
    const bool from = mine(model.topology.port_owner(id));
    const bool to = mine(model.topology.port_peer(id));
    if (from && !to) {
      network.ports[id].cut = true;
      cut_ports_.push_back(id);
    }
    if (to && !from) {
      inbound_[id] = static_cast<std::uint32_t>(wires_.size());
      wires_.emplace_back();
    }
  }
}

template <sim::Scheduler S>
void Partition<S>::add_flow(const traffic::Flow& flow) {
  host::Host& h = network_.hosts[flow.src];
  if (h.next_start == h.starts.size()) {
    h.starts.clear();
    h.next_start = 0;
  }
  h.starts.push_back(flow);
  if (flow.start < h.wake) {
    h.wake = flow.start;
    scheduler_.schedule(wake(flow.src), flow.start);
  }
}

// The lines of a port that every packet touches.
inline void prefetch_port(const net::Port* p) {
  prefetch_line(p);
  prefetch_line(reinterpret_cast<const char*>(p) + 64);
}

// Brings the lines near that the next arrivals will touch, in the order in which each leads to
// the next: the port; its first packet, and the one after it, whose departure gives the port's
// next event; in a network too large for the caches also what the packet will meet at the node
// that it comes to.
template <sim::Scheduler S>
inline void Partition<S>::prefetch() {
  const auto arrival_ahead = [this](std::uint32_t ahead) {
    const std::uint32_t port = scheduler_.upcoming(ahead) - first_arrival_;
    const bool of_others = port < ports_ && !inbound_.empty() && inbound_[port] != ~std::uint32_t{0};
    return of_others ? ~std::uint32_t{0} : port;  // another thread is at work there
  };
  if (const std::uint32_t port = arrival_ahead(deep_prefetch_ ? 10 : 6); port < ports_) {
    prefetch_port(&network_.ports[port]);
  }
  if (const std::uint32_t port = arrival_ahead(deep_prefetch_ ? 7 : 3); port < ports_) {
    const net::PacketRing& ring = network_.ports[port].ring;
    prefetch_line(ring.address(ring.head));
    prefetch_line(ring.address(ring.head + 1));
    prefetch_line(ring.address(ring.head + 2));
  }
  if (!deep_prefetch_) return;
  scheduler_.look_ahead();
  if (const std::uint32_t port = arrival_ahead(4); port < ports_) prefetch_node(port);
  if (const std::uint32_t port = arrival_ahead(2); port < ports_) prefetch_behind(port);
  if (const std::uint32_t port = arrival_ahead(1); port < ports_) prefetch_selective(port);
  prefetch_senders();
}

// What selective recovery looks at, at either end.
template <sim::Scheduler S>
inline void Partition<S>::prefetch_selective(std::uint32_t port) const {
  const Port& p = network_.ports[port];
  if (p.peer >= hosts_ || p.ring.empty()) return;
  const Packet& packet = p.ring.front();
  if (packet.kind == net::PacketKind::data) {
    const auto& of_sender = reassemblies_[packet.src];
    if (packet.slot < of_sender.size()) of_sender[packet.slot].prefetch();
  } else {
    const auto& besides = network_.hosts[p.peer].besides;
    if (packet.slot < besides.size()) besides[packet.slot].scoreboard.prefetch_first();
  }
}

// The same for hosts that wake, to send: the host, its queues, the flow whose turn it is, and what that has beside it.
template <sim::Scheduler S>
inline void Partition<S>::prefetch_senders() const {
  const auto host_ahead = [this](std::uint32_t ahead) { return scheduler_.upcoming(ahead) - wake(0); };
  if (const std::uint32_t h = host_ahead(12); h < hosts_) prefetch_object(&network_.hosts[h]);
  if (const std::uint32_t h = host_ahead(9); h < hosts_) {
    network_.hosts[h].prefetch_queues();
    prefetch_port(&network_.ports[network_.hosts[h].port]);
  }
  if (const std::uint32_t h = host_ahead(6); h < hosts_) {
    const host::Host& host = network_.hosts[h];
    if (host.ready.empty()) return;
    const auto next = host.ready.front();
    if (const host::Flow* flow = host.find(next.slot, next.generation); flow != nullptr) prefetch_object(flow);
    if (next.slot < host.besides.size()) prefetch_object(&host.besides[next.slot]);
  }
  if (const std::uint32_t h = host_ahead(3); h < hosts_) {
    const host::Host& host = network_.hosts[h];
    const auto& ring = network_.ports[host.port].ring;
    prefetch_line(ring.address(ring.tail));
    if (host.ready.empty()) return;
    const auto next = host.ready.front();
    if (next.slot < host.besides.size()) host.besides[next.slot].scoreboard.prefetch_next();
  }
}

// What the first packet of this link will meet first: the port that it, or its acknowledgement,
// will leave by, and the switch's books or the host.
template <sim::Scheduler S>
inline void Partition<S>::prefetch_node(std::uint32_t port) const {
  Port& p = network_.ports[port];
  p.expected_egress = departs_by(port);
  prefetch_port(&network_.ports[p.expected_egress]);
  if (p.peer >= hosts_) {
    network_.switches[p.peer - hosts_].buffer.prefetch(p.peer_ingress);
  } else if (!p.ring.empty()) {
    prefetch_object(&network_.hosts[p.peer]);
    const Packet& packet = p.ring.front();
    if (packet.kind == net::PacketKind::data) {
      prefetch_line(&receivers_[packet.src]);
      prefetch_line(&reassemblies_[packet.src]);
    }
  }
}

// What it will meet next: the place where it, or its acknowledgement, will be put, and the state
// of its flow at this end.
template <sim::Scheduler S>
inline void Partition<S>::prefetch_behind(std::uint32_t port) const {
  const Port& p = network_.ports[port];
  const Port& out = network_.ports[p.expected_egress];
  prefetch_line(out.ring.address(out.cursor));
  prefetch_line(out.ring.address(out.cursor + 1));
  prefetch_line(out.ring.address(out.cursor + 2));
  prefetch_line(out.ring.address(out.cursor + 3));
  prefetch_line(out.ring.address(out.ring.tail));
  if (p.peer >= hosts_ || p.ring.empty()) return;
  const Packet& packet = p.ring.front();
  if (packet.kind == net::PacketKind::data) {
    const auto& of_sender = receivers_[packet.src];
    if (packet.slot < of_sender.size()) prefetch_object(&of_sender[packet.slot]);
    const auto& selective = reassemblies_[packet.src];
    if (packet.slot < selective.size()) prefetch_object(&selective[packet.slot]);
  } else if (const host::Flow* flow = network_.hosts[p.peer].find(packet.slot, packet.generation); flow != nullptr) {
    prefetch_object(flow);
    const auto& besides = network_.hosts[p.peer].besides;
    if (packet.slot < besides.size()) prefetch_object(&besides[packet.slot]);
  }
}

// A port that the first packet of this link will probably leave the next node by; of a host the
// one by which it answers.
template <sim::Scheduler S>
inline std::uint32_t Partition<S>::departs_by(std::uint32_t port) const {
  const Port& p = network_.ports[port];
  if (p.peer < hosts_) return net::Topology::reverse(port);
  if (p.ring.empty()) return port;
  const Packet& packet = p.ring.front();
  return packet.is_control() ? port : routing_->egress(p.peer - hosts_, packet.dst, packet.entropy);
}

template <sim::Scheduler S>
void Partition<S>::run_until(Time end) {
  sim::Event event;
  const sim::Entity first_switch = ports_;
  const sim::Entity first_host = 2 * ports_ + switches_;
  while (scheduler_.next(end, event)) {
    ++counters_.events;
    now_ = event.time;
    if (prefetch_) prefetch();
    if (event.entity >= first_arrival_ && event.entity < first_host) [[likely]]
      on_arrival(event.entity - first_arrival_, event.time);
    else if (event.entity >= first_host)
      on_wake(event.entity - first_host, event.time);
    else if (event.entity < first_switch)
      on_departure(event.entity, event.time);
    else
      on_departures(event.entity - first_switch, event.time);
  }
}

template <sim::Scheduler S>
void Partition<S>::hand_over(Time end, std::vector<Mailbox>& outboxes) {
  hand_over_news(outboxes);
  for (const std::uint32_t id : cut_ports_) {
    Port& p = network_.ports[id];
    if (p.ring.empty()) continue;
    settle(p, {end.ps - 1});
    Mailbox& box = outboxes[of_node_[p.peer]];
    for (; p.ring.head != p.cursor; p.ring.pop()) {
      Packet& packet = p.ring.front();
      leave(p, id, packet);
      HandedOver& out = box.packets.emplace_back();
      out.packet = packet;
      out.packet.departs = p.arrival(packet);
      p.not_before = std::max(p.not_before, out.packet.departs - p.delay);
      out.port = id;
      if (packet.telemetry != net::kNoTelemetry)
        out.packet.telemetry = post(box.telemetry, telemetry_, packet.telemetry);
      if ((packet.flags & net::kSack) != 0) out.packet.src = post(box.sacks, sacks_, packet.src);
    }
  }
}

template <sim::Scheduler S>
void Partition<S>::take_over(const Mailbox& inbox) {
  take_over_news(inbox.news);
  for (const auto& in : inbox.packets) {
    net::PacketRing& wire = wires_[inbound_[in.port]];
    const bool first = wire.empty();
    Packet& packet = wire.push();
    packet = in.packet;
    if (packet.telemetry != net::kNoTelemetry) packet.telemetry = fetch(inbox.telemetry, telemetry_, packet.telemetry);
    if ((packet.flags & net::kSack) != 0) packet.src = fetch(inbox.sacks, sacks_, packet.src);
    if (first) scheduler_.schedule(arrival(in.port), packet.departs);
  }
}

template class Partition<sim::WheelScheduler>;
template class Partition<sim::HeapScheduler>;

}  // namespace weir::engine
