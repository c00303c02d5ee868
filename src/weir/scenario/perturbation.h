// run.perturbation: a small change of a scenario that leaves what it is about alike (docs/concepts/phase-effects.md). A
// result that does not survive such changes is an accident of phases.
#pragma once

#include <cstdint>
#include <string>

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

// A host's number, and the numbers of hosts in a list of ports such as "17->16, 3->2", counted from the other end of
// `hosts`; with 0 hosts they stay.
std::uint32_t mirrored_host(std::uint32_t host, std::uint32_t hosts);
std::string mirrored_ports(const std::string& ports, std::uint32_t hosts);

}  // namespace weir::scenario
