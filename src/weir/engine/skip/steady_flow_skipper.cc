#include "weir/engine/skip/steady_flow_skipper.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "weir/base/random.h"
#include "weir/engine/skip/skippable_kinds.h"
#include "weir/net/link/packet.h"

namespace weir::engine {
namespace {

// The length of a window, in round trips of the longest path.
constexpr std::uint32_t kRoundTrips = 8;
// The length of a round that `settle` counts, in round trips.
constexpr std::uint32_t kRoundTripsOfSettle = 2;
// The least number of windows in a part of a history.
constexpr std::size_t kLeastWindows = 2;
// The most windows that are remembered, and the longest span that is left out, relative to the length of the history.
constexpr std::size_t kMostWindows = 256;
constexpr double kMostLeftOut = 64;
// The entity of the random draws for checks of spans; for messages, it is the component.
constexpr std::uint32_t kSpans = ~std::uint32_t{0};

Time window_of(const Network& network, Time grid) { return (kRoundTrips * network.network_rtt / grid + 1) * grid; }

double difference(std::int64_t least, std::int64_t most) {
  return static_cast<double>(most - least) / static_cast<double>(most);
}

}  // namespace

SteadyFlowSkipper::SteadyFlowSkipper(const Model& model, Network& network, const FastForwardParams& params, Time grid)
    : model_(model), network_(network), params_(params), grid_(grid), window_(window_of(network, grid)) {
  totals_.theta = params.theta;
}

std::int64_t SteadyFlowSkipper::acknowledged(const History& c) const {
  return network_.hosts[c.src].acknowledged(flow_of(c));
}

void SteadyFlowSkipper::add_flow(const traffic::Flow& flow) {
  History& c = histories_[flow.id];
  c.ports = data_ports(model_, flow.src, flow.dst,
                       model_.entropy_of(flow.src, flow.dst, flow.sport, flow.dport, flow.profile), flow.profile);
  c.src = flow.src;
  c.start = flow.start;
  disturbed_.insert(disturbed_.end(), c.ports.begin(), c.ports.end());
}

void SteadyFlowSkipper::end(std::span<host::FlowRecord> records) {
  for (host::FlowRecord& r : records) {
    const auto at = histories_.find(r.id);
    const History& c = at->second;
    if (check_end_ > check_begin_ && c.pace.time > Time{} && r.finish > check_begin_)
      compare(c, r.size.count - c.before, r.finish - check_begin_);
    r.size.count += c.lost;
    r.start = c.start;
    r.finish += skipped_time_;
    disturbed_.insert(disturbed_.end(), c.ports.begin(), c.ports.end());
    histories_.erase(at);
  }
}

// Lets the flows on disturbed ports, those that share ports with these, and so on, settle anew.
void SteadyFlowSkipper::flood() {
  if (disturbed_.empty()) return;
  std::vector<std::vector<History*>> on_port(model_.topology.ports());
  for (auto& [id, history] : histories_)
    for (const std::uint32_t port : history.ports) on_port[port].push_back(&history);
  std::vector<std::uint32_t> open;
  open.swap(disturbed_);
  while (!open.empty()) {
    std::vector<History*> found;
    found.swap(on_port[open.back()]);
    open.pop_back();
    for (History* c : found) {
      c->samples.clear();
      c->settle = (params_.settle * kRoundTripsOfSettle + kRoundTrips - 1) / kRoundTrips;
      open.insert(open.end(), c->ports.begin(), c->ports.end());
    }
  }
}

void SteadyFlowSkipper::find_slots() {
  for (const host::Host& host : network_.hosts)
    for (const host::Flow* flow : host.flows)
      if (flow != nullptr) histories_.at(flow->id).slot = flow->slot;
}

void SteadyFlowSkipper::sample() {
  for (auto& [id, c] : histories_) {
    if (c.settle > 0) {
      --c.settle;
      continue;
    }
    if (c.samples.size() > kMostWindows) c.samples.erase(c.samples.begin());
    c.samples.push_back({acknowledged(c), flow_of(c).srtt, skipped_time_});
  }
}

SteadyFlowSkipper::Steady SteadyFlowSkipper::steady(const History& c, std::size_t windows) const {
  const std::size_t part = windows / params_.rounds;
  const std::size_t last = c.samples.size() - 1;
  const std::size_t first = last - part * params_.rounds;
  std::int64_t least = std::numeric_limits<std::int64_t>::max();
  std::int64_t most = 0;
  std::int64_t shortest = least;
  std::int64_t longest = 0;
  for (std::size_t begin = first; begin < last; begin += part) {
    const std::int64_t bytes = c.samples[begin + part].acknowledged - c.samples[begin].acknowledged;
    std::int64_t rtt = 0;
    for (std::size_t i = begin + 1; i <= begin + part; ++i)
      rtt += c.samples[i].rtt.ps / static_cast<std::int64_t>(part);
    least = std::min(least, bytes);
    most = std::max(most, bytes);
    shortest = std::min(shortest, rtt);
    longest = std::max(longest, rtt);
  }
  if (least == 0 || difference(shortest, longest) > params_.theta) return {};
  // Parts of equally many packets may still differ by one.
  const double packet = static_cast<double>(model_.transport.payload.count) / static_cast<double>(most);
  const double off = std::max(difference(least, most), packet);
  if (off > params_.theta) return {};
  const Time length = static_cast<std::int64_t>(last - first) * window_;
  const double share = std::min(kMostLeftOut, params_.theta / off);
  const Time allowed{std::llround(share * static_cast<double>(length.ps))};
  return {allowed - (skipped_time_ - c.samples.front().skipped_time),
          {c.samples[last].acknowledged - c.samples[first].acknowledged, length}};
}

// The longest span that the whole history, its last half or its last quarter allows: a change that is past does not
// count for ever, and a slow one is not overlooked.
SteadyFlowSkipper::Steady SteadyFlowSkipper::steady(const History& c) const {
  if (c.samples.empty()) return {};
  Steady best;
  const std::size_t all = c.samples.size() - 1;
  for (const std::size_t windows : {all, all / 2, all / 4})
    if (windows >= kLeastWindows * params_.rounds)
      if (const Steady s = steady(c, windows); s.span > best.span) best = s;
  return best;
}

// How long the flow can lose packets until no more than one window's packets are left that it has not sent.
Time SteadyFlowSkipper::until_near_end(const History& c, const Pace& pace) const {
  const host::Flow& flow = flow_of(c);
  const std::int64_t begun = flow.stacked ? std::max(flow.snd_max, flow.send_limit) : flow.snd_max;
  const std::int64_t unsent = flow.size() - begun - c.bytes_carried - model_.transport.payload.count;
  if (unsent <= 0) return {};
  return Time{static_cast<std::int64_t>(static_cast<__int128>(unsent) * pace.time.ps / pace.bytes)} - window_;
}

void SteadyFlowSkipper::look(Time now, Time limit) {
  if (now.ps % window_.ps != 0) return;
  find_slots();
  flood();
  sample();
  if (check_end_ > check_begin_) {
    if (now < check_end_) return;
    for (auto& [id, c] : histories_) {
      if (c.pace.time > Time{}) compare(c, acknowledged(c) - c.before, now - check_begin_);
      c.pace = {};
    }
    check_begin_ = check_end_;
  }
  Time span = limit - (now + skipped_time_);
  if (histories_.empty()) return;
  for (auto& [id, c] : histories_) {
    const Steady s = steady(c);
    c.pace = s.pace;
    if (s.span > Time{}) span = std::min({span, s.span, until_near_end(c, s.pace)});
    if (s.span <= Time{} || span < window_) return;
  }
  const bool is_checked = RandomStream(model_.seed, kSpans, Purpose::fast_forward).uniform(draws_++) < params_.check;
  if (!is_checked) {
    span_begin_ = now + skipped_time_;
    span_end_ = span_begin_ + span / grid_ * grid_;
    ++totals_.spans;
    return;
  }
  check_begin_ = now;
  check_end_ = now + span / window_ * window_;
  for (auto& [id, c] : histories_) c.before = acknowledged(c);
}

void SteadyFlowSkipper::pass(Time now, Time until, Time limit) {
  if (span_end_ == span_begin_) return;
  const Time at = now + skipped_time_;
  // Something comes from outside before the span was to end.
  if (limit < span_end_) span_end_ = std::max(at, span_begin_ + (limit - span_begin_) / grid_ * grid_);
  const Time next = std::min(until, span_end_);
  for (auto& [id, c] : histories_) {
    const std::int64_t bytes = c.bytes_carried + c.pace.in(next - span_begin_);
    const std::int64_t packets = bytes / model_.transport.payload.count;
    shorten(c, packets - c.packets_skipped);
    c.packets_skipped = packets;
    if (next < span_end_) continue;
    c.bytes_carried = bytes % model_.transport.payload.count;
    c.packets_skipped = 0;
    c.pace = {};
  }
  skipped_time_ += next - at;
  totals_.skipped_time = skipped_time_;
  if (next == span_end_) span_begin_ = span_end_;
}

// Takes away whole packets that the flow has not sent yet.
void SteadyFlowSkipper::shorten(History& c, std::int64_t packets) {
  const std::int64_t bytes = packets * model_.transport.payload.count;
  host::Flow& flow = flow_of(c);
  flow.facts.size.count -= bytes;
  if (flow.selective) {
    host::Scoreboard& board = network_.hosts[c.src].extras[c.slot].scoreboard;
    board.shorten(bytes);
    if (!flow.stacked) flow.send_limit = board.limit(flow.snd_una);
  } else if (!flow.stacked) {
    flow.send_limit -= bytes;
  }
  c.lost += bytes;
  totals_.unsent += static_cast<std::uint64_t>(packets);
}

void SteadyFlowSkipper::compare(const History& c, std::int64_t delivered, Time span) {
  const double error = std::abs(static_cast<double>(c.pace.in(span)) / static_cast<double>(delivered) - 1);
  ++totals_.checked;
  error_sum_ += error;
  totals_.worst_error = std::max(totals_.worst_error, error);
}

host::Flow SteadyFlowSkipper::reported(const host::Flow& flow) const {
  host::Flow out = flow;
  const History& c = histories_.at(flow.id);
  out.facts.start = c.start;
  out.facts.size.count += c.lost;
  for (auto* place : {&out.snd_una, &out.snd_nxt, &out.snd_max, &out.send_limit}) *place += c.lost;
  return out;
}

FastForwardReport SteadyFlowSkipper::report() const {
  FastForwardReport out = totals_;
  if (out.checked > 0) out.mean_error = error_sum_ / static_cast<double>(out.checked);
  return out;
}

}  // namespace weir::engine
