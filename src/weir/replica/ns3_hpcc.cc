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

engine::PortFigures Ns3Hpcc::port_figures(std::uint32_t port) {
  const SimPort& p = network_.ports()[port];
  return {.sent_bytes = p.sent,
          .marked = p.marked,
          .lost = p.lost,
          .pauses = p.pauses,
          .paused = Time{p.paused_total * 1000} + (p.paused ? now() - Time{p.paused_since * 1000} : Time{})};
}

void Ns3Hpcc::for_each_active(const std::function<void(const host::FlowView&)>& visit) const {
  for (const SimFlow& f : network_.flows()) {
    if (f.finished) continue;
    const Bytes acknowledged{static_cast<std::int64_t>(f.una)};
    const Bytes next{static_cast<std::int64_t>(f.nxt)};
    visit({.id = f.flow.id,
           .src = f.flow.src,
           .dst = f.flow.dst,
           .retransmitted = f.retransmitted,
           .profile = f.flow.profile,
           .tag = f.flow.tag,
           .size = f.flow.size,
           .start = {f.start * 1000},
           .sent = next,
           .next = next,
           .in_order = acknowledged,
           .acknowledged = acknowledged,
           .in_flight = next - acknowledged,
           .window = f.window > 0 ? Bytes{static_cast<std::int64_t>(f.window)} : cc::kNoWindow,
           .rate = {f.rate}});
  }
}

}  // namespace weir::replica
