// Drivers of hosts (weir/traffic/driver.h) that are objects of the program.
#pragma once

#include <nanobind/nanobind.h>

#include <memory>

#include "weir/simulation.h"
#include "weir/traffic/driver.h"

namespace weir::python {

// Hands what happens at hosts of this run to a weir.Driver. Calls must come one after the other and in the order of
// time: the run has one partition and takes events as with the wheel. Throws InputError if the object tells no tasks.
std::unique_ptr<traffic::Driver> driver_of(std::shared_ptr<nanobind::object> driver, const Simulation& run);

}  // namespace weir::python
