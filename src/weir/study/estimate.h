// What a run is expected to take.
#pragma once

#include <cstdint>

#include "weir/scenario/build.h"

namespace weir::study {

struct Estimate {
  std::uint64_t bytes = 0;  // of memory, at its largest
  double packets = 0;       // of data that hosts send
  double seconds = 0;       // of one processor, at its longest
  int threads = 1;
  std::uint64_t traffic = 0;  // scenario::Expected::digest
};

// More flows than these are not drawn for an estimate; how many there are in all follows from when the traffic ends.
inline constexpr std::uint64_t kMaxEstimatedFlows = 2'000'000;

// A conservative model of a run's memory, calibrated on measured runs (docs/guides/sweeps.md), and its packets.
Estimate estimate(const scenario::Scenario&, const engine::Model&, const scenario::Expected&);

}  // namespace weir::study
