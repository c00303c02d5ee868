// Links, switches, their shared buffers and PFC (qbb-net-device.cc, switch-node.cc, switch-mmu.cc of the artifact).
//
// PFC has no timer: a pause holds until the resume frame. Frames go before other packets, but wait for the one that is
// being sent. Thresholds are looked at when a packet comes (pause) and when one of that ingress leaves (resume).
#include <algorithm>
#include <cmath>

#include "weir/replica/ns3_clock.h"
#include "weir/replica/ns3_network.h"

namespace weir::replica {
namespace {

constexpr std::uint32_t kFirstShift = 3;  // alpha = 1/8

}  // namespace

void Ns3Network::set_up_ports() {
  const auto full = static_cast<std::int64_t>(data_header_) + model_.transport.payload.count;
  for (std::uint32_t id = 0; id < topology_.ports(); ++id) {
    const net::Link& link = topology_.links[id / 2];
    SimPort& p = ports_[id];
    p.rate = link.rate.bits_per_second;
    p.delay = link.delay.ps / 1000;
    const auto faults = model_.faults.links.find(id / 2);
    p.loss = faults == model_.faults.links.end() ? params_.loss : std::ldexp(faults->second.loss, -53);
    p.owner = topology_.port_owner(id);
    p.peer = topology_.port_peer(id);
    p.at_switch = p.owner >= topology_.hosts;
    p.to_switch = p.peer >= topology_.hosts;
    p.data_ns = transmission_ns(full, p.rate);
    p.ack_ns = transmission_ns(ack_wire_, p.rate);
    if (p.at_switch)
      p.ecn = engine::ecn_thresholds(model_, link.rate);
    else
      nics_[p.owner].port = id;
  }
}

void Ns3Network::set_up_buffers() {
  const std::int64_t nic_rate = ports_[nics_[0].port].rate;
  const auto reserve = static_cast<std::uint32_t>(model_.buffer.reserve.count);
  for (SimSwitch& s : switches_) s.shared = static_cast<std::uint32_t>(model_.buffer.size.count);
  for (std::uint32_t id = 0; id < topology_.ports(); ++id) {
    const SimPort& p = ports_[id];
    if (!p.to_switch) continue;
    Ingress& in = ingresses_[id];
    in.headroom = static_cast<std::uint32_t>(static_cast<std::uint64_t>(p.rate) * static_cast<std::uint64_t>(p.delay) /
                                             8 / 1'000'000'000 * 3);
    in.shift = kFirstShift;
    for (std::int64_t rate = p.rate; rate > nic_rate && in.shift > 0; rate /= 2) --in.shift;
    switches_[p.peer - topology_.hosts].shared -= in.headroom + reserve;
  }
}

void Ns3Network::transmit(std::uint32_t port, std::uint32_t packet) {
  SimPort& p = ports_[port];
  const Packet& sent = packets_[packet];
  p.busy = true;
  p.sent += sent.wire;
  ++p.packets;
  std::int64_t duration = p.ack_ns;
  if (sent.kind == PacketKind::data && sent.payload == model_.transport.payload.count)
    duration = p.data_ns;
  else if (sent.wire != ack_wire_)
    duration = transmission_ns(sent.wire, p.rate);
  schedule(now() + duration, {kTransmitted, port});
  schedule(now() + duration + p.delay, {kArrival, port, packet});
}

void Ns3Network::arrive(std::uint32_t port, std::uint32_t id) {
  SimPort& p = ports_[port];
  const PacketKind kind = packets_[id].kind;
  ++counters_.packet_hops;
  counters_.data_packet_hops += kind == PacketKind::data;
  const RandomStream random(model_.seed, port, Purpose::link_loss);
  if (!p.up || (p.loss > 0 && random.uniform(p.arrived++) < p.loss)) {
    ++counters_.lost;
    ++p.lost;
    return packets_.give(id);
  }
  if (kind == PacketKind::pause || kind == PacketKind::resume) {
    packets_.give(id);
    set_paused(net::Topology::reverse(port), kind == PacketKind::pause);
  } else if (p.to_switch) {
    packets_[id].ingress = port;
    forward(p.peer, id);
  } else {
    receive(p.peer, id);
  }
}

void Ns3Network::set_paused(std::uint32_t port, bool paused) {
  SimPort& p = ports_[port];
  if (paused) {
    if (!p.paused) p.paused_since = now();
    p.paused = true;
    ++p.pauses;
    return;
  }
  if (p.paused) p.paused_total += now() - p.paused_since;
  p.paused = false;
  if (p.at_switch)
    depart(port);
  else
    serve(p.owner);
}

std::uint32_t Ns3Network::next_port(std::uint32_t node, const Packet& packet) const {
  const traffic::Flow& f = flows_[packet.flow].flow;
  const bool back = packet.kind != PacketKind::data;
  const auto hops = routes_.next_hops(node - topology_.hosts, back ? f.src : f.dst);
  if (hops.empty()) return kNone;
  if (hops.size() == 1) return hops[0];
  const std::uint32_t src = numbers_[f.src];
  const std::uint32_t dst = numbers_[f.dst];
  const std::uint32_t seed = numbers_[node];
  const std::uint32_t hash =
      back ? murmur_hash(dst, src, f.dport, f.sport, seed) : murmur_hash(src, dst, f.sport, f.dport, seed);
  return hops[hash % hops.size()];
}

void Ns3Network::forward(std::uint32_t node, std::uint32_t id) {
  const Packet& packet = packets_[id];
  SimSwitch& s = switches_[node - topology_.hosts];
  Ingress& in = ingresses_[packet.ingress];
  const std::uint32_t out = next_port(node, packet);
  if (out == kNone || !admit(s, in, packet.wire)) {
    ++s.drops;
    ++counters_.dropped;
    return packets_.give(id);
  }
  if (!in.paused && (in.headroom_used > 0 || shared_share(in) >= threshold(s, in))) {
    send_control(net::Topology::reverse(packet.ingress), PacketKind::pause);
    in.paused = true;
    ++s.pauses_sent;
    ++counters_.pauses;
  }
  SimPort& p = ports_[out];
  packets_.push(p.queue, id);
  p.queued += packets_[id].wire;
  p.queued_total += packets_[id].wire;
  depart(out);
}

std::uint32_t Ns3Network::shared_share(const Ingress& in) const {
  const auto reserve = static_cast<std::uint32_t>(model_.buffer.reserve.count);
  return in.bytes > reserve ? in.bytes - reserve : 0;
}

std::uint32_t Ns3Network::threshold(const SimSwitch& s, const Ingress& in) const {
  return (s.shared - s.shared_used) >> in.shift;
}

// Reserve first, then the shared part up to the threshold, then headroom.
bool Ns3Network::admit(SimSwitch& s, Ingress& in, std::uint32_t wire) const {
  if (wire + in.headroom_used > in.headroom && wire + shared_share(in) > threshold(s, in)) return false;
  const auto reserve = static_cast<std::uint32_t>(model_.buffer.reserve.count);
  const std::uint32_t bytes = in.bytes + wire;
  if (bytes <= reserve) {
    in.bytes = bytes;
  } else if (bytes - reserve > threshold(s, in)) {
    in.headroom_used += wire;
  } else {
    in.bytes = bytes;
    s.shared_used += std::min(wire, bytes - reserve);
  }
  return true;
}

// Headroom first, then the shared part.
void Ns3Network::release(SimSwitch& s, Ingress& in, std::uint32_t wire) const {
  const std::uint32_t from_headroom = std::min(in.headroom_used, wire);
  const std::uint32_t from_shared = std::min(wire - from_headroom, shared_share(in));
  in.headroom_used -= from_headroom;
  in.bytes -= wire - from_headroom;
  s.shared_used -= from_shared;
}

void Ns3Network::send_control(std::uint32_t port, PacketKind kind) {
  const std::uint32_t id = packets_.take();
  Packet& packet = packets_[id];
  packet.kind = kind;
  packet.wire = static_cast<std::uint16_t>(model_.network.pfc_frame.count);
  SimPort& p = ports_[port];
  packets_.push(p.control, id);
  p.queued_total += packet.wire;
  depart(port);
}

void Ns3Network::depart(std::uint32_t port) {
  SimPort& p = ports_[port];
  if (!p.up || p.busy) return;
  if (!p.control.empty()) {
    const std::uint32_t id = packets_.pop(p.control);
    p.queued_total -= packets_[id].wire;
    return transmit(port, id);
  }
  if (p.paused || p.queue.empty()) return;
  const std::uint32_t id = packets_.pop(p.queue);
  const std::uint32_t wire = packets_[id].wire;
  p.queued -= wire;
  p.queued_total -= wire;
  SimSwitch& s = switches_[p.owner - topology_.hosts];
  Ingress& in = ingresses_[packets_[id].ingress];
  release(s, in, wire);
  if (packets_[id].kind == PacketKind::data && marks(p, port)) {
    packets_[id].marked = true;
    ++p.marked;
  }
  if (in.paused && in.headroom_used == 0) {
    const std::uint32_t share = shared_share(in);
    if (share == 0 || share + model_.buffer.resume_offset.count <= threshold(s, in)) {
      send_control(net::Topology::reverse(packets_[id].ingress), PacketKind::resume);
      in.paused = false;
    }
  }
  Packet& packet = packets_[id];
  if (stamps_ && packet.kind == PacketKind::data && packet.hops < kMaxHops)
    packet.hop[packet.hops++] = int_format_.write(now(), p.sent, p.queued_total, p.rate);
  transmit(port, id);
}

// RED, by what is left in the queue. (The artifact draws from a new generator each time, and marks acknowledgements as
// well, which nobody reads.)
bool Ns3Network::marks(const SimPort& p, std::uint32_t id) const {
  if (p.queued <= p.ecn.min) return false;
  if (p.queued > p.ecn.max) return true;
  const double probability = p.ecn.probability * static_cast<double>(p.queued - p.ecn.min) / (p.ecn.max - p.ecn.min);
  return RandomStream(model_.seed, id, Purpose::ecn_mark).uniform(p.packets) < probability;
}

// What waits at its ports is lost, without the buffer's noticing; so is what is under way. Of parallel links it is the
// last one, which alone carries packets.
void Ns3Network::take_link_down() {
  for (std::uint32_t id = topology_.ports(); id-- > 0;) {
    SimPort& p = ports_[id];
    if (p.owner != params_.link_down_a || p.peer != params_.link_down_b) continue;
    routes_.take_down(id / 2);
    for (SimPort* end : {&p, &ports_[net::Topology::reverse(id)]}) {
      discard_queues(*end);
      end->up = false;
    }
    return;
  }
}

void Ns3Network::discard_queues(SimPort& p) {
  for (PacketQueue* queue : {&p.control, &p.queue})
    while (!queue->empty()) {
      packets_.give(packets_.pop(*queue));
      ++counters_.dropped;
    }
  if (p.paused) p.paused_total += now() - p.paused_since;
  p.paused = false;
  p.queued = p.queued_total = 0;
}

}  // namespace weir::replica
