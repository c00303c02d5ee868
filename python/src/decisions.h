// Decisions that a function of the program makes.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "weir/host/decisions.h"

namespace weir::python {

// Asks the function for all flows of an epoch at once.
host::BatchPolicy batches(std::shared_ptr<nanobind::object> call);

}  // namespace weir::python
