// From the options of htsim_uec, and the files that they name, to a scenario (docs/guides/from-htsim.md). One option is
// that of its relatives which replay GOAL schedules: -goal.
#pragma once

#include <string>
#include <vector>

#include "weir/import/ns3_import.h"

namespace weir::scenario {

struct HtsimImport {
  std::string toml;
  std::string connections;           // data file `connections_name`, or with `exact` `program_name`; empty with -goal
  std::string graph;                 // data file `graph_name`; empty if the topology needs none
  std::vector<std::string> ignored;  // options that say nothing about the run
};

struct HtsimImportOptions {
  bool exact = false;  // Weir's physics; else the simulator's own
  std::string connections_name;
  std::string program_name;
  std::string graph_name;
  std::string folder;     // where the scenario goes; its name for a GOAL schedule starts there
  std::string goal_unit;  // of a GOAL schedule's calc: "us", "100 ns"; empty = 1 ns
};

// `arguments` are those of htsim_uec. Throws InputError that names the option, or file and line.
HtsimImport import_htsim(const std::vector<std::string>& arguments, const HtsimImportOptions& options,
                         const ReadFile& read);

}  // namespace weir::scenario
