// How long epochs are, and when news from one host take effect at another: of the topology alone.
#pragma once

#include "weir/base/units.h"
#include "weir/net/model/topology.h"

namespace weir::engine {

// The epoch: no partitioning can cut a shorter link. Without links between switches nothing can
// be cut, and the epoch only paces the hand-over of flows.
Time epoch_length(const net::Topology& topology);

// How long a host waits to be told of an event at another one that starts a message of its own.
Time news_lag(const net::Topology& topology);

// What happens at a node matters to others no sooner than this: how long nodes may go on one after the other.
Time turn_length(const net::Topology& topology);

}  // namespace weir::engine
