// What an algorithm that is written in Python sees of events, and what it answers.
#pragma once

#include <nanobind/nanobind.h>

#include <vector>

#include "weir/base/telemetry.h"
#include "weir/cc/algorithm.h"

namespace weir::python {

// What Python sees of the answer, as a value that may be kept.
struct Answer {
  cc::Control control;
};

// An acknowledgement with its own copy of the telemetry.
struct AckSeen {
  cc::Ack ack;
  std::vector<HopTelemetry> hops;
};

void add_events(nanobind::module_& m);

}  // namespace weir::python
