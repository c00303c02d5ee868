// Senders of flows (uec.cpp of uet-htsim).
//
// Lost packets are found by NACKs for trimmed ones, and by a timer for the oldest one. A sender whose window is closed
// when the timer fires sends a request, a header with a number of its own, that the receiver acknowledges.
#include <algorithm>

#include "weir/replica/uet_network.h"

namespace weir::replica::uet {
namespace {

// Bytes in flight may be less than none, after requests were taken for lost data. Quick adapt keeps them without a
// sign.
std::int64_t in_32_bits(std::int64_t bytes) { return static_cast<std::uint32_t>(bytes); }

}  // namespace

std::uint32_t Network::next_size(const Sender& s) const {
  if (!s.lost.empty()) return s.lost.begin()->second;
  return static_cast<std::uint32_t>(std::min(mtu_, s.backlog));
}

bool Network::fits(const Sender& s, std::int64_t size) const {
  return !params_.sender_cc || s.control.window.count >= s.in_flight + size;
}

bool Network::may_send(const Sender& s) const {
  const std::uint32_t size = next_size(s);
  return size > 0 && has_credit(s) && (fits(s, size) || (s.sleek.losing && !s.lost.empty()));
}

void Network::send_if_permitted(std::uint32_t flow) {
  Sender& s = flows_[flow].sender;
  while (may_send(s) && !s.waits_for_nic) {
    if (request_sending(flow))
      start_sending(flows_[flow].connection.src, send_packet(flow));
    else
      s.waits_for_nic = true;
  }
}

// The NIC is free, and it is this flow's turn.
void Network::time_to_send(std::uint32_t flow) {
  Sender& s = flows_[flow].sender;
  const std::uint32_t host = flows_[flow].connection.src;
  s.waits_for_nic = false;
  if (!may_send(s)) {
    cant_send(host);
    return;
  }
  start_sending(host, send_packet(flow));
  if (!may_send(s)) return;
  request_sending(flow);
  s.waits_for_nic = true;
}

std::uint32_t Network::send_packet(std::uint32_t flow) {
  return flows_[flow].sender.lost.empty() ? send_new(flow) : send_again(flow);
}

std::uint32_t Network::send_new(std::uint32_t flow) {
  Flow& f = flows_[flow];
  Sender& s = f.sender;
  const std::uint32_t size = s.messages.empty() ? next_size(s) : next_piece(s.messages);
  s.backlog -= size;
  s.in_flight += size;
  if (params_.receiver_cc) spend_credit(flow, size);
  const std::uint32_t id = new_packet(flow, PacketKind::data, s.next_seq, size);
  packets_[id].ack_requested =
      s.backlog == 0 || !has_credit(s) || (params_.sender_cc && s.in_flight + size >= s.control.window.count);
  transmit(flow, id);
  if (!s.messages.empty()) note_piece(s);
  ++s.next_seq;
  return size;
}

std::uint32_t Network::send_again(std::uint32_t flow) {
  Flow& f = flows_[flow];
  Sender& s = f.sender;
  const auto [seq, size] = *s.lost.begin();
  take_from_lost(s, s.lost.begin());
  if (params_.receiver_cc) spend_credit(flow, size);
  const std::uint32_t id = new_packet(flow, PacketKind::data, seq, size);
  packets_[id].ack_requested = true;
  packets_[id].resent = true;
  transmit(flow, id);
  ++f.retransmitted;
  ++counters_.retransmitted;
  return size;
}

std::uint32_t Network::new_packet(std::uint32_t flow, PacketKind kind, std::uint32_t seq, std::uint32_t size) {
  Sender& s = flows_[flow].sender;
  const std::uint32_t id = packets_.take();
  Packet& packet = packets_[id] = {};
  packet.flow = flow;
  packet.kind = kind;
  packet.header = kind != PacketKind::data;
  packet.seq = seq;
  packet.size = size;
  packet.pull = s.credit.target;
  packet.entropy = s.paths.next(s.next_seq, static_cast<std::uint64_t>(s.control.window.count / mss_));
  return id;
}

void Network::transmit(std::uint32_t flow, std::uint32_t id) {
  Flow& f = flows_[flow];
  note_sent(f.sender, packets_[id].seq, packets_[id].size);
  ++counters_.data_packets;
  enqueue(nics_[f.connection.src].port, id);
  start_timer(flow, now());
}

// At most one in a round trip of the network, which is not known without sender control.
void Network::send_request(std::uint32_t flow) {
  Flow& f = flows_[flow];
  Sender& s = f.sender;
  const bool lately = s.last_request > 0 && now() - s.last_request < s.facts.network_rtt.ps;
  if (lately && params_.sender_cc) return;
  note_sent(s, s.next_seq, kHeader);
  const std::uint32_t id = new_packet(flow, PacketKind::request, s.next_seq, kHeader);
  send_control(f.connection.src, id);
  ++s.next_seq;
  ++s.requests;
  s.last_request = now();
  start_timer(flow, now());
}

void Network::note_sent(Sender& s, std::uint32_t seq, std::uint32_t size) const {
  if (seq - s.first_sent == s.sent.size()) s.sent.emplace_back();
  Sent& sent = s.sent[seq - s.first_sent];
  sent.at = now();
  sent.size = size;
  ++sent.resent;
  sent.outstanding = true;
  s.times.emplace_back(now(), seq);
}

Sent* Network::outstanding(Sender& s, std::uint32_t seq) {
  if (seq < s.first_sent || seq - s.first_sent >= s.sent.size()) return nullptr;
  Sent& sent = s.sent[seq - s.first_sent];
  return sent.outstanding ? &sent : nullptr;
}

void Network::queue_again(std::uint32_t flow, std::uint32_t seq, std::uint32_t size) {
  Sender& s = flows_[flow].sender;
  if (s.lost.emplace(seq, size).second) s.lost_bytes += size;
  if (!(params_.receiver_cc && s.credit.speculating)) send_if_permitted(flow);
}

// Its bytes are in flight again, or had been taken off twice: as lost, and by the receiver's count.
void Network::take_from_lost(Sender& s, std::map<std::uint32_t, std::uint32_t>::iterator lost) {
  s.in_flight += lost->second;
  s.lost_bytes -= lost->second;
  s.lost.erase(lost);
}

void Network::start_timer(std::uint32_t flow, std::int64_t sent_at) {
  Sender& s = flows_[flow].sender;
  if (s.timer) return;
  s.timer = true;
  s.timeout = std::max(now(), sent_at + min_rto_);
  s.timer_for = sent_at;
  schedule(s.timeout, {kTimer, flow, ++s.timer_number});
}

// To the oldest packet that is outstanding, if there is one.
void Network::restart_timer(std::uint32_t flow) {
  Sender& s = flows_[flow].sender;
  stop_timer(s);
  if (const auto* oldest = oldest_outstanding(s)) start_timer(flow, oldest->first);
}

void Network::stop_timer(Sender& s) {
  s.timer = false;
  ++s.timer_number;
}

// When it was sent, and its number.
const std::pair<std::int64_t, std::uint32_t>* Network::oldest_outstanding(Sender& s) {
  for (; !s.times.empty(); s.times.pop_front()) {
    const auto& [at, seq] = s.times.front();
    const Sent* sent = outstanding(s, seq);
    if (sent != nullptr && sent->at == at) return &s.times.front();
  }
  return nullptr;
}

void Network::not_outstanding(std::uint32_t flow, Sent& sent) {
  const Sender& s = flows_[flow].sender;
  sent.outstanding = false;
  if (sent.at == s.timer_for) restart_timer(flow);
}

void Network::timed_out(std::uint32_t flow) {
  Flow& f = flows_[flow];
  Sender& s = f.sender;
  ++counters_.timeouts;
  const std::uint32_t seq = oldest_outstanding(s)->second;
  Sent& sent = *outstanding(s, seq);
  s.paths.feedback(0, PathFeedback::timeout, now());
  if (s.sleek.losing) {
    time_out_in_loss_mode(flow, seq, sent.resent > 0);
    return;
  }
  sent.outstanding = false;
  const std::uint32_t size = sent.size;
  restart_timer(flow);
  if (params_.sender_cc) {
    s.in_flight -= size;
    s.nscc->on_loss(nscc_, s.facts, {.kind = cc::Loss::Kind::timeout, .now = {now()}, .lost = {size}}, s.control);
  }
  const bool others = !s.lost.empty();
  if (others && params_.receiver_cc) stop_speculating(s);
  queue_again(flow, seq, size);
  if (others) {
    if (params_.receiver_cc) send_request(flow);
    return;
  }
  if (!fits(s, size) || !has_credit(s)) {
    send_request(flow);
    return;
  }
  // It may have gone already: then the flow stands in the NIC's line twice. If the NIC is free, as it can be for one
  // that still speculates, it is busy for the time of one byte.
  if (!request_sending(flow)) return;
  send_again(flow);
  start_sending(f.connection.src, 1);
}

void Network::set_base_rtt(Sender& s, Time rtt) const {
  s.facts.base_rtt = rtt;
  const double us = static_cast<double>(rtt.ps) / 1e6;
  const auto product = static_cast<std::int64_t>(us * static_cast<double>(nic_rate_.bits_per_second) / 8'000'000);
  s.nscc->set_largest_window({static_cast<std::int64_t>(nscc_.max_window * static_cast<double>(product))});
}

// Memory of acknowledgements is used again there, the last one given back first, and that one was for a request is not
// wiped out: whether it is taken for one depends on those before it.
bool Network::take_request_mark() {
  if (request_marks_.empty()) return false;
  const bool mark = request_marks_.back();
  request_marks_.pop_back();
  return mark;
}

void Network::receive_ack(std::uint32_t flow, const Packet& packet) {
  Flow& f = flows_[flow];
  Sender& s = f.sender;
  const std::int64_t acked = std::max<std::int64_t>(0, packet.received - s.received);
  s.received += acked;
  s.in_flight -= acked;
  const Time rtt = packet.probe ? probe_round_trip(s, packet) : round_trip(s, packet);
  if (rtt > Time{} && !packet.request && !packet.probe && rtt < s.facts.base_rtt) set_base_rtt(s, rtt);
  acknowledge_up_to(flow, packet.expected);
  std::uint32_t seq = packet.base;
  for (std::uint64_t bits = packet.bitmap; bits != 0; bits >>= 1, ++seq)
    if ((bits & 1) != 0) acknowledge_one(flow, seq);
  s.paths.feedback(packet.entropy, packet.marked ? PathFeedback::marked : PathFeedback::good, now());
  cc::Ack ack;
  ack.now = {now()};
  ack.rtt = rtt;
  ack.acked = {acked};
  ack.in_flight = {in_32_bits(s.in_flight)};
  ack.ecn = packet.marked;
  double delay = 0;
  if (params_.sender_cc) delay = react(s, packet, ack);
  if (watch_)
    watch_({.now = {now()},
            .flow = f.connection.number,
            .rtt = rtt,
            .average_delay = s.nscc->average_delay(),
            .marked = packet.marked,
            .entropy = packet.entropy,
            .expected = packet.expected,
            .packet = packet.seq,
            .window = s.control.window});
  if (params_.sleek && params_.sender_cc) look_for_losses(flow, packet, delay);
  if (params_.receiver_cc) stop_speculating(s);
  if (!check_finished(flow, packet.expected)) send_if_permitted(flow);
}

// Valid if it is clear which transmission the acknowledgement is for; else 0.
Time Network::round_trip(Sender& s, const Packet& packet) const {
  const Sent* sent = outstanding(s, packet.seq);
  if (sent == nullptr || sent->resent != (packet.resent ? 1 : 0)) return {};
  return {now() - sent->at};
}

void Network::acknowledge_up_to(std::uint32_t flow, std::uint32_t expected) {
  Sender& s = flows_[flow].sender;
  while (!s.lost.empty() && s.lost.begin()->first < expected) take_from_lost(s, s.lost.begin());
  for (; s.first_sent < expected; ++s.first_sent) {
    if (s.sent.front().outstanding) not_outstanding(flow, s.sent.front());
    if (!s.messages.empty()) acknowledge_piece(s.messages, s.sent.front());
    s.sent.pop_front();
  }
}

void Network::acknowledge_one(std::uint32_t flow, std::uint32_t seq) {
  Sender& s = flows_[flow].sender;
  if (!s.messages.empty() && seq >= s.first_sent && seq - s.first_sent < s.sent.size())
    acknowledge_piece(s.messages, s.sent[seq - s.first_sent]);
  if (Sent* sent = outstanding(s, seq)) {
    not_outstanding(flow, *sent);
  } else if (const auto lost = s.lost.find(seq); lost != s.lost.end()) {
    take_from_lost(s, lost);
  }
}

void Network::receive_nack(std::uint32_t flow, const Packet& packet) {
  Sender& s = flows_[flow].sender;
  ++counters_.nacks;
  Sent* sent = outstanding(s, packet.seq);
  if (sent == nullptr) return;
  const Time rtt{now() - sent->at};
  if (params_.base_rtt_of_nacks && rtt < s.facts.base_rtt) set_base_rtt(s, rtt);
  const std::uint32_t size = sent->size;
  // Quick adapt counts the packet as in flight still.
  const cc::Loss loss{
      .kind = cc::Loss::Kind::trim, .now = {now()}, .lost = {size}, .in_flight = {in_32_bits(s.in_flight) + size}};
  if (params_.sender_cc && params_.receiver_cc && packet.trimmed_last)
    s.nscc->on_trim_at_receiver(nscc_, s.facts, loss, s.control);
  else if (params_.sender_cc)
    s.nscc->on_loss(nscc_, s.facts, loss, s.control);
  s.in_flight -= size;
  const bool restart = sent->at == s.timer_for;
  sent->outstanding = false;
  if (params_.receiver_cc) stop_speculating(s);
  queue_again(flow, packet.seq, size);
  if (restart) restart_timer(flow);
  const auto feedback = !packet.trimmed_last ? PathFeedback::nack
                        : packet.marked      ? PathFeedback::marked
                                             : PathFeedback::good;
  s.paths.feedback(packet.entropy, feedback, now());
  send_if_permitted(flow);
}

bool Network::check_finished(std::uint32_t flow, std::uint32_t expected) {
  Flow& f = flows_[flow];
  Sender& s = f.sender;
  const std::int64_t packets = std::int64_t{expected} - s.requests;
  const bool done = s.messages.empty() ? packets * mss_ >= f.connection.size.count : messages_are_done(flow);
  if (f.finished || !done) return f.finished;
  f.finished = true;
  ++counters_.flows_completed;
  finished_.push_back(record_of(f, {now()}));
  if (f.connection.triggers != kNoTrigger) call(f.connection.triggers);
  stop_timer(s);
  return true;
}

}  // namespace weir::replica::uet
