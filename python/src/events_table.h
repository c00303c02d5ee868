// Single events of a run, as Python asks for them and sees them.
#pragma once

#include <nanobind/nanobind.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "table.h"
#include "weir/engine/network_view.h"
#include "weir/net/trace.h"

namespace weir::python {

// Throws InputError that names the argument.
net::TraceFilter filter_of(const engine::NetworkView& network, const std::vector<std::string>& kinds,
                           const std::optional<std::vector<std::uint32_t>>& ports, nanobind::handle since,
                           nanobind::handle until);
// A row for each event.
Table table_of(net::TraceEvents events);

}  // namespace weir::python
