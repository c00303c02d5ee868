#include "weir/cc/timely.h"

#include <algorithm>

namespace weir::cc {

void Timely::Params::describe(ParamList<Params>& p) {
  constexpr Time least{1'000};
  p.choice("form", &Params::form, {"original", "patched"},
           "what happens between T_low and T_high: decrease in proportion to the gradient, or to the distance from "
           "rtt_ref, weighted by the gradient",
           "TIMELY algorithm 1; ECN or Delay, patched TIMELY");
  p.choice("event", &Params::event, {"segment", "rtt", "ack"},
           "the rate changes after each segment, once per round trip, or with every acknowledgement",
           "TIMELY; HPCC artifact: once per round trip");
  p.bytes("segment", &Params::segment, "bytes of a segment where event = segment", "TIMELY: 16 KB to 64 KB", Bytes{1})
      .only_with("event", {"segment"});
  p.number("alpha", &Params::alpha, 0, 1, "weight of a new RTT difference in the smoothed one",
           "ECN or Delay; HPCC artifact");
  p.number("beta", &Params::beta, 0, 1, "factor of multiplicative decrease",
           "TIMELY algorithm 1; ECN or Delay: 0.008 patched");
  p.time("T_low", &Params::t_low, "below this RTT the rate grows whatever the gradient", "TIMELY algorithm 1", least);
  p.time("T_high", &Params::t_high, "above this RTT the rate shrinks whatever the gradient", "TIMELY algorithm 1",
         least);
  p.time("min_rtt", &Params::min_rtt, "minRTT: the gradient is the RTT difference over this", "HPCC artifact", least);
  p.time("rtt_ref", &Params::rtt_ref, "RTT at which the patched form neither grows nor shrinks; 0 = T_low",
         "ECN or Delay, patched TIMELY")
      .only_with("form", {"patched"});
  p.rate("delta", &Params::delta, "additive increase", "TIMELY algorithm 1; HPCC artifact, run.py");
  p.choice("hyper_increase", &Params::hyper_increase, {"gradient", "stage", "never"},
           "hyperactive increase: from the hai_after-th event in a row on whose gradient is not positive; or after "
           "hai_after increases of any kind",
           "TIMELY algorithm 1; HPCC artifact; none in ECN or Delay");
  p.rate("hai", &Params::hai, "step of the hyperactive increase", "TIMELY: 5 delta; HPCC artifact, run.py")
      .not_with("hyper_increase", {"never"});
  p.integer("hai_after", &Params::hai_after, 0, 1'000'000, "when the hyperactive increase begins", "TIMELY algorithm 1")
      .not_with("hyper_increase", {"never"});
  p.rate("scale_rate", &Params::scale_rate,
         "delta and hai are given for a NIC of this speed and scale with the actual one; 0 = they do not scale",
         "HPCC artifact, run.py");
  p.rate("r_min", &Params::r_min, "lower bound of the rate", "HPCC artifact", Rate{1});
  p.rate("initial_rate", &Params::initial_rate, "rate at the start; 0 = line rate",
         "HPCC artifact; TIMELY: line rate / (flows of the host + 1)");
  p.part("", &Params::window);
}

std::span<const Preset> Timely::presets() {
  static constexpr PresetValue hpcc[] = {{"form", "original"},     {"event", "rtt"},       {"alpha", "0.875"},
                                         {"beta", "0.8"},          {"T_low", "50 us"},     {"T_high", "500 us"},
                                         {"min_rtt", "20 us"},     {"delta", "10 Mbps"},   {"hai", "50 Mbps"},
                                         {"hai_after", "5"},       {"r_min", "1000 Mbps"}, {"hyper_increase", "stage"},
                                         {"scale_rate", "10 Gbps"}};
  static constexpr PresetValue paper[] = {{"form", "original"}, {"event", "segment"}, {"segment", "16 KB"},
                                          {"alpha", "0.875"},   {"beta", "0.8"},      {"T_low", "50 us"},
                                          {"T_high", "500 us"}, {"min_rtt", "20 us"}, {"delta", "10 Mbps"},
                                          {"hai", "50 Mbps"},   {"hai_after", "5"},   {"hyper_increase", "gradient"},
                                          {"scale_rate", "0"},  {"r_min", "100 Mbps"}};
  static constexpr PresetValue patched[] = {{"form", "patched"},         {"event", "segment"}, {"segment", "16 KB"},
                                            {"alpha", "0.875"},          {"beta", "0.008"},    {"T_low", "50 us"},
                                            {"T_high", "500 us"},        {"min_rtt", "20 us"}, {"delta", "10 Mbps"},
                                            {"hyper_increase", "never"}, {"scale_rate", "0"},  {"r_min", "100 Mbps"}};
  static constexpr PresetValue onramp_low[] = {{"beta", "0.2"}, {"r_min", "100 Mbps"}};
  static constexpr PresetValue onramp_high[] = {{"beta", "0.8"}, {"r_min", "100 Mbps"}};
  static constexpr Preset all[] = {
      {"hpcc", "the HPCC authors' ns-3 artifact, run.py --cc timely", hpcc},
      {"paper", "Mittal et al., SIGCOMM'15, for 10 Gb/s; alpha and min_rtt as in ECN or Delay, r_min 1 % of the link",
       paper},
      {"patched", "Zhu et al., CoNEXT'16, patched TIMELY", patched},
      {"onramp-0.2", "On-Ramp figure 1a, low gain, in the HPCC authors' simulator", onramp_low},
      {"onramp-0.8", "On-Ramp figure 1b, high gain, in the HPCC authors' simulator", onramp_high},
  };
  return all;
}

DelayTarget Timely::delay_target(const Params& p, const FlowFacts& facts, Time host_delay) {
  const Time delay = facts.base_rtt + host_delay;
  if (p.form == Form::original) return {.delay = delay, .target = p.t_high, .setting = "T_high", .least = delay};
  const bool written = p.rtt_ref > Time{};
  return {.delay = delay,
          .target = std::min(p.t_high, written ? p.rtt_ref : p.t_low),
          .setting = written ? "rtt_ref" : "T_low",
          .least = delay};
}

Timely::Timely(const Params& p, const FlowFacts& facts, Control& control) {
  const auto of = [&](Rate r) { return static_cast<double>(scaled(r, p.scale_rate, facts.line_rate).bits_per_second); };
  delta_ = of(p.delta);
  hai_ = of(p.hai);
  const Rate initial = p.initial_rate.bits_per_second > 0 ? std::min(p.initial_rate, facts.line_rate) : facts.line_rate;
  rate_ = static_cast<double>(initial.bits_per_second);
  p.window.answer(initial, facts, control);
}

void Timely::on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  if (completes(p, ack)) complete(p, facts, ack, control);
}

// Algorithm 1. The first event only leaves its RTT.
void Timely::complete(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  const auto rtt = static_cast<double>(ack.rtt.ps);
  if (prev_rtt_ > 0) {
    const auto line = static_cast<double>(facts.line_rate.bits_per_second);
    const double least = std::min(static_cast<double>(p.r_min.bits_per_second), line);
    rate_ = std::clamp(next_rate(p, rtt), least, line);
    p.window.answer({static_cast<std::int64_t>(rate_)}, facts, control);
  }
  prev_rtt_ = rtt;
}

bool Timely::completes(const Params& p, const Ack& ack) {
  if (p.event == Event::ack) return true;
  if (ack.seq.count <= next_event_) return false;
  if (p.event == Event::rtt) {
    next_event_ = std::max(next_event_, ack.snd_nxt.count);
  } else {
    next_event_ = ack.seq.count + p.segment.count - 1;
  }
  return true;
}

double Timely::next_rate(const Params& p, double rtt) {
  rtt_diff_ = (1 - p.alpha) * rtt_diff_ + p.alpha * (rtt - prev_rtt_);
  const double gradient = rtt_diff_ / static_cast<double>(p.min_rtt.ps);
  const auto t_low = static_cast<double>(p.t_low.ps);
  const auto t_high = static_cast<double>(p.t_high.ps);
  const bool falling = gradient <= 0;
  const bool patch = p.form == Form::patched && rtt >= t_low && rtt <= t_high;
  const bool increase = !patch && (rtt < t_low || (rtt <= t_high && falling));

  bool hyper = false;
  if (p.hyper_increase == Hyper::gradient) {
    streak_ = falling ? streak_ + 1 : 0;
    hyper = rtt >= t_low && streak_ >= p.hai_after;
  } else if (p.hyper_increase == Hyper::stage) {
    hyper = streak_ >= p.hai_after;
    streak_ = increase ? streak_ + 1 : 0;
  }

  if (increase) return rate_ + (hyper ? hai_ : delta_);
  if (patch) {
    const auto rtt_ref = static_cast<double>((p.rtt_ref.ps > 0 ? p.rtt_ref : p.t_low).ps);
    const double w = weight(gradient);
    return delta_ * (1 - w) + rate_ * (1 - p.beta * w * (rtt - rtt_ref) / rtt_ref);
  }
  if (rtt > t_high) return rate_ * (1 - p.beta * (1 - t_high / rtt));
  return rate_ * std::max(1 - p.beta * gradient, 0.0);
}

}  // namespace weir::cc
