// What a run with [run.fast_forward] has skipped, and how far that is off (docs/guides/fast-forward.md).
#pragma once

#include <cstdint>

#include "weir/base/units.h"

namespace weir::engine {

struct FastForwardReport {
  double theta = 0;
  std::uint64_t messages = 0;    // messages that have begun
  std::uint64_t skipped = 0;     // messages of these that were not simulated
  std::uint64_t spans = 0;       // spans of time that were left out, since all flows were steady in them
  Time skipped_time;             // the sum of these spans
  std::uint64_t unsent = 0;      // data packets that were not sent
  std::uint64_t checked = 0;     // messages, or flows in a span, that were simulated instead of being skipped
  double mean_error = 0;         // mean over these of |expected - simulated| / simulated, of the time until a message's
                                 // receipt, or of a flow's bytes
  double worst_error = 0;        // the largest of these errors
  std::uint64_t unforeseen = 0;  // how often skipped messages met others than expected, and were simulated from then on
};

}  // namespace weir::engine
