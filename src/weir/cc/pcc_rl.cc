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
  const double least =
      static_cast<double>(p.min_rate.bits_per_second) / static_cast<double>(flow.line_rate.bits_per_second);
  return std::min(1.0, std::max(least, p.min_rate_share));
}

// Packets of a burst at this rate.
std::uint8_t burst_at(const PccRl::Params& p, const FlowFacts& flow, Rate rate) {
  if (p.burst_time == Time{}) return static_cast<std::uint8_t>(p.burst);
  const double packets = rate.bytes_per_second() * p.burst_time.seconds() / static_cast<double>(flow.wire.count);
  const double most = std::max(p.burst, p.max_burst);
  return static_cast<std::uint8_t>(std::clamp(std::round(packets), static_cast<double>(p.burst), most));
}

}  // namespace

void PccRl::Params::describe(ParamList<Params>& p) {
  p.text("policy", &Params::policy,
         "the policy that decides: the name of one that comes with Weir, or a file (docs/guides/learning.md)")
      .names_file = &policy::names_policy_file;
  p.choice("probe", &Params::probe, {"data", "packet"},
           "what measures round trips: a data packet, or a small packet of its own behind a burst", "PCC-RL 2");
  p.integer("burst", &Params::burst, 1, 255,
            "packets that the NIC sends in one turn, or with burst_time the least number of them", "PCC-RL 2");
  p.time("burst_time", &Params::burst_time,
         "a burst is what the flow's rate sends in this time, in whole packets; 0 = always `burst` packets",
         "PCC-RL 2 says that bursts grow with the rate", Time{}, Time{kPicosecondsPerSecond});
  p.integer("max_burst", &Params::max_burst, 1, 255, "with burst_time, the most packets of a burst",
            "public simulator: 16 KiB");
  p.bytes("max_inflight", &Params::max_inflight,
          "a flow sends no more than this before it is acknowledged; 0 = no limit", "public simulator: 640 KiB");
  p.time("decision_latency", &Params::decision_latency,
         "a decision takes effect so long after its probe has returned; further probes wait until then", "ours", Time{},
         Time{kPicosecondsPerSecond});
  p.number("first_rate", &Params::first_rate, 1e-6, 1, "rate at the start, as a fraction of the line rate",
           "not in the paper");
  p.rate("min_rate", &Params::min_rate, "least rate", "not in the paper", Rate{1'000});
  p.number("min_rate_share", &Params::min_rate_share, 0, 1,
           "least rate as a share of the line rate; the larger of this and min_rate counts", "public simulator: 2^-14");
  p.integer("rate_bits", &Params::rate_bits, 0, 30,
            "the NIC keeps rates as multiples of 2^-rate_bits of the line rate, rounded down; 0 = as floating-point "
            "numbers",
            "public simulator: 20");
  p.integer("factor_bits", &Params::factor_bits, 0, 30,
            "the NIC takes factors as multiples of 2^-factor_bits, the nearest one; 0 = as floating-point numbers",
            "public simulator: 16");
  p.time("cnp_interval", &Params::cnp_interval,
         "for policies that read CNPs: least time between two that a receiver sends to one flow",
         "DCQCN's network cards; public simulator: 4 us", Time{}, Time{kPicosecondsPerSecond});
  p.number("loss_factor", &Params::loss_factor, 1, 1e3,
           "a loss divides the rate by this, once per round trip; 1 = losses change nothing", "ours");
}

std::span<const Preset> PccRl::presets() {
  static constexpr PresetValue simulator[] = {{"probe", "packet"},
                                              {"burst", "4"},
                                              {"burst_time", "1310720 ps"},  // 16 KiB at 100 Gb/s
                                              {"max_burst", "16"},
                                              {"max_inflight", "640 KiB"},
                                              {"first_rate", "1"},
                                              {"min_rate", "1 Kbps"},
                                              {"min_rate_share", "0.00006103515625"},
                                              {"rate_bits", "20"},
                                              {"factor_bits", "16"},
                                              {"cnp_interval", "4 us"}};
  static constexpr Preset all[] = {
      {"public", "the public simulator of the authors, github.com/NVlabs/RLCC, nv_ccsim", simulator}};
  return all;
}

ReceiverRules PccRl::receiver(const Params& p) {
  return hears_cnps(p) ? ReceiverRules{.cnp = true, .cnp_packet = true, .cnp_interval = p.cnp_interval}
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
  if (p.max_inflight > Bytes{}) control.window = p.max_inflight;
  control.probe = p.probe == Probe::packet;
  set_rate(p, flow, rate, control);
}

void PccRl::set_rate(const Params& p, const FlowFacts& flow, double rate, Control& control) {
  if (p.rate_bits > 0) rate = std::ldexp(std::floor(std::ldexp(rate, p.rate_bits)), -p.rate_bits);
  rate_ = std::clamp(rate, least_rate(p, flow), 1.0);
  control.rate = {std::max<std::int64_t>(1, std::llround(rate_ * static_cast<double>(flow.line_rate.bits_per_second)))};
  control.burst = burst_at(p, flow, control.rate);
}

void PccRl::change(const Params& p, const FlowFacts& flow, Time now, double factor, Control& control) {
  if (p.factor_bits > 0) factor = std::ldexp(std::round(std::ldexp(factor, p.factor_bits)), -p.factor_bits);
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
                                 .nacks = nacks_,
                                 .packet = transmission_time(flow.wire, flow.path_rate),
                                 .acknowledged = acknowledged_};
  sent_ = cnps_ = nacks_ = 0;
  acknowledged_ = {};
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
  acknowledged_ += ack.acked;
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
