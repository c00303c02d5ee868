// How a run is carried out; the results do not depend on it, but for where it ends.
#pragma once

#include <cstdint>

#include "weir/base/units.h"
#include "weir/engine/skip/fast_forward_params.h"

namespace weir::engine {

class Ranks;

// Which events are taken when (sim/scheduler.h). Automatic: node by node, unless links are too short, somebody wants to
// hear of single events, or an algorithm needs to be called in the order of time; then as with the wheel.
enum class SchedulerKind : std::uint8_t { automatic, wheel, heap };

struct RunOptions {
  std::uint32_t threads = 1;  // fewer are used if the topology cannot be split so far
  // The parts that the network is cut into, of which each is one thread's at a time; 0 = as many as threads.
  std::uint32_t partitions = 0;
  SchedulerKind scheduler = SchedulerKind::automatic;
  Time stop = Time::max();  // end the run here even if flows are active
  bool traced = false;      // tell single events and ask for decisions: trace(), decide()
  // The shortest interval with which every() will be called; the automatic choice of the scheduler depends on it.
  Time shortest_interval = Time::max();
  bool until_program = false;  // end it when the messages that wait for each other are done, even if others are active
  // The ranks of which this process is one, each with so many threads; null: it is the only one. They must outlive the
  // simulation. Each has the same model, traffic, samplers and probes, and calls the same functions in the same order.
  Ranks* ranks = nullptr;
  FastForwardParams fast_forward{.theta = 0};  // what is skipped; theta = 0: nothing
};

}  // namespace weir::engine
