#include "hosts/queue/sending.h"

#include <algorithm>
#include <limits>
#include <utility>

namespace weir::hosts {
namespace {

// Of how late this process was woken, a 16th is forgotten each second.
constexpr std::int64_t kForgetLate = 16;
constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
// An answer takes as long as the packet and some time for the way back. One that has not come after so many times as
// long will not come: not every packet is answered.
constexpr std::int64_t kAnswered = 3;

}  // namespace

Sending::Sending(const PathSettings& settings, const ShownClock& clock, std::size_t most_flows)
    : hold_(settings.hold),
      max_hold_(settings.max_hold),
      many_hold_(std::max(settings.max_hold, settings.many_hold)),
      live_for_(settings.live_for),
      rule_(settings.rule),
      clock_(clock),
      most_flows_(most_flows),
      beat_(std::numeric_limits<std::int64_t>::min() / 2) {}

void Sending::set_peer(const Peer& peer) {
  auto& state = peers_[peer.address];
  if (!state) state = std::make_unique<PeerState>();
  const bool lets_go = state->peer.held && !peer.held;
  state->peer = peer;
  state->params = {
      .threshold = rule_threshold(peer, hold_),
      .max_pause = rule_.max_pause != 0 && peer.certain ? std::max(rule_.max_pause, many_hold_) : rule_.max_pause,
      .max_age = kLongestWait,
      .gain = rule_.gain,
      .initial_beta = rule_.initial_beta,
      .strawman = rule_.strawman};
  if (lets_go) reschedule(state.get());
}

// What waits for it leaves with the next release().
void Sending::remove_peer(const Address& address) {
  const auto found = peers_.find(address);
  if (found == peers_.end()) return;
  const std::unique_ptr<PeerState> gone = std::move(found->second);
  peers_.erase(found);
  gone->peer.held = false;
  reschedule(gone.get());
  for (auto& [key, flow] : flows_)
    if (flow->peer == gone.get()) flow->peer = nullptr;
}

// Packets to a peer that is no longer held.
void Sending::reschedule(const PeerState* peer) {
  for (auto& [key, flow] : flows_)
    if (flow->peer == peer && !flow->waiting.empty()) schedule(*flow, flow->waiting.front().arrived);
}

const Peer* Sending::find_peer(const Address& address) const {
  const auto found = peers_.find(address);
  return found == peers_.end() ? nullptr : &found->second->peer;
}

void Sending::beat(std::int64_t at) {
  if (at <= beat_) return;
  beat_ = at;
  was_live_ = true;
}

bool Sending::holds(const FlowState& flow, std::int64_t now) const {
  return hold_ && flow.peer != nullptr && flow.peer->peer.held && live(now);
}

// The flow of the segment, made if need be; nullptr: it has no peer, or there is no room.
Sending::FlowState* Sending::flow_of(const Segment& segment) {
  const auto found = flows_.find(segment.flow);
  if (found != flows_.end() && found->second->peer != nullptr) return found->second.get();
  const auto peer = peers_.find(segment.flow.destination);
  if (found != flows_.end()) {
    if (peer != peers_.end()) found->second->peer = peer->second.get();
    return found->second.get();
  }
  if (peer == peers_.end()) return nullptr;
  if (flows_.size() >= most_flows_) {
    ++counters_.flows_refused;
    return nullptr;
  }
  auto& flow = flows_[segment.flow];
  flow = std::make_unique<FlowState>();
  flow->view.flow = segment.flow;
  flow->peer = peer->second.get();
  weir_on_ramp_start(&flow->rule, &flow->peer->params);
  return flow.get();
}

void Sending::arrive(std::uint32_t id, const Segment& segment, std::int64_t now) {
  FlowState* flow = flow_of(segment);
  if (flow == nullptr) {
    at_once_.push_back(id);
    ++counters_.bypassed;
    return;
  }
  flow->waiting.push_back({id, segment, now, false});
  if (flow->waiting.size() == 1)
    schedule(*flow, now);
  else
    flow->waiting.back().held = flow->due > now;
}

void Sending::pass(const Segment& segment, std::int64_t now) {
  if (FlowState* flow = flow_of(segment)) leave(*flow, segment, 0, now);
}

void Sending::unschedule(FlowState& flow) { due_.erase({flow.due, flow.turn, &flow}); }

// When the flow's next packet may leave.
std::int64_t Sending::next_turn(const FlowState& flow) const {
  const std::int64_t pause_end = flow.rule.pause_end;
  if (!flow.unanswered || flow.waiting.front().segment.length == 0) return pause_end;
  return std::max(pause_end, flow.left + kAnswered * flow.view.delay);
}

// How long a packet of the flow waits at most.
std::int64_t Sending::longest_wait(const FlowState& flow) const {
  std::int64_t bound = max_hold_;
  if (flow.crowded && flow.peer != nullptr && flow.peer->peer.certain) {
    const std::int64_t round = 2 * flow.view.delay - flow.peer->params.threshold;
    bound = std::clamp(kHeldRounds * round, max_hold_, many_hold_);
  }
  return bound - std::min(std::max(bound / 16, late_), bound);
}

// Gives a flow whose packets wait its (new) place.
void Sending::schedule(FlowState& flow, std::int64_t now) {
  unschedule(flow);
  flow.due = now;
  if (holds(flow, now))
    flow.due = std::max(now, std::min(next_turn(flow), flow.waiting.front().arrived + longest_wait(flow)));
  flow.turn = ++turns_;
  due_.insert({flow.due, flow.turn, &flow});
  if (flow.due > now)
    for (Waiting& w : flow.waiting) w.held = true;
}

Sending::Heard Sending::hear(const Report& report, std::int64_t now) {
  const auto found = flows_.find(report.flow);
  if (found == flows_.end() || found->second->peer == nullptr) return Heard::unknown_flow;
  FlowState& flow = *found->second;
  weir_on_ramp_note sent{};
  const int place = weir_on_ramp_find(&flow.rule, report.seq, &sent);
  if (place == 0) return Heard::no_note;

  // On the clock that we show; what the rule is told is the difference of two times on it.
  const ClockLine& line = flow.peer->peer.clock;
  const std::int64_t left = clock_.at(sent.sent);
  const std::int64_t received = ours(line, report.received);
  if (received < left - line.sigma || received > clock_.at(now) + line.sigma) return Heard::wrong_time;

  const std::int64_t delay = received - left;
  const bool pauses = weir_on_ramp_on_found(&flow.rule, &flow.peer->params, place, &sent, report.seq, delay, now) == 2;
  flow.view.delay = delay;
  ++flow.view.or_acks;
  if (pauses) ++counters_.pauses;
  const bool waited = flow.unanswered;
  flow.crowded = delay > flow.peer->params.threshold;
  if (!flow.crowded || !weir_on_ramp_before(report.seq, flow.asked)) flow.unanswered = false;
  if ((pauses || waited) && !flow.waiting.empty()) schedule(flow, now);
  if (tell_)
    tell_({.kind = Decision::Kind::or_ack,
           .time = now,
           .flow = report.flow,
           .seq = report.seq,
           .delay = delay,
           .beta = static_cast<double>(flow.rule.beta) / WEIR_ON_RAMP_ONE,
           .pause = pauses ? flow.rule.pause_end - now : 0});
  return pauses ? Heard::paused : Heard::heard;
}

void Sending::release(std::int64_t now, std::vector<std::uint32_t>& ids) {
  if (was_live_ && !live(now)) {
    was_live_ = false;
    if (hold_) ++counters_.heartbeat_expiries;
  }
  if (!live(now)) return release_all(now, ids);
  // A flow that was due before the last call was added after it, and does not tell how late this process is.
  if (!due_.empty() && due_.begin()->due > released_) late_ = std::clamp(now - due_.begin()->due, late_, max_hold_);
  released_ = now;
  ids.insert(ids.end(), at_once_.begin(), at_once_.end());
  at_once_.clear();
  while (!due_.empty() && due_.begin()->due <= now) let_go(*due_.begin()->flow, now, ids);
}

void Sending::release_all(std::int64_t now, std::vector<std::uint32_t>& ids) {
  ids.insert(ids.end(), at_once_.begin(), at_once_.end());
  at_once_.clear();
  while (!due_.empty()) let_go(*due_.begin()->flow, now, ids);
}

// The first packet of the flow leaves, and the flow's next turn comes after all that may leave now.
void Sending::let_go(FlowState& flow, std::int64_t now, std::vector<std::uint32_t>& ids) {
  const Waiting first = flow.waiting.front();
  unschedule(flow);
  flow.waiting.pop_front();
  ids.push_back(first.id);
  const std::int64_t held_for = first.held ? std::max<std::int64_t>(now - first.arrived, 0) : 0;
  if (first.held) {
    ++counters_.held;
    counters_.held_ns += held_for;
    counters_.held_ns_max = std::max<std::uint64_t>(counters_.held_ns_max, held_for);
    ++flow.view.held;
    flow.view.held_ns += held_for;
  }
  if (holds(flow, now)) {
    if (flow.rule.pause_end > now) ++counters_.clipped;
  } else if (hold_ && flow.peer != nullptr && flow.peer->peer.held) {
    ++counters_.bypassed;
  }
  leave(flow, first.segment, held_for, now);
  if (!flow.waiting.empty()) schedule(flow, now);
}

void Sending::leave(FlowState& flow, const Segment& segment, std::int64_t held_for, std::int64_t now) {
  flow.view.last = now;
  note(flow, segment, now);
  if (segment.ends) flow.ended = true;
  if (segment.length == 0) return;
  flow.unanswered = flow.crowded;
  flow.asked = segment.seq + (segment.syn ? 1 : 0);
  flow.left = now;
  ++flow.view.packets;
  flow.view.bytes += segment.length;
  ++counters_.packets;
  counters_.bytes += segment.length;
  if (tell_)
    tell_({.kind = Decision::Kind::sent,
           .time = now,
           .flow = segment.flow,
           .seq = segment.seq,
           .length = segment.length,
           .held_for = held_for});
}

void Sending::note(FlowState& flow, const Segment& segment, std::int64_t now) {
  if (flow.peer == nullptr) return;
  if (segment.syn) {
    weir_on_ramp_start(&flow.rule, &flow.peer->params);
    flow.ended = false;
    flow.crowded = flow.unanswered = false;
    flow.view = {.flow = segment.flow, .last = now};
  }
  if (segment.length == 0) return;
  const unsigned before = flow.rule.tail;
  weir_on_ramp_on_send(&flow.rule, &flow.peer->params, segment.seq + (segment.syn ? 1 : 0), segment.length, now);
  if (flow.rule.tail != before) ++counters_.notes;
}

void Sending::forget_waiting() {
  due_.clear();
  at_once_.clear();
  for (auto& [key, flow] : flows_) flow->waiting.clear();
}

std::int64_t Sending::next_release() const {
  if (!at_once_.empty()) return std::numeric_limits<std::int64_t>::min();
  if (due_.empty()) return kNever;
  return std::min(due_.begin()->due, beat_ + live_for_ + 1);
}

void Sending::sweep(std::int64_t now) {
  late_ -= late_ / kForgetLate;
  std::erase_if(flows_, [now](const auto& entry) {
    const FlowState& flow = *entry.second;
    return flow.waiting.empty() &&
           (flow.peer == nullptr || now - flow.view.last > (flow.ended ? kFlowEnded : kFlowIdle));
  });
}

std::vector<FlowView> Sending::flows(std::int64_t now) const {
  std::vector<FlowView> out;
  out.reserve(flows_.size());
  for (const auto& [key, flow] : flows_) {
    if (!is_told_of(flow->view.packets, flow->ended, flow->view.last, now)) continue;
    out.push_back(flow->view);
    out.back().beta = static_cast<double>(flow->rule.beta) / WEIR_ON_RAMP_ONE;
    out.back().pause_end = flow->rule.pause_end;
  }
  return out;
}

}  // namespace weir::hosts
