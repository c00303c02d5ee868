// What passing (real) time an engine spends on what; Engine::on_phase_times() tells it.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "weir/base/units.h"

namespace weir::engine {

// Kinds of work, in the order of an epoch. `partition`: the events of one partition of the network, on one of the
// threads; all others are on the first thread: `samplers`; `checks` for faults, pause storms and stalls; `traffic`, to
// hand flows to hosts; `epoch`, from the start of the first partition to the end of the last; `events`, to put single
// events into one order and tell them; `decisions` from outside; `flows`, to tell of those that have ended.
enum class Phase : std::uint8_t { samplers, checks, traffic, partition, epoch, events, decisions, flows };

struct PhaseTime {
  Phase phase = Phase::epoch;
  std::uint32_t thread = 0;
  std::uint32_t partition = 0;  // of `partition`
  std::int64_t begin_ns = 0;    // on a clock that only goes forward (CLOCK_MONOTONIC): nanoseconds
  std::int64_t end_ns = 0;
};

// The work for the simulated time [from, until), each kind at most once, but `partition` once for each.
using PhaseTimesVisit = std::function<void(Time from, Time until, std::span<const PhaseTime> times)>;

}  // namespace weir::engine
