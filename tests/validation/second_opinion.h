// A network of HPCC senders computed a second way: two events per packet and link, one heap, and nothing clever. It
// shares with the engine the description of the network, and nothing that decides when something happens.
//
// Its rules can be set. With those of HPCC's public simulator it gives that simulator's completion times to the
// nanosecond; with Weir's it gives Weir's to the picosecond; and with some of each it tells what a difference between
// the two is due to (docs/validation.md). No packet is paused, marked or dropped here: the caller sees to it that none
// is where it compares.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "weir/engine/model.h"
#include "weir/traffic/flow.h"

namespace weir::validation {

// What the two simulators do not have in common.
struct Rules {
  // Times of transmission lose their fraction of a nanosecond, as `Seconds(double)` does in ns-3.17.
  bool whole_nanoseconds = false;
  // Events of one instant come in the order in which they were scheduled; else departures from switches first, then
  // arrivals by link, then hosts.
  bool order_of_scheduling = false;
  // A NIC serves its flows by their place in a list that closes up when flows end; else by turn of becoming ready.
  bool turns_by_place = false;
  // HPCC keeps its rate, an integer, and derives the window; else cc::Hpcc decides.
  bool integer_rates = false;
  // Next hops in descending node number, chosen by MurmurHash3 of addresses and ports; else net::Routing chooses.
  bool murmur_paths = false;
};
inline constexpr Rules kWeir{};
inline constexpr Rules kArtifact{true, true, true, true, true};

// Sees what waits at every port of a switch at 0, 1 us, 2 us, ... before anything happens at that instant.
using QueueSampler = std::function<void(std::uint32_t port, std::uint32_t queued)>;
inline constexpr Time kSampleInterval{1'000'000};

// By place in `flows`, which are in order of start and all of the model's first profile.
std::vector<Time> completion_times(const engine::Model& model, const std::vector<traffic::Flow>& flows,
                                   const Rules& rules, Time sample_until = {}, const QueueSampler& sampler = {});

}  // namespace weir::validation
