// PhaseTime: how much wall time an engine spends in which phase of an epoch (Engine::on_phase_times()).
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "weir/base/units.h"

namespace weir::engine {

// The phases of an epoch, in order. All but `partition` are on the first thread.
//   samplers   functions that Engine::every() has been given are called
//   checks     faults are applied; pause storms and stalls are looked for
//   traffic    flows are handed to hosts
//   partition  the events of one partition of the network are taken, on one of the threads
//   epoch      from the start of the first partition to the end of the last
//   events     single events are put into one order, and told to their readers
//   decisions  questions of flows are answered from outside
//   flows      ends of flows are told
enum class Phase : std::uint8_t { samplers, checks, traffic, partition, epoch, events, decisions, flows };

struct PhaseTime {
  Phase phase = Phase::epoch;
  std::uint32_t thread = 0;
  std::uint32_t partition = 0;  // if the phase is `partition`: which one
  std::int64_t begin_ns = 0;    // nanoseconds on a clock that only goes forward (CLOCK_MONOTONIC)
  std::int64_t end_ns = 0;
};

// Receives the phases of the simulated time [from, until). Each phase comes at most once, except for `partition`, which
// comes once for each partition, and again after each exchange of packets between partitions.
using PhaseTimesVisit = std::function<void(Time from, Time until, std::span<const PhaseTime> times)>;

}  // namespace weir::engine
