// Chooses which hosts are servers for collectives that do not say it: those of the topology.
#pragma once

#include "weir/scenario/scenario.h"
#include "weir/toml/reader.h"

namespace weir::scenario {

// Sets `group` of collectives, calls and training steps, unless it is written, to the topology's hosts_per_server where
// servers have several hosts and whole servers take part. Process groups (`ranks`) have to be whole servers, too.
// Where messages are skipped (run.fast_forward), which must be written down, nothing is set. `table` is of the source.
void choose_servers(const TableReader& table, Scenario&, TrafficSource&);

}  // namespace weir::scenario
