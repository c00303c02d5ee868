// How long epochs are, and when news from one host take effect at another. Both depend on the topology alone.
#pragma once

#include "weir/base/units.h"
#include "weir/net/model/topology.h"

namespace weir::engine {

// The length of an epoch, which is no longer than any link that a partitioning can cut. Without links between switches
// nothing can be cut, and the epoch only paces the hand-over of flows.
Time epoch_length(const net::Topology& topology);

// How long a host waits to be told of an event at another one that starts a message of its own.
Time news_lag(const net::Topology& topology);

// How long a node's turn may be: what happens at a node matters to others no sooner than after this.
Time turn_length(const net::Topology& topology);

}  // namespace weir::engine
