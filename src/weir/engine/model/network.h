// Everything about a run that changes while it runs, apart from events and packets' telemetry:
// ports, switch buffers, hosts. Each node belongs to one partition, which alone touches it.
#pragma once

#include <vector>

#include "weir/base/large_pages.h"
#include "weir/engine/engine.h"
#include "weir/engine/model/model.h"
#include "weir/host/host.h"
#include "weir/net/port/class_queues.h"
#include "weir/net/port/port.h"
#include "weir/net/switch/path_policies.h"
#include "weir/net/switch/switch_state.h"
#include "weir/net/switch/watchdog.h"

namespace weir::engine {

class MessageSkipper;

struct Network {
  explicit Network(const Model& model, Time soonest_news = Time::max());

  LargePageVector<net::Port> ports;  // by global port id
  LargePageVector<net::SwitchState> switches;
  std::vector<net::ClassQueues> queues;  // of queued ports
  net::PathPolicies path_policies;
  std::vector<net::PauseWatch> watches;  // by port, used for those of switches; empty without a PFC watchdog
  LargePageVector<host::Host> hosts;
  MessageSkipper* fast_forward = nullptr;  // null: no message is skipped
  Time network_rtt;                        // the largest unloaded round trip of full packets, of any profile
  Time soonest_news;                       // an upper bound of epochs and turns (engine/model/epochs.h)
};

// The bytes that can still arrive by a link after a pause has become due.
Bytes after_pause(const Model& model, const net::Link& link);

// The empty buffers of all switches. Throws InputError about the buffer's "size" if one of them does not
// hold its reserves.
std::vector<net::SwitchBuffer> make_buffers(const Model& model);

}  // namespace weir::engine
