// MessageSkipper: what is remembered of kinds, whether that repeats, and the phases of components that follow from it.
#include <algorithm>
#include <cmath>

#include "weir/base/random.h"
#include "weir/engine/skip/message_skipper.h"

namespace weir::engine {
namespace {

// The spread of a single kind may be so many times as large as the mean over all kinds may be: of many spreads that are
// due to chance alone, the largest is far above the mean.
constexpr double kOutlier = 2;
// The rounds of a check, one for each of its phases: until no skipped message is left, until queues have filled, the
// compared round, and until that has ended.
constexpr double kCheckRounds = 4;

}  // namespace

void MessageSkipper::learn(std::uint32_t kind, const Sample& sample) {
  State& s = state_[kind];
  discount(kind);
  const std::uint32_t stamp = component_of(kind).stamp;
  if (s.stamp != stamp) {
    s.stamp = stamp;
    s.count = s.next = 0;
  }
  samples_[std::size_t{params_.rounds} * kind + s.next] = sample;
  s.next = (s.next + 1) % params_.rounds;
  s.count = std::min(s.count + 1, params_.rounds);
  count(kind);
}

// Forgets what is remembered of all kinds of the component.
void MessageSkipper::forget(Component& c) {
  c.stamp = ++stamps_;
  c.repeating = 0;
  c.spread = {};
  enter(c, Phase::simulated);
}

MessageSkipper::Spread MessageSkipper::spread_of(std::uint32_t kind) const {
  const auto share = [samples = samples_of(kind)](auto&& of) {
    const auto [least, most] = std::minmax_element(samples.begin(), samples.end(),
                                                   [&](const auto& a, const auto& b) { return of(a) < of(b); });
    return 1 - of(*least) / of(*most);
  };
  return {share([](const Sample& s) { return static_cast<double>(s.lasts.received.ps); }),
          share([](const Sample& s) { return static_cast<double>(s.lasts.sent.ps); }),
          share([](const Sample& s) { return 1 + s.company; })};
}

// Counts the kind in its component, if it repeats.
void MessageSkipper::count(std::uint32_t kind) {
  State& s = state_[kind];
  if (s.count < params_.rounds) return;
  s.spread = spread_of(kind);
  s.repeats = is_within(s.spread, kOutlier);
  if (!s.repeats) return;
  Component& c = component_of(kind);
  ++c.repeating;
  c.spread.received += s.spread.received;
  c.spread.sent += s.spread.sent;
  c.spread.company += s.spread.company;
}

void MessageSkipper::discount(std::uint32_t kind) {
  State& s = state_[kind];
  Component& c = component_of(kind);
  if (s.repeats && s.stamp == c.stamp) {
    --c.repeating;
    c.spread.received -= s.spread.received;
    c.spread.sent -= s.spread.sent;
    c.spread.company -= s.spread.company;
  }
  s.repeats = false;
}

bool MessageSkipper::is_within(const Spread& spread, double times) const {
  return spread.received <= times * params_.theta && spread.sent <= times * params_.theta &&
         spread.company <= times * kCompany;
}

// Decides on the component's phase, and so on what becomes of the messages that begin from now on.
void MessageSkipper::look_at(std::uint32_t root) {
  Component& c = components_[root];
  if (c.lap >= c.coming) retire(root);
  if (c.coming == 0 || c.disturbed != 0) {
    if (c.phase != Phase::simulated) enter(c, Phase::simulated);
    return;
  }
  const bool round_has_begun = c.begun >= c.coming;
  switch (c.phase) {
    case Phase::simulated:
      if (c.repeating == c.coming && is_within(c.spread, c.coming)) begin_round(root);
      break;
    case Phase::skipped:
      if (c.judged >= c.coming && !is_accepted(c, kCompany)) {
        ++totals_.unforeseen;
        forget(c);
      } else if (round_has_begun) {
        begin_round(root);
      }
      break;
    case Phase::clearing:
      if (c.skipped == 0) enter(c, Phase::settling);
      break;
    case Phase::settling:
      if (round_has_begun) enter(c, Phase::compared);
      break;
    case Phase::compared:
      if (round_has_begun) c.phase = Phase::draining;
      break;
    case Phase::draining:
      if (c.compared != 0) break;
      if (is_accepted(c, params_.theta))
        begin_round(root);
      else
        forget(c);
      break;
  }
}

// Whether the messages that have been judged were off by at most `limit` in the mean. Then begins to judge others.
bool MessageSkipper::is_accepted(Component& c, double limit) {
  const bool is = std::abs(c.error) <= limit * static_cast<double>(c.judged);
  c.judged = 0;
  c.error = 0;
  return is;
}

void MessageSkipper::enter(Component& c, Phase phase) {
  c.phase = phase;
  c.begun = 0;
  c.judged = 0;
  c.error = 0;
}

// Begins a round, which is skipped or begins a check. On a kept connection each message begins with the state in which
// the last one has left the algorithm, and a skipped one leaves none: if durations drift from message to message, the
// run falls behind by the drift of all skipped rounds, which is to be theta at most.
void MessageSkipper::begin_round(std::uint32_t root) {
  Component& c = components_[root];
  const double drift = c.spread.received / c.coming / (params_.rounds - 1);
  const bool is_behind = model_.transport.connections == host::ConnectionKind::kept &&
                         drift * static_cast<double>(c.round + 1) > params_.theta;
  if (is_behind && c.phase != Phase::skipped) {
    if (c.phase != Phase::simulated) enter(c, Phase::simulated);
    return;
  }
  const Phase phase = is_checked(root, c.round++) || is_behind ? Phase::clearing : Phase::skipped;
  if (phase == c.phase)
    c.begun = 0;
  else
    enter(c, phase);
}

// Whether the round begins a check. One in each block of rounds does; blocks are so long that the share of rounds which
// are simulated is params_.check. The first check comes within as many rounds as have been simulated, since what is
// remembered is then from the youngest state.
bool MessageSkipper::is_checked(std::uint32_t root, std::uint64_t round) const {
  if (params_.check <= 0) return false;
  const auto block =
      static_cast<std::uint64_t>(std::llround(kCheckRounds / std::max(params_.check, 1e-9) - (kCheckRounds - 1)));
  const std::uint64_t simulated = std::uint64_t{params_.settle} + params_.rounds;
  const std::uint64_t within = round < block ? std::min(block, simulated) : block;
  return RandomStream(model_.seed, root, Purpose::fast_forward).below(round / block, within) == round % block;
}

}  // namespace weir::engine
