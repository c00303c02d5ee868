// A network by its numbers: nodes, links and ports as link events and results name them, and the paths of two hosts.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "weir/base/units.h"
#include "weir/net/routing.h"

namespace weir::app {

// One way from a host to another.
struct NetworkPath {
  std::vector<std::uint32_t> ports;  // that a packet leaves by, the sender's first
  double share = 1;                  // of the hashes, hence of flows, 0 to 1
  Rate slowest;                      // link
  Time propagation;                  // one way
};

struct NetworkPaths {
  std::uint32_t src = 0;
  std::uint32_t dst = 0;
  double count = 0;                 // of all; exact up to 2^53
  std::vector<NetworkPath> listed;  // the first kMostPaths, by port numbers at each switch
};
inline constexpr std::size_t kMostPaths = 256;

// Hosts of this network, src != dst.
NetworkPaths paths_between(const net::Routing&, std::uint32_t src, std::uint32_t dst);

// "0-3, 7": numbers that ascend.
std::string number_ranges(const std::vector<std::uint32_t>& numbers);
// The nodes of each tier, hosts first.
std::vector<std::vector<std::uint32_t>> nodes_by_tier(const net::Topology&);

std::string listing_text(const net::Topology&, const std::optional<NetworkPaths>&);
// {"name", "hosts", "switches", "tiers", "links", "paths" if asked for}; docs/scenario.md has the keys.
std::string listing_json(const net::Topology&, const std::optional<NetworkPaths>&);

}  // namespace weir::app
