// run.fidelity: whose physics a scenario is run by. "ns3-hpcc" and "htsim-uet" stand for rules and sizes that cannot be
// set, so a scenario may not ask for others.
#pragma once

#include "weir/engine/model.h"
#include "weir/scenario/scenario.h"

namespace weir::scenario {

// Sets network and transport to what run.fidelity stands for.
void set_fidelity_defaults(Scenario&);

// Flows have 32-bit sequence numbers there.
inline constexpr Bytes kNs3MaxFlowSize{0xffffffff};
// And sizes are 32-bit numbers with a sign here.
inline constexpr Bytes kUetMaxFlowSize{0x7fffffff};

// Throws InputError that names file, line and key if the scenario asks for something that the replica has not.
void check_fidelity(const Scenario&, const engine::Model&);

}  // namespace weir::scenario
