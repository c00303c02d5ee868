// Links and switches (compositequeue.cpp, pipe.cpp, fat_tree_switch.cpp of uet-htsim).
#include <algorithm>
#include <cmath>
#include <set>

#include "weir/replica/uet_network.h"

namespace weir::replica::uet {
namespace {

constexpr std::uint32_t kHeaderShare = 100'000;        // headers go before one data packet
constexpr std::int64_t kPicobits = 8'000'000'000'000;  // per byte and second
constexpr std::int64_t kNever = INT64_MAX;             // a queue that no port has

std::uint32_t opposite(std::uint32_t port) { return port ^ 1; }

constexpr double kSlow = 0.25;  // what slow links have of rate, buffer and thresholds

}  // namespace

void Network::set_up_ports() {
  for (std::uint32_t p = 0; p < topology_.ports(); ++p) {
    Port& port = ports_[p];
    const net::Link& link = topology_.links[p / 2];
    port.ps_per_byte = kPicobits / link.rate.bits_per_second;
    port.delay = link.delay.ps;
    port.buffer = params_.buffer.count;
    port.owner = topology_.port_owner(p);
    port.peer = topology_.port_peer(p);
    port.at_switch = port.owner >= topology_.hosts;
    port.to_switch = port.peer >= topology_.hosts;
    // What queues before a host is for the receiver's credit to mend.
    const bool marks = model_.ecn.enabled && (port.to_switch || !params_.receiver_cc);
    port.k_min = marks ? model_.ecn.k_min.count : kNever;
    port.k_max = marks ? model_.ecn.k_max.count : kNever;
  }
}

void Network::set_up_switches() {
  const std::array latency{params_.edge_latency, params_.middle_latency, params_.core_latency};
  for (std::uint32_t s = 0; s < topology_.switches; ++s) {
    const unsigned tier = topology_.tier[topology_.hosts + s];
    switches_[s].latency = latency[tier - 1u].ps;
    switches_[s].edge = tier == 1;
    switches_[s].salt = random_.bits();
    switches_[s].hops_to.assign(topology_.hosts, kNone);
  }
  for (std::uint32_t p = 0; p < topology_.ports(); ++p) {
    const Port& port = ports_[p];
    if (!port.at_switch) continue;
    Switch& s = switches_[port.owner - topology_.hosts];
    (topology_.tier[port.peer] > topology_.tier[port.owner] ? s.up : s.down).push_back(p);
  }
}

// In two tiers all links of the first spines, both ways. In three the links from cores down to middle switches: link l
// of middle switch m if l + m k is low enough, k middle switches being in a pod. Parallel links are one.
void Network::slow_down_links() {
  if (params_.slow_links == 0) return;
  const auto distinct_peers = [&](const std::vector<std::uint32_t>& ports) {
    std::set<std::uint32_t> peers;
    for (const std::uint32_t p : ports) peers.insert(ports_[p].peer);
    return peers.size();
  };
  const std::size_t in_pod = distinct_peers(switches_.front().up);
  std::size_t middle = 0;
  for (std::uint32_t s = 0; s < topology_.switches; ++s) {
    if (topology_.tier[topology_.hosts + s] != 2) continue;
    const Switch& sw = switches_[s];
    std::set<std::uint32_t> cores;
    for (const std::uint32_t p : sw.up) {
      cores.insert(ports_[p].peer);
      if (cores.size() - 1 + middle * in_pod < params_.slow_links) slow_down(opposite(p));
    }
    if (sw.up.empty() && middle < params_.slow_links)
      for (const std::uint32_t p : sw.down) {
        slow_down(p);
        slow_down(opposite(p));
      }
    ++middle;
  }
}

void Network::slow_down(std::uint32_t p) {
  Port& port = ports_[p];
  const auto part = [](std::int64_t whole) { return static_cast<std::int64_t>(static_cast<double>(whole) * kSlow); };
  port.ps_per_byte = kPicobits / part(topology_.links[p / 2].rate.bits_per_second);
  port.buffer = part(port.buffer);
  port.k_min = port.k_min == kNever ? kNever : part(port.k_min);
  port.k_max = port.k_max == kNever ? kNever : part(port.k_max);
}

void Network::enqueue(std::uint32_t p, std::uint32_t id) {
  Port& port = ports_[p];
  const Packet& packet = packets_[id];
  const bool header = packet.header;
  const bool full = port.at_switch && !header && port.data_bytes + packet.size > port.buffer;
  const bool arriving_goes = full && random_.uniform() >= 0.5;
  if (full) discard(port, arriving_goes ? id : pop_data(port));
  if (header)
    enqueue_header(port, id);
  else if (!arriving_goes)
    enqueue_data(port, id);
  if (port.serving == Port::Serving::nothing && !(port.headers.empty() && port.data.empty())) begin_service(p);
}

void Network::enqueue_data(Port& port, std::uint32_t id) {
  packets_.push(port.data, id);
  port.data_bytes += packets_[id].size;
}

void Network::enqueue_header(Port& port, std::uint32_t id) {
  const std::int64_t size = packets_[id].size;
  if (port.at_switch && port.header_bytes + size > 2 * port.buffer) {
    drop(port, id);
    return;
  }
  packets_.push(port.headers, id);
  port.header_bytes += size;
}

// The packet that came last.
std::uint32_t Network::pop_data(Port& port) {
  const std::uint32_t id = packets_.pop_last(port.data);
  port.data_bytes -= packets_[id].size;
  return id;
}

// A data packet without room: only its header goes on, or nothing.
void Network::discard(Port& port, std::uint32_t id) {
  if (!params_.trimming) {
    drop(port, id);
    return;
  }
  Packet& packet = packets_[id];
  packet.header = true;
  packet.probe = false;  // from here on it passes for a packet with its number
  packet.size = static_cast<std::uint32_t>(params_.trim_size.count);
  packet.trimmed_last = !port.to_switch;
  enqueue_header(port, id);
}

void Network::drop(const Port& port, std::uint32_t id) {
  ++counters_.dropped;
  ++switches_[port.owner - topology_.hosts].drops;
  if (packets_[id].kind == PacketKind::ack) request_marks_.push_back(packets_[id].request);
  packets_.give(id);
}

void Network::begin_service(std::uint32_t p) {
  Port& port = ports_[p];
  bool headers = !port.headers.empty();
  if (headers && port.at_switch && !port.data.empty()) {
    port.share_place = (port.share_place + 1) % (kHeaderShare + 1);
    headers = port.share_place < kHeaderShare;
  }
  port.serving = headers ? Port::Serving::headers : Port::Serving::data;
  const PacketQueue& queue = headers ? port.headers : port.data;
  schedule(now() + packets_[queue.first].size * port.ps_per_byte, {kServed, p});
}

// Marks are set by the queue that a packet leaves behind.
void Network::served(std::uint32_t p) {
  Port& port = ports_[p];
  const bool header = port.serving == Port::Serving::headers;
  const std::uint32_t id = packets_.pop(header ? port.headers : port.data);
  Packet& packet = packets_[id];
  (header ? port.header_bytes : port.data_bytes) -= packet.size;
  if (!header && port.at_switch && marks(port)) {
    packet.marked = true;
    ++port.marked;
  }
  port.sent += packet.size;
  ++counters_.packet_hops;
  if (packet.kind == PacketKind::data) ++counters_.data_packet_hops;
  travel(p, id);
  port.serving = Port::Serving::nothing;
  if (!(port.headers.empty() && port.data.empty())) begin_service(p);
}

bool Network::marks(const Port& port) {
  if (port.data_bytes <= port.k_min) return false;
  if (port.data_bytes > port.k_max) return true;
  const std::int64_t above = port.data_bytes - port.k_min;
  return random_.bits() < Random::kMost * above / (port.k_max - port.k_min);
}

// Of all that is on a link only the first packet has an event.
void Network::travel(std::uint32_t p, std::uint32_t id) {
  Port& port = ports_[p];
  packets_[id].due = now() + port.delay;
  if (port.wire.empty()) schedule(packets_[id].due, {kArrived, p});
  packets_.push(port.wire, id);
}

void Network::arrived(std::uint32_t p) {
  Port& port = ports_[p];
  const std::uint32_t id = packets_.pop(port.wire);
  if (port.to_switch)
    enter(port.peer - topology_.hosts, id);
  else
    receive(port.peer, id);
  if (!port.wire.empty()) schedule(packets_[port.wire.first].due, {kArrived, p});
}

// A switch chooses as a packet comes, and puts it into the port's queue as much later as the switch takes.
void Network::enter(std::uint32_t s, std::uint32_t id) {
  Packet& packet = packets_[id];
  const UetConnection& connection = flows_[packet.flow].connection;
  const bool forward = to_receiver(packet.kind);
  Switch& sw = switches_[s];
  packet.egress = choose(sw, packet, hops_to(s, forward ? connection.dst : connection.src));
  packet.due = now() + sw.latency;
  if (sw.inside.empty()) schedule(packet.due, {kCross, s});
  packets_.push(sw.inside, id);
}

void Network::cross(std::uint32_t s) {
  Switch& sw = switches_[s];
  const std::uint32_t id = packets_.pop(sw.inside);
  enqueue(packets_[id].egress, id);
  if (!sw.inside.empty()) schedule(packets_[sw.inside.first].due, {kCross, s});
}

}  // namespace weir::replica::uet
