// The input files of the simulator of HPCC's authors beside its config: topology, flows and trace nodes. Read strictly.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "weir/base/error.h"
#include "weir/net/topology.h"
#include "weir/traffic/flow.h"

namespace weir::scenario {

// Hosts first, as everywhere here; a network numbered otherwise is refused.
struct Ns3Topology {
  net::Topology topology;
  std::vector<double> loss;  // of each link; 0: that of ERROR_RATE_PER_LINK
  std::vector<Where> where;  // of each link
};
Ns3Topology parse_ns3_topology(std::string_view text, const std::string& file);

// In the order of the file, which is that of their starts. Time 0 is second 2 there; starts lose their fraction of a
// nanosecond as they do there. Source ports count from 10000 for each pair of hosts.
std::vector<traffic::Flow> parse_ns3_flows(std::string_view text, const std::string& file, std::uint32_t hosts);

// Node numbers.
std::vector<std::uint32_t> parse_ns3_trace(std::string_view text, const std::string& file, std::uint32_t nodes);

}  // namespace weir::scenario
