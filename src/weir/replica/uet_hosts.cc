// NICs and the two ends of flows (uec.cpp of uet-htsim).
//
// Lost packets are found by NACKs for trimmed ones, and by a timer for the oldest one. A sender whose window is closed
// when the timer fires sends a request, a header with a number of its own, that the receiver acknowledges.
#include <algorithm>
#include <bit>
#include <cmath>

#include "weir/replica/uet_network.h"

namespace weir::replica::uet {
namespace {

constexpr std::uint32_t kControlShare = 10;  // headers that a NIC sends for each data packet, when it has both
constexpr std::uint32_t kDataShare = 1;
constexpr double kBufferDrains = 6;   // in the retransmission timeout
constexpr double kLeastTimeout = 15;  // us, and these
constexpr std::uint32_t kBits = 64;   // of a bitmap

// Bytes in flight may be less than none, after requests were taken for lost data. Quick adapt keeps them without a
// sign.
std::int64_t in_32_bits(std::int64_t bytes) { return static_cast<std::uint32_t>(bytes); }

}  // namespace

Time unloaded_round_trip(Time way, std::int64_t mtu, unsigned links, Rate rate) {
  const double gbps = static_cast<double>(rate.bits_per_second) / 1e9;
  const auto transmitted = [&](std::int64_t bytes) { return static_cast<double>(bytes * 8) / gbps * links * 1000; };
  return {static_cast<std::int64_t>(static_cast<double>(2 * way.ps) + transmitted(mtu) + transmitted(kHeader))};
}

Time least_timeout(Bytes buffer, Rate rate) {
  const double drain =
      static_cast<double>(buffer.count) * kBufferDrains * 8 * 1e6 / static_cast<double>(rate.bits_per_second);
  return {static_cast<std::int64_t>((kLeastTimeout + drain) * 1e6)};
}

void Network::set_up_hosts() {
  tiers_ = *std::max_element(topology_.tier.begin(), topology_.tier.end());
  for (std::uint32_t p = 0; p < topology_.ports(); ++p) {
    if (!ports_[p].at_switch) nics_[ports_[p].owner].port = p;
    const unsigned tier = topology_.tier[ports_[p].owner];
    if (tier < topology_.tier[ports_[p].peer]) link_delay_[tier] = ports_[p].delay;
  }
  for (std::uint32_t h = 0; h < topology_.hosts; ++h) random_.bits();  // the port that a NIC with several begins with
  nic_rate_ = topology_.links[nics_.front().port / 2].rate;
  min_rto_ = least_timeout(params_.buffer, nic_rate_).ps;
}

// Of two hosts whose paths go up so many tiers. Transmissions are counted as if it were all tiers.
Time Network::base_rtt(unsigned tiers) const {
  const std::array latency{params_.edge_latency.ps, params_.middle_latency.ps, params_.core_latency.ps};
  std::int64_t way = latency[tiers - 1];
  for (unsigned t = 0; t < tiers; ++t) way += 2 * link_delay_[t] + (t + 1 < tiers ? 2 * latency[t] : 0);
  return unloaded_round_trip({way}, mtu_, 2 * tiers_, nic_rate_);
}

unsigned Network::tiers_of(std::uint32_t src, std::uint32_t dst) const {
  std::uint32_t node = ports_[nics_[src].port].peer;
  for (; !covers(node, dst); node = ports_[switches_[node - topology_.hosts].up.front()].peer) {
  }
  return topology_.tier[node];
}

void Network::add_flow(const UetConnection& connection) {
  const auto index = static_cast<std::uint32_t>(flows_.size());
  Flow& f = flows_.emplace_back(Flow{connection, index, Sender(params_, connection.one_path, random_), {}});
  Sender& s = f.sender;
  s.facts.line_rate = nic_rate_;
  s.facts.path_rate = nic_rate_;
  s.facts.network_rtt = base_rtt(tiers_);
  s.facts.base_rtt = params_.own_base_rtt ? base_rtt(tiers_of(connection.src, connection.dst)) : s.facts.network_rtt;
  s.facts.payload = {mss_};
  s.facts.wire = {mtu_};
  s.facts.size = connection.size;
  s.facts.trimming = params_.trimming;
  s.nscc.emplace(nscc_, s.facts, s.control);
  if (params_.window > Bytes{}) {
    s.control.window = params_.window;
    s.nscc->set_window(params_.window);
  }
  if (connection.trigger == kNoTrigger)
    schedule(connection.start.ps, {kStart, index});
  else
    triggered_[connection.trigger].push_back(index);
}

void Network::call(std::uint32_t trigger) {
  const UetTrigger& t = triggers_[trigger];
  const std::uint32_t calls = ++calls_[trigger];
  const auto& flows = triggered_[trigger];
  if (t.one_each) {
    if (calls <= flows.size()) pending_.push_back(flows[calls - 1]);
  } else if (calls == t.calls) {
    pending_.insert(pending_.end(), flows.begin(), flows.end());
  }
}

void Network::start_triggered() {
  while (!pending_.empty()) {
    const std::uint32_t flow = pending_.back();
    pending_.pop_back();
    start(flow);
  }
}

void Network::start(std::uint32_t flow) {
  Flow& f = flows_[flow];
  Sender& s = f.sender;
  f.start = now();
  s.facts.start = {now()};
  ++counters_.flows_started;
  s.backlog = (f.connection.size.count + mss_ - 1) / mss_ * kHeader + f.connection.size.count;
  send_if_permitted(flow);
}

// --- NICs ---

void Network::serve(std::uint32_t host) {
  Nic& nic = nics_[host];
  nic.busy = false;
  bool data = !nic.waiting.empty();
  if (data && !nic.control.empty()) {
    nic.turn = (nic.turn + 1) % (kControlShare + kDataShare);
    data = nic.turn < kDataShare;
  }
  if (data)
    time_to_send(nic.waiting.front());
  else if (!nic.control.empty())
    send_control_now(host);
}

// May the flow send now? Else it is called when it may.
bool Network::request_sending(std::uint32_t flow) {
  Nic& nic = nics_[flows_[flow].connection.src];
  if (nic.busy) nic.waiting.push_back(flow);
  return !nic.busy;
}

void Network::start_sending(std::uint32_t host, std::uint32_t size) {
  Nic& nic = nics_[host];
  if (!nic.waiting.empty()) nic.waiting.pop_front();
  occupy(host, size);
}

void Network::occupy(std::uint32_t host, std::uint32_t size) {
  constexpr std::int64_t kPicobits = 8'000'000'000'000;
  nics_[host].busy = true;
  schedule(now() + size * kPicobits / nic_rate_.bits_per_second, {kNic, host});
}

// The flow at the head of the line, which was called, does not send.
void Network::cant_send(std::uint32_t host) {
  Nic& nic = nics_[host];
  if (!nic.waiting.empty()) {
    nic.waiting.pop_front();
    if (!nic.waiting.empty()) {
      time_to_send(nic.waiting.front());
      return;
    }
  }
  if (!nic.control.empty()) send_control_now(host);
}

void Network::send_control(std::uint32_t host, std::uint32_t packet) {
  push(nics_[host].control, packet);
  if (!nics_[host].busy) send_control_now(host);
}

void Network::send_control_now(std::uint32_t host) {
  const std::uint32_t id = pop(nics_[host].control);
  occupy(host, packets_[id].size);
  enqueue(nics_[host].port, id);
}

// --- senders ---

std::uint32_t Network::next_size(const Sender& s) const {
  if (!s.lost.empty()) return s.lost.begin()->second;
  return static_cast<std::uint32_t>(std::min(mtu_, s.backlog));
}

bool Network::fits(const Sender& s, std::int64_t size) const { return s.control.window.count >= s.in_flight + size; }

bool Network::may_send(const Sender& s) const {
  const std::uint32_t size = next_size(s);
  return size > 0 && fits(s, size);
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
  const std::uint32_t size = next_size(s);
  s.backlog -= size;
  s.in_flight += size;
  const std::uint32_t id = new_packet(flow, PacketKind::data, s.next_seq, size);
  packets_[id].ack_requested = s.backlog == 0 || s.in_flight + size >= s.control.window.count;
  transmit(flow, id);
  ++s.next_seq;
  return size;
}

std::uint32_t Network::send_again(std::uint32_t flow) {
  Flow& f = flows_[flow];
  Sender& s = f.sender;
  const auto [seq, size] = *s.lost.begin();
  s.lost.erase(s.lost.begin());
  s.in_flight += size;
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
  const std::uint32_t id = take_packet();
  Packet& packet = packets_[id];
  packet.flow = flow;
  packet.kind = kind;
  packet.header = kind != PacketKind::data;
  packet.seq = seq;
  packet.size = size;
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

// At most one in a round trip of the network.
void Network::send_request(std::uint32_t flow) {
  Flow& f = flows_[flow];
  Sender& s = f.sender;
  if (s.last_request > 0 && now() - s.last_request < s.facts.network_rtt.ps) return;
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
  flows_[flow].sender.lost.emplace(seq, size);
  send_if_permitted(flow);
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
  sent.outstanding = false;
  const std::uint32_t size = sent.size;
  restart_timer(flow);
  s.in_flight -= size;
  s.nscc->on_loss(nscc_, s.facts, {.kind = cc::Loss::Kind::timeout, .now = {now()}, .lost = {size}}, s.control);
  const bool others = !s.lost.empty();
  queue_again(flow, seq, size);
  if (others) return;
  if (!fits(s, size)) {
    send_request(flow);
    return;
  }
  // It may have gone already: then the flow stands in the NIC's line twice.
  request_sending(flow);
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
  const Time rtt = round_trip(s, packet);
  if (rtt > Time{} && !packet.request && rtt < s.facts.base_rtt) set_base_rtt(s, rtt);
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
  s.nscc->on_ack(nscc_, s.facts, ack, s.control);
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
  if (!check_finished(flow, packet.expected)) send_if_permitted(flow);
}

// Valid if it is clear which transmission the acknowledgement is for; else 0.
Time Network::round_trip(Sender& s, const Packet& packet) const {
  const Sent* sent = outstanding(s, packet.seq);
  if (sent == nullptr || sent->resent != (packet.resent ? 1 : 0)) return {};
  return {now() - sent->at};
}

// What was to be sent again had been taken off the bytes in flight, and then the receiver's count took it off too.
void Network::acknowledge_up_to(std::uint32_t flow, std::uint32_t expected) {
  Sender& s = flows_[flow].sender;
  while (!s.lost.empty() && s.lost.begin()->first < expected) {
    s.in_flight += s.lost.begin()->second;
    s.lost.erase(s.lost.begin());
  }
  for (; s.first_sent < expected; ++s.first_sent) {
    if (s.sent.front().outstanding) not_outstanding(flow, s.sent.front());
    s.sent.pop_front();
  }
}

void Network::acknowledge_one(std::uint32_t flow, std::uint32_t seq) {
  Sender& s = flows_[flow].sender;
  if (Sent* sent = outstanding(s, seq)) {
    not_outstanding(flow, *sent);
  } else if (const auto lost = s.lost.find(seq); lost != s.lost.end()) {
    s.in_flight += lost->second;
    s.lost.erase(lost);
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
  s.nscc->on_loss(
      nscc_, s.facts,
      {.kind = cc::Loss::Kind::trim, .now = {now()}, .lost = {size}, .in_flight = {in_32_bits(s.in_flight) + size}},
      s.control);
  s.in_flight -= size;
  const bool restart = sent->at == s.timer_for;
  sent->outstanding = false;
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
  if (f.finished || packets * mss_ < f.connection.size.count) return f.finished;
  f.finished = true;
  ++counters_.flows_completed;
  finished_.push_back(record_of(f, {now()}));
  if (f.connection.triggers != kNoTrigger) call(f.connection.triggers);
  stop_timer(s);
  return true;
}

// --- receivers ---

void Network::receive(std::uint32_t, std::uint32_t id) {
  const Packet packet = packets_[id];
  give_packet(id);
  switch (packet.kind) {
    case PacketKind::ack:
      receive_ack(packet.flow, packet);
      request_marks_.push_back(packet.request);
      break;
    case PacketKind::nack: receive_nack(packet.flow, packet); break;
    case PacketKind::request: receive_request(packet.flow, packet); break;
    case PacketKind::data:
      if (packet.header)
        receive_trimmed(packet.flow, packet);
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
  r.unacknowledged += packet.size;
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

void Network::receive_trimmed(std::uint32_t flow, const Packet& packet) {
  if (has_arrived(flows_[flow].receiver, packet.seq)) {
    Packet unmarked = packet;
    unmarked.marked = false;
    send_ack(flow, unmarked, false);
    return;
  }
  const std::uint32_t id = take_packet();
  Packet& nack = packets_[id];
  nack.kind = PacketKind::nack;
  nack.header = true;
  nack.size = kHeader;
  nack.flow = flow;
  nack.seq = packet.seq;
  nack.entropy = packet.entropy;
  nack.marked = packet.marked;
  nack.trimmed_last = packet.trimmed_last;
  send_control(flows_[flow].connection.dst, id);
}

void Network::receive_request(std::uint32_t flow, const Packet& packet) {
  Receiver& r = flows_[flow].receiver;
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
  const std::uint32_t id = take_packet();
  Packet& ack = packets_[id];
  ack.kind = PacketKind::ack;
  ack.header = true;
  ack.size = kHeader;
  ack.flow = flow;
  ack.seq = packet.seq;
  ack.entropy = packet.entropy;
  ack.marked = packet.marked;
  ack.resent = packet.resent;
  ack.request = take_request_mark() || packet.kind == PacketKind::request;
  ack.expected = r.expected;
  ack.base =
      from_packet ? packet.seq : std::max(packet.seq >= kBits - 1 ? packet.seq - (kBits - 1) : 0, r.expected + 1);
  ack.bitmap = bitmap(r, ack.base);
  ack.received = r.bytes;
  send_control(flows_[flow].connection.dst, id);
}

host::FlowRecord Network::record_of(const Flow& f, Time finish) {
  return {.id = f.id,
          .src = f.connection.src,
          .dst = f.connection.dst,
          .size = f.connection.size,
          .start = {f.start},
          .finish = finish,
          .retransmitted = f.retransmitted,
          .profile = f.connection.profile,
          .tag = f.connection.tag};
}

}  // namespace weir::replica::uet
