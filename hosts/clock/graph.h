// The network effect (Huygens, section 4.3): clocks are numbers, so the differences around every loop of the graph of
// measurements add up to zero, and what they add up to instead is error. The least squares over all edges, weighted by
// what each is good for, take it out.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "hosts/clock/estimate.h"

namespace weir::hosts::clock {

// How the clock of host `to` runs against that of `from`. Errors are positive.
struct GraphEdge {
  std::size_t from = 0;
  std::size_t to = 0;
  Estimate measured;
};

struct GraphNode {
  bool known = false;  // edges connect it with host 0
  Estimate estimate;   // its clock against that of host 0, from Solution::at on
};

struct Solution {
  std::int64_t at = 0;
  std::vector<GraphNode> nodes;
  std::size_t loops = 0;  // independent ones
  double surplus = 0;     // ns: the standard deviation of an edge's offset, as the loops tell it; 0 without loops
  double scale = 1;       // by which errors of edges were too small, as the loops tell it; at least 1
};

// Twice: at host 0's time `at`, and kForesight later (Huygens corrects the two ends of a window), which gives offsets
// and drifts. Host 0 is ours. Edges may lead in either direction, and several between the same hosts are as many
// measurements.
Solution reconcile(std::size_t hosts, std::span<const GraphEdge> edges, std::int64_t at);

}  // namespace weir::hosts::clock
