// The network as a constant model: who is wired to whom, and how packets find their way.
//
// Nodes are numbered hosts first (0 .. hosts-1), then switches. A link joins two nodes and is
// two directed ports: port 2*l leaves link l's end a, port 2*l+1 leaves its end b.
//
// A host has one port or several, and does not forward: a packet stays in its plane, which is a part of the network
// that hangs together without its hosts.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/base/limits.h"
#include "weir/base/units.h"

namespace weir::net {

struct Link {
  std::uint32_t a = 0;
  std::uint32_t b = 0;
  Rate rate;
  Time delay;  // propagation
};

// Arithmetic routing of a regular tree: a switch reaches `hosts_per_port` consecutive hosts
// behind each child, starting with host `first_host`, and a child behind `ports_per_child` parallel
// ports; every other host lies behind any of its last `up_ports` ports. Ports count in the order
// of the topology's links. A topology with rules promises that it is regular: the equal-cost
// paths of two hosts cross links of the same rates and delays, and no host is more remote than host 0.
// Hosts count here by their place (Topology::place).
struct TreeRule {
  std::uint32_t first_host = 0;
  std::uint32_t host_count = 0;  // below this switch
  std::uint32_t hosts_per_port = 1;
  std::uint32_t up_ports = 0;
  std::uint32_t ports_per_child = 1;
};

// Bounds that keep arithmetic exact: the latency of any path fits 64 bits of picoseconds.
inline constexpr std::uint32_t kMaxSwitches = 1u << 20;
inline constexpr std::uint32_t kMaxSwitchPorts = 65535;
inline constexpr std::uint32_t kMaxHostPorts = 16;
inline constexpr std::uint64_t kMaxLinks = 1 << 24;
inline constexpr Rate kMinRate{1'000};
inline constexpr Time kMaxDelay{kPicosecondsPerSecond};

struct Topology {
  std::string name;
  std::uint32_t hosts = 0;
  std::uint32_t switches = 0;
  std::vector<Link> links;
  // One rule per switch, or empty: then shortest paths are computed and kept in tables.
  std::vector<TreeRule> tree;
  // By host: its place in the order in which the rules count hosts, each place once; empty if that is its number.
  std::vector<std::uint32_t> place;
  // So many consecutive hosts are a server each: the GPUs of one machine, say. Divides the number of hosts.
  std::uint32_t hosts_per_server = 1;
  // A tier per node (hosts 0, edge switches 1, ...), used to name ports and to report queues.
  std::vector<std::uint8_t> tier;

  std::uint32_t nodes() const { return hosts + switches; }
  std::uint32_t ports() const { return static_cast<std::uint32_t>(2 * links.size()); }
  std::uint32_t port_owner(std::uint32_t port) const { return port % 2 == 0 ? links[port / 2].a : links[port / 2].b; }
  std::uint32_t port_peer(std::uint32_t port) const { return port % 2 == 0 ? links[port / 2].b : links[port / 2].a; }
  static constexpr std::uint32_t reverse(std::uint32_t port) { return port ^ 1u; }
};

// Throws InputError if a number is out of bounds, a link joins a node to itself or two hosts, a host has no link or
// more than kMaxHostPorts, a switch is in a plane without hosts, two hosts have no plane in common, or hosts are left
// over when servers have hosts_per_server each.
void check(const Topology&);
// Throws InputError of hosts_per_server, which is then the key.
void check_servers(const Topology&);
// The part of check() that concerns one link.
void check_link(const Topology&, const Link&);

// On which of two sides each node is, so that every link goes from one side to the other: hosts and switches of every
// second tier on one in trees and Clos networks. Empty if there are no such sides.
std::vector<bool> sides(const Topology&);

// Throws InputError if a host has not exactly one link.
void check_one_port(const Topology&);
// The most ports that a host has.
std::uint32_t most_host_ports(const Topology&);

// "host 11", and where servers have several hosts "host 11 (1.3)": the fourth one of the second server.
std::string name_of_host(const Topology&, std::uint32_t host);

// Gives hosts tier 0, switches with hosts 1, and others one more than their lowest neighbour.
void assign_tiers(Topology&);

}  // namespace weir::net
