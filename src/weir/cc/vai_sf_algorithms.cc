#include "weir/cc/vai_sf_algorithms.h"

#include <algorithm>

namespace weir::cc {

void VaiSf::Params::describe(ParamList<Params>& p) {
  p.part("vai_", &Params::vai);
  p.time("vai_token_thresh", &Params::token_thresh,
         "Token_Thresh: a round trip that is longer than the unloaded one by more than this mints tokens; 0 = the "
         "unloaded one itself",
         "Fast Convergence VI-A: 50 KB at 100 Gb/s")
      .only_with("vai_enabled", {"true"});
  p.time("vai_ai_div", &Params::ai_div, "AI_DIV: delay for one token", "Fast Convergence VI-A", Time{1})
      .only_with("vai_enabled", {"true"});
  p.part("sf_", &Params::sf);
}

bool VaiSf::hear(const Params& p, const FlowFacts& facts, const Ack& ack, bool congested) {
  sf_.count();
  if (!p.vai.enabled) return false;
  const auto base = static_cast<double>(facts.base_rtt.ps);
  vai_.observe(static_cast<double>(ack.rtt.ps), congested);
  if (!vai_.round_ended(ack)) return false;
  const auto above = static_cast<double>((p.token_thresh.ps > 0 ? p.token_thresh : facts.base_rtt).ps);
  const double delay = std::max(vai_.measured_congestion() - base, 0.0);
  vai_.generate(p.vai, base + above, delay / static_cast<double>(p.ai_div.ps));
  return true;
}

// Timely::on_ack on a copy, which is kept if the rate may move now.
void TimelyVaiSf::on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  Timely next = timely_;
  Control answer = control;
  next.delta_ *= parts_.steps(p.parts);
  next.complete(p.algorithm, facts, ack, answer);
  next.delta_ = timely_.delta_;
  const bool decrease = next.rate_ < timely_.rate_;
  parts_.hear(p.parts, facts, ack, decrease);
  if (!parts_.moves(p.parts, decrease, ack.seq.count > round_end_)) return;
  timely_ = next;
  control = answer;
  if (!decrease) parts_.spend(p.parts);
  if (parts_.moved(p.parts, decrease)) round_end_ = std::max(round_end_, ack.snd_nxt.count);
}

// Dctcp::react with another guard of decreases, and more growth.
void DctcpVaiSf::on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  const bool round_ended = parts_.hear(p.parts, facts, ack, ack.ecn);
  dctcp_.observe(p.algorithm, ack, ack.ecn);
  dctcp_.window_.hear(ack);
  if (ack.ecn && parts_.moves(p.parts, true, dctcp_.window_.may_reduce())) {
    dctcp_.reduce(p.algorithm, facts, ack, control);
    parts_.moved(p.parts, true);
    more_ = 0;
  } else if (!ack.ecn && dctcp_.window_.window() < dctcp_.largest_) {
    grow(p, facts, ack);
  }
  if (round_ended) parts_.spend(p.parts);
  dctcp_.answer(control);
}

void DctcpVaiSf::grow(const Params& p, const FlowFacts& facts, const Ack& ack) {
  RenoWindow& window = dctcp_.window_;
  const Bytes before = window.window();
  const bool avoids = before >= window.threshold();
  window.grow(ack, facts.payload, p.algorithm.abc_limit);
  if (!avoids || !window.may_reduce() || !in_use(ack, before)) return;
  more_ += (parts_.steps(p.parts) - 1) * static_cast<double>(facts.payload.count) *
           static_cast<double>(ack.acked.count) / static_cast<double>(before.count);
  const Bytes whole{static_cast<std::int64_t>(more_)};
  window.widen(whole);
  more_ -= static_cast<double>(whole.count);
}

// Tells DCQCN something, with the step that it has now. A target that has risen has taken the step.
template <class Tell>
void DcqcnVaiSf::with_steps(const Params& p, Tell&& tell) {
  const double steps = parts_.steps(p.parts);
  if (steps == 1) return tell(p.algorithm);
  Dcqcn::Params larger = p.algorithm;
  larger.r_ai = {static_cast<std::int64_t>(static_cast<double>(larger.r_ai.bits_per_second) * steps)};
  const Rate before = dcqcn_.target_rate();
  tell(larger);
  if (dcqcn_.target_rate() > before) parts_.spend(p.parts);
}

void DcqcnVaiSf::on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  parts_.hear(p.parts, facts, ack, notified_ || ack.ecn);
  if (!notified_ || !parts_.moves(p.parts, true, false)) return;
  notified_ = false;
  parts_.moved(p.parts, true);
  with_steps(p, [&](Dcqcn::Params with) {
    with.rate_decrease = Dcqcn::Decrease::on_cnp;
    dcqcn_.on_cnp(with, facts, ack.now, control);
  });
}

void DcqcnVaiSf::on_cnp(const Params& p, const FlowFacts& facts, Time now, Control& control) {
  if (p.parts.sf.acks > 0)
    notified_ = true;
  else
    with_steps(p, [&](const Dcqcn::Params& with) { dcqcn_.on_cnp(with, facts, now, control); });
}

void DcqcnVaiSf::on_send(const Params& p, const FlowFacts& facts, const Send& packet, Control& control) {
  with_steps(p, [&](const Dcqcn::Params& with) { dcqcn_.on_send(with, facts, packet, control); });
}

void DcqcnVaiSf::on_timer(const Params& p, const FlowFacts& facts, Time now, Control& control) {
  with_steps(p, [&](const Dcqcn::Params& with) { dcqcn_.on_timer(with, facts, now, control); });
}

}  // namespace weir::cc
