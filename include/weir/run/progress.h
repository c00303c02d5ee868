// Progress: how far a run is, between two epochs.
#pragma once

#include <cstdint>

#include "weir/base/units.h"
#include "weir/engine/counters.h"

namespace weir {

struct Progress {
  Time now;
  double done = -1;  // share of the run, 0 to 1; below 0 = unknown
  engine::Counters counters;
  std::uint64_t skipped = 0;  // packets of messages that were not sent ([run.fast_forward])
};

}  // namespace weir
