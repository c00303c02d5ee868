// Who probes whom.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "hosts/path/address.h"

namespace weir::hosts::clock {

// Those of `others` that `self` probes: all, where there are `most` or fewer; otherwise as many as `most`, such that
// hosts with the same list choose each other, every host is reached, and loops are short. The same list gives the same
// choice. Places in `others`, rising. `most` is at least 2.
std::vector<std::size_t> choose_neighbours(const Address& self, std::span<const Address> others, std::size_t most);

}  // namespace weir::hosts::clock
