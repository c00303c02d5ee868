// The files that a sweep leaves beside results: its tables, and the reasons why runs have failed.
#pragma once

#include <string>
#include <vector>

#include "weir/study/measurements.h"
#include "weir/sweep/sweep.h"

namespace weir::run {

// One line about the failures of an outcome: how many runs have failed, why the first of them in the plan's order has,
// how many more have failed for that reason, whatever numbers it names, and the file with all of it.
std::string failures_text(const study::Measurements& measured, const std::string& dir, const SweepOutcome& outcome);

// Why a run failed, and its scenario in full, with which weir run repeats it: NAME.txt and NAME.toml in DIR/failed,
// with the data files of the scenario in the folder NAME there. Throws std::system_error.
void write_failure(const study::Plan& plan, const std::string& dir, std::size_t run, const std::string& why);
// Removes what write_failure() has left of this run, if anything.
void remove_failure(const std::string& dir, const std::string& run_name);

// Writes whatever is there, as study.toml, sweep.json, runs.csv, points.csv and, if the study has any, figures.json.
study::Measurements collect_all(const study::Plan& plan, const std::string& dir,
                                std::vector<std::string>* warnings = nullptr);

}  // namespace weir::run
