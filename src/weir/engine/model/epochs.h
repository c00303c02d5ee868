// The length of epochs, and the delay after which news from one host take effect at another. Both depend on the
// topology, and on the least delay of news that drivers want (soonest_news).
#pragma once

#include "weir/base/units.h"
#include "weir/net/model/topology.h"

namespace weir::traffic {
class Traffic;
}

namespace weir::engine {

// The length of an epoch, which is at most the delay of the shortest link that a partitioning can cut. Without links
// between switches nothing can be cut, and the epoch only paces the hand-over of flows.
Time epoch_length(const net::Topology& topology, Time soonest_news = Time::max());

// The delay with which a host is told of an event at another host on which a message of its own waits.
Time news_lag(const net::Topology& topology, Time soonest_news = Time::max());

// The longest that a node's turn may be: what happens at a node matters to other nodes only after at least this time.
Time turn_length(const net::Topology& topology, Time soonest_news = Time::max());

// The least delay of news that the drivers of the traffic want: half of the least latency of their scale-up switches,
// at least 50 ns; Time::max() if no driver moves messages by such switches.
Time soonest_news(const traffic::Traffic& traffic);

}  // namespace weir::engine
