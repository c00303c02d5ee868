// How long epochs are, and when news from one host take effect at another: of the topology alone.
#pragma once

#include "weir/base/units.h"
#include "weir/net/topology.h"

namespace weir::engine {

// The epoch: no partitioning can cut a shorter link. Without links between switches nothing can
// be cut, and the epoch only paces the hand-over of flows.
Time epoch_length(const net::Topology& topology);

// How long a host waits to be told of an event at another one that starts a message of its own.
Time news_lag(const net::Topology& topology);

}  // namespace weir::engine
