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
    if (flow == nullptr || flow->rests()) return visit({.src = src, .bytes = packet.wire});
    QueuedPacket out{.flow = flow->id, .src = src, .dst = flow->dst, .tag = flow->tag, .bytes = packet.wire};
    if (flow->is_connection) {
      const traffic::Message& first = partitions_.messages_of(src, *flow).front().message;
      out.flow = first.id;
      out.tag = first.tag;
    }
    visit(out);
  });
  return true;
}

PortFigures LocalObservation::port_figures(std::uint32_t id) {
  const net::Port& p = port(id);
  PortFigures out{.sent_bytes = net::bytes_sent(p),
                  .marked = net::packets_marked(p, id, model_.seed),
                  .lost = net::packets_lost(p, id, model_.seed),
                  .pauses = p.pauses,
                  .paused = p.paused ? p.paused_total + (now_ - p.paused_since) : p.paused_total};
  if (!network_.watches.empty()) {
    out.storms = network_.watches[id].storms;
    out.storm_dropped = network_.watches[id].dropped;
  }
  return out;
}

SwitchFigures LocalObservation::switch_figures(std::uint32_t s) const {
  const net::SwitchState& of = network_.switches.at(s);
  return {.dropped = of.drops, .pauses_sent = of.pauses_sent};
}

void LocalObservation::for_each_active(const std::function<void(const host::FlowView&)>& visit) const {
  partitions_.for_each_active([&](std::uint32_t src, const host::Flow& flow) {
    if (!flow.is_connection) return visit(view_of(src, flow));
    for (const host::QueuedMessage& message : partitions_.messages_of(src, flow))
      visit(host::view_of(view_of(src, flow), message));
  });
  if (messages_ == nullptr) return;
  messages_->for_each_skipped(
      [&](std::uint32_t src, const host::Flow& flow) { visit(host::view_of(src, flow, flow.snd_una)); });
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
