// Runs at flow level as an entry of the list of fidelities.
#pragma once

#include "weir/scenario/fidelity.h"

namespace weir::scenario {

Fidelity flow_level();

}  // namespace weir::scenario
