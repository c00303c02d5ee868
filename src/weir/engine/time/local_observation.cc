#include "weir/engine/time/local_observation.h"

#include "weir/engine/parallel/partitions.h"
#include "weir/engine/skip/message_skipper.h"
#include "weir/engine/skip/steady_flow_skipper.h"
#include "weir/net/port/departure_effects.h"

namespace weir::engine {

const net::Port& LocalObservation::port(std::uint32_t id) {
  partitions_.settle_before(id, now_);
  return network_.ports[id];
}

void LocalObservation::for_each_waiting(std::uint32_t id, const net::PacketVisit& visit) {
  port(id);  // it is settled
  partitions_.for_each_waiting(id, visit);
}

host::FlowView LocalObservation::view_of(std::uint32_t src, const host::Flow& flow) const {
  return host::view_of(src, flow, network_.hosts[src].acknowledged(flow));
}

const cc::OnRamp* LocalObservation::on_ramp(std::uint32_t src, std::uint32_t slot, std::uint32_t generation) const {
  const host::Host& host = network_.hosts[src];
  const host::Flow* const flow = host.find(slot, generation);
  return flow != nullptr && flow->on_ramp ? host.on_ramps[slot].get() : nullptr;
}

std::uint32_t LocalObservation::queued_bytes(std::uint32_t id) { return port(id).queued; }

bool LocalObservation::for_each_queued(std::uint32_t id, const VisitQueued& visit) {
  for_each_waiting(id, [&](std::uint32_t, const net::Packet& packet) {
    const std::uint32_t src = packet.sender();
    const host::Flow* const flow = network_.hosts[src].find(packet.slot, packet.generation);
    if (flow == nullptr)
      visit({.src = src, .bytes = packet.wire});
    else
      visit({.flow = flow->id, .src = src, .dst = flow->dst, .tag = flow->tag, .bytes = packet.wire});
  });
  return true;
}

std::uint64_t LocalObservation::sent_bytes(std::uint32_t id) { return net::bytes_sent(port(id)); }

std::uint64_t LocalObservation::marked(std::uint32_t id) { return net::packets_marked(port(id), id, model_.seed); }

std::uint64_t LocalObservation::lost(std::uint32_t id) { return net::packets_lost(port(id), id, model_.seed); }

std::uint32_t LocalObservation::pauses(std::uint32_t id) { return port(id).pauses; }

Time LocalObservation::paused_time(std::uint32_t id) {
  const net::Port& p = network_.ports.at(id);
  return p.paused ? p.paused_total + (now_ - p.paused_since) : p.paused_total;
}

Storms LocalObservation::storms(std::uint32_t id) const {
  if (network_.watches.empty()) return {};
  return {network_.watches.at(id).storms, network_.watches.at(id).dropped};
}

std::uint64_t LocalObservation::dropped(std::uint32_t s) const { return network_.switches.at(s).drops; }

std::uint64_t LocalObservation::pauses_sent(std::uint32_t s) const { return network_.switches.at(s).pauses_sent; }

void LocalObservation::for_each_active(const std::function<void(const host::FlowView&)>& visit) const {
  partitions_.for_each_active([&](std::uint32_t src, const host::Flow& flow) { visit(view_of(src, flow)); });
  if (messages_ == nullptr) return;
  messages_->for_each_skipped(network_.node_times, [&](std::uint32_t src, const host::Flow& flow) {
    visit(host::view_of(src, flow, flow.snd_una));
  });
}

std::optional<OneWayReport> LocalObservation::one_way_report(const host::FlowView& flow) const {
  const cc::OnRamp* shim = on_ramp(flow.src, flow.slot, flow.generation);
  if (shim == nullptr || shim->last_report().sent < Time{}) return std::nullopt;
  const cc::OnRamp::Report& r = shim->last_report();
  const Time ahead = network_.hosts[flow.dst].clock.at(r.sent) - network_.hosts[flow.src].clock.at(r.sent);
  return OneWayReport{.sent = r.sent, .heard = r.heard, .delay = r.delay, .error = ahead};
}

void SteadyFlowObservation::for_each_active(const std::function<void(const host::FlowView&)>& visit) const {
  partitions().for_each_active(
      [&](std::uint32_t src, const host::Flow& flow) { visit(view_of(src, skipper_.reported(flow))); });
}

}  // namespace weir::engine
