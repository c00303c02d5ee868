#include "weir/engine/model/epochs.h"

#include <algorithm>

#include "weir/net/model/split.h"

namespace weir::engine {

using namespace literals;

Time epoch_length(const net::Topology& topology) {
  Time shortest = 10_us;
  for (const auto& link : topology.links)
    if (net::may_be_cut(topology, link)) shortest = std::min(shortest, link.delay);
  return shortest;
}

Time news_lag(const net::Topology& topology) {
  Time shortest = epoch_length(topology);
  if (std::any_of(topology.links.begin(), topology.links.end(),
                  [&](const auto& link) { return net::may_be_cut(topology, link); }))
    return shortest;
  // One partition, whatever the number of threads.
  for (const auto& link : topology.links) shortest = std::min(shortest, link.delay);
  return std::max(shortest, Time{1});
}

Time turn_length(const net::Topology& topology) {
  Time shortest = news_lag(topology);
  for (const auto& link : topology.links) shortest = std::min(shortest, link.delay);
  return shortest;
}

}  // namespace weir::engine
