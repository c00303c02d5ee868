// Everything about a run that changes while it runs, apart from events and packets' telemetry:
// ports, switch buffers, hosts. Each node belongs to one partition, which alone touches it.
#pragma once

#include <vector>

#include "weir/engine/model.h"
#include "weir/host/host.h"
#include "weir/net/class_queues.h"
#include "weir/net/port.h"
#include "weir/net/switch_buffer.h"

namespace weir::engine {

// What a switch knows of the queue of one of its ports, for adaptive routing.
struct PortLoad {
  Time until;  // it need not look again before this
  std::uint32_t level = 0;
};

struct alignas(64) SwitchState {
  net::SwitchBuffer buffer;
  Time next_departure = Time::max();  // of the pending departure event; only while buffer.eager()
  std::uint64_t drops = 0;
  std::uint64_t trims = 0;
  std::uint64_t pauses_sent = 0;
  std::uint32_t turn = 0;     // round robin: the port that comes next
  std::uint32_t choices = 0;  // adaptive routing: made so far
};

struct Network {
  explicit Network(const Model& model);

  std::vector<net::Port> ports;  // by global port id
  std::vector<SwitchState> switches;
  std::vector<net::ClassQueues> queues;  // of queued ports
  std::vector<PortLoad> loads;           // by port; none without adaptive routing
  std::vector<host::Host> hosts;
  Time network_rtt;  // the largest unloaded round trip of full packets, of any profile
};

}  // namespace weir::engine
