// Invariants of the network, which hold between epochs whatever the scenario.
//
// - A port: its cursor is within its ring, and the bytes and pause frames that it counts as waiting are those that
// wait.
// - A host: a flow stands at its own slot with the slot's generation, free slots have no flow, and each is free once.
// - A flow: 0 <= acknowledged <= next <= size, and neither the bytes in flight nor those not in flight are negative.
// - A sender's scoreboard: its bytes found lost or arrived are those that the flow counts as not in flight.
#pragma once

#include <string>

#include "weir/engine/model/network.h"

namespace weir::engine {

// The first invariant that does not hold, as a sentence; "" if all do.
std::string broken_invariant(const Network& network);

}  // namespace weir::engine
