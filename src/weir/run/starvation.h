// Whether flows are held back by their algorithms alone.
#pragma once

#include <algorithm>
#include <string>

#include "weir/base/units.h"
#include "weir/engine/engine.h"

namespace weir::run {

// Looks at the active flows each time the run has become twice as long, from a millisecond on. A flow starves if its
// algorithm lets it send less than a packet per unloaded round trip, if in its whole life it has sent less than that,
// and if its packets take no longer than an empty path: nothing is queued that would be a reason. If a run has several
// ranks, all must look.
class Starvation {
 public:
  // The first instant at which to look, on the grid of epochs.
  Time next(Time epoch) const { return std::max(epoch, next_ / epoch * epoch); }
  // What to tell people; "" = nothing, or it was told already when the run was at least a tenth as long.
  std::string look(const engine::Engine&);

 private:
  Time next_{1'000'000'000};
  Time told_;
};

}  // namespace weir::run
