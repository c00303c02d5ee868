// Hosts, the start of flows, and NICs (uec.cpp of uet-htsim).
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
  nic_rate_ = topology_.links[nics_.front().port / 2].rate;
  set_up_pacers();
  for (std::uint32_t h = 0; h < topology_.hosts; ++h) {
    if (params_.oversubscribed_cc) schedule_rate(h);
    random_.bits();  // the port that a NIC with several begins with
  }
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

void Network::add_flow(const UetConnection& connection, bool has_messages) {
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
  set_credit_cap(s.facts.base_rtt);
  s.nscc.emplace(nscc_, s.facts, s.control);
  s.nscc->wrap_sum_at_32_bits();
  if (params_.window > Bytes{}) {
    s.control.window = params_.window;
    s.nscc->set_window(params_.window);
  }
  if (has_messages) return;
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
  const std::int64_t size = flows_[flow].connection.size.count;
  begin(flow, (size + mss_ - 1) / mss_ * kHeader + size);
}

// With so many bytes to send, headers included.
void Network::begin(std::uint32_t flow, std::int64_t backlog) {
  Flow& f = flows_[flow];
  Sender& s = f.sender;
  f.start = now();
  s.facts.start = {now()};
  ++counters_.flows_started;
  s.backlog = backlog;
  s.credit.bytes = credit_cap_;
  send_if_permitted(flow);
}

void Network::serve(std::uint32_t host) {
  Nic& nic = nics_[host];
  nic.busy = false;
  bool data = !nic.waiting.empty();
  if (data && !nic.control.empty()) {
    nic.share_place = (nic.share_place + 1) % (kControlShare + kDataShare);
    data = nic.share_place < kDataShare;
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
  packets_.push(nics_[host].control, packet);
  if (!nics_[host].busy) send_control_now(host);
}

void Network::send_control_now(std::uint32_t host) {
  const std::uint32_t id = packets_.pop(nics_[host].control);
  occupy(host, packets_[id].size);
  enqueue(nics_[host].port, id);
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
