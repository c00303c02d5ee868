// Receivers of flows (uec.cpp of uet-htsim).
#include <algorithm>
#include <bit>

#include "weir/replica/uet_network.h"

namespace weir::replica::uet {
namespace {

constexpr std::uint32_t kBits = 64;  // of a bitmap

}  // namespace

void Network::receive(std::uint32_t, std::uint32_t id) {
  const Packet packet = packets_[id];
  packets_.give(id);
  if (params_.oversubscribed_cc && to_receiver(packet.kind)) count_for_rate(packet);
  switch (packet.kind) {
    case PacketKind::ack:
      receive_ack(packet.flow, packet);
      request_marks_.push_back(packet.request);
      break;
    case PacketKind::nack: receive_nack(packet.flow, packet); break;
    case PacketKind::pull: receive_pull(packet.flow, packet); break;
    case PacketKind::request: receive_request(packet.flow, packet); break;
    case PacketKind::data:
      if (packet.header)
        receive_trimmed(packet.flow, packet);
      else if (packet.probe)
        send_ack(packet.flow, packet, false);
      else
        receive_data(packet.flow, packet);
  }
}

bool Network::has_arrived(const Receiver& r, std::uint32_t seq) {
  return seq < r.expected || (seq / kBits < r.arrived.size() && (r.arrived[seq / kBits] >> seq % kBits & 1) != 0);
}

// A packet that is new. True if the next expected one has come.
bool Network::accept(Receiver& r, std::uint32_t seq) {
  r.arrived.resize(std::max<std::size_t>(r.arrived.size(), seq / kBits + 2));
  const auto word = [&](std::uint32_t n) -> std::uint64_t& { return r.arrived[n / kBits]; };
  const auto bit = [](std::uint32_t n) { return std::uint64_t{1} << n % kBits; };
  if (seq != r.expected) {
    word(seq) |= bit(seq);
    ++r.out_of_order;
    return false;
  }
  for (++r.expected; (word(r.expected) & bit(r.expected)) != 0; ++r.expected) {
    word(r.expected) &= ~bit(r.expected);
    --r.out_of_order;
  }
  return true;
}

// The packets from `base` on that have come out of order.
std::uint64_t Network::bitmap(const Receiver& r, std::uint32_t base) {
  const auto word = [&](std::uint32_t n) { return n < r.arrived.size() ? r.arrived[n] : 0; };
  const unsigned shift = base % kBits;
  const std::uint64_t low = word(base / kBits) >> shift;
  return shift == 0 ? low : low | word(base / kBits + 1) << (kBits - shift);
}

void Network::receive_data(std::uint32_t flow, const Packet& packet) {
  Receiver& r = flows_[flow].receiver;
  if (params_.receiver_cc) hear_target(flow, packet.pull);
  r.unacknowledged = static_cast<std::uint16_t>(r.unacknowledged + packet.size);
  if (packet.marked) ++counters_.marked;
  if (has_arrived(r, packet.seq)) {
    send_ack(flow, packet, packet.marked);
    r.unacknowledged = 0;
    return;
  }
  bool at_once = r.payload == 0 || packet.ack_requested || packet.marked;
  r.payload += packet.size - kHeader;
  r.bytes += packet.size;
  r.ack_requested = r.ack_requested || packet.ack_requested;
  if (accept(r, packet.seq) && r.out_of_order == 0 && r.ack_requested) {
    at_once = true;
    r.ack_requested = false;
  }
  if (!at_once && r.unacknowledged < params_.sack_threshold.count) return;
  r.unacknowledged = 0;
  send_ack(flow, packet, packet.marked || packet.ack_requested);
}

std::uint32_t Network::new_answer(PacketKind kind, std::uint32_t flow, const Packet& to) {
  const std::uint32_t id = packets_.take();
  Packet& answer = packets_[id] = {};
  answer.kind = kind;
  answer.header = true;
  answer.size = kHeader;
  answer.flow = flow;
  answer.seq = to.seq;
  answer.entropy = to.entropy;
  answer.marked = to.marked;
  return id;
}

void Network::receive_trimmed(std::uint32_t flow, const Packet& packet) {
  if (has_arrived(flows_[flow].receiver, packet.seq)) {
    Packet unmarked = packet;
    unmarked.marked = false;
    send_ack(flow, unmarked, false);
    return;
  }
  if (params_.receiver_cc) hear_target(flow, packet.pull);
  const std::uint32_t id = new_answer(PacketKind::nack, flow, packet);
  packets_[id].trimmed_last = packet.trimmed_last;
  send_control(flows_[flow].connection.dst, id);
  if (params_.receiver_cc) activate(flow);
}

void Network::receive_request(std::uint32_t flow, const Packet& packet) {
  Receiver& r = flows_[flow].receiver;
  if (params_.receiver_cc) {
    hear_target(flow, packet.pull);
    activate(flow);
  }
  if (has_arrived(r, packet.seq)) {
    send_ack(flow, packet, false);
    r.unacknowledged = 0;
    return;
  }
  if (accept(r, packet.seq) && r.out_of_order == 0) r.ack_requested = false;
  send_ack(flow, packet, true);
}

// The bitmap begins with the packet itself, or ends with it as far as what is before it has come.
void Network::send_ack(std::uint32_t flow, const Packet& packet, bool from_packet) {
  const Receiver& r = flows_[flow].receiver;
  const std::uint32_t id = new_answer(PacketKind::ack, flow, packet);
  Packet& ack = packets_[id];
  ack.resent = packet.resent;
  ack.request = take_request_mark() || packet.kind == PacketKind::request;
  ack.expected = r.expected;
  ack.base =
      from_packet ? packet.seq : std::max(packet.seq >= kBits - 1 ? packet.seq - (kBits - 1) : 0, r.expected + 1);
  ack.bitmap = bitmap(r, ack.base);
  ack.received = r.bytes;
  ack.out_of_order = r.out_of_order;
  ack.probe = packet.probe;
  send_control(flows_[flow].connection.dst, id);
}

}  // namespace weir::replica::uet
