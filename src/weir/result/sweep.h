// What a sweep leaves beside the results of its runs (docs/reference/results.md): which runs are done and which have
// failed.
#pragma once

#include <string>
#include <vector>

namespace weir::result {

struct SweepRun {
  std::string name;                 // of its directory in DIR/runs
  std::vector<std::string> labels;  // one for each axis
  std::string seed;
  bool done = false;    // else it has failed
  std::string message;  // why it has failed
};

struct SweepRuns {
  std::vector<std::string> axes;
  std::vector<SweepRun> runs;  // those that are done or have failed, in the study's order
};

// Whether a directory is one of weir sweep.
bool is_sweep(const std::string& dir);
// DIR/runs.csv. Throws InputError that names file and line.
SweepRuns read_sweep_runs(const std::string& dir);

}  // namespace weir::result
