// Lengths of egress queues at regular instants: their distribution over time and ports, and on
// request every sample.
//
// A queue is what the port has accepted and not begun to send, headers included; empty ones count.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/probe/histogram.h"
#include "weir/probe/params.h"
#include "weir/probe/port_choice.h"
#include "weir/probe/results.h"
#include "weir/probe/summary.h"

namespace weir::probe {

class QueueProbe {
 public:
  QueueProbe(const QueuesParams&, engine::Engine&, ResultDirectory* out);

  void sample(Time now);
  QueueSummary finish();

 private:
  const QueuesParams params_;
  engine::Engine& simulation_;
  ResultDirectory* const out_;
  const std::vector<std::uint32_t> ports_;
  const Tiers tiers_;
  std::vector<Histogram> by_tier_;
  std::uint64_t instants_ = 0;
  std::optional<ResultFile> series_;
};

}  // namespace weir::probe
