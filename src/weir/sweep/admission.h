// Whether a run fits into the memory that it may take, found before anything large is made.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "weir/scenario/build.h"

namespace weir::run {

// A run that fits.
struct Admitted {
  std::shared_ptr<const engine::Model> model;  // for scenario::build() and execute()
  scenario::Expected expected;  // of the flows that the estimate takes, at most study::kMaxEstimatedFlows
  std::uint64_t bytes = 0;      // of memory that the run takes at most, as estimated
};

// Builds the model, draws flows for the estimate, and throws InputError that names --memory if the estimate is beyond
// `limit`, in bytes. `what` is the run. Throws InputError of the scenario, too.
Admitted admit(const scenario::Scenario&, std::uint64_t limit, const std::string& what);

}  // namespace weir::run
