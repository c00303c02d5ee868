// Chooses what the sending side of NICs is like if the scenario does not say it: as that of real ones if switches drop,
// else ideal.
#pragma once

#include <string>
#include <vector>

#include "weir/scenario/scenario.h"
#include "weir/toml/reader.h"

namespace weir::scenario {

// Sets host.rate_tolerance and host.send_jitter, each unless it is written. The buffer's mode and the classes have been
// read. `table` is [host].
void choose_nics(const TableReader& table, Scenario&);

// Warns of NICs that the scenario makes ideal and that keep step with a port of their own rate that drops. Looks at the
// last port of each flow, the receiver's own, if several hosts together send more to it than network.buffer.size.
void warn_of_lock_out(const Scenario&, const engine::Model&, std::vector<std::string>& out);

}  // namespace weir::scenario
