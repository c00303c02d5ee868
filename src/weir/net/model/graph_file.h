// Any network, from a text file:
//
//     # two racks and a link between them
//     hosts 4                      nodes 0 .. 3
//     switches 2                   nodes 4 and 5
//     link 0 4 100 Gbps 1 us       two nodes, rate, propagation delay
//     link 4 5 400Gbps 0.5us       the space before a unit is optional
//
// One statement a line; # starts a comment; hosts and switches come before the first link. `ports 2` before the links
// lets a host have up to two of them. `hosts_per_server 2` says that hosts 0 and 1 are one server, 2 and 3 the next.
// Ports of a node count in the order of its links, and packets take all shortest paths.
#pragma once

#include <string>
#include <string_view>

#include "weir/net/model/topology.h"

namespace weir::net {

// Throws InputError with file:line. The result has passed check().
Topology parse_graph(std::string_view text, const std::string& file);

// Whether a text begins with a statement of a graph file, whatever follows.
bool looks_like_graph(std::string_view text);

// The text that parses back to the same nodes and links.
std::string format_graph(const Topology&);

}  // namespace weir::net
