#include "weir/cc/pcc_rl.h"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "weir/policy/policy_file.h"

namespace weir::cc {
namespace {

bool hears_cnps(const PccRl::Params& p) {
  return p.decider != nullptr && p.decider->policy().inputs == policy::Inputs::paper;
}

double least_rate(const PccRl::Params& p, const FlowFacts& flow) {
  return std::min(
      1.0, static_cast<double>(p.min_rate.bits_per_second) / static_cast<double>(flow.line_rate.bits_per_second));
}

}  // namespace

void PccRl::Params::describe(ParamList<Params>& p) {
  p.text("policy", &Params::policy,
         "the policy that decides: the name of one that comes with Weir, or a file (docs/guides/learning.md)")
      .names_file = &policy::names_policy_file;
  p.choice("probe", &Params::probe, {"data", "packet"},
           "what measures round trips: a data packet, or a small packet of its own behind a burst", "PCC-RL 2");
  p.integer("burst", &Params::burst, 1, 255, "packets that the NIC sends in one turn", "PCC-RL 2");
  p.time("decision_latency", &Params::decision_latency,
         "a decision takes effect so long after its probe has returned; further probes wait until then", "ours", Time{},
         Time{kPicosecondsPerSecond});
  p.number("first_rate", &Params::first_rate, 1e-6, 1, "rate at the start, as a fraction of the line rate",
           "not in the paper");
  p.rate("min_rate", &Params::min_rate, "least rate", "not in the paper", Rate{1'000});
  p.number("loss_factor", &Params::loss_factor, 1, 1e3,
           "a loss divides the rate by this, once per round trip; 1 = losses change nothing", "ours");
}

ReceiverRules PccRl::receiver(const Params& p) {
  // the interval is that of DCQCN's network cards
  return hears_cnps(p) ? ReceiverRules{.cnp = true, .cnp_packet = true, .cnp_interval = Time{50'000'000}}
                       : ReceiverRules{};
}

void PccRl::load(Params& p, const DataFiles& files) {
  if (p.decider != nullptr || p.maker != nullptr) return;
  const auto file = files.find("policy");
  p.decider = std::make_shared<const policy::Decider>(file == files.end()
                                                          ? policy::shipped_policy(p.policy)
                                                          : policy::parse_policy(file->second.text, file->second.path));
}

DelayTarget PccRl::delay_target(const Params& p, const FlowFacts& flow, Time host_delay) {
  const Time delay = flow.base_rtt + host_delay;
  DelayTarget out{.delay = delay, .target = Time::max(), .setting = "policy's base_rtt", .least = delay};
  if (p.decider == nullptr || p.decider->policy().inputs != policy::Inputs::code) return out;
  const policy::Signal& signal = p.decider->policy().signal;
  if (signal.base_rtt == Time{} || signal.beta <= 0) return out;
  out.target = {std::llround(static_cast<double>(signal.base_rtt.ps) * signal.beta)};
  out.least = {static_cast<std::int64_t>(std::ceil(static_cast<double>(delay.ps) / signal.beta))};
  return out;
}

PccRl::PccRl(const Params& p, const FlowFacts& flow, Control& control)
    : probes_from_(flow.start), rate_(p.first_rate), no_cut_before_(flow.start), rtt_(flow.base_rtt) {
  double rate = p.first_rate;
  if (p.maker != nullptr)
    flow_ = p.maker->start(flow, rate);
  else if (p.decider != nullptr)
    p.decider->start(memory_);
  else
    throw std::logic_error("pcc_rl has neither a policy nor a maker of decisions; its parameters were not loaded");
  control.repace = true;
  control.burst = static_cast<std::uint8_t>(p.burst);
  control.probe = p.probe == Probe::packet;
  set_rate(p, flow, rate, control);
}

void PccRl::set_rate(const Params& p, const FlowFacts& flow, double rate, Control& control) {
  rate_ = std::clamp(rate, least_rate(p, flow), 1.0);
  control.rate = {std::max<std::int64_t>(1, std::llround(rate_ * static_cast<double>(flow.line_rate.bits_per_second)))};
}

void PccRl::change(const Params& p, const FlowFacts& flow, Time now, double factor, Control& control) {
  set_rate(p, flow, rate_ * factor, control);
  probes_from_ = now;
  control.probe = p.probe == Probe::packet;
}

void PccRl::probed(const Params& p, const FlowFacts& flow, Time now, Time rtt, Control& control) {
  rtt_ = std::max(rtt, Time{1});
  const policy::Observation seen{.rtt = rtt_,
                                 .base_rtt = std::max(flow.base_rtt, Time{1}),
                                 .rate = rate_,
                                 .sent = sent_,
                                 .cnps = cnps_,
                                 .nacks = nacks_};
  sent_ = cnps_ = nacks_ = 0;
  if (p.decision_latency > Time{}) {
    probes_from_ = Time::max();
    control.timer = now + p.decision_latency;
    if (p.maker != nullptr)
      p.maker->ask(flow_, now, seen);
    else
      factor_ = p.decider->decide(seen, memory_);
    return;
  }
  change(p, flow, now, p.maker != nullptr ? p.maker->decide(flow_, now, seen) : p.decider->decide(seen, memory_),
         control);
}

void PccRl::on_ack(const Params& p, const FlowFacts& flow, const Ack& ack, Control& control) {
  if (ack.ecn && !hears_cnps(p)) ++cnps_;
  if (p.probe == Probe::data) {
    if (ack.sent_at >= probes_from_) probed(p, flow, ack.now, ack.rtt, control);
  } else if (!control.probe && ack.sent_at > probes_from_ && ++overtaken_ >= kOvertakes) {
    control.probe = true;  // the last one is lost
  }
}

void PccRl::on_echo(const Params& p, const FlowFacts& flow, const Echo& echo, Control& control) {
  if (echo.sent_at >= probes_from_) probed(p, flow, echo.now, echo.rtt, control);
}

void PccRl::on_timer(const Params& p, const FlowFacts& flow, Time now, Control& control) {
  control.timer = kNoTimer;
  change(p, flow, now, p.maker != nullptr ? p.maker->answer(flow_, now) : factor_, control);
}

void PccRl::on_loss(const Params& p, const FlowFacts& flow, const Loss& loss, Control& control) {
  ++nacks_;
  if (p.loss_factor <= 1 || loss.now < no_cut_before_) return;
  no_cut_before_ = loss.now + rtt_;
  set_rate(p, flow, rate_ / p.loss_factor, control);
}

void PccRl::on_cnp(const Params&, const FlowFacts&, Time, Control&) { ++cnps_; }

void PccRl::on_send(const Params&, const FlowFacts&, const Send& send, Control& control) {
  ++sent_;
  if (!control.probe) return;
  probes_from_ = send.now;
  overtaken_ = 0;
}

}  // namespace weir::cc
