// Distributions of the lengths of chosen ports' queues, by port, tier and direction: what a summary and queue_cdf.csv
// tell of them, whether the lengths were counted (Samples) or weigh as long as they lasted (Durations).
//
// Memory: 52 KiB for each direction of a tier, and for each port 250 bytes and 512 (Durations: 1024) for each doubling
// of its lengths.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "weir/net/model/topology.h"
#include "weir/probe/histogram.h"
#include "weir/probe/port_choice.h"
#include "weir/probe/results.h"
#include "weir/probe/summary.h"

namespace weir::probe {

template <class Weights>
class QueueTally {
 public:
  // `ports` as for choose_ports().
  QueueTally(const net::Topology& topology, const std::string& ports);

  const std::vector<std::uint32_t>& ports() const { return ports_; }
  // A length in bytes of the port at this place of ports().
  void add(std::size_t place, std::uint32_t length, typename Weights::Count weight = 1) {
    const std::uint32_t bin = Histogram::index(length);
    by_direction_[tiers_.of_port[place]].add(length, bin, weight);
    if (length > 0) by_port_[place].add(length, bin, weight);
  }
  PortName name_of(std::size_t place) const;

  // Fills in the ports and their distributions, and writes queue_cdf.csv unless `out` is null. What was added of the
  // port at this place weighs total_of(place).
  void report(const std::function<std::uint64_t(std::size_t place)>& total_of, QueueSummary& summary,
              ResultDirectory* out) const;

  template <class A>
  void archive(A& a) {
    for (auto& h : by_direction_) h.archive(a);
    for (auto& h : by_port_) h.archive(a);
  }

 private:
  using Distributions = std::vector<HistogramOf<Weights>>;
  void write(const HistogramOf<Weights>& all, const Distributions& by_tier, ResultFile file) const;

  const net::Topology& topology_;
  const std::vector<std::uint32_t> ports_;
  const Tiers tiers_;
  Distributions by_direction_;
  std::vector<PortHistogramOf<Weights>> by_port_;
};

}  // namespace weir::probe
