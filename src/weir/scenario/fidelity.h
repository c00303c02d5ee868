// run.fidelity: whose physics a scenario is run by. "ns3-hpcc" stands for rules and sizes that cannot be set, so a
// scenario may not ask for others.
#pragma once

#include "weir/engine/model.h"
#include "weir/scenario/scenario.h"

namespace weir::scenario {

// What the parameters are under "ns3-hpcc" unless a scenario writes them.
engine::NetworkParams ns3_network();
host::TransportParams ns3_transport();

// Flows have 32-bit sequence numbers there.
inline constexpr Bytes kNs3MaxFlowSize{0xffffffff};

// Throws InputError that names file, line and key if run.fidelity is "ns3-hpcc" and the scenario asks for something
// that the replica has not.
void check_fidelity(const Scenario&, const engine::Model&);

}  // namespace weir::scenario
