#include "weir/cc/hpcc_per_hop.h"

#include <algorithm>

namespace weir::cc {

void HpccPerHop::on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  if (ack.telemetry == nullptr || ack.hops == 0) return;
  const bool goes_on = flow_.links_.continue_with(facts.telemetry, ack);
  if (goes_on) measure(p, facts, ack);
  if (!goes_on) start_over(ack, control.window);
  flow_.links_.remember(facts.telemetry, ack);
  if (!goes_on) return;

  const double w_ai = p.vai.enabled ? flow_.variable_step(p, facts, ack) : flow_.w_ai_;
  compute(p, w_ai);
  const double reference = least(&Register::w_c);
  const bool round_ended = ack.seq.count > flow_.last_update_seq_;
  flow_.reference_.count();
  auto verdict = flow_.reference_.judge(p.reference, facts.random, least(&Register::next) < reference, round_ended,
                                        reference, flow_.w_init_);
  if (p.reaction == Hpcc::Reaction::per_ack) verdict = {.move = true, .new_round = round_ended};
  if (verdict.ignore) ignore_decreases(w_ai);
  if (verdict.move || (!verdict.ignore && p.reaction != Hpcc::Reaction::per_rtt))
    flow_.answer(least(&Register::next), control);
  if (verdict.move) {
    move();
    if (p.vai.enabled) flow_.vai_.spend(p.vai);
  }
  if (verdict.new_round) flow_.begin_round(ack);
}

// Nothing is known yet of the links of a path; the window stays.
void HpccPerHop::start_over(const Ack& ack, Bytes window) {
  hops_ = ack.hops;
  at_.fill({.w_c = static_cast<double>(window.count)});
  flow_.start_over(ack);
}

// Algorithm 1, MeasureInflight, for each link by itself.
void HpccPerHop::measure(const Params& p, const FlowFacts& facts, const Ack& ack) {
  const HpccLinks::Reading reading{
      .rx_rate = p.signal == Hpcc::Signal::rx_rate, .min_queue = p.min_queue, .per_t = flow_.per_t_};
  double fullest = 0;
  for (std::size_t i = 0; i < hops_; ++i) {
    Register& r = at_[i];
    const auto link = flow_.links_.utilisation(reading, facts.telemetry, ack, i);
    const double weight = p.ewma ? flow_.weight_of(link.tau) : 1;
    if (link.u >= 0) r.u = (1 - weight) * r.u + weight * link.u;
    fullest = std::max(fullest, r.u);
  }
  flow_.u_ = fullest;
}

// Algorithm 1, ComputeWind, for each link.
void HpccPerHop::compute(const Params& p, double w_ai) {
  for (std::size_t i = 0; i < hops_; ++i) {
    Register& r = at_[i];
    r.multiplies = r.u >= p.eta || r.inc_stage >= p.max_stage;
    double w = r.w_c;
    if (r.multiplies) w = p.reciprocal.empty() ? w * p.eta / r.u : w * p.reciprocal.inverse(r.u / p.eta);
    r.next = clamped(w + w_ai);
  }
}

// The feedback that asks for a decrease is disregarded: links increase additively instead.
void HpccPerHop::ignore_decreases(double w_ai) {
  for (std::size_t i = 0; i < hops_; ++i) {
    Register& r = at_[i];
    if (r.next >= r.w_c) continue;
    r.next = clamped(r.w_c + w_ai);
    r.multiplies = false;
  }
}

void HpccPerHop::move() {
  for (std::size_t i = 0; i < hops_; ++i) {
    Register& r = at_[i];
    r.inc_stage = r.multiplies ? 0 : r.inc_stage + 1;
    r.w_c = r.next;
  }
}

double HpccPerHop::least(double Register::*window) const {
  double out = at_[0].*window;
  for (std::size_t i = 1; i < hops_; ++i) out = std::min(out, at_[i].*window);
  return out;
}

double HpccPerHop::clamped(double w) const { return std::clamp(w, flow_.w_min_, flow_.w_init_); }

}  // namespace weir::cc
