// The replicas of other simulators as entries of the list of fidelities, and what their checks share.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weir/base/error.h"
#include "weir/scenario/fidelity.h"

namespace weir::scenario {

Fidelity ns3_hpcc();
Fidelity htsim_uet();

// Sequence numbers have 32 bits in the simulator of HPCC's authors.
inline constexpr Bytes kNs3MaxFlowSize{0xffffffff};
// Sizes are 32-bit numbers with a sign in uet-htsim.
inline constexpr Bytes kUetMaxFlowSize{0x7fffffff};

// An error about the value of a key, which also names the rules of the other simulator.
InputError replica_error(const Scenario& s, const std::string& key, std::string_view what);
// Refuses parameters other than `free` that do not have the values of `fixed`.
void hold(const Scenario& s, const std::string& table, const ParamSet& set, const void* object, const void* fixed,
          const std::vector<std::string_view>& free);
// Refuses a second way of sending, and what a replica's one does not have.
void hold_profile(const Scenario& s);
// Refuses links that fail, pauses of hosts and classes. `instead` says what to do where the original knows links that
// fail, "" if it does not.
void hold_failures(const Scenario& s, std::string_view instead);

}  // namespace weir::scenario
