#include "weir/cc/smartt.h"

#include <algorithm>
#include <array>

namespace weir::cc {
namespace {

constexpr auto kAppendix = "Spraying, appendix A";

double bytes(Bytes b) { return static_cast<double>(b.count); }

// How far a round trip is from the target, as a part of it.
double distance(Time target, Time rtt) { return static_cast<double>((target - rtt).ps) / static_cast<double>(rtt.ps); }

}  // namespace

void Smartt::Params::describe(ParamList<Params>& p) {
  p.number("target_rtt", &Params::target_rtt, 1, 1e3, "target of the round-trip time, in base round-trip times",
           kAppendix);
  p.number("mi", &Params::mi, 0, 1e6, "proportional increase", kAppendix);
  p.number("fi", &Params::fi, 0, 1e6, "fair increase: packets per window", kAppendix);
  p.number("md", &Params::md, 0, 1e6, "multiplicative decrease", kAppendix);
  p.number("fd", &Params::fd, 0, 1e6, "fair decrease: packets per marked packet, for a window of a BDP", kAppendix);
  p.choice(
      "decrease_limit", &Params::decrease_limit, {"each", "sum"},
      "a marked packet takes at most itself off the window: by the multiplicative decrease, the fair one coming on "
      "top; or by both together",
      "each: Spraying, appendix A; sum: public htsim variants");
  p.flag("wait_to_decrease", &Params::wait_to_decrease, "decrease only if many packets are marked",
         "FASTFLOW; off in Spraying, appendix A");
  p.number("wtd_threshold", &Params::wtd_threshold, 0, 1, "many: more than this part", kAppendix)
      .only_with("wait_to_decrease", {"true"});
  p.number("wtd_gain", &Params::wtd_gain, 0, 1, "weight of a new mark in that part", "public htsim variants")
      .only_with("wait_to_decrease", {"true"});
  p.number("fast_increase", &Params::fast_increase, 0, 1e6,
           "fast increase, after a window without marks and queue: packets per packet; 0 = none",
           "public htsim variants");
  p.time("fast_delay", &Params::fast_delay, "what is no queue yet; 0 = 5 packets of the path's slowest link",
         "public htsim variants")
      .not_with("fast_increase", {"0"});
  p.flag("quick_adapt", &Params::quick_adapt, "after a loss, the window becomes what arrives in a target round trip",
         "FASTFLOW");
  p.number("max_window", &Params::max_window, 0, 1e6, "largest window, in bandwidth-delay products of the path",
           "public htsim variants");
  p.number("initial_window", &Params::initial_window, 0, 1e6, "first window, in the same",
           "FASTFLOW; Spraying IV-A: ideal, 1");
}

std::span<const Preset> Smartt::presets() {
  static constexpr std::array paper{PresetValue{"target_rtt", "1.5"}, PresetValue{"mi", "2"}, PresetValue{"fi", "0.25"},
                                    PresetValue{"md", "2"}, PresetValue{"fd", "0.8"}};
  static constexpr auto model =
      with(paper, {{"wait_to_decrease", "false"}, {"fast_increase", "0"}, {"initial_window", "1"}});
  static constexpr Preset all[] = {
      {"paper", "FASTFLOW, with the constants that Spraying, appendix A, cites", paper},
      {"model", "as theorem 4 has it: Spraying, appendix A", model},
  };
  return all;
}

Smartt::Smartt(const Params& p, const FlowFacts& facts, Control& control) {
  bdp_ = bytes(bytes_in(facts.base_rtt, facts.line_rate));
  max_window_ = p.max_window * bdp_;
  target_ = {static_cast<std::int64_t>(p.target_rtt * static_cast<double>(facts.base_rtt.ps))};
  const Time slack = p.fast_delay.ps > 0 ? p.fast_delay : 5 * transmission_time(facts.wire, facts.path_rate);
  fast_limit_ = facts.base_rtt + slack;
  window_ = p.initial_window * bdp_;
  period_end_ = facts.start + target_;
  bound(facts);
  control.window = {static_cast<std::int64_t>(window_)};
}

void Smartt::on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  marked_ += p.wtd_gain * ((ack.ecn ? 1 : 0) - marked_);
  achieved_ += ack.acked.count;
  const bool ignored = to_ignore_ > 0;
  to_ignore_ = std::max<std::int64_t>(0, to_ignore_ - ack.acked.count);
  if (!adapt(facts, ack.now, ack.in_flight) && !ignored) {
    if (ack.ecn)
      decrease(p, ack);
    else
      increase(p, facts, ack);
    bound(facts);
  }
  control.window = {static_cast<std::int64_t>(window_)};
}

void Smartt::increase(const Params& p, const FlowFacts& facts, const Ack& ack) {
  if (fast_increase(p, ack)) return;
  const double acked = bytes(ack.acked);
  const double step = bytes(facts.payload) * acked / window_;  // one packet per window
  double more = p.fi * step;
  if (ack.rtt < target_) more += std::min(p.mi * distance(target_, ack.rtt) * step, acked);
  window_ += more;
}

// True if the window has grown by this alone.
bool Smartt::fast_increase(const Params& p, const Ack& ack) {
  good_ = ack.rtt < fast_limit_ ? good_ + bytes(ack.acked) : 0;
  if (p.fast_increase == 0 || good_ <= window_) return false;
  const double more = p.fast_increase * bytes(ack.acked);
  window_ += more;
  good_ += more;  // the window that has been without queue does not begin anew
  return true;
}

void Smartt::decrease(const Params& p, const Ack& ack) {
  good_ = 0;
  if (p.wait_to_decrease && marked_ <= p.wtd_threshold) return;
  const double acked = bytes(ack.acked);
  double less = 0;
  if (ack.rtt >= target_) less = -p.md * distance(target_, ack.rtt) * acked;
  const double fair = p.fd * acked / bdp_;
  if (p.decrease_limit == Decrease::sum) {
    window_ -= std::min(less + fair * window_, acked);
  } else {
    window_ -= std::min(less, acked);
    window_ -= fair * window_;
  }
}

// At the end of a period in which something was lost.
bool Smartt::adapt(const FlowFacts& facts, Time now, Bytes in_flight) {
  if (now < period_end_) return false;
  const bool adapted = lost_;
  if (adapted) {
    window_ = static_cast<double>(achieved_);
    to_ignore_ = in_flight.count;
    good_ = 0;
    lost_ = false;
    bound(facts);
  }
  achieved_ = 0;
  period_end_ = now + target_;
  return adapted;
}

void Smartt::on_loss(const Params& p, const FlowFacts& facts, const Loss& loss, Control& control) {
  if (!p.quick_adapt) return;
  lost_ = true;
  adapt(facts, loss.now, loss.in_flight - loss.lost);
  control.window = {static_cast<std::int64_t>(window_)};
}

void Smartt::bound(const FlowFacts& facts) {
  window_ = std::clamp(window_, bytes(facts.payload), std::max(max_window_, bytes(facts.payload)));
}

}  // namespace weir::cc
