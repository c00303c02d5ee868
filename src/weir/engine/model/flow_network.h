// The flows of a run as theory sees them, to hold what they get against what would be fair.
#pragma once

#include <span>

#include "weir/engine/model/model.h"
#include "weir/theory/network.h"
#include "weir/traffic/flow.h"

namespace weir::engine {

// All flows at once, each on the path that its packets take; flows are as Traffic hands them over,
// with their ports. Link i is the port with this id, its capacity the link rate in bit/s, which
// headers and telemetry count against as well: multiply by payload / wire size for goodput.
// Acknowledgements are taken to need nothing.
theory::Network flow_network(const Model& model, std::span<const traffic::Flow> flows);

}  // namespace weir::engine
