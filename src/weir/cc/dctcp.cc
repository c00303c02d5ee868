#include "weir/cc/dctcp.h"

#include <algorithm>

namespace weir::cc {
namespace {

// With a line-rate start: what a NIC sends in T.
Bytes line_rate_window(const Dctcp::Params& p, const FlowFacts& facts) {
  const Time t = p.base_rtt.ps > 0 ? p.base_rtt : facts.network_rtt;
  return std::max(bytes_in(t, facts.line_rate), facts.payload);
}

}  // namespace

void Dctcp::Params::describe(ParamList<Params>& p) {
  p.number("g", &Params::g, 0, 1, "gain of the estimate alpha", "SIGCOMM'10 3.1, equation 1; RFC 8257");
  p.number("initial_alpha", &Params::initial_alpha, 0, 1, "alpha at the start of a flow", "RFC 8257");
  p.choice("start", &Params::start, {"slow-start", "line-rate"},
           "start with initial_window in slow start, or at line rate with line rate * T, which the window then never "
           "exceeds",
           "RFC 8257; HPCC 5.1, On-Ramp 4.2");
  p.integer("initial_window", &Params::initial_window, 1, 1'000'000,
            "packets in the first window where start = slow-start", "RFC 6928, section 2")
      .only_with("start", {"slow-start"});
  p.integer("min_window", &Params::min_window, 1, 1'000'000, "packets of the window that marks leave at least",
            "Linux tcp_dctcp (2)");
  p.integer("abc_limit", &Params::abc_limit, 1, 1'000, "L: most packets that slow start adds per acknowledgement",
            "RFC 5681 equation 2 (1); RFC 3465, section 2.3 (2)");
  p.time("T", &Params::base_rtt, "round-trip time where start = line-rate; 0 = the largest of the network", "HPCC 5.1")
      .only_with("start", {"line-rate"});
}

std::span<const Preset> Dctcp::presets() {
  static constexpr PresetValue paper[] = {{"g", "0.0625"}, {"initial_alpha", "1"}, {"start", "slow-start"}};
  static constexpr PresetValue hpcc[] = {{"g", "0.0625"}, {"initial_alpha", "1"}, {"start", "line-rate"}};
  static constexpr Preset all[] = {
      {"paper", "SIGCOMM'10; RFC 8257", paper},
      {"hpcc", "as others are compared with it, without slow start: HPCC 5.1, On-Ramp 4.2", hpcc},
  };
  return all;
}

Dctcp::Dctcp(const Params& p, const FlowFacts& facts, Control& control)
    : window_(facts.payload * p.initial_window, kNoWindow), largest_(kNoWindow), alpha_(p.initial_alpha) {
  if (p.start == Start::line_rate) {
    largest_ = line_rate_window(p, facts);
    window_ = RenoWindow(largest_, largest_);
  }
  window_.answer(control);
}

void Dctcp::on_ack(const Params& p, const FlowFacts& facts, const Ack& ack, Control& control) {
  react(p, facts, ack, *measure(p, facts, ack), control);
}

std::optional<CongestionSignal> Dctcp::measure(const Params&, const FlowFacts&, const Ack& ack) {
  return CongestionSignal{.value = ack.ecn ? 1.0 : 0.0};
}

void Dctcp::react(const Params& p, const FlowFacts& facts, const Ack& ack, CongestionSignal signal, Control& control) {
  const bool marked = signal.value > 0;
  observe(p, ack, marked);
  window_.hear(ack);
  if (marked && window_.may_reduce())
    reduce(p, facts, ack, control);
  else if (window_.window() < largest_)
    window_.grow(ack, facts.payload, p.abc_limit);
  answer(control);
}

void Dctcp::reduce(const Params& p, const FlowFacts& facts, const Ack& ack, const Control& control) {
  const auto less = static_cast<double>(control.window.count) * (1 - alpha_ / 2);
  const Bytes least = facts.payload * p.min_window;
  window_.reduce(std::max(Bytes{static_cast<std::int64_t>(less)}, least), ack.now, ack.snd_nxt);
}

// RFC 8257, section 3.3, steps 1 to 8.
void Dctcp::observe(const Params& p, const Ack& ack, bool marked) {
  acked_ += ack.acked;
  if (marked) marked_ += ack.acked;
  if (ack.seq <= window_end_) return;
  const double fraction = static_cast<double>(marked_.count) / static_cast<double>(acked_.count);
  alpha_ = (1 - p.g) * alpha_ + p.g * fraction;
  // Go-back-N may have moved snd_nxt back; a window never ends earlier for that.
  window_end_ = std::max(window_end_, ack.snd_nxt);
  acked_ = {};
  marked_ = {};
}

void Dctcp::on_loss(const Params&, const FlowFacts& facts, const Loss& loss, Control& control) {
  window_.on_loss(loss, facts.payload);
  window_.answer(control);
}

}  // namespace weir::cc
