#include "weir/cc/swift.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace weir::cc {
namespace {

constexpr Time kLongAgo{-(std::int64_t{1} << 61)};

double ps(Time t) { return static_cast<double>(t.ps); }

// Algorithm 1, line 16.
double decrease_factor(const Swift::Params& p, double delay, double target) {
  return std::max(1 - p.beta * (delay - target) / delay, 1 - p.max_mdf);
}

// Algorithm 1, lines 8 to 12: packets by which `acked` packets enlarge the window.
double increase(double cwnd, double ai, double acked) { return cwnd >= 1 ? ai * acked / cwnd : ai * acked; }

double in_packets(Bytes b, const FlowFacts& facts) {
  return static_cast<double>(b.count) / static_cast<double>(facts.payload.count);
}

}  // namespace

void Swift::Params::describe(ParamList<Params>& p) {
  p.time("base_target", &Params::base_target, "base target delay of the fabric", "Swift 3.5; csg-htsim (a guess)");
  p.time("hop_target", &Params::hop_target, "h-bar: target delay for each switch of the path",
         "Swift 3.5; csg-htsim: base_target / 6.55 (a guess)");
  p.time("fs_range", &Params::fs_range, "most that flow-based scaling adds to the target; 0 = no flow-based scaling",
         "Swift 3.5; csg-htsim: 5 base_target");
  p.number("fs_min_cwnd", &Params::fs_min_cwnd, 0.001, 1, "window up to which flow-based scaling adds all of fs_range",
           "Swift 3.5; csg-htsim")
      .not_with("fs_range", {"0 ps"});
  p.number("fs_max_cwnd", &Params::fs_max_cwnd, 2, 1e6, "window from which on flow-based scaling adds nothing",
           "Swift 3.5; csg-htsim")
      .not_with("fs_range", {"0 ps"});
  p.time("endpoint_target", &Params::endpoint_target, "target of the delay within hosts", "Swift 3.3; value ours",
         Time{1});
  p.number("endpoint_gain", &Params::endpoint_gain, 0.001, 1, "weight of a new endpoint delay in the smoothed one",
           "Swift 3.3; value ours: not smoothed");
  p.choice("additive_increase", &Params::additive_increase, {"packets", "rate"},
           "what sets the additive increase per round trip: ai, or r_ai * T",
           "Swift algorithm 1; Fast Convergence III-D");
  p.number("ai", &Params::ai, 0, 1e6, "packets per round trip where additive_increase = packets",
           "Swift algorithm 1; csg-htsim (a guess)")
      .only_with("additive_increase", {"packets"});
  p.rate("r_ai", &Params::r_ai, "rate per round trip where additive_increase = rate", "Fast Convergence III-D")
      .only_with("additive_increase", {"rate"});
  p.integer("hai_after", &Params::hai_after, 0, 1'000'000,
            "hyper additive increase: round trips in a row without a delay above the target after which it begins; 0 = "
            "never",
            "named in Fast Convergence VI-B; TIMELY: 5")
      .only_with("reference_window", {"false"});
  p.number("hai", &Params::hai, 1, 1e6, "the additive increase is then this many times as large",
           "named in Fast Convergence VI-B; TIMELY: 5")
      .not_with("hai_after", {"0"});
  p.number("beta", &Params::beta, 0, 1, "multiplicative decrease constant",
           "Swift algorithm 1; Fast Convergence III-D; csg-htsim");
  p.number("max_mdf", &Params::max_mdf, 0, 1, "largest decrease at once, as a part of the window",
           "Swift algorithm 1; Fast Convergence III-D; csg-htsim");
  p.choice("decrease_guard", &Params::decrease_guard, {"rtt", "srtt"},
           "a decrease may follow another after the round trip of the latest packet; or after the smoothed one of the "
           "packets before it (7/8 of the former value, 1/8 of the new one). With reference_window it only counts for "
           "losses and hosts",
           "Swift algorithm 1: RTT; srtt: csg-htsim");
  p.integer("retx_reset_threshold", &Params::retx_reset_threshold, 1, 1'000'000,
            "timeouts in a row that set the window to min_cwnd", "Swift algorithm 1; csg-htsim (a guess)");
  p.integer("lost_in_a_row", &Params::lost_in_a_row, 1, 1'000'000,
            "successive packets that must be missing for a loss to decrease the window, unless it is a timeout; where "
            "the transport does not tell, all that is lost counts as a row",
            "LSwift: 5, Spraying III-B");
  p.integer("delayed_in_a_row", &Params::delayed_in_a_row, 1, 1'000'000,
            "acknowledgements in a row with delays above the target that it takes to decrease the window",
            "LSwift, if read otherwise: 5, Spraying III-B");
  p.number("min_cwnd", &Params::min_cwnd, 1e-6, 1, "least window in packets", "Swift algorithm 1; csg-htsim: 10 bytes");
  p.number("max_cwnd", &Params::max_cwnd, 0, 1e6, "largest window in packets; 0 = line rate * T",
           "Swift algorithm 1; csg-htsim (a guess)");
  p.number("initial_cwnd", &Params::initial_cwnd, 0, 1e6, "window at the start in packets; 0 = line rate * T",
           "not in Swift; csg-htsim; Fast Convergence III-D: line rate");
  p.time("T", &Params::base_rtt,
         "round-trip time that turns rates into windows and back; 0 = the largest base round-trip time of the network",
         "as in HPCC");
  p.choice("pacing", &Params::pacing, {"below-one", "always"},
           "pace only windows below one packet, at one packet in rtt / cwnd; or always, at cwnd / T",
           "Swift 3.4; always: the simulator of Fast Convergence");
  p.flag("reference_window", &Params::reference_window,
         "every acknowledgement computes the window from a reference, which moves once per round trip",
         "Fast Convergence V-B");
  p.flag("always_ai", &Params::always_ai, "add the additive increase also when the window decreases",
         "Fast Convergence V-B");
  p.part("vai_", &Params::vai);
  p.time("vai_token_thresh", &Params::vai_token_thresh,
         "Token_Thresh: a delay of more than this above the target mints tokens; 0 = the flow's base round-trip time",
         "Fast Convergence VI-A: 50 KB at 100 Gb/s")
      .only_with("vai_enabled", {"true"});
  p.time("vai_ai_div", &Params::vai_ai_div, "AI_DIV: delay for one token", "Fast Convergence VI-A", Time{1})
      .only_with("vai_enabled", {"true"});
  p.choice("vai_tokens", &Params::vai_tokens, {"queueing", "delay", "excess"},
           "what AI_DIV divides: the longest delay less the base round-trip time (section VI-A), the delay itself "
           "(algorithm 1), or what it exceeds the target by",
           "Fast Convergence IV-A, VI-A")
      .only_with("vai_enabled", {"true"});
  p.part("", &Params::reference);
}

std::span<const Preset> Swift::presets() {
  static constexpr PresetValue paper[] = {{"base_target", "20 us"}, {"hop_target", "3053 ns"}, {"fs_range", "100 us"},
                                          {"fs_min_cwnd", "0.1"},   {"fs_max_cwnd", "100"},    {"ai", "1"},
                                          {"beta", "0.8"},          {"max_mdf", "0.5"},        {"initial_cwnd", "15"}};
  static constexpr std::array fc_base{PresetValue{"base_target", "5 us"}, PresetValue{"hop_target", "2 us"},
                                      PresetValue{"beta", "0.8"},         PresetValue{"max_mdf", "0.5"},
                                      PresetValue{"max_cwnd", "0"},       PresetValue{"initial_cwnd", "0"},
                                      PresetValue{"pacing", "always"},    PresetValue{"additive_increase", "rate"}};
  static constexpr auto fc_scaled =
      with(fc_base, {{"fs_range", "25 us"}, {"fs_min_cwnd", "0.1"}, {"fs_max_cwnd", "100"}});
  static constexpr auto fc = with(fc_scaled, {{"r_ai", "50 Mbps"}});
  static constexpr auto fc_1g = with(fc_scaled, {{"r_ai", "1 Gbps"}});
  static constexpr auto fc_probabilistic = with(fc, {{"probabilistic", "retry"}});
  static constexpr auto fc_vai_sf = with(fc_base, {{"r_ai", "50 Mbps"},
                                                   {"fs_range", "0"},
                                                   {"reference_window", "true"},
                                                   {"always_ai", "true"},
                                                   {"vai_enabled", "true"},
                                                   {"vai_token_thresh", "4 us"},
                                                   {"vai_ai_div", "30 ns"},
                                                   {"vai_bank_cap", "1000"},
                                                   {"vai_ai_cap", "100"},
                                                   {"vai_dampener_constant", "8"},
                                                   {"sf_acks", "30"}});
  static constexpr auto lswift = with(kSpraying, {{"lost_in_a_row", "5"}});
  static constexpr auto lswift_delayed = with(lswift, {{"delayed_in_a_row", "5"}});
  static constexpr Preset all[] = {
      {"paper", "Kumar et al., SIGCOMM'20; values not published there as in csg-htsim", paper},
      {"fast-convergence", "Fast Convergence III-D, \"Swift\"; on its single switch with fs_max_cwnd = 50", fc},
      {"fast-convergence-1g", "Fast Convergence III-D, \"Swift 1Gbps\"", fc_1g},
      {"fast-convergence-probabilistic", "Fast Convergence III-D, \"Swift Probabilistic\"", fc_probabilistic},
      {"fast-convergence-vai-sf", "Fast Convergence V, VI-A, \"Swift VAI SF\"", fc_vai_sf},
      {"spraying", "Spraying IV-A, \"Swift\"; values ours where it only says \"adjusted\"", kSpraying},
      {"lswift", "Spraying III-B, \"LSwift\"", lswift},
      {"lswift-delayed", "Spraying III-B, \"LSwift\", if it is delays of which five in a row count", lswift_delayed},
  };
  return all;
}

Swift::Swift(const Params& p, const FlowFacts& facts, Control& control) {
  t_ = ps(p.base_rtt.ps > 0 ? p.base_rtt : facts.network_rtt);
  const auto in_t = [&](Rate r) { return r.bytes_per_second() * t_ * 1e-12 / static_cast<double>(facts.wire.count); };
  line_cwnd_ = in_t(facts.line_rate);
  max_cwnd_ = std::max(p.max_cwnd > 0 ? p.max_cwnd : line_cwnd_, p.min_cwnd);
  ai_ = p.additive_increase == Increase::packets ? p.ai : in_t(p.r_ai);
  fixed_target_ = ps(p.base_target + facts.switch_hops * p.hop_target);
  const double root_max = std::sqrt(p.fs_max_cwnd);
  fs_alpha_ = ps(p.fs_range) / (1 / std::sqrt(p.fs_min_cwnd) - 1 / root_max);
  fs_beta_ = -fs_alpha_ / root_max;

  const double initial = clamped(p, p.initial_cwnd > 0 ? p.initial_cwnd : line_cwnd_);
  fabric_ = {initial, kLongAgo};
  endpoint_ = {max_cwnd_, kLongAgo};  // no limit until hosts turn out to be slow
  reference_ = initial;
  rtt_ = facts.base_rtt;
  varies_ = p.vai.enabled || p.hai_after > 0;
  control.repace = true;
  control.every_loss = p.lost_in_a_row > 1;
  answer(p, facts, control);
}

// A delay that is the target counts as congestion. The part of hosts is the same for all flows, and is told first.
DelayTarget Swift::delay_target(const Params& p, const FlowFacts& facts, Time host_delay) {
  constexpr Time kMore{1};
  const DelayTarget of_hosts{.delay = host_delay,
                             .target = p.endpoint_target,
                             .setting = "endpoint_target",
                             .least = host_delay + kMore,
                             .below = true};
  if (!of_hosts.is_met()) return of_hosts;
  const Time hops = p.hop_target * facts.switch_hops;
  return {.delay = facts.base_rtt,
          .target = p.base_target + hops,
          .setting = "base_target",
          .least = std::max(Time{}, facts.base_rtt - hops + kMore),
          .below = true};
}

double Swift::target_delay(const Params& p, double cwnd) const {
  if (p.fs_range.ps == 0) return fixed_target_;
  return fixed_target_ + std::clamp(fs_alpha_ / std::sqrt(cwnd) + fs_beta_, 0.0, ps(p.fs_range));
}

void Swift::on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  react(p, facts, ack, *measure(p, facts, ack), control);
}

std::optional<CongestionSignal> Swift::measure(const Params&, const FlowFacts&, const Ack& ack) {
  return CongestionSignal{.value = ps(ack.rtt - ack.endpoint_delay)};
}

// Algorithm 1, "On receiving ACK".
void Swift::react(const Params& p, const FlowFacts& facts, const Ack& ack, CongestionSignal signal, Control& control) {
  const double delay = signal.value;
  retransmit_count_ = 0;
  rtt_ = ack.rtt;
  update_.count();
  const double target = target_delay(p, fabric_.cwnd);
  delayed_ = delay >= target ? std::min(delayed_ + 1, p.delayed_in_a_row) : 0;
  const double ai = varies_ ? varied_increase(p, facts, ack, delay, target) : ai_;
  if (p.reference_window)
    adjust_from_reference(p, facts, ack, delay, target, ai);
  else
    adjust(p, facts, ack, delay, target, ai);
  adjust_endpoint(p, facts, ack);
  if (p.decrease_guard == Guard::srtt) srtt_ = srtt_ == Time{} ? ack.rtt : srtt_ + (ack.rtt - srtt_) / 8;
  answer(p, facts, control);
}

void Swift::adjust(const Params& p, const FlowFacts& facts, const Ack& ack, double delay, double target, double ai) {
  const double before = fabric_.cwnd;
  double cwnd = before;
  bool skipped = false;
  if (delayed_ >= p.delayed_in_a_row) {
    const bool round_ended = ack.now - fabric_.last_decrease >= guard(p);
    const auto verdict = update_.judge(p.reference, facts.random, true, round_ended, before, line_cwnd_);
    skipped = verdict.ignore && verdict.new_round;
    if (verdict.move) cwnd = verdict.ignore ? cwnd + ai : cwnd * decrease_factor(p, delay, target);
  }
  if (delay < target || p.always_ai) cwnd += increase(cwnd, ai, in_packets(ack.acked, facts));
  fabric_.cwnd = clamped(p, cwnd);
  if (fabric_.cwnd < before || skipped) fabric_.last_decrease = ack.now;
}

// Fast Convergence V-B: as HPCC computes its window.
void Swift::adjust_from_reference(const Params& p, const FlowFacts& facts, const Ack& ack, double delay, double target,
                                  double ai) {
  double cwnd = reference_;
  if (delayed_ >= p.delayed_in_a_row) cwnd *= decrease_factor(p, delay, target);
  if (delay < target || p.always_ai) cwnd += ai;
  cwnd = clamped(p, cwnd);
  const bool round_ended = ack.seq.count > last_update_seq_;
  const auto verdict = update_.judge(p.reference, facts.random, cwnd < reference_, round_ended, reference_, line_cwnd_);
  if (verdict.ignore) cwnd = clamped(p, reference_ + ai);
  if (verdict.move || !verdict.ignore) fabric_.cwnd = cwnd;
  if (verdict.move) {
    reference_ = cwnd;
    if (p.vai.enabled) vai_.spend(p.vai);
  }
  if (verdict.new_round) last_update_seq_ = std::max(last_update_seq_, ack.snd_nxt.count);
}

double Swift::varied_increase(const Params& p, const FlowFacts& facts, const Ack& ack, double delay, double target) {
  const double hyper = p.hai_after > 0 ? hyper_increase(p, ack, delay >= target) : 1;
  return hyper * (p.vai.enabled ? variable_increase(p, facts, ack, delay, target) : ai_);
}

// Without a reference window the end of the round trip, in last_update_seq_, is free for this.
double Swift::hyper_increase(const Params& p, const Ack& ack, bool delayed) {
  if (delayed) {
    quiet_ = 0;
    last_update_seq_ = ack.snd_nxt.count;
  } else if (ack.seq.count > last_update_seq_) {
    quiet_ = std::min(quiet_ + 1, p.hai_after);
    last_update_seq_ = ack.snd_nxt.count;
  }
  return quiet_ >= p.hai_after ? p.hai : 1;
}

// The additive increase times what Variable AI makes of it. Measured Congestion is the longest delay; there is none
// while delays are within the target (Fast Convergence V-A).
double Swift::variable_increase(const Params& p, const FlowFacts& facts, const Ack& ack, double delay, double target) {
  vai_.observe(delay, delay > target);
  if (vai_.round_ended(ack)) {
    // Without a reference no acknowledgement is the one that spends; tokens then last for a round trip.
    if (!p.reference_window) vai_.spend(p.vai);
    const double above = ps(p.vai_token_thresh.ps > 0 ? p.vai_token_thresh : facts.base_rtt);
    double divided = vai_.measured_congestion();
    if (p.vai_tokens == Tokens::queueing) divided -= ps(facts.base_rtt);
    if (p.vai_tokens == Tokens::excess) divided -= target;
    vai_.generate(p.vai, target + above, std::max(divided, 0.0) / ps(p.vai_ai_div));
  }
  return ai_ * vai_.multiplier(p.vai);
}

// Section 3.3: the same law for the delay of the hosts, with a target that does not scale.
void Swift::adjust_endpoint(const Params& p, const FlowFacts& facts, const Ack& ack) {
  if (ack.endpoint_delay.ps == 0 && endpoint_delay_ == 0 && endpoint_.cwnd >= max_cwnd_) return;
  endpoint_delay_ += p.endpoint_gain * (ps(ack.endpoint_delay) - endpoint_delay_);
  const double target = ps(p.endpoint_target);
  if (endpoint_delay_ < target)
    endpoint_.cwnd = clamped(p, endpoint_.cwnd + increase(endpoint_.cwnd, ai_, in_packets(ack.acked, facts)));
  else if (ack.now - endpoint_.last_decrease >= guard(p))
    cut(p, endpoint_, decrease_factor(p, endpoint_delay_, target), ack.now);
}

// Algorithm 1, "On retransmit timeout" and "On fast recovery". Whether the fabric or a host has lost it, is not known:
// the window that counts is cut.
void Swift::on_loss(const Params& p, const FlowFacts& facts, const Loss& loss, Control& control) {
  retransmit_count_ = loss.kind == Loss::Kind::timeout ? retransmit_count_ + 1 : 0;
  const Bytes missing = loss.in_a_row.count > 0 ? loss.in_a_row : loss.lost;
  if (p.lost_in_a_row > 1 && loss.kind != Loss::Kind::timeout && missing < p.lost_in_a_row * facts.payload) return;
  Window& w = endpoint_.cwnd < fabric_.cwnd ? endpoint_ : fabric_;
  const bool reset = retransmit_count_ >= p.retx_reset_threshold;
  if (reset || loss.now - w.last_decrease >= guard(p)) {
    cut(p, w, reset ? 0 : 1 - p.max_mdf, loss.now);
    reference_ = std::min(reference_, fabric_.cwnd);
  }
  answer(p, facts, control);
}

void Swift::cut(const Params& p, Window& w, double factor, Time now) const {
  const double before = w.cwnd;
  w.cwnd = clamped(p, before * factor);
  if (w.cwnd < before) w.last_decrease = now;
}

double Swift::clamped(const Params& p, double cwnd) const { return std::clamp(cwnd, p.min_cwnd, max_cwnd_); }

void Swift::answer(const Params& p, const FlowFacts& facts, Control& control) const {
  const double w = cwnd();
  const auto payload = static_cast<double>(facts.payload.count);
  const auto wire_bits = static_cast<double>(facts.wire.count) * 8e12;  // times a rate per picosecond
  double rate = 0;
  if (p.pacing == Pacing::always) {
    control.window = {std::max<std::int64_t>(1, static_cast<std::int64_t>(w * payload))};
    rate = wire_bits * w / t_;
  } else if (w < 1) {
    control.window = {1};
    rate = wire_bits * w / ps(rtt_);
  } else {
    control.window = {static_cast<std::int64_t>(w) * facts.payload.count};
  }
  control.rate = {rate == 0 ? 0 : std::max<std::int64_t>(1, static_cast<std::int64_t>(rate + 0.5))};
}

}  // namespace weir::cc
