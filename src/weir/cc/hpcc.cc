#include "weir/cc/hpcc.h"

#include <algorithm>
#include <cassert>

namespace weir::cc {
namespace {

constexpr double kMbpsPerBytePs = 8e6;  // one byte per picosecond in Mb/s

}  // namespace

void Hpcc::Params::describe(ParamList<Params>& p) {
  p.number("eta", &Params::eta, 0.5, 1.0, "target utilisation of the fullest link", "HPCC 3.3, 5.1");
  p.integer("max_stage", &Params::max_stage, 0, 1'000'000,
            "maxStage: rounds of purely additive increase before a multiplicative one", "HPCC 3.3, 5.1");
  p.choice("additive_increase", &Params::additive_increase, {"window", "rate", "rule"},
           "what sets W_AI, the step of each round: w_ai itself, r_ai * T, or the rule W_init (1 - eta) / flows",
           "HPCC 3.3");
  p.bytes("w_ai", &Params::w_ai, "W_AI where additive_increase = window", "HPCC 5.1");
  p.rate("r_ai", &Params::r_ai, "W_AI / T where additive_increase = rate", "the authors' run.py, --hpai 50");
  p.integer("flows", &Params::flows, 1, 1e9, "N, flows expected on a link, where additive_increase = rule",
            "HPCC 5.1, footnote 4");
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
}

std::span<const Preset> Hpcc::presets() {
  static constexpr PresetValue paper[] = {
      {"eta", "0.95"}, {"max_stage", "5"}, {"additive_increase", "window"}, {"w_ai", "80 B"}, {"r_min", "100 Mbps"}};
  static constexpr PresetValue ns3[] = {
      {"eta", "0.95"}, {"max_stage", "0"}, {"additive_increase", "rate"}, {"r_ai", "50 Mbps"}, {"r_min", "1000 Mbps"}};
  static constexpr Preset all[] = {
      {"paper", "HPCC section 5.1", paper},
      {"ns3", "the authors' ns-3 artifact, run.py --cc hp --hpai 50", ns3},
  };
  return all;
}

Hpcc::Hpcc(const Params& p, const FlowFacts& facts, Control& control) {
  const Time t = p.base_rtt.ps > 0 ? p.base_rtt : facts.network_rtt;
  t_ = static_cast<double>(t.ps);
  per_t_ = 1 / t_;
  const auto in_t = [this](Rate r) { return r.bytes_per_second() * t_ * 1e-12; };
  w_init_ = in_t(facts.line_rate);  // flows start at line rate (section 3.2)
  w_min_ = std::min(std::max(in_t(p.r_min), 1.0), w_init_);
  switch (p.additive_increase) {
    case Increase::window: w_ai_ = static_cast<double>(p.w_ai.count); break;
    case Increase::rate: w_ai_ = in_t(p.r_ai); break;
    case Increase::rule: w_ai_ = additive_step(w_init_, p.eta, p.flows); break;
  }
  w_c_ = w_init_;
  control.repace = true;
  answer(w_init_, control);
}

// Algorithm 1, NewAck.
void Hpcc::on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  if (ack.telemetry == nullptr || ack.hops == 0) return;
  if (ack.hops != hops_ || ack.path_changed || ambiguous(facts.telemetry, ack)) {
    start_over(ack);
  } else {
    measure_inflight(p, facts.telemetry, ack);
    const bool sync = ack.seq.count > last_update_seq_;
    if (sync || p.reaction != Reaction::per_rtt)
      answer(compute_wind(p, sync || p.reaction == Reaction::per_ack), control);
    // Go-back-N may have moved snd_nxt back; a round never ends earlier for that.
    if (sync) last_update_seq_ = std::max(last_update_seq_, ack.snd_nxt.count);
  }
  remember(ack);
}

// The first acknowledgement of a flow or of a new path only leaves its records (section 4.1): there is nothing yet to
// take differences with. The window stays.
void Hpcc::start_over(const Ack& ack) {
  u_ = 1;
  inc_stage_ = 0;
  last_update_seq_ = std::max(last_update_seq_, ack.snd_nxt.count);
}

// Truncated counters may have wrapped unseen since the previous acknowledgement. By the sender's own clock: has more
// than half of the shortest wrap period gone by? The periods are those of TS and, at the speed of the fastest port,
// of txBytes (section 4.1, figure 7).
bool Hpcc::ambiguous(const IntFormat& format, const Ack& ack) const {
  if (format.is_exact()) return false;
  std::uint32_t fastest = 0;
  for (std::size_t i = 0; i < hops_; ++i) fastest = std::max(fastest, ack.telemetry->hop[i].rate_mbps);
  const auto elapsed = static_cast<double>((ack.now - last_ack_).ps);
  const auto time_range = static_cast<double>((format.time_mask + 1) * format.time_unit_ps);
  const auto tx_range = static_cast<double>((format.tx_mask + 1) * format.tx_unit);
  const double could_send = elapsed * static_cast<double>(fastest) / kMbpsPerBytePs;
  return 2 * elapsed > time_range || 2 * could_send > tx_range;
}

// Algorithm 1, MeasureInflight.
void Hpcc::measure_inflight(const Params& p, const IntFormat& format, const Ack& ack) {
  double u = -1;  // nothing measured
  double tau = 0;
  for (std::size_t i = 0; i < hops_; ++i) {
    const HopTelemetry& now = ack.telemetry->hop[i];
    const HopTelemetry& before = link_[i];
    const auto dt = format.elapsed_ps(now, before);
    if (dt <= 0) continue;  // two records of one instant tell no rate
    const auto queue_now = format.queue_bytes(now);
    const auto queue_before = format.queue_bytes(before);
    auto bytes = format.sent_bytes(now, before);
    // What had entered the queue when a packet left it is what had left, the packet, and what waits behind it. The
    // packets are a flow's own and of one size (but for its last one), so they cancel in the difference.
    if (p.signal == Signal::rx_rate) bytes = std::max<std::int64_t>(0, bytes + queue_now - queue_before);
    const auto queue = p.min_queue ? std::min(queue_now, queue_before) : queue_now;
    // Equation 2, u' = (qlen / T + bytes / dt) / B, with one division: both sides times dt.
    const auto span = static_cast<double>(dt);
    const double inflight = static_cast<double>(bytes) + static_cast<double>(queue) * span * per_t_;
    const double u_link = kMbpsPerBytePs * inflight / (static_cast<double>(now.rate_mbps) * span);
    if (u_link > u) {
      u = u_link;
      tau = span;
    }
  }
  if (u < 0) return;
  const double weight = p.ewma && tau < t_ ? tau * per_t_ : 1;
  u_ = (1 - weight) * u_ + weight * u;
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

// The pacing rate R = W / T (section 3.2).
void Hpcc::answer(double w, Control& control) const {
  control.window = {static_cast<std::int64_t>(w)};
  control.rate = {static_cast<std::int64_t>(w * per_t_ * 8e12 + 0.5)};
}

void Hpcc::remember(const Ack& ack) {
  assert(ack.hops <= kMaxTelemetryHops);
  hops_ = ack.hops;
  std::copy_n(ack.telemetry->hop.begin(), hops_, link_.begin());
  last_ack_ = ack.now;
}

}  // namespace weir::cc
