// Links and switches (compositequeue.cpp, pipe.cpp, fat_tree_switch.cpp of uet-htsim).
#include <algorithm>
#include <cmath>

#include "weir/replica/uet_network.h"

namespace weir::replica::uet {
namespace {

constexpr std::uint32_t kHeaderShare = 100'000;        // headers go before one data packet
constexpr std::uint32_t kShortForAdaptive = 100;       // bytes; shorter packets are hashed
constexpr std::uint32_t kShortForRoundRobin = 128;     // bytes
constexpr std::int64_t kLookEvery = 100'000;           // ps
constexpr std::int64_t kPicobits = 8'000'000'000'000;  // per byte and second

constexpr std::uint32_t kOwnNumbers = 1'000'000'000;  // what the simulator's own numbers of flows begin with

// Jenkins' mix of three words ("Algorithm Alley", Dr. Dobb's Journal, September 1997), as FreeBSD's bridge uses it.
std::uint32_t jenkins(std::uint32_t a, std::uint32_t b, std::uint32_t c) {
  constexpr std::uint32_t kGolden = 0x9e3779b9;
  a += kGolden;
  b += kGolden;
  for (const auto& [first, second, third] : {std::array{13, 8, 13}, {12, 16, 5}, {3, 10, 15}}) {
    a = (a - b - c) ^ (c >> first);
    b = (b - c - a) ^ (a << second);
    c = (c - a - b) ^ (b >> third);
  }
  return c;
}

}  // namespace

void Network::set_up_ports() {
  for (std::uint32_t p = 0; p < topology_.ports(); ++p) {
    Port& port = ports_[p];
    const net::Link& link = topology_.links[p / 2];
    port.ps_per_byte = kPicobits / link.rate.bits_per_second;
    port.delay = link.delay.ps;
    port.owner = topology_.port_owner(p);
    port.peer = topology_.port_peer(p);
    port.at_switch = port.owner >= topology_.hosts;
    port.to_switch = port.peer >= topology_.hosts;
  }
}

void Network::set_up_switches() {
  const std::array latency{params_.edge_latency, params_.middle_latency, params_.core_latency};
  for (std::uint32_t s = 0; s < topology_.switches; ++s) {
    switches_[s].latency = latency[topology_.tier[topology_.hosts + s] - 1u].ps;
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

void Network::enqueue(std::uint32_t p, std::uint32_t id) {
  Port& port = ports_[p];
  const Packet& packet = packets_[id];
  const bool header = packet.header;
  const bool full = port.at_switch && !header && port.data_bytes + packet.size > params_.buffer.count;
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
  if (port.at_switch && port.header_bytes + size > 2 * params_.buffer.count) {
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
  if (!model_.ecn.enabled || port.data_bytes <= model_.ecn.k_min.count) return false;
  if (port.data_bytes > model_.ecn.k_max.count) return true;
  const std::int64_t above = port.data_bytes - model_.ecn.k_min.count;
  return random_.bits() < Random::kMost * above / (model_.ecn.k_max.count - model_.ecn.k_min.count);
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
  const bool forward = packet.kind == PacketKind::data || packet.kind == PacketKind::request;
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

std::uint32_t Network::choose(Switch& s, const Packet& packet, std::vector<std::uint32_t>& hops) {
  if (hops.size() == 1) return hops.front();
  const bool one_path = flows_[packet.flow].connection.one_path;
  if (params_.routing == UetParams::Routing::adaptive && packet.size >= kShortForAdaptive && !one_path)
    return least_queue(hops);
  if (params_.routing == UetParams::Routing::round_robin && packet.size >= kShortForRoundRobin && !one_path) {
    if (s.next_hop >= hops.size()) {
      s.next_hop = 0;
      permute(hops);
    }
    return hops[s.next_hop++];
  }
  // Flows without a number get one at either end.
  const bool back = packet.kind == PacketKind::ack || packet.kind == PacketKind::nack;
  const std::uint32_t number = flows_[packet.flow].connection.number;
  const std::uint32_t hashed = back && number >= kOwnNumbers ? number + 1 : number;
  return hops[jenkins(hashed, s.salt, packet.entropy) % hops.size()];
}

// Of those with the shortest queue, as far as levels tell, any.
std::uint32_t Network::least_queue(const std::vector<std::uint32_t>& hops) {
  least_.clear();
  std::uint8_t least = 0;
  for (const std::uint32_t p : hops) {
    const std::uint8_t level = queue_level(ports_[p]);
    if (least_.empty() || level < least) {
      least = level;
      least_.clear();
    }
    if (level == least) least_.push_back(p);
  }
  return least_[random_.below(static_cast<std::uint32_t>(least_.size()))];
}

// Below 5, 10 and 20 % of the buffer, or above; looked at once in a while.
std::uint8_t Network::queue_level(Port& port) const {
  if (now() - port.looked_at <= kLookEvery) return port.level;
  port.looked_at = now();
  const auto bytes = static_cast<double>(port.data_bytes + port.header_bytes);
  const auto buffer = static_cast<double>(params_.buffer.count);
  port.level = bytes < buffer * 0.05 ? 0 : bytes < buffer * 0.1 ? 1 : bytes < buffer * 0.2 ? 2 : 3;
  return port.level;
}

void Network::permute(std::vector<std::uint32_t>& hops) {
  for (auto left = static_cast<std::uint32_t>(hops.size()); left > 0; --left)
    std::swap(hops[random_.below(left)], hops[left - 1]);
}

// Found when the first packet asks. What is above an edge switch is the same list for all hosts, further up every host
// has its own, in an order of its own.
std::vector<std::uint32_t>& Network::hops_to(std::uint32_t s, std::uint32_t host) {
  Switch& sw = switches_[s];
  std::uint32_t& known = sw.hops_to[host];
  if (known != kNone) return hops_[known];
  std::vector<std::uint32_t> down;
  for (const std::uint32_t p : sw.down)
    if (covers(ports_[p].peer, host)) down.push_back(p);
  const bool edge = topology_.tier[topology_.hosts + s] == 1;
  if (down.empty() && edge && sw.all_up != kNone) {
    known = sw.all_up;
    return hops_[known];
  }
  known = static_cast<std::uint32_t>(hops_.size());
  const bool up = down.empty();
  hops_.push_back(up ? sw.up : std::move(down));
  if (up) permute(hops_.back());
  if (up && edge) sw.all_up = known;
  return hops_.back();
}

bool Network::covers(std::uint32_t node, std::uint32_t host) const {
  if (node < topology_.hosts) return node == host;
  const Switch& s = switches_[node - topology_.hosts];
  return std::any_of(s.down.begin(), s.down.end(), [&](std::uint32_t p) { return covers(ports_[p].peer, host); });
}

}  // namespace weir::replica::uet
