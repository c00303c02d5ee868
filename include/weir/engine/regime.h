// How a run is carried out: what its speed depends on, and its results do not.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace weir::engine {

struct Regime {
  // The order in which a partition takes its events: node by node, all of an epoch's or a turn's before the next
  // node's, or in the order of time.
  std::string_view events;  // "by node", "by time", "by time, from a heap"
  // The number of sides into which the nodes are divided, each of which takes its turns as a whole (1 or 2).
  std::uint32_t sides = 1;
  // How many epochs are taken as one, as long as nobody looks at the run in between.
  std::int64_t epochs_at_once = 1;
  // What ports of switches and of hosts do with packets that wait: "fifo", "priority" (one class goes ahead) or
  // "classes".
  std::string_view switch_ports;
  std::string_view host_ports;
  // The nearest cache of a common processor that the network's ports stay in: "L1", "L2" or "none".
  std::string_view cache;
  bool traced = false;  // single events are recorded
  // The share of all events so far that one thread has taken alone, since several would not have been quicker; 1 if the
  // run has only one thread. It depends on what else the machine does.
  double on_one_thread = 1;
};

// "events by node, two sides, 32 epochs at once; priority ports of switches, fifo of hosts; ports fit in L2".
std::string to_text(const Regime&);

}  // namespace weir::engine
