// The network of a run of uet-htsim, from its options and its topology file: a fat tree of two or three tiers, and the
// sizes that follow from its rates and delays.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "weir/base/units.h"
#include "weir/import/htsim_files.h"
#include "weir/import/htsim_options.h"
#include "weir/import/ns3_import.h"
#include "weir/net/model/topology.h"

namespace weir::scenario {

struct HtsimNetwork {
  HtsimTree tree;
  Rate rate;                        // of NICs
  std::array<Rate, 3> rates{};      // of links, by tier: of hosts, of edge switches up, ...
  std::array<Time, 3> delays{};     // of the same
  std::array<Time, 3> latencies{};  // of switches, by tier
  std::int64_t mtu = 0;
  bool trimming = true;
  Bytes buffer;
  Bytes k_min;
  Bytes k_max;
  std::vector<std::string> ignored;  // options and lines that say nothing about the run

  // Weir's switches take no time: half of what they take there goes to the delay of each link that they have.
  void spread_latencies();
  // Without queues, of a full packet and its acknowledgement, between hosts whose path goes all the way up.
  Time longest_round_trip() const;
  // With parallel links.
  net::Topology graph() const;
};

// `matrix` has the number of hosts; 0 = the topology says it. Throws InputError that names the option, or file and
// line.
HtsimNetwork read_htsim_network(const HtsimOptions& options, HtsimMatrix& matrix, const ReadFile& read);

}  // namespace weir::scenario
