// Which links have been down, and when.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/engine/model/model.h"

namespace weir::view {

struct OutageRow {
  Time from;
  Time until = Time::max();  // Time::max() = it is down still
  std::uint32_t port = 0;    // of the link's first direction; both are down
};

// Those that have begun by `now`, in order of time, then of links.
std::vector<OutageRow> outages_until(const engine::Model& model, Time now);

}  // namespace weir::view
