// A sweep with its progress told, and its tables: what weir sweep and weir paper have in common.
#pragma once

#include <string>
#include <vector>

#include "weir/sweep/sweep.h"
#include "weir/sweep/sweep_results.h"

namespace weir::app {

// As run::run_all(); signals cancel it, and it tells on standard error how far it is.
run::SweepOutcome sweep_with_progress(const study::Plan& plan, run::SweepOptions options, bool quiet);

// One line on standard error.
void show_warning(const study::Notice& warning);

// Prints each of these runs with what it needs at most, and how many there are. Warns as weir validate does.
void list_runs(const study::Plan& plan, const std::vector<std::size_t>& runs);

// As run::collect_all(); tells what is to be warned of.
study::Measurements collect_and_warn(const study::Plan& plan, const std::string& dir);

}  // namespace weir::app
