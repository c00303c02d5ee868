// The catalogue: all that a scenario can name, with the parameters, for programs that show or check it (`weir list`).
#pragma once

#include <string>

namespace weir {

// A JSON object with a member for each section: algorithms, topologies, workloads, traffic, probes, transport, host,
// network, run, fidelities. Each is a list of entries with name, meaning and source; tables, each with its header in a
// scenario and its parameters (name, type, default, valid range, meaning, source); and presets. Entries that a program
// has added are among them.
std::string catalogue_json();

}  // namespace weir
