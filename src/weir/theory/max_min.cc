#include "weir/theory/max_min.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace weir::theory {
namespace {

constexpr double kTie = 1e-12;
constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// What is on a link: flows whose rate is known, and the weight of the others.
struct Content {
  double fixed = 0;
  double weight = 0;
};

// The rate r per weight at which a link with such content limits its other flows: its load F + w r
// is then U C with r = a / (1 - 1 / U), the level of HPCC's A.3. Without U that is
// w r^2 + (F - C - w a) r - F a = 0, and for a = 0 plainly r = (C - F) / w.
double level_of(const Content& link, double capacity, double a) {
  const double b = capacity - link.fixed + link.weight * a;
  if (a == 0) return std::max(b, 0.0) / link.weight;
  const double root = std::sqrt(b * b + 4 * link.weight * link.fixed * a);
  return b > 0 ? (b + root) / (2 * link.weight) : 2 * link.fixed * a / (root - b);
}

Filling fill(const Network& network, double a) {
  const std::size_t flows = network.flows.size();
  Filling out{std::vector<double>(flows), std::vector<std::uint32_t>(flows, kNone), {}};
  std::vector<Content> content;
  std::vector<double> level;
  for (std::size_t left = flows; left > 0;) {
    // anew in each round, so that no rounding adds up
    content.assign(network.capacities.size(), {});
    for (std::size_t j = 0; j < flows; ++j) {
      const bool fixed = out.bottlenecks[j] != kNone;
      const Flow& flow = network.flows[j];
      for (std::size_t k = 0; k < flow.links.size(); ++k) {
        Content& link = content[flow.links[k]];
        fixed ? link.fixed += flow.share(k) * out.rates[j] : link.weight += flow.share(k) * flow.weight;
      }
    }
    level.assign(content.size(), std::numeric_limits<double>::infinity());
    for (std::size_t i = 0; i < content.size(); ++i)
      if (content[i].weight > 0) level[i] = level_of(content[i], network.capacities[i], a);
    const double lowest = *std::min_element(level.begin(), level.end());

    for (std::size_t j = 0; j < flows; ++j) {
      if (out.bottlenecks[j] != kNone) continue;
      for (const auto i : network.flows[j].links) {
        if (level[i] > lowest * (1 + kTie)) continue;
        out.rates[j] = lowest * network.flows[j].weight;
        out.bottlenecks[j] = i;
        --left;
        break;
      }
    }
    out.levels.push_back(lowest);
  }
  return out;
}

}  // namespace

Filling max_min(const Network& network) { return fill(network, 0); }

Filling additive_equilibrium(const Network& network, double increase) {
  assert(increase > 0);
  return fill(network, increase);
}

}  // namespace weir::theory
