// The observation of a run of several ranks: the first question of a kind after an epoch gathers the answers for all
// nodes at all ranks. Probes see the same at each rank, so they ask the same, and every gathering is collective.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "weir/engine/observation.h"
#include "weir/engine/parallel/ranks.h"
#include "weir/host/flow_view.h"

namespace weir::engine {

struct Model;
class LocalObservation;
class Partitions;

class GatheredObservation final : public Observation {
 public:
  // All must outlive this.
  GatheredObservation(const Model& model, const Partitions& partitions, LocalObservation& own, Ranks& ranks)
      : model_(model), partitions_(partitions), own_(own), ranks_(ranks) {}

  // Forgets what has been gathered, since the run goes on.
  void forget();

  std::uint32_t queued_bytes(std::uint32_t id) override;
  bool for_each_queued(std::uint32_t id, const VisitQueued& visit) override;
  PortFigures port_figures(std::uint32_t id) override { return port(id); }
  SwitchFigures switch_figures(std::uint32_t s) const override { return of_switch(s); }
  void for_each_active(const std::function<void(const host::FlowView&)>& visit) const override;
  std::optional<OneWayReport> one_way_report(const host::FlowView& flow) const override;

 private:
  // An active flow, as visitors get it.
  struct Active {
    host::FlowView flow;
    bool has_report = false;
    OneWayReport report;
  };
  // A packet that waits in a port; its flow may be of another rank.
  struct Queued {
    std::uint32_t port = 0;
    std::uint32_t src = 0;
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    std::uint32_t bytes = 0;
  };

  const PortFigures& port(std::uint32_t port) const;
  const SwitchFigures& of_switch(std::uint32_t s) const;
  // All active flows, by sender, then by slot.
  const std::vector<Active>& active() const;
  const Active* find(std::uint32_t src, std::uint32_t slot, std::uint32_t generation) const;
  std::span<const Queued> queued(std::uint32_t port);

  // Gathers a row for each i below `count`, from the rank rank_of(i); own(i) gives those of this rank.
  template <class Row, class RankOf, class Own>
  std::vector<Row> rows(std::uint32_t count, RankOf&& rank_of, Own&& own) const;
  template <class Row>
  std::vector<Row> all(const std::vector<Row>& own) const;

  const Model& model_;
  const Partitions& partitions_;
  LocalObservation& own_;
  Ranks& ranks_;
  // What has been gathered since the run last went on.
  struct Gathered {
    std::optional<std::vector<std::uint32_t>> queued_bytes;  // by port
    std::optional<std::vector<PortFigures>> ports;
    std::optional<std::vector<SwitchFigures>> switches;
    std::optional<std::vector<Active>> active;
    std::unordered_map<std::uint64_t, std::size_t> places;  // of active flows, by sender and slot
    std::optional<std::vector<Queued>> queued;              // by port
  };
  mutable Gathered gathered_;
};

}  // namespace weir::engine
