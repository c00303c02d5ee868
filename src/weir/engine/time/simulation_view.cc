// What can be seen of a simulation between its epochs.
#include <stdexcept>

#include "weir/engine/endings/invariants.h"
#include "weir/engine/parallel/partitions.h"
#include "weir/engine/skip/message_skipper.h"
#include "weir/engine/skip/steady_flow_skipper.h"
#include "weir/engine/time/simulation.h"
#include "weir/sim/caches.h"

namespace weir::engine {

const net::Port& Simulation::port(std::uint32_t id) {
  at(id);
  return own_->port(id);
}

const net::SwitchState& Simulation::switch_state(std::uint32_t s) const { return network_.switches[s]; }

const cc::OnRamp* Simulation::on_ramp(const host::FlowView& flow) const {
  return own_->on_ramp(flow.src, flow.slot, flow.generation);
}

const host::Flow& Simulation::flow(const host::FlowView& flow) const {
  return *network_.hosts[flow.src].flows[flow.slot];
}

std::string Simulation::broken_invariant() const { return engine::broken_invariant(network_); }

std::vector<std::uint32_t> Simulation::path(const host::FlowRecord& r) const {
  if (!model_.profiles[r.profile].balancing.has_one_path()) return {};
  return model_.routing.path(r.src, r.dst, r.entropy);
}

std::optional<FastForwardReport> Simulation::fast_forward() const {
  if (message_skipper_) return message_skipper_->report();
  if (steady_flow_skipper_) return steady_flow_skipper_->report();
  return std::nullopt;
}

std::optional<Regime> Simulation::regime() const {
  const auto name_of = [](net::PortKind kind) -> std::string_view {
    switch (kind) {
      case net::PortKind::fifo: return "fifo";
      case net::PortKind::priority: return "priority";
      default: return "classes";
    }
  };
  const sim::CacheFit fit(model_.topology.ports());
  Regime out = partitions_->regime();
  out.epochs_at_once = epochs_at_once();
  out.switch_ports = name_of(model_.port_kind());
  out.host_ports = name_of(model_.nic_kind());
  out.cache = fit.ports_in_l1 ? "L1" : fit.ports_in_l2 ? "L2" : "none";
  return out;
}

Observation& Simulation::at(std::uint32_t id) const {
  if (id >= network_.ports.size()) [[unlikely]]
    throw std::out_of_range("there is no such port");
  return *seen_;
}

std::uint32_t Simulation::queued_bytes(std::uint32_t id) { return at(id).queued_bytes(id); }

bool Simulation::for_each_queued(std::uint32_t id, const VisitQueued& visit) {
  return at(id).for_each_queued(id, visit);
}

PortFigures Simulation::port_figures(std::uint32_t id) { return at(id).port_figures(id); }

SwitchFigures Simulation::switch_figures(std::uint32_t s) const { return seen_->switch_figures(s); }

void Simulation::for_each_active(const std::function<void(const host::FlowView&)>& visit) const {
  seen_->for_each_active(visit);
}

std::optional<OneWayReport> Simulation::one_way_report(const host::FlowView& flow) const {
  return seen_->one_way_report(flow);
}

}  // namespace weir::engine
