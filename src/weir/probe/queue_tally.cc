#include "weir/probe/queue_tally.h"

#include <algorithm>
#include <string_view>

namespace weir::probe {

template <class Weights>
QueueTally<Weights>::QueueTally(const net::Topology& topology, const std::string& ports)
    : topology_(topology),
      ports_(choose_ports(topology, ports)),
      tiers_(topology, ports_),
      by_direction_(tiers_.groups.size()),
      by_port_(ports_.size()) {}

template <class Weights>
PortName QueueTally<Weights>::name_of(std::size_t place) const {
  const std::uint32_t port = ports_[place];
  return {port, topology_.port_owner(port), topology_.port_peer(port), tiers_.groups[tiers_.of_port[place]].name};
}

template <class Weights>
void QueueTally<Weights>::report(const std::function<std::uint64_t(std::size_t place)>& total_of, QueueSummary& summary,
                                 ResultDirectory* out) const {
  HistogramOf<Weights> all;
  Distributions by_tier(tiers_.names.size());
  for (std::size_t i = 0; i < by_direction_.size(); ++i) {
    all.merge(by_direction_[i]);
    by_tier[tiers_.groups[i].tier].merge(by_direction_[i]);
  }
  if (out != nullptr) write(all, by_tier, out->table("queue_cdf.csv"));

  summary.ports = static_cast<std::uint32_t>(ports_.size());
  summary.all = all.distribution();
  for (std::size_t i = 0; i < by_tier.size(); ++i)
    summary.by_tier.push_back({tiers_.names[i], by_tier[i].distribution()});
  for (std::size_t i = 0; i < by_direction_.size(); ++i)
    summary.by_direction.push_back({tiers_.groups[i].name, by_direction_[i].distribution()});
  const auto busiest = std::max_element(by_port_.begin(), by_port_.end(),
                                        [](const auto& a, const auto& b) { return a.sum() < b.sum(); });
  if (busiest->sum() == 0) return;
  const auto place = static_cast<std::size_t>(busiest - by_port_.begin());
  summary.busiest = name_of(place);
  summary.busiest_port = busiest->distribution(total_of(place), all);
}

// Each tier, and behind it its directions.
template <class Weights>
void QueueTally<Weights>::write(const HistogramOf<Weights>& all, const Distributions& by_tier, ResultFile file) const {
  const auto rows = [&](std::string_view tier, const HistogramOf<Weights>& h) {
    std::uint64_t below = 0;
    h.for_each([&](double value, std::uint64_t count) {
      below += count;
      file.print("{},{:.7g},{},{:.9g}\n", tier, value, count,
                 static_cast<double>(below) / static_cast<double>(h.count()));
    });
  };
  rows("all", all);
  for (std::size_t tier = 0; tier < by_tier.size(); ++tier) {
    rows(tiers_.names[tier], by_tier[tier]);
    for (std::size_t i = 0; i < by_direction_.size(); ++i)
      if (tiers_.groups[i].tier == tier && tiers_.groups[i].name != tiers_.names[tier])
        rows(tiers_.groups[i].name, by_direction_[i]);
  }
  file.close();
}

template class QueueTally<Samples>;
template class QueueTally<Durations>;

}  // namespace weir::probe
