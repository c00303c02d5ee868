// What sweeps leave of a study's runs (docs/reference/results.md), and whether it is what this study asks for.
#pragma once

#include <string>
#include <vector>

#include "weir/study/plan.h"

namespace weir::study {

// Places in the directory of a sweep: of all results; of the leases, which say who does which run
// (sweep/sweep_leases.h); of all failures, which stands once a run has failed; of the result of one run; of the reason
// why a run failed, and of its scenario, to repeat it.
std::string results_of(const std::string& dir);
std::string leases_of(const std::string& dir);
std::string failures_of(const std::string& dir);
std::string result_of(const std::string& dir, const std::string& run_name);
std::string failure_of(const std::string& dir, const std::string& run_name);
std::string failed_scenario_of(const std::string& dir, const std::string& run_name);

// Whether a directory has been written by weir run or weir sweep, whatever of it is left.
bool is_result(const std::string& run_dir);
// Why a result directory is not what this run would leave, or lacks what the study reads; "" if it is.
std::string difference(const Plan& plan, std::size_t run, const std::string& run_dir);

struct Measured {
  std::vector<Values> values;  // of the study's measures; empty where they are of pairs of runs
  std::vector<double> counts;  // of those that are a percentile: of how many values; NaN for others, and if not known
};

// The measures of one result directory, from its files: the text of measures.json, which keeps them when files are
// gone.
std::string measures_json(const Study& study, const std::string& run_dir);
// The measures of one result directory, read from measures.json where that has them.
Measured kept_measures(const Study& study, const std::string& run_dir);

}  // namespace weir::study
