// The observation of one process, which sees its own part of a run.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>

#include "weir/engine/model/model.h"
#include "weir/engine/model/network.h"
#include "weir/engine/observation.h"
#include "weir/net/link/packet_visit.h"

namespace weir::engine {

class MessageSkipper;
class Partitions;
class SteadyFlowSkipper;

class LocalObservation : public Observation {
 public:
  // All must outlive this. `now` is the packets' clock; `messages` is null if no message is skipped.
  LocalObservation(const Model& model, Network& network, Partitions& partitions, const Time& now,
                   const MessageSkipper* messages)
      : model_(model), network_(network), partitions_(partitions), now_(now), messages_(messages) {}

  // The state of a port of this process with all departures before now settled.
  const net::Port& port(std::uint32_t id);
  void for_each_waiting(std::uint32_t id, const net::PacketVisit& visit);
  // The On-Ramp of a flow; null if the flow has none, or is not active.
  const cc::OnRamp* on_ramp(std::uint32_t src, std::uint32_t slot, std::uint32_t generation) const;

  std::uint32_t queued_bytes(std::uint32_t id) override;
  bool for_each_queued(std::uint32_t id, const VisitQueued& visit) override;
  PortFigures port_figures(std::uint32_t id) override;
  SwitchFigures switch_figures(std::uint32_t s) const override;
  void for_each_active(const std::function<void(const host::FlowView&)>& visit) const override;
  std::optional<OneWayReport> one_way_report(const host::FlowView& flow) const override;

 protected:
  const Partitions& partitions() const { return partitions_; }
  host::FlowView view_of(std::uint32_t src, const host::Flow& flow) const;

 private:
  const Model& model_;
  Network& network_;
  Partitions& partitions_;
  const Time& now_;
  const MessageSkipper* messages_;
};

// For runs that skip steady time ([run.fast_forward]): flows are shown with what they would have sent in the time left
// out.
class SteadyFlowObservation final : public LocalObservation {
 public:
  SteadyFlowObservation(const Model& model, Network& network, Partitions& partitions, const Time& now,
                        const SteadyFlowSkipper& skipper)
      : LocalObservation(model, network, partitions, now, nullptr), skipper_(skipper) {}

  void for_each_active(const std::function<void(const host::FlowView&)>& visit) const override;

 private:
  const SteadyFlowSkipper& skipper_;
};

}  // namespace weir::engine
