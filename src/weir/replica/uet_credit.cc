// Receiver credit (uec.cpp, uec_pcie and oversubscribed_cc of uet-htsim).
#include "weir/replica/uet_credit.h"

#include <algorithm>
#include <cmath>

#include "weir/replica/uet_network.h"

namespace weir::replica::uet {
namespace {

constexpr std::uint32_t kGrant = 64;      // quanta of a pull
constexpr std::uint32_t kNothing = 4;     // quanta that a pull of none takes
constexpr double kPulledShare = 0.99;     // of the link's rate
constexpr double kCreditProducts = 1.5;   // most credit, in bandwidth-delay products
constexpr unsigned kPullEntropies = 128;  // of pulls
constexpr double kManyMarks = 0.3;        // a share
constexpr double kRateRoundTrips = 1.5;   // between two changes of a shared rate, on average

}  // namespace

void SharedRate::count(What what) {
  ++packets_;
  marked_ += what == What::marked ? 1 : 0;
  trimmed_last_ += what == What::trimmed_last ? 1 : 0;
  trimmed_ += what == What::trimmed ? 1 : 0;
}

double SharedRate::adapt(const UetParams& params) {
  const std::uint64_t whole = packets_ - trimmed_last_ - trimmed_;
  const double share = whole == 0 ? 0 : static_cast<double>(marked_) / static_cast<double>(whole);
  bool decreased = false;
  if (trimmed_ > 0) {
    rate_ -= static_cast<double>(trimmed_) / static_cast<double>(packets_);
    decreased = true;
  }
  marks_ = marks_ * (1 - params.rate_gain) + params.rate_gain * share;
  if (marks_ > kManyMarks && params.rate_decrease > 0) {
    rate_ *= 1 - (marks_ - kManyMarks) * params.rate_decrease;
    decreased = true;
  }
  if (!decreased) rate_ += marked_ == 0 ? std::ldexp(params.rate_increase, steps_) : params.rate_increase;
  steps_ = decreased ? 0 : steps_ + 1;
  rate_ = std::min(std::max(rate_, params.least_rate), 1.0);
  packets_ = marked_ = trimmed_last_ = trimmed_ = 0;
  return rate_;
}

void Network::set_up_pacers() {
  constexpr double kPicobitsOfQuantum = 8.0 * kQuantum * 1e12;
  pull_time_ =
      static_cast<std::int64_t>(kPicobitsOfQuantum / static_cast<double>(nic_rate_.bits_per_second) / kPulledShare);
  if (params_.receiver_cc || params_.oversubscribed_cc) pacers_.resize(topology_.hosts);
  for (Pacer& pacer : pacers_) pacer.quantum = pull_time_;
  if (params_.oversubscribed_cc) shared_rates_.resize(topology_.hosts);
}

// One number for all flows: that of the connection which is made last.
void Network::set_credit_cap(Time base_rtt) {
  const auto seconds = static_cast<double>(base_rtt.ps) / 1e12;
  const std::int64_t bytes_per_second = nic_rate_.bits_per_second / 8;
  const auto product = static_cast<std::int64_t>(seconds * static_cast<double>(bytes_per_second));
  credit_cap_ = static_cast<std::int64_t>(kCreditProducts * static_cast<double>(product));
}

void Network::schedule_rate(std::uint32_t host) {
  const double part = 0.75 + random_.uniform() / 2;
  const double interval = part * kRateRoundTrips * static_cast<double>(network_rtt().ps);
  schedule(now() + static_cast<std::int64_t>(interval), {kRate, host});
}

void Network::adapt_rate(std::uint32_t host) {
  if (counters_.flows_completed == flows_.size()) return;  // nobody is left whom it would matter to
  const double rate = shared_rates_[host].adapt(params_);
  pacers_[host].quantum = static_cast<std::int64_t>(static_cast<double>(pull_time_) / std::min(1.0, rate));
  schedule_rate(host);
}

void Network::count_for_rate(const Packet& packet) {
  using What = SharedRate::What;
  const bool data = packet.kind == PacketKind::data;
  const What what = data && packet.header ? (packet.trimmed_last ? What::trimmed_last : What::trimmed)
                    : data && packet.marked && !packet.probe ? What::marked
                                                             : What::plain;
  shared_rates_[flows_[packet.flow].connection.dst].count(what);
}

// For a packet that goes now, whose bytes do not wait any more: what the sender could send beyond it.
void Network::spend_credit(std::uint32_t flow, std::uint32_t size) {
  const Flow& f = flows_[flow];
  Sender& s = flows_[flow].sender;
  Credit& credit = s.credit;
  credit.bytes -= size;
  std::int64_t wanted = s.backlog + s.lost_bytes;
  if (params_.sender_cc) wanted = std::min(wanted, s.control.window.count + mtu_);
  wanted = std::min(wanted, credit_cap_) - credit.bytes;
  if (credit.speculating && wanted < mtu_ && s.backlog > 0) wanted = mtu_;
  const auto line = static_cast<std::int64_t>(nics_[f.connection.src].waiting.size());
  if (line > 1) wanted /= line;
  credit.target = static_cast<std::uint32_t>((wanted + credit.pull * kQuantum + kQuantum - 1) / kQuantum);
}

// What is left of the first window is lost.
void Network::stop_speculating(Sender& s) {
  if (!s.credit.speculating) return;
  s.credit.speculating = false;
  s.credit.bytes = std::min<std::int64_t>(0, s.credit.bytes);
}

void Network::receive_pull(std::uint32_t flow, const Packet& packet) {
  Sender& s = flows_[flow].sender;
  Credit& credit = s.credit;
  stop_speculating(s);
  if (packet.pull > credit.pull) {
    credit.bytes = std::min(credit_cap_, credit.bytes + kQuantum * (packet.pull - credit.pull));
    credit.pull = packet.pull;
  }
  send_if_permitted(flow);
}

void Network::hear_target(std::uint32_t flow, std::uint32_t target) {
  Grants& grants = flows_[flow].receiver.grants;
  if (target <= grants.highest) return;
  grants.highest = target;
  activate(flow);
}

void Network::activate(std::uint32_t flow) {
  Grants& grants = flows_[flow].receiver.grants;
  if (grants.in_pull) return;
  grants.in_pull = true;
  const std::uint32_t host = flows_[flow].connection.dst;
  Pacer& pacer = pacers_[host];
  pacer.active.push_back(flow);
  if (pacer.running) return;
  pacer.running = true;
  schedule(now(), {kPacer, host});
}

// An idle flow is pulled until it is so much ahead that it could send all the credit that it can have.
void Network::pace(std::uint32_t host) {
  Pacer& pacer = pacers_[host];
  const bool active = !pacer.active.empty();
  auto& line = active ? pacer.active : pacer.idle;
  if (line.empty()) {
    pacer.running = false;
    return;
  }
  const std::uint32_t flow = line.front();
  line.pop_front();
  Grants& grants = flows_[flow].receiver.grants;
  std::uint32_t grant = kGrant;
  if (active && grants.latest + grant > grants.highest) grant = std::max(grants.highest, grants.latest) - grants.latest;
  grants.latest += grant;
  const bool more = grants.highest > grants.latest;
  if (active && more) {
    pacer.active.push_back(flow);
  } else if (active || (!more && grants.latest - grants.highest < credit_cap_ / kQuantum)) {
    pacer.idle.push_back(flow);
    if (active || !grants.in_slow) grants.in_pull = false;
    grants.in_slow = true;
  } else {
    grants.in_pull = grants.in_slow = false;
  }
  send_pull(flow);
  schedule(now() + pacer.quantum * (grant > 0 ? grant : kNothing), {kPacer, host});
}

void Network::send_pull(std::uint32_t flow) {
  Grants& grants = flows_[flow].receiver.grants;
  grants.pulls = static_cast<std::uint8_t>((grants.pulls + 1u) % kPullEntropies);
  const std::uint32_t id = packets_.take();
  Packet& pull = packets_[id] = {};
  pull.kind = PacketKind::pull;
  pull.header = true;
  pull.size = kHeader;
  pull.flow = flow;
  pull.entropy = grants.pulls;
  pull.pull = grants.latest;
  send_control(flows_[flow].connection.dst, id);
}

}  // namespace weir::replica::uet
