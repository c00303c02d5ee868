// What probes of chosen ports have in common: their parameter `ports`, and what follows from it.
#pragma once

#include <string>

#include "weir/net/model/topology.h"
#include "weir/net/trace.h"
#include "weir/probe/port_choice.h"
#include "weir/probe/probe.h"

namespace weir::probe {

// What the parameter can say, after what the ports are for.
inline constexpr const char* kPortsHelp =
    "; a list of all (switch ports), fabric (switch to switch), hosts (host NICs), edge (of switches with hosts), "
    "tier N (2: of the switches above them), both also with a direction, such as edge down (to hosts), edge up or "
    "tier 2 across (to the same tier), and links by node numbers such as 320->0, or 320-0 for both directions";

// Throws InputError of the key `ports` if the list is not valid in this network.
void check_ports(const std::string& ports, const Checks&);

// The events of these ports from `start` to before `stop`; a `stop` of 0 is the end of the run.
net::TraceFilter trace_filter(const net::Topology&, const std::string& ports, Time start, Time stop);

// A part of a summary for each tier and direction of these ports (ProbeKind::add_possible).
template <class Part>
void add_possible_tiers(Part& out, const net::Topology& topology, const std::string& ports) {
  const Tiers tiers(topology, choose_ports(topology, ports));
  for (const auto& name : tiers.names) out.by_tier.emplace_back().name = name;
  for (const auto& group : tiers.groups) out.by_direction.emplace_back().name = group.name;
}

}  // namespace weir::probe
