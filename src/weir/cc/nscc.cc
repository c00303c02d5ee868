#include "weir/cc/nscc.h"

#include <algorithm>

namespace weir::cc {
namespace {

// The network that the specification's constants are for.
constexpr Time kReferenceRtt{12'000'000};
constexpr Bytes kReferenceBdp{150'000};

constexpr auto kReference = "uet-htsim, uec.cpp";

// The sum, rounded down as the reference does with integers.
std::int64_t plus(std::int64_t a, double b) { return static_cast<std::int64_t>(static_cast<double>(a) + b); }

}  // namespace

void Nscc::Params::describe(ParamList<Params>& p) {
  p.time("target_qdelay", &Params::target_qdelay,
         "target of the queueing delay; 0 = T, or 3/4 of it in a network that trims", kReference);
  p.number("alpha", &Params::alpha, 0, 1e6,
           "proportional increase per round trip, in packets of the reference network, at no delay of 12 us",
           kReference);
  p.number("fair_increase", &Params::fair_increase, 0, 1e6,
           "increase per round trip at long delays without marks, in packets of the reference network", kReference);
  p.number("eta", &Params::eta, 0, 1e6, "increase of each round trip, in packets of the reference network", kReference);
  p.number("fast_increase", &Params::fast_increase, 0, 1e6,
           "fast increase: part of the acknowledged bytes that the window grows by, in the reference network",
           kReference);
  p.time("fast_delay", &Params::fast_delay, "fast increase: as long as the delay is below this", kReference);
  p.number("gamma", &Params::gamma, 0, 1, "decrease by this part of what the smoothed delay exceeds the target by",
           kReference);
  p.number("max_decrease", &Params::max_decrease, 0, 1, "largest decrease at once, as a part of the window",
           kReference);
  p.number("delay_gain", &Params::delay_gain, 0, 1, "weight of a new delay in the smoothed one", kReference);
  p.number("good_delay", &Params::good_delay, 0, 1,
           "what a long delay without a mark counts as in the smoothed one, in base round-trip times", kReference);
  p.integer("adjust_packets", &Params::adjust_packets, 1, 1'000'000,
            "packets after which increases are added, if a round trip is not over before", kReference);
  p.flag("quick_adapt", &Params::quick_adapt, "after losses and very long delays, the window becomes what arrives",
         kReference);
  p.number("qa_threshold", &Params::qa_threshold, 0, 1e6, "quick adapt: very long delays, in targets", kReference)
      .only_with("quick_adapt", {"true"});
  p.integer("qa_gate", &Params::qa_gate, 0, 30,
            "quick adapt: only if less has arrived in a period than the largest window / 2^this", kReference)
      .only_with("quick_adapt", {"true"});
  p.number("max_window", &Params::max_window, 0, 1e6, "largest window, in bandwidth-delay products of the path",
           kReference);
  p.number("initial_window", &Params::initial_window, 0, 1e6, "first window, in the same",
           "uet-htsim; Spraying IV-A: ideal, 1");
  p.time("T", &Params::base_rtt, "round-trip time of the network; 0 = the largest of the network", kReference);
}

std::span<const Preset> Nscc::presets() {
  static constexpr PresetValue uec[] = {{"target_qdelay", "0"}, {"initial_window", "1.5"}};
  static constexpr PresetValue spraying[] = {{"target_qdelay", "1 us"}, {"initial_window", "1"}};
  static constexpr Preset all[] = {
      {"uec", "Ultra Ethernet specification 1.0, as in uet-htsim", uec},
      {"spraying", "Spraying IV-A: a target of 1 us, the first window is ideal", spraying},
  };
  return all;
}

Time Nscc::round_trip(const Params& p, const FlowFacts& facts) {
  return p.base_rtt.ps > 0 ? p.base_rtt : facts.network_rtt;
}

Time Nscc::target(const Params& p, const FlowFacts& facts) {
  const Time t = round_trip(p, facts);
  return p.target_qdelay.ps > 0 ? p.target_qdelay : facts.trimming ? t - t / 4 : t;
}

DelayTarget Nscc::delay_target(const Params& p, const FlowFacts& facts, Time host_delay) {
  return {.delay = host_delay, .target = target(p, facts), .setting = "target_qdelay", .least = host_delay};
}

Nscc::Nscc(const Params& p, const FlowFacts& facts, Control& control) {
  const Time t = round_trip(p, facts);
  t_ = t.ps;
  target_ = target(p, facts).ps;
  const auto mss = static_cast<double>(facts.payload.count);
  const double a = static_cast<double>(bytes_in(t, facts.line_rate).count) / static_cast<double>(kReferenceBdp.count);
  const double b = static_cast<double>(target_) / static_cast<double>(kReferenceRtt.ps);
  alpha_ = p.alpha * mss * a * b / static_cast<double>(target_);
  fi_ = p.fair_increase * mss * a;
  eta_ = p.eta * mss * a;
  fi_scale_ = p.fast_increase * a;
  const auto bdp = static_cast<double>(bytes_in(facts.base_rtt, facts.line_rate).count);
  min_window_ = facts.wire.count;
  max_window_ = std::max(min_window_, static_cast<std::int64_t>(p.max_window * bdp));
  window_ = static_cast<std::int64_t>(p.initial_window * bdp);
  bound();
  control.window = {window_};
}

void Nscc::on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  react(p, facts, ack, *measure(p, facts, ack), control);
}

// A round trip below the unloaded one is that of a short packet, and tells nothing.
std::optional<CongestionSignal> Nscc::measure(const Params& p, const FlowFacts& facts, const Ack& ack) {
  achieved_ += ack.acked.count;
  received_ += ack.acked.count;
  ignored_ += ack.acked.count;
  if (ack.rtt < facts.base_rtt) return CongestionSignal{.value = static_cast<double>(avg_delay_)};
  const std::int64_t delay = ack.rtt.ps - facts.base_rtt.ps;
  smooth(p, delay, facts.base_rtt.ps, ack.ecn);
  return CongestionSignal{.value = static_cast<double>(delay)};
}

// A long delay without a mark is a queue that has gone already.
void Nscc::smooth(const Params& p, std::int64_t delay, std::int64_t base_rtt, bool marked) {
  const bool good = !marked && delay > target_;
  const auto sample = static_cast<double>(good ? base_rtt : delay);
  const double weighted = p.delay_gain * sample * (good ? p.good_delay : 1);
  avg_delay_ = static_cast<std::int64_t>(weighted + (1 - p.delay_gain) * static_cast<double>(avg_delay_));
}

void Nscc::react(const Params& p, const FlowFacts& facts, const Ack& ack, CongestionSignal signal, Control& control) {
  const double delay = signal.value;
  const auto target = static_cast<double>(target_);
  const auto acked = static_cast<double>(ack.acked.count);
  if (quick_adapt(p, facts,
                  {.now = ack.now, .in_flight = ack.in_flight, .delay = delay, .marked = ack.ecn, .lost = false})) {
    control.window = {window_};
    return;
  }
  if (!ack.ecn && delay >= target) {
    add_to_sum(fi_ * acked);
  } else if (!ack.ecn) {
    if (!fast_increase(p, ack.acked.count, delay)) add_to_sum(alpha_ * acked * (target - delay));
  } else if (delay >= target) {
    decrease(p, facts, ack.now);
  }
  bound();
  if (received_ > p.adjust_packets * facts.wire.count || ack.now.ps - last_adjust_ > t_) fulfil(ack.now);
  bound();
  control.window = {window_};
}

void Nscc::add_to_sum(double increase) {
  inc_ = plus(inc_, increase);
  if (wraps_) inc_ = static_cast<std::uint32_t>(inc_);
}

// Is this event not to count? Yes for the one that adapts the window, and then for marks of what had been in flight.
bool Nscc::quick_adapt(const Params& p, const FlowFacts& facts, const Event& e) {
  if (!p.quick_adapt) return false;
  bool done = ignored_ < to_ignore_ && e.marked;
  if (!done && e.now.ps > qa_end_) {
    const bool bad = trigger_qa_ || e.lost || e.delay > p.qa_threshold * static_cast<double>(target_);
    if (qa_end_ != 0 && bad && achieved_ < max_window_ >> p.qa_gate) {
      window_ = std::max(achieved_, min_window_);
      to_ignore_ = e.in_flight.count;
      ignored_ = 0;
      trigger_qa_ = false;
      done = true;
    }
    achieved_ = 0;
    qa_end_ = e.now.ps + facts.base_rtt.ps + target_;
  }
  if (done) {
    inc_ = 0;
    received_ = 0;
  }
  return done;
}

// True if the window has grown by this alone.
bool Nscc::fast_increase(const Params& p, std::int64_t acked, double delay) {
  if (delay < static_cast<double>(p.fast_delay.ps)) {
    fast_count_ += acked;
    fast_ = fast_ || fast_count_ > window_;
  } else {
    fast_count_ = 0;
    fast_ = false;
  }
  if (fast_) window_ = plus(window_, static_cast<double>(acked) * fi_scale_);
  return fast_;
}

void Nscc::decrease(const Params& p, const FlowFacts& facts, Time now) {
  fast_ = false;
  fast_count_ = 0;
  if (avg_delay_ <= target_ || now.ps - last_decrease_ <= facts.base_rtt.ps) return;
  const double excess = p.gamma * static_cast<double>(avg_delay_ - target_) / static_cast<double>(avg_delay_);
  window_ = static_cast<std::int64_t>(static_cast<double>(window_) * std::max(1 - excess, 1 - p.max_decrease));
  last_decrease_ = now.ps;
}

void Nscc::fulfil(Time now) {
  window_ += inc_ / window_;
  if (now.ps - last_adjust_ >= t_) {
    window_ = plus(window_, eta_);
    last_adjust_ = now.ps;
  }
  inc_ = 0;
  received_ = 0;
}

void Nscc::bound() { window_ = std::clamp(window_, min_window_, max_window_); }

// A trimmed packet tells of a queue as long as the switches have; other losses only take their bytes off the window.
void Nscc::on_loss(const Params& p, const FlowFacts& facts, const Loss& loss, Control& control) {
  if (loss.kind != Loss::Kind::trim || !adapts_to_trim(p, facts, loss)) {
    window_ -= loss.lost.count;
    bound();
  }
  control.window = {window_};
}

void Nscc::on_trim_at_receiver(const Params& p, const FlowFacts& facts, const Loss& loss, Control& control) {
  adapts_to_trim(p, facts, loss);
  control.window = {window_};
}

bool Nscc::adapts_to_trim(const Params& p, const FlowFacts& facts, const Loss& loss) {
  ignored_ += loss.lost.count;
  smooth(p, t_, facts.base_rtt.ps, true);
  trigger_qa_ = true;
  return quick_adapt(
      p, facts, {.now = loss.now, .in_flight = loss.in_flight - loss.lost, .delay = 0, .marked = true, .lost = true});
}

}  // namespace weir::cc
