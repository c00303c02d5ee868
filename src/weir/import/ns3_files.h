// The input files of the simulator of HPCC's authors beside its config: topology, flows and trace nodes. Read strictly,
// but for what stands behind the rows that the first line counts: that simulator does not read it, and people leave
// notes there.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/base/error.h"
#include "weir/net/model/topology.h"
#include "weir/traffic/flow.h"

namespace weir::scenario {

// Hosts come first here, and hosts and switches in their order there. The first line has three numbers, of nodes,
// switches and links; or four as in ns3-datacenter, whose time begins at 0, or six as in SimAI.
struct Ns3Topology {
  net::Topology topology;
  std::vector<double> loss;                // of each link; 0: that of ERROR_RATE_PER_LINK
  std::vector<Where> where;                // of each link
  std::vector<std::uint32_t> number_here;  // by node number there
  std::string switches;                    // Ns3Params::switches; empty if all numbers are the same here
  std::string rest;                        // Ns3Words::rest
  std::int64_t begin_ns = 2'000'000'000;   // when time begins: flows may start from then on

  // For messages that name nodes of here: how these are numbered, if that is not as there.
  std::string hint() const;
};
Ns3Topology parse_ns3_topology(std::string_view text, const std::string& file);

// Each packet is lost with the probability `common`, or with that of the links between two nodes.
struct Ns3Loss {
  double common = 0;
  std::map<std::pair<std::uint32_t, std::uint32_t>, double> links;
};
// `common` is ERROR_RATE_PER_LINK. Of parallel links the simulator uses the last one; else they must be alike.
Ns3Loss ns3_loss(const Ns3Topology&, double common, bool only_last_link);

// In the order of the file, which is that of their starts. Time 0 is Ns3Topology::begin_ns there; starts lose their
// fraction of a nanosecond as they do there. Source ports count from 10000 for each pair of hosts. Without a column of
// ports, as conweave-ns3 has it, destination ports are 100. A flow is at most as large as `largest`.
struct Ns3Flows {
  std::vector<traffic::Flow> flows;
  std::string rest;
};
Ns3Flows parse_ns3_flows(std::string_view text, const std::string& file, const Ns3Topology&, Bytes largest);

// Node numbers of here, ascending. Those of no node are left out, as there.
struct Ns3Trace {
  std::vector<std::uint32_t> nodes;
  std::string unknown;  // which nodes are not there
  std::string rest;
};
Ns3Trace parse_ns3_trace(std::string_view text, const std::string& file, const Ns3Topology&);

}  // namespace weir::scenario
