// Random networks, the same in every run.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/random.h"
#include "weir/theory/network.h"

namespace weir::theory {

class Draws {
 public:
  explicit Draws(std::uint32_t number) : stream_(7, number, Purpose::algorithm) {}
  double between(double low, double high) { return low + (high - low) * stream_.uniform(next_++); }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(stream_.below(next_++, n)); }

 private:
  RandomStream stream_;
  std::uint64_t next_ = 0;
};

// Up to 20 links and 20 flows, each of which crosses every link with the same probability, and at least one.
inline Network random_network(Draws& draw, bool weights = false) {
  Network out;
  const std::uint32_t links = 1 + draw.below(20);
  const std::uint32_t flows = 1 + draw.below(20);
  const double density = draw.between(0.1, 0.6);
  for (std::uint32_t i = 0; i < links; ++i) out.capacities.push_back(draw.between(0.1, 10));
  for (std::uint32_t j = 0; j < flows; ++j) {
    Flow flow;
    for (std::uint32_t i = 0; i < links; ++i)
      if (draw.between(0, 1) < density) flow.links.push_back(i);
    if (flow.links.empty()) flow.links.push_back(draw.below(links));
    if (weights) flow.weight = draw.between(0.2, 5);
    out.flows.push_back(flow);
  }
  return out;
}

inline std::vector<double> random_rates(Draws& draw, const Network& network) {
  std::vector<double> out;
  for (std::size_t j = 0; j < network.flows.size(); ++j) out.push_back(draw.between(0.01, 10));
  return out;
}

// One flow over all links, and one of its own on each: flow 0, then those of link 0, 1, ...
inline Network parking_lot(std::uint32_t links, double capacity) {
  Network out{std::vector<double>(links, capacity), {{}}};
  for (std::uint32_t i = 0; i < links; ++i) {
    out.flows[0].links.push_back(i);
    out.flows.push_back({{i}});
  }
  return out;
}

}  // namespace weir::theory
