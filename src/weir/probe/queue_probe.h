// Lengths of egress queues at regular instants: their distribution over time and ports, the busiest port, the longest
// queue and whose packets were in it, and on request every sample.
//
// A queue is what the port has accepted and not begun to send, headers included; empty ones count.
//
// Memory: 52 KiB for each direction of a tier, and for each port 250 bytes and 512 for each doubling of its lengths.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
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
  // `tags` names the flows' tags by index.
  QueueProbe(const QueuesParams&, engine::Engine&, std::vector<std::string> tags, ResultDirectory* out);

  void sample(Time now);
  QueueSummary finish();

  template <class A>
  void archive(A& a) {
    for (Histogram& h : by_direction_) h.archive(a);
    for (PortHistogram& h : by_port_) h.archive(a);
    a.optional(peak_, [&](QueuePeak& peak) { peak.archive(a); });
    a.value(instants_);
    if (series_) series_->archive(a);
  }

 private:
  PortName name_of(std::size_t place) const;
  void look_into(QueuePeak& peak);
  void write_distributions(const Histogram& all, const std::vector<Histogram>& by_tier);
  void find_busiest(const Histogram& all, QueueSummary& summary) const;

  const QueuesParams params_;
  engine::Engine& simulation_;
  const std::vector<std::string> tags_;
  ResultDirectory* const out_;
  const std::vector<std::uint32_t> ports_;
  const Tiers tiers_;
  std::vector<Histogram> by_direction_;
  std::vector<PortHistogram> by_port_;
  std::optional<QueuePeak> peak_;
  std::uint64_t instants_ = 0;
  std::optional<ResultFile> series_;
};

}  // namespace weir::probe
