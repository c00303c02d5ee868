// Partition: links, switches and flow control. Included by partition.cc only.
#pragma once

#include "weir/engine/partition.h"

namespace weir::engine {

// The first packet of a link has reached the far end.
template <sim::Scheduler S>
inline void Partition<S>::on_arrival(std::uint32_t port, Time now) {
  if (!inbound_.empty() && inbound_[port] != ~std::uint32_t{0}) {
    net::PacketRing& wire = wires_[inbound_[port]];
    Packet& packet = wire.front();
    wire.pop();
    if (!wire.empty()) scheduler_.schedule(arrival(port), wire.front().departs);
    const net::Topology& t = model_.topology;
    const std::uint32_t own = net::Topology::reverse(port);
    deliver(port, t.port_peer(port), network_.ports[own].local, packet, now);
    return;
  }
  Port& p = network_.ports[port];
  if (p.cursor == p.ring.head) settle(p, now);
  Packet& packet = p.ring.front();  // stays in its place until another is pushed on this ring
  p.ring.pop();
  if (!p.ring.empty()) {
    const Packet& first = p.ring.front();
    if (first.departs != net::kHeld) scheduler_.schedule(arrival(port), p.arrival(first));
  }
  leave(p, port, packet);
  deliver(port, p.peer, p.peer_ingress, packet, now);
}

// What the port did to the packet when it departed, made up for now that it is known.
template <sim::Scheduler S>
inline void Partition<S>::leave(Port& p, std::uint32_t port, Packet& packet) {
  if (p.at_switch && packet.kind == net::PacketKind::data) {
    if (packet.queue > p.ecn_min &&
        net::marks(p, packet.queue, RandomStream(model_.seed, port, Purpose::ecn_mark), p.tx_packets)) {
      packet.flags |= net::kMarked;
      ++p.marks;
    }
    if (packet.telemetry != net::kNoTelemetry && packet.hops < kMaxTelemetryHops) {
      const HopTelemetry exact{packet.departs.ps, static_cast<std::int64_t>(p.tx_bytes),
                               static_cast<std::int32_t>(packet.queue), p.rate_mbps};
      telemetry_[packet.telemetry].hop[packet.hops++] = exact_telemetry_ ? exact : int_format_.quantise(exact);
    }
  }
  if (p.faults != nullptr) [[unlikely]]
    lose(p, port, packet);
  p.tx_bytes += packet.wire;
  ++p.tx_packets;
}

template <sim::Scheduler S>
void Partition<S>::lose(Port& p, std::uint32_t port, Packet& packet) {
  const RandomStream random(model_.seed, port, Purpose::link_loss);
  if (!p.faults->loses(packet, p.arrival(packet), random, p.tx_packets)) return;
  packet.kind = net::PacketKind::lost;
  ++p.lost;
}

template <sim::Scheduler S>
inline void Partition<S>::deliver(std::uint32_t port, std::uint32_t node, std::uint32_t ingress, Packet& packet,
                                  Time now) {
  if (packet.kind >= net::PacketKind::lost) [[unlikely]] {
    deliver_apart(port, packet, now);
    return;
  }
  ++counters_.packet_hops;
  counters_.data_packet_hops += packet.kind == net::PacketKind::data;
  if (node >= hosts_)
    forward(node - hosts_, ingress, packet, now);
  else
    receive(node, packet, now);
}

// Pause and resume frames end here, and what the link has lost.
template <sim::Scheduler S>
void Partition<S>::deliver_apart(std::uint32_t port, const Packet& packet, Time now) {
  if (packet.kind == net::PacketKind::lost) {
    ++counters_.lost;
    discard(packet);
    return;
  }
  ++counters_.packet_hops;
  set_paused(net::Topology::reverse(port), packet.traffic_class, packet.kind == net::PacketKind::pause, now);
}

template <sim::Scheduler S>
inline void Partition<S>::forward(std::uint32_t s, std::uint32_t ingress, Packet& packet, Time now) {
  const bool by_switch = (packet.flags & (net::kAdaptive | net::kRoundRobin)) != 0;
  const std::uint32_t port = by_switch ? choose(s, packet, now) : routing_->egress(s, packet.dst, packet.entropy);
  Port& out = network_.ports[port];
  net::SwitchBuffer& buffer = network_.switches[s].buffer;
  packet.ingress = static_cast<std::uint16_t>(ingress);
  if (out.kind == net::PortKind::fifo) [[likely]] {
    settle(out, now);
    if (buffer.plainly_fits(ingress, packet.traffic_class, out.queued, packet.wire)) [[likely]] {
      if (net::idle(out, now) && !buffer.eager()) {
        // It enters and leaves the buffer in one instant.
        const bool first = out.ring.empty();
        const Packet& placed = net::start(out, packet, now);
        if (first && !out.cut) scheduler_.schedule(arrival(port), out.arrival(placed));
        return;
      }
      buffer.take_plain(ingress, packet.traffic_class, packet.wire);
      send(port, packet, now);
      return;
    }
  }
  if (admit(s, ingress, out, packet, now)) send(port, packet, now);
}

// The port of a packet that leaves the choice to the switch: the next in turn, or one with the shortest queue, any of
// them if there are several.
template <sim::Scheduler S>
std::uint32_t Partition<S>::choose(std::uint32_t s, const Packet& packet, Time now) {
  const std::span<const std::uint32_t> hops = routing_->next_hops(s, packet.dst);
  if (hops.size() == 1) return hops[0];
  SwitchState& state = network_.switches[s];
  if ((packet.flags & net::kRoundRobin) != 0) return hops[next_in_turn(s, static_cast<std::uint16_t>(hops.size()))];
  std::uint32_t least = std::numeric_limits<std::uint32_t>::max();
  for (const std::uint32_t hop : hops) {
    const std::uint32_t level = load(hop, now);
    if (level > least) continue;
    if (level < least) tied_.clear();
    least = level;
    tied_.push_back(hop);
  }
  const auto n = static_cast<std::uint32_t>(tied_.size());
  return n == 1 ? tied_[0] : tied_[net::Routing::pick(state.choices++, routing_->salt(s), n)];
}

// Which of `n` ports comes next. One round serves all destinations of a switch; those with fewer ports pass over the
// rest.
template <sim::Scheduler S>
std::uint16_t Partition<S>::next_in_turn(std::uint32_t s, std::uint16_t n) {
  SwitchState& state = network_.switches[s];
  if (state.order.size() < n) {
    state.order.resize(n);
    std::iota(state.order.begin(), state.order.end(), std::uint16_t{0});
    begin_round(s);
  }
  for (;;) {
    if (state.turn == state.order.size()) begin_round(s);
    const std::uint16_t port = state.order[state.turn++];
    if (port < n) return port;
  }
}

template <sim::Scheduler S>
void Partition<S>::begin_round(std::uint32_t s) {
  SwitchState& state = network_.switches[s];
  state.turn = 0;
  if (model_.network.rounds == Rounds::fixed) return;
  const RandomStream random(model_.seed, s, Purpose::round_robin);
  const std::uint64_t first_draw = std::uint64_t{state.round++} << 16;
  for (std::size_t left = state.order.size(); left > 1; --left)
    std::swap(state.order[left - 1], state.order[random.below(first_draw + left, left)]);
}

template <sim::Scheduler S>
inline std::uint32_t Partition<S>::load(std::uint32_t port, Time now) {
  PortLoad& known = network_.loads[port];
  if (now >= known.until) {
    Port& p = network_.ports[port];
    if (p.kind == net::PortKind::fifo) settle(p, now);
    known = {now + model_.adaptive.refresh, model_.adaptive.measure(p.queued, model_.buffer.size)};
  }
  return known.level;
}

// A packet for which there is no room loses its payload. False if there is no room for the rest either.
template <sim::Scheduler S>
bool Partition<S>::trim(std::uint32_t s, Port& out, Packet& packet) {
  if (packet.kind != net::PacketKind::data) return false;
  SwitchState& state = network_.switches[s];
  const auto wire = static_cast<std::uint16_t>(model_.network.trimmed_frame.count);
  const std::uint32_t queued = queued_for(out, net::TrafficClass::priority, true);
  if (!state.buffer.admits(packet.ingress, net::TrafficClass::priority, queued, wire)) return false;
  packet.kind = net::PacketKind::trimmed;
  packet.wire = wire;
  packet.traffic_class = net::TrafficClass::priority;
  ++counters_.trimmed;
  state.buffer.take(packet.ingress, packet.traffic_class, wire);
  return true;
}

// Near a threshold: brings the buffer's counters up to date, then decides exactly.
template <sim::Scheduler S>
bool Partition<S>::admit(std::uint32_t s, std::uint32_t ingress, Port& out, Packet& packet, Time now) {
  SwitchState& state = network_.switches[s];
  if (net::PauseWatch* watch = watch_of(out); watch != nullptr && watch->drops(packet.traffic_class, model_.watchdog)) {
    drop_in_storm(*watch, packet);
    return false;
  }
  if (!state.buffer.eager() && !state.buffer.per_port())
    for (const std::uint32_t id : model_.routing.ports(s))
      if (network_.ports[id].kind == net::PortKind::fifo) settle(network_.ports[id], now);
  const std::uint32_t queued = queued_for(out, packet.traffic_class, state.buffer.per_port());
  if (!state.buffer.admits(ingress, packet.traffic_class, queued, packet.wire)) {
    if (model_.network.trimming && trim(s, out, packet)) return true;
    ++state.drops;
    ++counters_.dropped;
    discard(packet);
    return false;
  }
  state.buffer.take(ingress, packet.traffic_class, packet.wire);
  if (state.buffer.pause(ingress, packet.traffic_class)) {
    ++state.pauses_sent;
    ++counters_.pauses;
    send_control(model_.routing.ports(s)[ingress], net::PacketKind::pause, packet.traffic_class, now);
    schedule_departures(s);
  }
  return true;
}

// The queue that a packet of this class would join. The priority class has room of its own or counts with all others.
template <sim::Scheduler S>
inline std::uint32_t Partition<S>::queued_for(const Port& p, net::TrafficClass c, bool alone) const {
  if (p.kind == net::PortKind::fifo) return p.queued;
  if (alone) return network_.queues[p.queues].bytes[static_cast<std::size_t>(c)];
  if (c == net::TrafficClass::priority) return p.queued;
  return network_.queues[p.queues].ahead_of(c);
}

// Puts a packet on a port's queue.
template <sim::Scheduler S>
inline void Partition<S>::send(std::uint32_t port, const Packet& packet, Time now) {
  Port& p = network_.ports[port];
  if (p.kind == net::PortKind::queued) {
    net::ClassQueues& queues = network_.queues[p.queues];
    p.queued += packet.wire;
    queues.push(packet);
    if (!queues.busy) start_next(p, port, now);
    return;
  }
  const bool first = p.ring.empty();
  const Packet& placed = accept(p, packet, now);
  if (first && !p.cut && placed.departs != net::kHeld) scheduler_.schedule(arrival(port), p.arrival(placed));
  if (p.at_switch && network_.switches[p.owner - hosts_].buffer.eager()) [[unlikely]]
    after_accept(p.owner - hosts_, p, placed, now);
}

template <sim::Scheduler S>
inline void Partition<S>::settle(Port& p, Time now) {
  if (p.at_switch) {
    const std::uint32_t s = p.owner - hosts_;
    drain(p, now, [&](const Packet& departed) { release(s, departed, now); });
  } else {
    drain(p, now, [](const Packet&) {});
  }
}

// A packet has left the shared buffer.
template <sim::Scheduler S>
inline void Partition<S>::release(std::uint32_t s, const Packet& packet, Time now) {
  net::SwitchBuffer& buffer = network_.switches[s].buffer;
  const std::uint32_t ingress = packet.ingress;
  const net::TrafficClass c = packet.traffic_class;
  buffer.release(ingress, c, packet.wire);
  if (buffer.eager() && buffer.resume(ingress, c)) [[unlikely]]
    send_control(model_.routing.ports(s)[ingress], net::PacketKind::resume, c, now);
}

// While some ingress is paused, departures are settled at their instants, for one of them may
// be the one that resumes it.
template <sim::Scheduler S>
void Partition<S>::after_accept(std::uint32_t s, Port& out, const Packet& placed, Time now) {
  if (placed.departs == now) {
    settle(out, now);
    schedule_departures(s);
  } else if (placed.departs < network_.switches[s].next_departure) {
    network_.switches[s].next_departure = placed.departs;
    scheduler_.schedule(departures_of_switch(s), placed.departs);
  }
}

template <sim::Scheduler S>
void Partition<S>::schedule_departures(std::uint32_t s) {
  if (departing_) return;
  SwitchState& state = network_.switches[s];
  Time next = Time::max();
  if (state.buffer.eager())
    for (const std::uint32_t id : model_.routing.ports(s)) {
      const Port& p = network_.ports[id];
      if (p.kind == net::PortKind::fifo && p.cursor != p.ring.tail) next = std::min(next, p.ring[p.cursor].departs);
    }
  state.next_departure = next;
  if (next == Time::max())
    scheduler_.cancel(departures_of_switch(s));
  else
    scheduler_.schedule(departures_of_switch(s), next);
}

template <sim::Scheduler S>
void Partition<S>::on_departures(std::uint32_t s, Time now) {
  departing_ = true;
  for (const std::uint32_t id : model_.routing.ports(s))
    if (network_.ports[id].kind == net::PortKind::fifo) settle(network_.ports[id], now);
  departing_ = false;
  schedule_departures(s);
}

// Queued port: a transmission has ended.
template <sim::Scheduler S>
void Partition<S>::on_departure(std::uint32_t port, Time now) {
  Port& p = network_.ports[port];
  network_.queues[p.queues].busy = false;
  start_next(p, port, now);
}

// Queued port: begins the next transmission, if anything may be sent.
template <sim::Scheduler S>
void Partition<S>::start_next(Port& p, std::uint32_t port, Time now) {
  net::ClassQueues& queues = network_.queues[p.queues];
  net::PacketRing* from = queues.select(class_rules_, p.paused);
  if (from == nullptr) return;
  const bool first = p.ring.empty();
  Packet& packet = p.ring.push();
  packet = from->front();
  queues.pop(*from);
  packet.departs = now;
  if (!packet.is_control()) p.queued -= packet.wire;
  packet.queue = queues.ahead_of(packet.traffic_class);
  p.cursor = p.ring.tail;
  p.free_at = now + p.serialisation(packet.wire);
  queues.busy = true;
  if (first && !p.cut) scheduler_.schedule(arrival(port), p.arrival(packet));
  scheduler_.schedule(departure_of_port(port), p.free_at);
  if (p.at_switch && !packet.is_control()) release(p.owner - hosts_, Packet(packet), now);
}

// Sends a pause or resume frame by a switch's port; it goes ahead of all waiting packets.
template <sim::Scheduler S>
void Partition<S>::send_control(std::uint32_t port, net::PacketKind kind, net::TrafficClass of, Time now) {
  Port& p = network_.ports[port];
  Packet frame;
  frame.kind = kind;
  frame.traffic_class = of;
  frame.wire = static_cast<std::uint16_t>(model_.network.pfc_frame.count);
  if (p.kind == net::PortKind::queued) {
    net::ClassQueues& queues = network_.queues[p.queues];
    queues.push(frame);
    if (!queues.busy) start_next(p, port, now);
    return;
  }
  insert_control(p, frame, now);
  refresh_first(p, port);
  schedule_departures(p.owner - hosts_);
}

// A pause or resume frame for this port has arrived.
template <sim::Scheduler S>
void Partition<S>::set_paused(std::uint32_t port, net::TrafficClass of, bool paused, Time now) {
  Port& p = network_.ports[port];
  if (net::PauseWatch* watch = watch_of(p); watch != nullptr && !watch->hear(of, paused, now)) return;
  if (((p.paused & net::class_bit(of)) != 0) == paused) return;
  if (p.kind == net::PortKind::fifo) settle(p, now);
  p.note_paused(of, paused, now);
  if (p.kind == net::PortKind::queued) {
    if (!paused && !network_.queues[p.queues].busy) start_next(p, port, now);
    if (!p.at_switch) unpark(p.owner, now);
    return;
  }
  retime(p, now);
  refresh_first(p, port);
  if (p.at_switch) {
    settle(p, now);  // what may leave at once has left
    if (network_.switches[p.owner - hosts_].buffer.eager()) schedule_departures(p.owner - hosts_);
  } else {
    update_wake(p.owner, now);
  }
}

// Flows that found their class paused get their turn again.
template <sim::Scheduler S>
void Partition<S>::unpark(std::uint32_t h, Time now) {
  host::Host& host = network_.hosts[h];
  for (const auto& turn : host.parked) host.ready.push(turn);
  host.parked.clear();
  update_wake(h, now);
}

// A link that is down forgets what its ends have told each other to pause. Both ports of the link go on sending, for
// nobody: what they send is lost (net/link_faults.h), and the buffers' books stay right.
template <sim::Scheduler S>
void Partition<S>::take_down(std::uint32_t port, Time now) {
  Port& p = network_.ports[port];
  const bool fifo = p.kind == net::PortKind::fifo;
  if (fifo) settle(p, {now.ps - 1});
  // A pause frame that still waits might leave when the link is up again, and shall not pause anybody then.
  net::PacketRing& ring = fifo ? p.ring : network_.queues[p.queues].control;
  const std::uint32_t first = fifo ? p.cursor : ring.head;
  const std::uint32_t frames = fifo ? p.pending_control : ring.size();
  for (std::uint32_t at = first; at != first + frames; ++at) ring[at].kind = net::PacketKind::resume;
  if (net::PauseWatch* watch = watch_of(p); watch != nullptr) watch->forget(now);
  if (p.paused) {
    p.paused = 0;
    p.paused_total += now - p.paused_since;
    restart(p, port, now);
  }
  if (p.at_switch) {
    network_.switches[p.owner - hosts_].buffer.forget_pauses(p.local);
    schedule_departures(p.owner - hosts_);
  } else {
    unpark(p.owner, now);
  }
}

template <sim::Scheduler S>
void Partition<S>::stall(std::uint32_t h, Time until, Time now) {
  const std::uint32_t port = network_.hosts[h].port;
  Port& p = network_.ports[port];
  if (p.kind == net::PortKind::fifo) {
    settle(p, {now.ps - 1});
    p.not_before = std::max(p.not_before, until);
    restart(p, port, now);
  } else {
    // as if it were sending until then
    p.free_at = std::max(p.free_at, until);
    network_.queues[p.queues].busy = true;
    scheduler_.schedule(departure_of_port(port), p.free_at);
  }
  update_wake(h, now);
}

// Between epochs, before all else at `now`: what waits at a port may leave at other times than before.
template <sim::Scheduler S>
void Partition<S>::restart(Port& p, std::uint32_t port, Time now) {
  if (p.kind == net::PortKind::fifo) {
    retime(p, now);
    refresh_first(p, port);
    return;
  }
  // The transmitter decides in its turn among the departures of this instant.
  net::ClassQueues& queues = network_.queues[p.queues];
  if (queues.busy) return;
  queues.busy = true;
  scheduler_.schedule(departure_of_port(port), now);
}

// The pending arrival of a FIFO port after its waiting packets were given new departures.
template <sim::Scheduler S>
void Partition<S>::refresh_first(Port& p, std::uint32_t port) {
  if (p.cut || p.ring.head != p.cursor || p.ring.empty()) return;
  if (p.ring.front().departs == net::kHeld)
    scheduler_.cancel(arrival(port));
  else
    scheduler_.schedule(arrival(port), p.arrival(p.ring.front()));
}

template <sim::Scheduler S>
inline void Partition<S>::discard(const Packet& packet) {
  if (packet.telemetry != net::kNoTelemetry) telemetry_.give(packet.telemetry);
  if ((packet.flags & net::kSack) != 0) sacks_.give(packet.src);
}

}  // namespace weir::engine
