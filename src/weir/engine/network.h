// Everything about a run that changes while it runs, apart from events and packets' telemetry:
// ports, switch buffers, hosts. Each node belongs to one partition, which alone touches it.
#pragma once

#include <vector>

#include "weir/base/large_pages.h"
#include "weir/engine/engine.h"
#include "weir/engine/model.h"
#include "weir/host/host.h"
#include "weir/net/class_queues.h"
#include "weir/net/port.h"
#include "weir/net/switch_buffer.h"
#include "weir/net/watchdog.h"

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
  std::uint64_t pauses_sent = 0;
  std::vector<std::uint16_t> order;  // round robin: numbers of equal-cost ports, in the order of this round
  std::uint32_t turn = 0;            // ... its place whose port comes next
  std::uint32_t round = 0;
  std::uint32_t choices = 0;  // adaptive routing: made so far
};

// A node of a program: how much it still waits for, and since when it will wait no more.
struct NodeState {
  std::uint32_t waiting = 0;
  Time ready;
};

struct Network {
  explicit Network(const Model& model);

  LargePageVector<net::Port> ports;  // by global port id
  LargePageVector<SwitchState> switches;
  std::vector<net::ClassQueues> queues;  // of queued ports
  std::vector<PortLoad> loads;           // by port; none without adaptive routing
  std::vector<net::PauseWatch> watches;  // by port, of switches; none without a PFC watchdog
  LargePageVector<host::Host> hosts;
  std::vector<NodeState> node_states;  // by node of the program; its host's partition touches it
  std::vector<NodeTimes> node_times;   // `received` is its receiver's, the rest its sender's
  Time network_rtt;                    // the largest unloaded round trip of full packets, of any profile
};

// The empty buffers of all switches. Throws InputError that begins with network.buffer.size if one of them does not
// hold its reserves.
std::vector<net::SwitchBuffer> make_buffers(const Model& model);

}  // namespace weir::engine
