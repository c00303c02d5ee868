#include "weir/cc/bbr.h"

#include <algorithm>
#include <array>

namespace weir::cc {
namespace {

constexpr std::array<double, 8> kGains{1.25, 0.75, 1, 1, 1, 1, 1, 1};
constexpr double kGrowth = 1.25;  // of a round that has not yet found the path's bandwidth
constexpr std::uint8_t kFullRounds = 3;

// A rate of 0 would be no pacing.
Rate whole(double bits_per_second) { return {std::max<std::int64_t>(1, static_cast<std::int64_t>(bits_per_second))}; }

}  // namespace

void Bbr::Params::describe(ParamList<Params>& p) {
  constexpr Time most{1'000 * kPicosecondsPerSecond};
  p.number("high_gain", &Params::high_gain, 1, 10,
           "gain of pacing and window in startup, 2 / ln 2; drain is its inverse", "CACM 2017, startup; Linux tcp_bbr");
  p.number("cwnd_gain", &Params::cwnd_gain, 1, 10, "window in probe bw, in bandwidth-delay products", "CACM 2017");
  p.integer("bw_rounds", &Params::bw_rounds, 1, 1'000'000, "round trips for which a delivery rate is remembered",
            "CACM 2017; Linux tcp_bbr");
  p.time("min_rtt_window", &Params::min_rtt_window, "time for which a round-trip time is remembered",
         "CACM 2017; Linux tcp_bbr", Time{1'000}, most);
  p.time("probe_rtt_duration", &Params::probe_rtt_duration, "least time with min_window packets in flight",
         "CACM 2017; Linux tcp_bbr", {}, most);
  p.number("pacing_margin", &Params::pacing_margin, 0, 0.5, "pace slower by this part than the gains say",
           "Linux tcp_bbr (1 %)");
  p.integer("initial_window", &Params::initial_window, 1, 1'000'000, "packets in the first window",
            "RFC 6928, section 2");
  p.integer("min_window", &Params::min_window, 1, 1'000'000, "least window, and that of probe rtt, in packets",
            "CACM 2017; Linux tcp_bbr");
  p.integer("send_quantum", &Params::send_quantum, 0, 1'000,
            "packets that a host hands over at once; windows leave room for three times as many", "Linux tcp_bbr");
}

// As after a handshake, which has measured the round-trip time.
Bbr::Bbr(const Params& p, const FlowFacts& facts, Control& control)
    : min_rtt_(std::max(facts.base_rtt, Time{1})),
      min_rtt_time_(facts.start),
      window_(facts.payload * p.initial_window),
      prior_window_(window_) {
  const double first = static_cast<double>((facts.wire * p.initial_window).count) / min_rtt_.seconds();
  control.window = window_;
  control.rate = whole(8 * first * p.high_gain * (1 - p.pacing_margin));
}

void Bbr::on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  delivered_ += ack.acked;
  update_bandwidth(p, ack);
  update_phase(p, facts, ack);
  check_drained(p, facts, ack);
  update_min_rtt(p, facts, ack);
  set_rate(p, facts, control);
  set_window(p, facts, ack);
  lost_ = false;
  control.window = window_;
}

void Bbr::update_bandwidth(const Params& p, const Ack& ack) {
  round_start_ = false;
  if (ack.delivery_span.ps <= 0) return;
  const Bytes before = delivered_ - ack.delivered;  // when the packet was sent
  if (before >= round_end_) {
    round_end_ = delivered_;
    ++round_;
    round_start_ = true;
    conserving_ = false;
  }
  // What an application offers, or probe rtt leaves, is no measure of the path unless it is more than was known of it.
  const bool limited = ack.delivery_app_limited || (limited_from_ <= before && before <= limited_until_);
  const double rate = static_cast<double>(ack.delivered.count) / ack.delivery_span.seconds();
  if (!limited || rate >= bandwidth_.value()) bandwidth_.add(static_cast<std::uint32_t>(p.bw_rounds), round_, rate);
  if (!limited && round_start_) check_full();
}

// Startup has filled the pipe when three rounds have not brought a quarter more.
void Bbr::check_full() {
  if (full_rounds_ == kFullRounds) return;
  if (bandwidth_.value() >= full_bw_ * kGrowth) {
    full_bw_ = bandwidth_.value();
    full_rounds_ = 0;
  } else {
    ++full_rounds_;
  }
}

// Probe bw: a phase lasts one RTprop; that of 5/4 until it has filled the pipe so far or lost something, that of 3/4
// no longer than until the queue is gone.
void Bbr::update_phase(const Params& p, const FlowFacts& facts, const Ack& ack) {
  if (mode_ != Mode::probe_bw) return;
  const double gain = kGains[phase_];
  bool over = ack.now - phase_start_ > min_rtt_;
  const Bytes before = ack.in_flight + ack.acked;
  if (gain > 1) over = over && (lost_ || before >= inflight(p, facts, gain));
  if (gain < 1) over = over || before <= inflight(p, facts, 1);
  if (over) next_phase(ack.now);
}

void Bbr::next_phase(Time now) {
  phase_ = static_cast<std::uint8_t>((phase_ + 1u) % kGains.size());
  phase_start_ = now;
}

// From any phase but the one that drains, which has nothing to drain yet.
void Bbr::probe_bandwidth(const FlowFacts& facts, Time now) {
  mode_ = Mode::probe_bw;
  phase_ = static_cast<std::uint8_t>(kGains.size() - 1 - facts.random.below(draws_++, kGains.size() - 1));
  next_phase(now);
}

void Bbr::check_drained(const Params& p, const FlowFacts& facts, const Ack& ack) {
  if (mode_ == Mode::startup && full_rounds_ == kFullRounds) mode_ = Mode::drain;
  if (mode_ == Mode::drain && ack.in_flight <= inflight(p, facts, 1)) probe_bandwidth(facts, ack.now);
}

void Bbr::update_min_rtt(const Params& p, const FlowFacts& facts, const Ack& ack) {
  const bool expired = ack.now - min_rtt_time_ > p.min_rtt_window;
  if (ack.rtt < min_rtt_ || expired) {
    min_rtt_ = std::max(ack.rtt, Time{1});
    min_rtt_time_ = ack.now;
  }
  if (expired && mode_ != Mode::probe_rtt) {
    save_window();
    mode_ = Mode::probe_rtt;
    probe_rtt_until_ = kNoTimer;
    limited_from_ = delivered_;
  }
  if (mode_ != Mode::probe_rtt) return;
  limited_until_ = delivered_ + ack.in_flight;
  if (probe_rtt_until_ == kNoTimer) {
    if (ack.in_flight > facts.payload * p.min_window) return;
    probe_rtt_until_ = ack.now + p.probe_rtt_duration;
    probe_rtt_round_ = false;
    round_end_ = delivered_;
    return;
  }
  if (round_start_) probe_rtt_round_ = true;
  if (!probe_rtt_round_ || ack.now <= probe_rtt_until_) return;
  min_rtt_time_ = ack.now;
  window_ = std::max(window_, prior_window_);
  if (full_rounds_ == kFullRounds)
    probe_bandwidth(facts, ack.now);
  else
    mode_ = Mode::startup;
}

double Bbr::pacing_gain(const Params& p) const {
  switch (mode_) {
    case Mode::startup: return p.high_gain;
    case Mode::drain: return 1 / p.high_gain;
    case Mode::probe_bw: return kGains[phase_];
    case Mode::probe_rtt: break;
  }
  return 1;
}

double Bbr::window_gain(const Params& p) const {
  switch (mode_) {
    case Mode::startup:
    case Mode::drain: return p.high_gain;
    case Mode::probe_bw: return p.cwnd_gain;
    case Mode::probe_rtt: break;
  }
  return 1;
}

// The rate is one of wire bytes. Until the pipe is full it only rises.
void Bbr::set_rate(const Params& p, const FlowFacts& facts, Control& control) const {
  const double headers = static_cast<double>(facts.wire.count) / static_cast<double>(facts.payload.count);
  const double bits = 8 * headers * bandwidth_.value() * pacing_gain(p) * (1 - p.pacing_margin);
  const Rate rate = whole(bits);
  if (full_rounds_ == kFullRounds || rate > control.rate) control.rate = rate;
}

// gain * BtlBw * RTprop in whole packets, and room for those that wait in the hosts. Linux rounds up to an even number,
// for receivers that acknowledge every other packet, and lets the phase of 5/4 exceed even a small product.
Bytes Bbr::inflight(const Params& p, const FlowFacts& facts, double gain) const {
  const double product = gain * bandwidth_.value() * min_rtt_.seconds();
  const auto bytes = static_cast<std::int64_t>(product);
  std::int64_t packets = (bytes + facts.payload.count - 1) / facts.payload.count + 3 * p.send_quantum;
  packets += packets % 2;
  if (mode_ == Mode::probe_bw && phase_ == 0) packets += 2;
  return facts.payload * packets;
}

void Bbr::set_window(const Params& p, const FlowFacts& facts, const Ack& ack) {
  const Bytes least = facts.payload * p.min_window;
  if (recovering_ && ack.seq >= recover_) {
    recovering_ = false;
    conserving_ = false;
    window_ = std::max(window_, prior_window_);
  }
  if (conserving_) {
    window_ = std::max(window_, ack.in_flight + ack.acked);
  } else if (ack.acked.count > 0) {
    const Bytes target = inflight(p, facts, window_gain(p));
    if (full_rounds_ == kFullRounds)
      window_ = std::min(window_ + ack.acked, target);
    else if (window_ < target || delivered_ < facts.payload * p.initial_window)
      window_ += ack.acked;
    window_ = std::max(window_, least);
  }
  if (mode_ == Mode::probe_rtt) window_ = std::min(window_, least);
}

void Bbr::save_window() {
  const bool cut = recovering_ || mode_ == Mode::probe_rtt;  // then this is not the window to come back to
  prior_window_ = cut ? std::max(prior_window_, window_) : window_;
}

// What is in flight after a loss is what the transport does not send again; from then on packets are conserved for one
// round. A timeout starts from one packet, without that.
void Bbr::on_loss(const Params&, const FlowFacts& facts, const Loss& loss, Control& control) {
  const bool timeout = loss.kind == Loss::Kind::timeout;
  lost_ = true;
  if (timeout || loss.seq >= recover_) {
    save_window();
    recovering_ = true;
    conserving_ = !timeout;
    if (timeout)
      full_bw_ = 0;
    else
      round_end_ = delivered_;
  }
  recover_ = std::max(recover_, loss.snd_nxt);
  window_ = std::min(window_, timeout ? facts.payload : std::max(loss.in_flight - loss.lost, facts.payload));
  control.window = window_;
}

}  // namespace weir::cc
