// A network by its numbers: nodes, links and ports as link events and results name them, and the paths of two hosts.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "weir/base/units.h"
#include "weir/engine/model/model.h"
#include "weir/net/model/routing.h"

namespace weir::app {

// One way from a host to another.
struct NetworkPath {
  std::vector<std::uint32_t> ports;  // that a packet leaves by, the sender's first
  double share = 1;                  // of the hashes, hence of flows, 0 to 1
  Rate slowest;                      // link
  Time propagation;                  // one way
};

struct NetworkPaths {
  Time from;                        // while these links are down, until the next change
  std::vector<std::uint32_t> down;  // links; ascend
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

// What there is to tell of a network.
struct NetworkView {
  const net::Topology& topology;
  std::vector<engine::LinkChange> changes;  // of links that go down or up in a scenario, by time
  std::vector<NetworkPaths> paths;          // by time; empty = not asked for
};

// The paths from the start, and after each change of links, by time.
std::vector<NetworkPaths> paths_over_time(const engine::Model&, std::uint32_t src, std::uint32_t dst);
// "link 12 (8-10): down at 1 ms, up at 2 ms" for each link that changes, by link.
std::map<std::uint32_t, std::string> link_events(const NetworkView&);

std::string listing_text(const NetworkView&);
// {"name", "hosts", "switches", "tiers", "links", "link_events" if there are any, "paths" if asked for};
// docs/scenario/index.md has the keys.
std::string listing_json(const NetworkView&);

}  // namespace weir::app
