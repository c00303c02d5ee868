#include "weir/replica/ns3_hpcc.h"

#include <algorithm>

namespace weir::replica {
namespace {

using namespace literals;

constexpr Time kEpoch = 10_us;

// The first whole nanosecond at or after a time.
std::int64_t whole_ns(Time t) { return (t.ps + 999) / 1000; }

}  // namespace

Ns3Hpcc::Ns3Hpcc(const engine::Model& model, const Ns3Params& params, traffic::Traffic& traffic, Time stop)
    : model_(model), stop_(stop), network_(model, params, traffic) {}

void Ns3Hpcc::every(Time interval, std::function<void(Time)> call) {
  samplers_.push_back({interval, now_, std::move(call)});
}

Time Ns3Hpcc::epoch() const { return kEpoch; }

bool Ns3Hpcc::ended() const {
  if (now_ >= stop_) return true;
  const engine::Counters& c = network_.counters();
  return network_.traffic_dry() && (c.flows_started == c.flows_completed || network_.idle());
}

bool Ns3Hpcc::advance(Time until) {
  until = std::min(until, stop_);
  while (now_ < until && !ended()) {
    for (auto& s : samplers_)
      if (s.next <= now_) {
        s.call(now_);
        s.next = now_ + s.interval;
      }
    Time end = std::min(until, (now_ / kEpoch + 1) * kEpoch);
    for (const auto& s : samplers_) end = std::min(end, s.next);
    network_.run_until(whole_ns(end));
    now_ = end;
    report();
  }
  return ended();
}

void Ns3Hpcc::report() {
  auto& finished = network_.finished();
  std::sort(finished.begin(), finished.end(),
            [](const auto& a, const auto& b) { return a.finish != b.finish ? a.finish < b.finish : a.id < b.id; });
  if (on_finish_)
    for (const auto& record : finished) on_finish_(record);
  finished.clear();
}

Time Ns3Hpcc::paused_time(std::uint32_t port) {
  const SimPort& p = network_.ports()[port];
  return Time{p.paused_total * 1000} + (p.paused ? now_ - Time{p.paused_since * 1000} : Time{});
}

void Ns3Hpcc::for_each_active(const std::function<void(std::uint32_t, const host::Flow&)>& visit) const {
  for (const SimFlow& f : network_.flows()) {
    if (f.finished) continue;
    host::Flow flow;
    flow.snd_una = static_cast<std::int64_t>(f.una);
    flow.snd_nxt = static_cast<std::int64_t>(f.nxt);
    flow.facts.size = f.flow.size;
    flow.control.rate = {f.rate};
    if (f.window > 0) flow.control.window = {static_cast<std::int64_t>(f.window)};
    flow.dst = f.flow.dst;
    flow.profile = f.flow.profile;
    flow.id = f.flow.id;
    flow.retransmitted = f.retransmitted;
    flow.tag = f.flow.tag;
    flow.facts.start = {f.start * 1000};
    visit(f.flow.src, flow);
  }
}

}  // namespace weir::replica
