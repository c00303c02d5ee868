// What can be seen of a simulation between its epochs.
#include "weir/engine/endings/invariants.h"
#include "weir/engine/parallel/partitions.h"
#include "weir/engine/skip/message_skipper.h"
#include "weir/engine/skip/steady_flow_skipper.h"
#include "weir/engine/time/simulation.h"
#include "weir/net/port/departure_effects.h"

namespace weir::engine {
namespace {

Time paused(const net::Port& p, Time now) {
  return p.paused ? p.paused_total + (now - p.paused_since) : p.paused_total;
}

}  // namespace

const net::Port& Simulation::port(std::uint32_t id) {
  check_port(id);
  partitions_->settle_before(id, now_);
  return network_.ports[id];
}

void Simulation::for_each_waiting(std::uint32_t id, const net::PacketVisit& visit) {
  port(id);  // it is settled
  partitions_->for_each_waiting(id, visit);
}

bool Simulation::for_each_queued(std::uint32_t id, const VisitQueued& visit) {
  if (gathered_) {
    check_port(id);
    for (const GatheredState::Queued& q : gathered_->queued(id))
      visit(gathered_->find(q.src, q.slot, q.generation), q.src, q.wire);
    return true;
  }
  for_each_waiting(id, [&](std::uint32_t, const net::Packet& packet) {
    const std::uint32_t src = packet.sender();
    const auto& flows = network_.hosts[src].flows;
    const host::Flow* flow = packet.slot < flows.size() ? flows[packet.slot] : nullptr;
    visit(flow != nullptr && flow->generation == packet.generation ? flow : nullptr, src, packet.wire);
  });
  return true;
}

std::uint32_t Simulation::queued_bytes(std::uint32_t id) {
  return gathered_ ? gathered_->queued_bytes(id) : port(id).queued;
}

std::uint32_t Simulation::pauses(std::uint32_t id) { return gathered_ ? gathered_->port(id).pauses : port(id).pauses; }

std::uint64_t Simulation::dropped(std::uint32_t s) const {
  return gathered_ ? gathered_->of_switch(s).dropped : switch_state(s).drops;
}

std::uint64_t Simulation::pauses_sent(std::uint32_t s) const {
  return gathered_ ? gathered_->of_switch(s).pauses_sent : switch_state(s).pauses_sent;
}

std::vector<std::uint32_t> Simulation::path(const host::FlowRecord& r) const {
  if (!model_.profiles[r.profile].balancing.has_one_path()) return {};
  return model_.routing.path(r.src, r.dst, r.entropy);
}

std::uint64_t Simulation::sent_bytes(std::uint32_t id) {
  return gathered_ ? gathered_->port(id).sent : net::bytes_sent(port(id));
}

std::uint64_t Simulation::marked(std::uint32_t id) {
  return gathered_ ? gathered_->port(id).marked : net::packets_marked(port(id), id, model_.seed);
}

std::uint64_t Simulation::lost(std::uint32_t id) {
  return gathered_ ? gathered_->port(id).lost : net::packets_lost(port(id), id, model_.seed);
}

Time Simulation::paused_time(std::uint32_t id) {
  return gathered_ ? gathered_->port(id).paused : paused(network_.ports[id], now_);
}

Storms Simulation::storms(std::uint32_t id) const {
  if (network_.watches.empty()) return {};
  if (gathered_) return gathered_->port(id).storms;
  return {network_.watches[id].storms, network_.watches[id].dropped};
}

GatheredState::PortFigures Simulation::figures(std::uint32_t id) {
  const net::Port& p = port(id);
  GatheredState::PortFigures out{.sent = net::bytes_sent(p),
                                 .marked = net::packets_marked(p, id, model_.seed),
                                 .lost = net::packets_lost(p, id, model_.seed),
                                 .paused = paused(p, now_),
                                 .storms = {},
                                 .pauses = p.pauses};
  if (!network_.watches.empty()) out.storms = {network_.watches[id].storms, network_.watches[id].dropped};
  return out;
}

const net::SwitchState& Simulation::switch_state(std::uint32_t s) const { return network_.switches[s]; }

void Simulation::for_each_active(const std::function<void(std::uint32_t, const host::Flow&)>& visit) const {
  if (gathered_) {
    for (const GatheredState::Active& flow : gathered_->active()) visit(flow.src, flow);
    return;
  }
  if (steady_flow_skipper_)
    return partitions_->for_each_active(
        [&](std::uint32_t src, const host::Flow& flow) { visit(src, steady_flow_skipper_->reported(flow)); });
  partitions_->for_each_active(visit);
  if (message_skipper_) message_skipper_->for_each_skipped(network_.node_times, visit);
}

std::optional<FastForwardReport> Simulation::fast_forward() const {
  if (message_skipper_) return message_skipper_->report();
  if (steady_flow_skipper_) return steady_flow_skipper_->report();
  return std::nullopt;
}

std::string Simulation::broken_invariant() const { return engine::broken_invariant(network_); }

std::int64_t Simulation::acknowledged(std::uint32_t src, const host::Flow& flow) const {
  if (!gathered_) return acknowledged_of(src, flow);
  const GatheredState::Active* const active = gathered_->find(src, flow.slot, flow.generation);
  return active != nullptr ? active->acknowledged_bytes : flow.snd_una;
}

std::int64_t Simulation::acknowledged_of(std::uint32_t src, const host::Flow& flow) const {
  return network_.hosts[src].acknowledged(flow);
}

const cc::OnRamp* Simulation::on_ramp(std::uint32_t src, const host::Flow& flow) const {
  return flow.on_ramp ? network_.hosts[src].on_ramps[flow.slot].get() : nullptr;
}

std::optional<OneWayReport> Simulation::one_way_report(std::uint32_t src, const host::Flow& flow) const {
  if (!gathered_) return report_of(src, flow);
  const GatheredState::Active* const active = gathered_->find(src, flow.slot, flow.generation);
  return active != nullptr && active->has_report ? std::optional(active->report) : std::nullopt;
}

std::optional<OneWayReport> Simulation::report_of(std::uint32_t src, const host::Flow& flow) const {
  const cc::OnRamp* shim = on_ramp(src, flow);
  if (shim == nullptr || shim->last_report().sent < Time{}) return std::nullopt;
  const cc::OnRamp::Report& r = shim->last_report();
  const Time ahead = network_.hosts[flow.dst].clock.at(r.sent) - network_.hosts[src].clock.at(r.sent);
  return OneWayReport{.sent = r.sent, .heard = r.heard, .delay = r.delay, .error = ahead};
}

}  // namespace weir::engine
