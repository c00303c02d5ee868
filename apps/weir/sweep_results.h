// A sweep with its progress told, and its results gathered: what weir sweep and weir paper have in common.
#pragma once

#include <string>

#include "weir/study/table.h"
#include "weir/sweep.h"

namespace weir::app {

// As run_all(); tells on standard error how far it is.
SweepOutcome sweep_with_progress(const study::Plan& plan, const SweepOptions& options, bool quiet);

// Of an outcome with failures: how many runs have failed, why the first of them in the plan's order has, how many more
// have for the same reason, whatever numbers it names, and the file with the whole of it. One line.
std::string failures_text(const study::Table& table, const std::string& dir, const SweepOutcome& outcome);

// Whatever is there, as study.toml, sweep.json, runs.csv, points.csv and, if the study has any, figures.json.
study::Table collect_all(const study::Plan& plan, const std::string& dir);

}  // namespace weir::app
