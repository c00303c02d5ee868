#include "weir/replica/ns3_hpcc.h"

namespace weir::replica {

Ns3Hpcc::Ns3Hpcc(const engine::Model& model, const Ns3Params& params, traffic::Traffic& traffic, Time stop)
    : PlainEngine(model, stop), network_(model, params, traffic) {}

// Up to the first whole nanosecond at or after it.
void Ns3Hpcc::run_until(Time end) { network_.run_until((end.ps + 999) / 1000); }

bool Ns3Hpcc::idle() const {
  const engine::Counters& c = network_.counters();
  return network_.traffic_dry() && (c.flows_started == c.flows_completed || network_.idle());
}

Time Ns3Hpcc::paused_time(std::uint32_t port) {
  const SimPort& p = network_.ports()[port];
  return Time{p.paused_total * 1000} + (p.paused ? now() - Time{p.paused_since * 1000} : Time{});
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
