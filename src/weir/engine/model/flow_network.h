// The flows of a run as theory sees them, to compare their rates with fair ones.
#pragma once

#include <span>

#include "weir/engine/model/model.h"
#include "weir/theory/network.h"
#include "weir/traffic/flow.h"

namespace weir::engine {

// The network in which all flows are active at once, each on the path that its packets take. `flows` are
// as Traffic hands them over, with their ports. Link i is the port with this id. Its capacity is the link
// rate in bit/s, of which headers and telemetry take a part: multiply by payload / wire size for goodput.
// Acknowledgements are assumed to take no capacity.
theory::Network flow_network(const Model& model, std::span<const traffic::Flow> flows);

}  // namespace weir::engine
