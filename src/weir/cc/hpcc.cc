#include "weir/cc/hpcc.h"

#include <algorithm>

namespace weir::cc {

void Hpcc::Params::describe(ParamList<Params>& p) {
  p.number("eta", &Params::eta, 0.5, 1.0, "target utilisation of the fullest link", "HPCC 3.3, 5.1");
  p.integer("max_stage", &Params::max_stage, 0, 1'000'000,
            "maxStage: rounds of purely additive increase before a multiplicative one", "HPCC 3.3, 5.1");
  p.choice("additive_increase", &Params::additive_increase, {"window", "rate", "rule"},
           "what sets W_AI, the step of each round: w_ai itself, r_ai * T, or the rule W_init (1 - eta) / flows",
           "HPCC 3.3");
  p.bytes("w_ai", &Params::w_ai, "W_AI where additive_increase = window", "HPCC 5.1")
      .only_with("additive_increase", {"window"});
  p.rate("r_ai", &Params::r_ai, "W_AI / T where additive_increase = rate", "the authors' run.py, --hpai 50")
      .only_with("additive_increase", {"rate"});
  p.integer("flows", &Params::flows, 1, 1e9, "N, flows expected on a link, where additive_increase = rule",
            "HPCC 5.1, footnote 4")
      .only_with("additive_increase", {"rule"});
  p.time("T", &Params::base_rtt, "base round-trip time assumed for every flow; 0 = the largest of the network",
         "HPCC 3.2, 5.1");
  p.rate("r_min", &Params::r_min, "lower bound of the rate; W_min = r_min * T",
         "not in the paper; the authors' config.txt", Rate{1});
  p.choice("reaction", &Params::reaction, {"hpcc", "per-ack", "per-rtt"},
           "which acknowledgements change the window: all, from the reference window of the round (equation 4); all, "
           "from the current window (equation 3); the first of each round only",
           "HPCC 3.2, 5.4, figure 13");
  p.choice("signal", &Params::signal, {"txrate", "rxrate"},
           "the rate in equation 1: bytes that left the port, or bytes that entered its queue", "HPCC 3.4, figure 6");
  p.flag("min_queue", &Params::min_queue, "take the smaller of this and the previous queue length",
         "HPCC algorithm 1, line 5");
  p.flag("ewma", &Params::ewma, "smooth U, weighted by the time between two records", "HPCC algorithm 1, line 9");
  p.number("reciprocal_epsilon", &Params::reciprocal, 0, 0.5,
           "divide by U / eta with a table of reciprocals that are this far apart, relatively; 0 = divide",
           "HPCC 4.3; 0.0044 gives its 10 KB");
  p.part("vai_", &Params::vai);
  p.bytes("vai_token_thresh", &Params::vai_token_thresh,
          "Token_Thresh: a longer queue on the path mints tokens; 0 = the bandwidth-delay product of the flow's path",
          "Fast Convergence VI-A: the least of the network, 50 KB")
      .only_with("vai_enabled", {"true"});
  p.bytes("vai_ai_div", &Params::vai_ai_div, "AI_DIV: bytes of queue for one token", "Fast Convergence VI-A", Bytes{1})
      .only_with("vai_enabled", {"true"});
  p.choice("vai_tokens", &Params::vai_tokens, {"queue", "excess"},
           "what AI_DIV divides: the longest queue of the round trip (algorithm 1), or what it exceeds Token_Thresh by "
           "(the text speaks of a difference, but not to what)",
           "Fast Convergence IV-A")
      .only_with("vai_enabled", {"true"});
  p.part("", &Params::reference);
}

std::span<const Preset> Hpcc::presets() {
  static constexpr PresetValue paper[] = {
      {"eta", "0.95"}, {"max_stage", "5"}, {"additive_increase", "window"}, {"w_ai", "80 B"}, {"r_min", "100 Mbps"}};
  static constexpr PresetValue ns3[] = {
      {"eta", "0.95"}, {"max_stage", "0"}, {"additive_increase", "rate"}, {"r_ai", "50 Mbps"}, {"r_min", "1000 Mbps"}};
  static constexpr std::array fc_base{PresetValue{"eta", "0.95"}, PresetValue{"max_stage", "5"},
                                      PresetValue{"additive_increase", "rate"}};
  static constexpr auto fc = with(fc_base, {{"r_ai", "50 Mbps"}});
  static constexpr auto fc_1g = with(fc_base, {{"r_ai", "1 Gbps"}});
  static constexpr auto fc_probabilistic = with(fc, {{"probabilistic", "increase"}});
  static constexpr auto fc_vai_sf = with(fc, {{"vai_enabled", "true"},
                                              {"vai_token_thresh", "50 KB"},
                                              {"vai_ai_div", "1 KB"},
                                              {"vai_bank_cap", "1000"},
                                              {"vai_ai_cap", "100"},
                                              {"vai_dampener_constant", "8"},
                                              {"sf_acks", "30"}});
  static constexpr Preset all[] = {
      {"paper", "HPCC section 5.1", paper},
      {"ns3", "the authors' ns-3 artifact, run.py --cc hp --hpai 50", ns3},
      {"fast-convergence", "Fast Convergence III-D, \"HPCC\"", fc},
      {"fast-convergence-1g", "Fast Convergence III-D, \"HPCC 1Gbps\"", fc_1g},
      {"fast-convergence-probabilistic", "Fast Convergence III-D, \"HPCC Probabilistic\"", fc_probabilistic},
      {"fast-convergence-vai-sf", "Fast Convergence VI-A, \"HPCC VAI SF\"", fc_vai_sf},
  };
  return all;
}

Hpcc::Hpcc(const Params& p, const FlowFacts& facts, Control& control) {
  const Time t = p.base_rtt.ps > 0 ? p.base_rtt : facts.network_rtt;
  t_ = static_cast<double>(t.ps);
  per_t_ = 1 / t_;
  const auto in_t = [this](Rate r) { return std::min(r.bytes_per_second() * t_ * 1e-12, 0x1p62); };
  w_init_ = in_t(facts.line_rate);  // flows start at line rate (section 3.2)
  w_min_ = std::min(std::max(in_t(p.r_min), 1.0), w_init_);
  switch (p.additive_increase) {
    case Increase::window: w_ai_ = static_cast<double>(p.w_ai.count); break;
    case Increase::rate: w_ai_ = in_t(p.r_ai); break;
    case Increase::rule: w_ai_ = additive_step(w_init_, p.eta, p.flows); break;
  }
  w_c_ = w_init_;
  plain_ = p.reciprocal.empty() && !p.vai.enabled && p.reference.per_round();
  control.repace = true;
  answer(w_init_, control);
}

// Algorithm 1, NewAck.
void Hpcc::on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  if (const auto signal = measure(p, facts, ack)) react(p, facts, ack, *signal, control);
}

std::optional<CongestionSignal> Hpcc::measure(const Params& p, const FlowFacts& facts, const Ack& ack) {
  if (ack.telemetry == nullptr || ack.hops == 0) return {};
  std::optional<CongestionSignal> signal;
  if (links_.continue_with(facts.telemetry, ack))
    signal = measure_inflight(p, facts.telemetry, links_, ack);
  else
    start_over(ack);
  links_.remember(facts.telemetry, ack);
  return signal;
}

void Hpcc::react(const Params& p, const FlowFacts& facts, const Ack& ack, CongestionSignal signal, Control& control) {
  u_ = (1 - signal.weight) * u_ + signal.weight * signal.value;
  if (plain_) [[likely]]
    react_plainly(p, ack, control);
  else
    react_with_parts(p, facts, ack, control);
}

// The first acknowledgement of a flow or of a new path only leaves its records (section 4.1): there is nothing yet to
// take differences with. The window stays.
void Hpcc::start_over(const Ack& ack) {
  u_ = 1;
  inc_stage_ = 0;
  begin_round(ack);
}

// Go-back-N may have moved snd_nxt back; a round never ends earlier for that.
void Hpcc::begin_round(const Ack& ack) { last_update_seq_ = std::max(last_update_seq_, ack.snd_nxt.count); }

// Algorithm 1, MeasureInflight.
CongestionSignal Hpcc::measure_inflight(const Params& p, const IntFormat& format, const HpccLinks& links,
                                        const Ack& ack) const {
  static constexpr IntFormat kExact = IntFormat::exact();  // without masks and units
  return format.is_exact() ? measure_links(p, kExact, links, ack) : measure_links(p, format, links, ack);
}

[[gnu::always_inline]] inline CongestionSignal Hpcc::measure_links(const Params& p, const IntFormat& format,
                                                                   const HpccLinks& links, const Ack& ack) const {
  const HpccLinks::Reading reading{.rx_rate = p.signal == Signal::rx_rate, .min_queue = p.min_queue, .per_t = per_t_};
  double u = -1;  // nothing measured
  double tau = 0;
  for (std::size_t i = 0; i < links.hops(); ++i) {
    const auto link = links.utilisation(reading, format, ack, i);
    if (link.u > u) {
      u = link.u;
      tau = link.tau;
    }
  }
  if (u < 0) return {.value = u_, .weight = 0};
  return {.value = u, .weight = p.ewma ? weight_of(tau) : 1};
}

void Hpcc::react_plainly(const Params& p, const Ack& ack, Control& control) {
  const bool sync = ack.seq.count > last_update_seq_;
  if (sync || p.reaction != Reaction::per_rtt)
    answer(compute_wind(p, sync || p.reaction == Reaction::per_ack), control);
  if (sync) begin_round(ack);
}

// Algorithm 1, ComputeWind.
double Hpcc::compute_wind(const Params& p, bool update_w_c) {
  const bool multiply = u_ >= p.eta || inc_stage_ >= p.max_stage;
  double w = (multiply ? w_c_ * p.eta / u_ : w_c_) + w_ai_;  // equation 4, or pure additive increase
  w = std::clamp(w, w_min_, w_init_);
  if (update_w_c) {
    inc_stage_ = multiply ? 0 : inc_stage_ + 1;
    w_c_ = w;
  }
  return w;
}

// Algorithm 1 with an additive step that varies, a reference that decreases at other times or not at all, or a table
// instead of the division.
void Hpcc::react_with_parts(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  const double w_ai = p.vai.enabled ? variable_step(p, facts, ack) : w_ai_;
  const bool multiply = u_ >= p.eta || inc_stage_ >= p.max_stage;
  double w = w_c_;
  if (multiply) w = p.reciprocal.empty() ? w_c_ * p.eta / u_ : w_c_ * p.reciprocal.inverse(u_ / p.eta);
  w = std::clamp(w + w_ai, w_min_, w_init_);

  const bool round_ended = ack.seq.count > last_update_seq_;
  reference_.count();
  auto verdict = reference_.judge(p.reference, facts.random, w < w_c_, round_ended, w_c_, w_init_);
  if (p.reaction == Reaction::per_ack) verdict = {.move = true, .new_round = round_ended};
  if (verdict.ignore) w = std::clamp(w_c_ + w_ai, w_min_, w_init_);
  if (verdict.move || (!verdict.ignore && p.reaction != Reaction::per_rtt)) answer(w, control);
  if (verdict.move) {
    inc_stage_ = multiply && !verdict.ignore ? 0 : inc_stage_ + 1;
    w_c_ = w;
    if (p.vai.enabled) vai_.spend(p.vai);
  }
  if (verdict.new_round) begin_round(ack);
}

// W_AI times what Variable AI makes of it. Measured Congestion is the longest queue; C = U / eta tells whether there is
// congestion at all (Fast Convergence V-A).
double Hpcc::variable_step(const Params& p, const FlowFacts& facts, const Ack& ack) {
  std::int64_t longest = 0;
  for (std::size_t i = 0; i < ack.hops; ++i)
    longest = std::max(longest, facts.telemetry.queue_bytes(ack.telemetry->hop[i]));
  vai_.observe(static_cast<double>(longest), u_ >= p.eta);
  if (vai_.round_ended(ack)) {
    const Bytes own = p.vai_token_thresh.count > 0 ? p.vai_token_thresh : bytes_in(facts.base_rtt, facts.path_rate);
    const auto token_thresh = static_cast<double>(own.count);
    const double divided = vai_.measured_congestion() - (p.vai_tokens == Tokens::excess ? token_thresh : 0);
    vai_.generate(p.vai, token_thresh, divided / static_cast<double>(p.vai_ai_div.count));
  }
  return w_ai_ * vai_.multiplier(p.vai);
}

// The pacing rate R = W / T (section 3.2).
void Hpcc::answer(double w, Control& control) const {
  control.window = {static_cast<std::int64_t>(w)};
  control.rate = {static_cast<std::int64_t>(w * per_t_ * 8e12 + 0.5)};
}

}  // namespace weir::cc
