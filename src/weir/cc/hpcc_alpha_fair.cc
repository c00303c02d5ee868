#include "weir/cc/hpcc_alpha_fair.h"

#include <algorithm>
#include <cmath>

namespace weir::cc {
namespace {

using Alpha = HpccAlphaFair::Alpha;

// x^(2^exponent): repeated squaring, or as many square roots.
double power(double x, int exponent) {
  for (; exponent > 0; --exponent) x *= x;
  for (; exponent < 0; ++exponent) x = std::sqrt(x);
  return x;
}

int exponent_of(Alpha alpha) { return static_cast<int>(alpha) - static_cast<int>(Alpha::one); }

// A link that always has room would let its register grow without end, and it would take as long to come down again.
// At this bound all idle links together change the sum of equation 7 by 1/64 at most.
constexpr double kIdleShare = 64;

}  // namespace

void HpccAlphaFair::Params::describe(ParamList<Params>& p) {
  p.choice("alpha", &Params::alpha, {"1/8", "1/4", "1/2", "1", "2", "4", "8", "inf"},
           "what kind of fairness: 1 = proportional, inf = max-min, near 0 = largest sum of rates",
           "HPCC A.3, equation 7");
  p.number("eta", &Params::eta, 0.5, 1.0, "target utilisation of each link (U_target)", "HPCC A.3, 5.1");
  p.integer("max_stage", &Params::max_stage, 0, 1'000'000,
            "maxStage: rounds of purely additive increase of a register before a multiplicative one",
            "HPCC 3.3; none in A.3");
  p.bytes("w_ai", &Params::w_ai, "additive increase of each register in a round", "HPCC A.3, 5.1");
  p.time("T", &Params::base_rtt, "base round-trip time assumed for every flow; 0 = the largest of the network",
         "HPCC 3.2, 5.1");
  p.rate("r_min", &Params::r_min, "lower bound of the rate; W_min = r_min * T",
         "not in the paper; the authors' config.txt", Rate{1});
  p.flag("min_queue", &Params::min_queue, "take the smaller of this and the previous queue length",
         "HPCC algorithm 1, line 5");
  p.flag("ewma", &Params::ewma, "smooth each U_i, weighted by the time between two records",
         "HPCC algorithm 1, line 9");
}

HpccAlphaFair::HpccAlphaFair(const Params& p, const FlowFacts& facts, Control& control) {
  const Time t = p.base_rtt.ps > 0 ? p.base_rtt : facts.network_rtt;
  t_ = static_cast<double>(t.ps);
  per_t_ = 1 / t_;
  const auto in_t = [this](Rate r) { return std::min(r.bytes_per_second() * t_ * 1e-12, 0x1p62); };
  w_init_ = in_t(facts.line_rate);
  w_min_ = std::min(std::max(in_t(p.r_min), 1.0), w_init_);
  control.repace = true;
  answer(w_init_, control);
}

void HpccAlphaFair::on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  if (ack.telemetry == nullptr || ack.hops == 0) return;
  const bool sync = ack.seq.count > last_update_seq_;
  if (!links_.continue_with(facts.telemetry, ack)) {
    start_over(p, ack, control.window);
  } else {
    answer(std::clamp(update(p, facts.telemetry, ack, sync), w_min_, w_init_), control);
    if (sync) last_update_seq_ = std::max(last_update_seq_, ack.snd_nxt.count);
  }
  links_.remember(facts.telemetry, ack);
}

double HpccAlphaFair::combine(Alpha alpha, const double* w, std::size_t n) {
  if (alpha == Alpha::infinite) return *std::min_element(w, w + n);
  const int k = exponent_of(alpha);
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += power(1 / w[i], k);
  return power(1 / sum, -k);
}

// Nothing is known yet of the links of a path; the window stays, and equal registers make it up.
void HpccAlphaFair::start_over(const Params& p, const Ack& ack, Bytes window) {
  const bool sum = p.alpha != Alpha::infinite;
  const auto over = [&](double n) { return sum ? power(n, -exponent_of(p.alpha)) : 1; };  // n^(1/alpha)
  most_ = w_init_ * over(kIdleShare * ack.hops);
  at_.fill({.w_c = static_cast<double>(window.count) * over(ack.hops)});
  last_update_seq_ = std::max(last_update_seq_, ack.snd_nxt.count);
}

// Algorithm 1 for each link.
double HpccAlphaFair::update(const Params& p, const IntFormat& format, const Ack& ack, bool sync) {
  const HpccLinks::Reading reading{.min_queue = p.min_queue, .per_t = per_t_};
  const auto w_ai = static_cast<double>(p.w_ai.count);
  std::array<double, kMaxTelemetryHops> w;
  for (std::size_t i = 0; i < links_.hops(); ++i) {
    Register& r = at_[i];
    const auto link = links_.utilisation(reading, format, ack, i);
    if (link.u >= 0) {
      const double weight = p.ewma && link.tau < t_ ? link.tau * per_t_ : 1;
      r.u = static_cast<float>((1 - weight) * static_cast<double>(r.u) + weight * link.u);
    }
    const auto u = static_cast<double>(r.u);
    const bool multiply = u >= p.eta || r.inc_stage >= p.max_stage;
    w[i] = std::clamp((multiply ? r.w_c * p.eta / u : r.w_c) + w_ai, w_min_, most_);
    if (sync) {
      r.inc_stage = multiply ? 0 : r.inc_stage + 1;
      r.w_c = w[i];
    }
  }
  return combine(p.alpha, w.data(), links_.hops());
}

// The pacing rate R = W / T (section 3.2).
void HpccAlphaFair::answer(double w, Control& control) const {
  control.window = {static_cast<std::int64_t>(w)};
  control.rate = {static_cast<std::int64_t>(w * per_t_ * 8e12 + 0.5)};
}

}  // namespace weir::cc
