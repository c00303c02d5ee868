// Cutting a network into parts that threads advance side by side.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/units.h"
#include "weir/net/model/topology.h"

namespace weir::net {

// Links between switches may be cut, unless they are so short that the parts would wait for each
// other all the time.
inline constexpr Time kShortestCut{10'000};
inline bool may_be_cut(const Topology& t, const Link& l) {
  return l.delay >= kShortestCut && l.a >= t.hosts && l.b >= t.hosts;
}

struct Split {
  std::uint32_t parts = 1;
  std::vector<std::uint16_t> of_node;  // hosts are with their edge switch
  // The smallest propagation delay of a link between parts: what happens in one part cannot
  // matter to another any sooner. Time::max() if nothing is cut.
  Time lookahead = Time::max();
  std::uint32_t cut_links = 0;
};

// At most `wanted` parts (1 to 65535) of about equal work, taken to be the sum of the rates of a
// node's ports. Fewer, if there are fewer groups of hosts to separate: a switch with hosts is one
// group, and nodes joined by a link shorter than kShortestCut are never separated. The topology must have
// passed check() and carry tiers. The result depends on the topology and `wanted` alone.
Split split(const Topology&, std::uint32_t wanted);

}  // namespace weir::net
