// When collectives were complete, and how long they took beyond what no network can avoid.
#pragma once

#include <string>
#include <vector>

#include "weir/engine/engine.h"
#include "weir/probe/summary.h"

namespace weir::probe {

// At the end of a run; by part of the engine's program.
std::vector<CollectiveSummary> report_collectives(const engine::Engine&, const std::vector<std::string>& tags);

}  // namespace weir::probe
