// Chooses which hosts are servers for collectives that do not say it: those of the topology.
#pragma once

#include <string>
#include <vector>

#include "weir/engine/model/model.h"
#include "weir/scenario/scenario.h"
#include "weir/toml/reader.h"

namespace weir::scenario {

// Sets `group` of collectives, calls and training steps, unless it is written, to the topology's hosts_per_server where
// servers have several hosts and whole servers take part. Process groups (`ranks`) have to be whole servers, too.
// `table` is of the source.
void choose_servers(const TableReader& table, Scenario&, TrafficSource&);

// Puts what an operation that is to be chosen is (traffic/collective_choice.h) where it is written, and tells why.
void choose_algorithm(Scenario&, TrafficSource&);

// Adds a warning for each ring over servers that goes from rail to rail: its last GPU of a server sends by its own NIC
// to the first one of the next, over the upper switches, where NCCL keeps to a rail (PXN, NCCL_CROSS_NIC = 0).
void warn_of_rails(const Scenario&, const engine::Model&, std::vector<std::string>& out);

}  // namespace weir::scenario
