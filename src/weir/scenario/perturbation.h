// run.perturbation: a small change of a scenario that leaves what it is about alike (docs/concepts/phase-effects.md). A
// result that does not survive such changes is an accident of phases.
#pragma once

#include <cstdint>
#include <string>

#include "weir/net/model/topology.h"

namespace weir::scenario {

struct Scenario;

// 1 to 4: delays of all links, 5 and 6: the algorithms' T, 7: order of starts, 8: sizes, 9: host numbers.
inline constexpr std::uint32_t kPerturbations = 9;

// "all link delays - 1 %"; `number` is 1 to kPerturbations.
std::string perturbation_text(std::uint32_t number);

// Applies run.perturbation, and sets it to 0: the values that result are the scenario's. Notes in Scenario::perturbed
// whether there was anything to change, and tells it among the notices. Throws InputError that names the key where the
// scenario does not allow the changed values.
void perturb(Scenario&);

// A host's number counted from the other end of `hosts`; with 0 hosts it stays, and so do numbers of switches.
std::uint32_t mirrored_host(std::uint32_t host, std::uint32_t hosts);
// A list of ports such as "17->16, 3->2" with hosts counted like that, and with the switches of these hosts.
std::string mirrored_ports(const std::string& ports, const net::Topology& topology, std::uint32_t hosts);

}  // namespace weir::scenario
