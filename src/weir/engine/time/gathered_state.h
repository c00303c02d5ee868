// The state of a run of several ranks, as probes ask for it. The first question of a kind after an epoch gathers the
// answers for all nodes at all ranks. Probes see equal answers at each rank, so they ask equal questions, and every
// gathering is collective.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/engine/parallel/ranks.h"
#include "weir/host/flow.h"

namespace weir::engine {

class Simulation;

class GatheredState {
 public:
  struct PortFigures {
    std::uint64_t sent = 0;
    std::uint64_t marked = 0;
    std::uint64_t lost = 0;
    Time paused;
    Storms storms;
    std::uint32_t pauses = 0;
  };
  struct SwitchFigures {
    std::uint64_t dropped = 0;
    std::uint64_t pauses_sent = 0;
  };
  // An active flow, as visitors get it.
  struct Active : host::Flow {
    std::uint32_t src = 0;
    std::int64_t acknowledged_bytes = 0;
    bool has_report = false;
    OneWayReport report;
  };
  // A packet that waits in a port.
  struct Queued {
    std::uint32_t port = 0;
    std::uint32_t src = 0;
    std::uint32_t slot = 0;
    std::uint32_t generation = 0;
    std::uint32_t wire = 0;
  };

  // Both must outlive this.
  GatheredState(Simulation& simulation, Ranks& ranks) : simulation_(simulation), ranks_(ranks) {}

  // Forgets what has been gathered, as the run goes on.
  void forget();

  std::uint32_t queued_bytes(std::uint32_t port);
  const PortFigures& port(std::uint32_t port);
  const SwitchFigures& of_switch(std::uint32_t s);
  // The active flows, by rank, then in the order in which the rank visits them.
  const std::vector<Active>& active();
  const Active* find(std::uint32_t src, std::uint32_t slot, std::uint32_t generation);
  std::span<const Queued> queued(std::uint32_t port);

 private:
  // Gathers a row for each of `count` things. Thing i belongs to rank_of(i); own(i) makes the rows of this rank.
  template <class Row, class RankOf, class Own>
  std::vector<Row> rows(std::uint32_t count, RankOf&& rank_of, Own&& own);
  template <class Row>
  std::vector<Row> all(const std::vector<Row>& own);

  Simulation& simulation_;
  Ranks& ranks_;
  std::optional<std::vector<std::uint32_t>> queued_bytes_;  // by port
  std::optional<std::vector<PortFigures>> ports_;
  std::optional<std::vector<SwitchFigures>> switches_;
  std::optional<std::vector<Active>> active_;
  std::unordered_map<std::uint64_t, std::size_t> places_;  // of active flows, by sender and slot
  std::optional<std::vector<Queued>> queued_;              // by port
};

}  // namespace weir::engine
