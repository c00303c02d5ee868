#include "weir/engine/model/epochs.h"

#include <algorithm>

#include "weir/net/model/split.h"
#include "weir/traffic/traffic.h"

namespace weir::engine {

using namespace literals;

Time epoch_length(const net::Topology& topology, Time soonest_news) {
  Time shortest = std::min(10_us, soonest_news);
  for (const auto& link : topology.links)
    if (net::may_be_cut(topology, link)) shortest = std::min(shortest, link.delay);
  return shortest;
}

Time news_lag(const net::Topology& topology, Time soonest_news) {
  Time shortest = epoch_length(topology, soonest_news);
  if (std::any_of(topology.links.begin(), topology.links.end(),
                  [&](const auto& link) { return net::may_be_cut(topology, link); }))
    return shortest;
  // There is one partition, whatever the number of threads.
  for (const auto& link : topology.links) shortest = std::min(shortest, link.delay);
  return std::max(shortest, Time{1});
}

Time turn_length(const net::Topology& topology, Time soonest_news) {
  Time shortest = news_lag(topology, soonest_news);
  for (const auto& link : topology.links) shortest = std::min(shortest, link.delay);
  return shortest;
}

Time soonest_news(const traffic::Traffic& traffic) {
  constexpr Time kLeast = 50_ns;
  Time out = Time::max();
  for (const auto& driver : traffic.drivers())
    if (const auto scale_up = driver->scale_up()) out = std::min(out, std::max(scale_up->latency / 2, kLeast));
  return out;
}

}  // namespace weir::engine
