// What weir compare sets against each other: results of runs, or of sweeps, or the labels of a sweep's axis.
#pragma once

#include <string>
#include <vector>

namespace weir::app {

// A run of a sweep, or a result that stands alone.
struct ComparedRun {
  std::string dir;
  std::string point;  // "load=0.3": the labels of the axes that are not compared; "" = there are none
  std::string seed;   // "" = it stands alone
};

// What is compared: runs with the same point and seed have the same flows.
struct ComparedSide {
  std::string name;
  std::vector<ComparedRun> runs;
  std::vector<ComparedRun> failed;  // runs of a sweep, without a result
};

struct ComparedSides {
  std::vector<ComparedSide> all;     // the base first, at least two
  std::vector<std::string> notices;  // of what cannot be compared: labels without a run that is done, runs to come
};

struct SideOptions {
  std::vector<std::string> dirs;
  std::string axis;  // of the one sweep; "" = the only axis with several labels, if there is one directory
  std::string base;  // its label that is the base; "" = the first
  std::string only;  // points of sweeps: study::parse_only()
};

// Throws InputError that says what to name.
ComparedSides sides_of(const SideOptions& options);

}  // namespace weir::app
