// How long epochs are, and when news from one host take effect at another. Both depend on the topology, and on the
// soonest that drivers want news to be there (soonest_news).
#pragma once

#include "weir/base/units.h"
#include "weir/net/model/topology.h"

namespace weir::traffic {
class Traffic;
}

namespace weir::engine {

// The length of an epoch, which is no longer than any link that a partitioning can cut. Without links between switches
// nothing can be cut, and the epoch only paces the hand-over of flows.
Time epoch_length(const net::Topology& topology, Time soonest_news = Time::max());

// How long a host waits to be told of an event at another one that starts a message of its own.
Time news_lag(const net::Topology& topology, Time soonest_news = Time::max());

// How long a node's turn may be: what happens at a node matters to others no sooner than after this.
Time turn_length(const net::Topology& topology, Time soonest_news = Time::max());

// Of traffic whose drivers move messages by scale-up switches, half of the least latency, 50 ns at least; else
// Time::max().
Time soonest_news(const traffic::Traffic& traffic);

}  // namespace weir::engine
