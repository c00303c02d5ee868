// The node numbers of the simulator of HPCC's authors, where switches may have any. Hosts and switches keep their order
// here, so that only addresses and hashes depend on them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/net/model/topology.h"

namespace weir::replica {

// By node of this network the number there. `switches` is Ns3Params::switches. Throws InputError about no key.
std::vector<std::uint32_t> ns3_numbers(const std::string& switches, const net::Topology&);

}  // namespace weir::replica
