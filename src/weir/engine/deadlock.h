// Deadlocks of priority flow control.
//
// An egress port that is paused in a class waits for the ingress at its far end, and that for the packets which came in
// by it and stand in egress queues there. A set of paused ports is deadlocked when of every one of them the ingress at
// the far end could not be resumed even if all packets left that switch except those behind ports of the set: then no
// port of the set can ever be resumed, so that these packets stay for good. The largest such set is found by taking all
// paused ports and striking out, until none is left to be struck out, those whose ingress could be resumed. Each port
// that remains waits for another one that remains; hence there is a cycle. Ports to which a pause or resume frame is
// still on its way are struck out to begin with, so that nothing passing is taken for a deadlock.
//
// Coffman's conditions for pauses: Hu et al., "Deadlocks in Datacenter Networks: Why Do They Form, and How to Avoid
// Them", HotNets 2016.
#pragma once

#include <functional>
#include <vector>

#include "weir/engine/model.h"
#include "weir/engine/network.h"
#include "weir/engine/stall.h"

namespace weir::engine {

struct Deadlock {
  std::vector<BlockedPort> ports;  // of the largest set, by port and class; empty = there is no deadlock
  std::vector<BlockedPort> cycle;  // one of its cycles, from its smallest port on
  Time since;                      // when the last port of the cycle was paused
};

using PacketVisit = std::function<void(std::uint32_t port, const net::Packet&)>;

// Between epochs. `each_packet` calls its argument for each packet that has been put on a port and has not reached the
// port's far end; it is asked for only if there is a set of ports to be struck from.
Deadlock find_deadlock(const Model& model, const Network& network,
                       const std::function<void(const PacketVisit&)>& each_packet);

}  // namespace weir::engine
