// Which ports of switches wait for which, if buffers fill and PFC pauses: the buffer dependency graph.
//
// A port towards a switch waits for the ports by which that switch forwards packets that came from it. Where this graph
// has no cycle, PFC cannot deadlock, whatever the traffic (Dally and Seitz, IEEE ToC 1987; Hu et al., HotNets 2016).
#pragma once

#include <cstdint>
#include <vector>

#include "weir/net/model/routing.h"

namespace weir::net {

// The ports of one cycle, each waiting for the next and the last one for the first, for packets between any two hosts;
// none if there is no cycle.
std::vector<std::uint32_t> dependency_cycle(const Routing& routing);

}  // namespace weir::net
