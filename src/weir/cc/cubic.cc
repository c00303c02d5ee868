#include "weir/cc/cubic.h"

#include <algorithm>
#include <limits>

#include "weir/cc/cube_root.h"

namespace weir::cc {
namespace {

double packets(Bytes size, const FlowFacts& facts) {
  return static_cast<double>(size.count) / static_cast<double>(facts.payload.count);
}

}  // namespace

void Cubic::Params::describe(ParamList<Params>& p) {
  p.number("C", &Params::c, 0.001, 1e15, "scale of the cubic curve, in packets per second^3", "RFC 9438, section 5.1");
  p.number("beta", &Params::beta, 0.1, 0.99, "factor of the window on a loss", "RFC 9438, section 4.6");
  p.flag("fast_convergence", &Params::fast_convergence,
         "lower W_max further if the window was lost below the previous one", "RFC 9438, section 4.7");
  p.flag("reno_friendly", &Params::reno_friendly, "never slower than Reno", "RFC 9438, section 4.3");
  p.integer("initial_window", &Params::initial_window, 1, 1'000'000, "packets in the first window",
            "RFC 6928, section 2");
  p.integer("abc_limit", &Params::abc_limit, 1, 1'000, "L: most packets that slow start adds per acknowledgement",
            "RFC 5681 equation 2 (1); RFC 3465, section 2.3 (2)");
  p.flag("ecn", &Params::ecn, "a mark counts as a loss", "RFC 9438, section 4.6");
  p.integer("min_window", &Params::min_window, 1, 1'000'000, "packets of the window that marks leave at least",
            "RFC 9438, section 4.6 (1); Linux (2)");
  p.flag("hystart", &Params::hystart, "slow start ends before the first loss when acknowledgements say so",
         "Ha and Rhee, Computer Networks 55(9), 2011; Linux tcp_cubic up to 5.4");
  p.number("initial_growth", &Params::initial_growth, 0, 1,
           "until the first reduction, and again after a timeout, congestion avoidance adds at least this part of the "
           "window per round trip",
           "Linux tcp_cubic (5 %)");
}

std::span<const Preset> Cubic::presets() {
  static constexpr PresetValue linux_values[] = {{"min_window", "2"}, {"hystart", "true"}, {"initial_growth", "0.05"}};
  static constexpr Preset all[] = {{"linux", "tcp_cubic of Linux up to 5.4", linux_values}};
  return all;
}

Cubic::Cubic(const Params& p, const FlowFacts& facts, Control& control)
    : cwnd_(static_cast<double>(p.initial_window)),
      ssthresh_(std::numeric_limits<double>::infinity()),
      srtt_(facts.base_rtt) {
  if (p.hystart) hystart_.reset(facts, facts.start, Bytes{0});
  answer(facts, control);
}

void Cubic::on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  srtt_ += (ack.rtt - srtt_) / 8;
  events_.hear(ack);
  if (p.ecn && ack.ecn && !events_.recovering()) {
    // A window of 1.4 packets lets two go. They are not a reason to leave 1.4 again.
    const double flight = std::min(packets(ack.in_flight + ack.acked, facts), cwnd_);
    reduce(p, flight, static_cast<double>(p.min_window));
    events_.reduce(ack.now, ack.snd_nxt);
  } else if (!events_.recovering() && ack.acked.count > 0) {
    if (p.hystart) look_for_end(facts, ack);
    grow(p, facts, ack, in_use(ack, control.window) && (ack.window_limited || cwnd_ < ssthresh_));
  }
  last_ack_ = ack.now;
  answer(facts, control);
}

// Linux measures nothing in the first second of an epoch, lest what recovery has left of a queue counts.
void Cubic::look_for_end(const FlowFacts& facts, const Ack& ack) {
  if (epoch_ != kNoTimer && ack.now - epoch_ < Time{kPicosecondsPerSecond}) return;
  hystart_.measure(ack.rtt);
  if (cwnd_ < ssthresh_ && cwnd_ >= HyStart::kLowWindow && hystart_.finds_end(facts, ack)) ssthresh_ = cwnd_;
}

void Cubic::grow(const Params& p, const FlowFacts& facts, const Ack& ack, bool in_use) {
  // The curve stands still while something else limits the flow, and while nothing is on its way: between the previous
  // acknowledgement and the transmission of this one's packet (section 5.8).
  const bool started = epoch_ != kNoTimer;
  if (started) epoch_ += in_use ? std::max(Time{}, ack.sent_at - last_ack_) : ack.now - last_ack_;
  if (!in_use) return;
  const double acked = packets(ack.acked, facts);
  if (cwnd_ < ssthresh_) {
    if (p.hystart && hystart_.ends_round(ack)) hystart_.begin_round(facts, ack.now, ack.snd_nxt);
    cwnd_ += std::min(acked, static_cast<double>(p.abc_limit));
    return;
  }
  if (!started) start_epoch(p, ack.now);
  const double least = hystart_.has_reduced() ? cwnd_ : cwnd_ + p.initial_growth * acked;
  avoid_congestion(p, acked, ack.now);
  cwnd_ = std::max(cwnd_, least);
}

void Cubic::avoid_congestion(const Params& p, double acked, Time now) {
  // Section 4.3, figure 4; alpha is 1 once the window has returned to where it was.
  const double alpha = w_est_ >= cwnd_prior_ ? 1 : 3 * (1 - p.beta) / (1 + p.beta);
  w_est_ += alpha * acked / cwnd_;
  const auto curve = [&](Time t) {
    const double x = t.seconds() - k_;
    return p.c * x * x * x + w_max_;
  };
  const Time t = now - epoch_;
  if (p.reno_friendly && curve(t) < w_est_) {
    cwnd_ = std::max(cwnd_, w_est_);
    return;
  }
  // Sections 4.4 and 4.5: what the curve will be one round trip ahead, in one round trip.
  const double target = std::clamp(curve(t + srtt_), cwnd_, 1.5 * cwnd_);
  cwnd_ += (target - cwnd_) * acked / cwnd_;
}

// Section 4.2.
void Cubic::start_epoch(const Params& p, Time now) {
  epoch_ = now;
  w_est_ = cwnd_;
  if (w_max_ > cwnd_) {
    k_ = cube_root((w_max_ - cwnd_) / p.c);
  } else {
    w_max_ = cwnd_;
    k_ = 0;
  }
}

// Sections 4.6 and 4.7.
void Cubic::reduce(const Params& p, double flight, double least) {
  w_max_ = p.fast_convergence && cwnd_ < w_max_ ? cwnd_ * (1 + p.beta) / 2 : cwnd_;
  cwnd_prior_ = cwnd_;
  hystart_.note_reduction();
  cwnd_ = std::min(cwnd_, std::max(flight * p.beta, least));
  ssthresh_ = std::max(flight * p.beta, 2.0);
  epoch_ = kNoTimer;
}

void Cubic::on_loss(const Params& p, const FlowFacts& facts, const Loss& loss, Control& control) {
  if (events_.counts(loss)) {
    reduce(p, packets(loss.in_flight, facts), 2);
    events_.reduce(loss.now, loss.snd_nxt);
  }
  if (loss.kind == Loss::Kind::timeout) {
    events_.time_out(loss);
    cwnd_ = 1;
    w_max_ = 0;  // the curve starts flat where slow start ends (section 4.8)
    epoch_ = kNoTimer;
    hystart_.reset(facts, loss.now, loss.snd_nxt);
  }
  answer(facts, control);
}

void Cubic::answer(const FlowFacts& facts, Control& control) const {
  control.window = {static_cast<std::int64_t>(cwnd_ * static_cast<double>(facts.payload.count))};
  control.slow_start = cwnd_ < ssthresh_ / 2;
}

}  // namespace weir::cc
