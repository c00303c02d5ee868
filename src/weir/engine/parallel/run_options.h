// How a run is carried out. The results do not depend on it, except for where the run ends and what is skipped.
#pragma once

#include <cstdint>

#include "weir/base/units.h"
#include "weir/engine/skip/fast_forward_params.h"

namespace weir::engine {

class Ranks;

// The order in which events are taken (sim/scheduler.h). Automatic: node by node, unless links are too short, functions
// are called at too short intervals, or an algorithm needs decisions or calls in the order of time; then as with the
// wheel.
enum class SchedulerKind : std::uint8_t { automatic, wheel, heap };

struct RunOptions {
  std::uint32_t threads = 1;  // fewer are used if the topology cannot be split into so many parts
  // The number of partitions into which the network is cut, each of which one thread advances at a time; 0 = as many as
  // threads.
  std::uint32_t partitions = 0;
  SchedulerKind scheduler = SchedulerKind::automatic;
  Time stop = Time::max();  // end the run here even if flows are active
  bool traced = false;      // tell single events and ask for decisions: trace(), decide()
  // The shortest interval with which every() will be called; the automatic choice of the scheduler depends on it.
  Time shortest_interval = Time::max();
  bool until_program = false;  // end the run when the drivers' tasks are done, even if other flows are active
  // The ranks of which this process is one, each with so many threads; null: there is only this process. They must
  // outlive the simulation. Each has the same model, traffic, samplers and probes, and calls the same functions in the
  // same order.
  Ranks* ranks = nullptr;
  FastForwardParams fast_forward{.theta = 0};  // what is skipped; theta = 0: nothing
};

}  // namespace weir::engine
