#include "weir/cc/dcqcn.h"

#include <algorithm>

namespace weir::cc {
namespace {

// base^n by repeated squaring: the same bits on every machine, unlike a library's pow.
double power(double base, std::int64_t n) {
  double result = 1;
  for (; n > 0; n >>= 1) {
    if ((n & 1) != 0) result *= base;
    base *= base;
  }
  return result;
}

}  // namespace

void Dcqcn::Params::describe(ParamList<Params>& p) {
  // No timer may stand still, nor reach the end of time.
  constexpr Time least{1'000};
  constexpr Time most{1'000 * kPicosecondsPerSecond};
  p.choice("rate_decrease", &Params::rate_decrease, {"on-cnp", "periodic"},
           "when a CNP cuts the rate: at once, or at the next check of a grid of T_d",
           "SIGCOMM'15 3.1; HPCC artifact and NIC firmware");
  p.time("T_i", &Params::t_i, "period of the rate-increase timer", "SIGCOMM'15 3.1; HPCC 2.3", least, most);
  p.time("T_d", &Params::t_d, "period of the rate-decrease check where rate_decrease = periodic", "HPCC 2.3", least,
         most)
      .only_with("rate_decrease", {"periodic"});
  p.time("T_alpha", &Params::t_alpha, "period of the update of alpha (K in SIGCOMM'15)", "SIGCOMM'15 3.1, equation 2",
         least, most);
  p.number("g", &Params::g, 0, 1, "gain of the estimate alpha", "SIGCOMM'15 3.1, equation 1");
  p.number("initial_alpha", &Params::initial_alpha, 0, 1, "alpha at the first CNP of a flow",
           "SIGCOMM'15 3.1; NIC firmware INITIAL_ALPHA_VALUE");
  p.flag("clamp_target", &Params::clamp_target,
         "lower the target rate with every cut (SIGCOMM'15 equation 1), not only if the timer has raised the rate "
         "since the previous cut",
         "NIC firmware CLAMP_TGT_RATE, CLAMP_TGT_RATE_AFTER_TIME_INC");
  p.bytes("byte_counter", &Params::byte_counter, "B: bytes sent between rate increases; 0 = no byte counter",
          "SIGCOMM'15 3.1");
  p.integer("fast_recovery", &Params::fast_recovery, 0, 1'000'000, "F: stages of fast recovery", "SIGCOMM'15 3.1");
  p.flag("count_first", &Params::count_first,
         "count an expiry before its stage is compared with F (F - 1 steps of fast recovery), not after (F steps)",
         "SIGCOMM'15 figure 7; the HPCC artifact counts after");
  p.rate("r_ai", &Params::r_ai, "R_AI: additive increase of the target rate", "SIGCOMM'15 3.1, equation 4");
  p.rate("r_hai", &Params::r_hai, "R_HAI: hyper increase of the target rate", "IEEE 802.1Qau; NIC firmware");
  p.rate("scale_rate", &Params::scale_rate,
         "r_ai and r_hai are given for a NIC of this speed and scale with the actual one; 0 = they do not scale",
         "HPCC artifact, run.py");
  p.choice("hyper_increase", &Params::hyper_increase, {"constant", "growing"},
           "the i-th hyper increase adds R_HAI, or i R_HAI", "IEEE 802.1Qau");
  p.rate("r_min", &Params::r_min, "lower bound of the rate", "HPCC artifact; NIC firmware RPG_MIN_RATE", Rate{1});
  p.part("", &Params::window);
  p.flag("cnp_packet", &Params::cnp_packet, "CNPs are packets of their own, not flags on acknowledgements",
         "SIGCOMM'15 3.1; the HPCC artifact uses flags");
  p.time("cnp_interval", &Params::cnp_interval, "a flow's receiver sends at most one CNP in this time; 0 = no limit",
         "SIGCOMM'15 3.1 (N); NIC firmware MIN_TIME_BETWEEN_CNPS");
}

std::span<const Preset> Dcqcn::presets() {
  static constexpr PresetValue paper[] = {
      {"rate_decrease", "on-cnp"},   {"T_i", "55 us"},         {"T_alpha", "55 us"},      {"g", "0.00390625"},
      {"initial_alpha", "1"},        {"clamp_target", "true"}, {"byte_counter", "10 MB"}, {"fast_recovery", "5"},
      {"count_first", "true"},       {"r_ai", "40 Mbps"},      {"r_hai", "200 Mbps"},     {"scale_rate", "0"},
      {"hyper_increase", "growing"}, {"r_min", "100 Mbps"},    {"cnp_packet", "true"},    {"cnp_interval", "50 us"}};
  static constexpr PresetValue vendor[] = {
      {"T_i", "300 us"},   {"T_d", "4 us"},         {"T_alpha", "1 us"}, {"g", "0.0048828125"},
      {"r_ai", "5 Mbps"},  {"r_hai", "50 Mbps"},    {"scale_rate", "0"}, {"initial_alpha", "0.9990234375"},
      {"r_min", "1 Mbps"}, {"cnp_interval", "4 us"}};
  static constexpr PresetValue hpcc[] = {{"T_i", "300 us"},         {"T_d", "4 us"},       {"T_alpha", "1 us"},
                                         {"g", "0.00390625"},       {"r_ai", "5 Mbps"},    {"r_hai", "50 Mbps"},
                                         {"scale_rate", "25 Gbps"}, {"r_min", "1000 Mbps"}};
  static constexpr PresetValue t55_50[] = {{"T_i", "55 us"}, {"T_d", "50 us"}, {"T_alpha", "50 us"}};
  static constexpr PresetValue t300_4[] = {{"T_i", "300 us"}, {"T_d", "4 us"}, {"T_alpha", "1 us"}};
  static constexpr PresetValue t900_4[] = {{"T_i", "900 us"}, {"T_d", "4 us"}, {"T_alpha", "1 us"}};
  static constexpr Preset all[] = {
      {"hpcc", "the HPCC authors' ns-3 artifact, run.py --cc dcqcn", hpcc},
      {"paper", "Zhu et al., SIGCOMM'15; R_HAI and R_min as in its authors' simulator", paper},
      {"vendor", "defaults of ConnectX firmware (mlxconfig), without its byte counter", vendor},
      {"55-50", "HPCC figure 2, DCQCN's original timers; T_alpha as in the artifact's dcqcn_paper", t55_50},
      {"300-4", "HPCC figure 2, a vendor's default timers", t300_4},
      {"900-4", "HPCC figure 2, more conservative timers", t900_4},
  };
  return all;
}

ReceiverRules Dcqcn::receiver(const Params& p) {
  return {.cnp = true, .cnp_packet = p.cnp_packet, .cnp_interval = p.cnp_interval};
}

Dcqcn::Dcqcn(const Params& p, const FlowFacts& facts, Control& control)
    : r_c_(facts.line_rate), r_t_(facts.line_rate), alpha_(p.initial_alpha) {
  answer(p, facts, control);
}

// SIGCOMM'15 section 3.1, equation 1; or what the periodic form remembers of it.
void Dcqcn::on_cnp(const Params& p, const FlowFacts& facts, Time now, Control& control) {
  advance(p, facts, now);
  const bool first = first_cnp_ == kNoTimer;
  if (first) {
    first_cnp_ = now;
    alpha_time_ = now;
  }
  age_alpha(p, now);
  if (p.rate_decrease == Decrease::on_cnp) {
    cut(p, now);
    alpha_ = (1 - p.g) * alpha_ + p.g;
    alpha_time_ = now;
  } else {
    cnp_in_tick_ = !first;  // the first CNP has set alpha and does not also raise it
    if (decrease_at_ == kNoTimer) decrease_at_ = first_cnp_ + p.t_d * ((now - first_cnp_) / p.t_d + 1);
  }
  answer(p, facts, control);
}

void Dcqcn::on_send(const Params& p, const FlowFacts& facts, const Send& packet, Control& control) {
  if (p.byte_counter.count == 0) return;
  advance(p, facts, packet.now);
  // At line rate there is nothing to raise, and the next cut restarts the counter.
  if (!recovered(facts)) {
    sent_ += packet.wire;
    if (sent_ >= p.byte_counter) {
      sent_ -= p.byte_counter;
      raise(p, facts, byte_stage_);
    }
  }
  answer(p, facts, control);
}

void Dcqcn::on_timer(const Params& p, const FlowFacts& facts, Time now, Control& control) {
  advance(p, facts, now);
  answer(p, facts, control);
}

// Lets all that was due by `now` happen, in order of time. Whoever calls first at an instant, timers come before the
// CNPs and packets of that instant, and of the timers the longer armed one comes first: an increase before a check.
// (T_i is a multiple of T_d in the vendors' defaults, so that the two do meet.)
void Dcqcn::advance(const Params& p, const FlowFacts& facts, Time now) {
  while (std::min(increase_at_, decrease_at_) <= now) {
    if (increase_at_ <= decrease_at_) {
      increase_at_ += p.t_i;
      raise(p, facts, time_stage_);
    } else {
      age_alpha(p, decrease_at_);
      cut(p, decrease_at_);
    }
  }
}

// The ticks of T_alpha up to and including `now` (SIGCOMM'15 equation 2). Only the first of them can have seen a CNP.
void Dcqcn::age_alpha(const Params& p, Time now) {
  if (now - alpha_time_ < p.t_alpha) return;
  const auto ticks = (now - alpha_time_) / p.t_alpha;
  alpha_ = (1 - p.g) * alpha_ + (cnp_in_tick_ ? p.g : 0);
  alpha_ *= power(1 - p.g, ticks - 1);
  alpha_time_ += p.t_alpha * ticks;
  cnp_in_tick_ = false;
}

void Dcqcn::cut(const Params& p, Time now) {
  if (p.clamp_target || time_stage_ > 0) r_t_ = r_c_;
  const Rate less{static_cast<std::int64_t>(static_cast<double>(r_c_.bits_per_second) * (1 - alpha_ / 2))};
  r_c_ = std::min(std::max(less, p.r_min), r_c_);
  time_stage_ = 0;
  byte_stage_ = 0;
  sent_ = {};
  increase_at_ = now + p.t_i;
  decrease_at_ = kNoTimer;
}

// One rate increase (SIGCOMM'15 section 3.1 and figure 7), after an expiry of the counter behind `stage`.
void Dcqcn::raise(const Params& p, const FlowFacts& facts, std::uint32_t& stage) {
  if (p.count_first) ++stage;
  const bool both = p.byte_counter.count > 0;
  const auto highest = std::int64_t{both ? std::max(time_stage_, byte_stage_) : time_stage_};
  const auto lowest = std::int64_t{both ? std::min(time_stage_, byte_stage_) : time_stage_};
  if (!p.count_first) ++stage;

  const auto hyper = lowest - p.fast_recovery;  // > 0: this many hyper increases with this one
  if (hyper > 0) {
    r_t_ = r_t_ + scaled(p.r_hai, p.scale_rate, facts.line_rate) * (p.hyper_increase == Hyper::growing ? hyper : 1);
  } else if (highest >= p.fast_recovery) {
    r_t_ = r_t_ + scaled(p.r_ai, p.scale_rate, facts.line_rate);
  }
  r_t_ = std::min(r_t_, facts.line_rate);
  // Rounded up, so that R_C arrives at R_T and, once at line rate, the timer can rest.
  r_c_ = {(r_c_.bits_per_second + r_t_.bits_per_second + 1) / 2};
  if (recovered(facts)) increase_at_ = kNoTimer;
}

void Dcqcn::answer(const Params& p, const FlowFacts& facts, Control& control) const {
  control.timer = std::min(increase_at_, decrease_at_);
  p.window.answer(r_c_, facts, control);
}

}  // namespace weir::cc
