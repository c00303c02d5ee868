// What a run with [run.fast_forward] has skipped, and how far the skipped messages are off (docs/fidelity.md).
#pragma once

#include <cstdint>

namespace weir::engine {

struct FastForwardReport {
  double theta = 0;
  std::uint64_t messages = 0;    // that have begun, of programs
  std::uint64_t skipped = 0;     // of these, without packets
  std::uint64_t unsent = 0;      // data packets that the skipped ones would have been
  std::uint64_t checked = 0;     // simulated in place of being skipped, and compared
  double mean_error = 0;         // of the checked ones, |remembered - simulated| / simulated of the time until receipt
  double worst_error = 0;        // the largest of it
  std::uint64_t unforeseen = 0;  // times that skipped messages met others than before, and were simulated from then on
};

}  // namespace weir::engine
