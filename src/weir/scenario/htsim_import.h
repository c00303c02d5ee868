// From the options of htsim_uec, and the files that they name, to a scenario (docs/from-htsim.md).
#pragma once

#include <string>
#include <vector>

#include "weir/scenario/ns3_import.h"

namespace weir::scenario {

struct HtsimImport {
  std::string toml;
  std::string connections;           // data file `connections_name`, or with `exact` `program_name`
  std::string graph;                 // data file `graph_name`; empty if the topology needs none
  std::vector<std::string> ignored;  // options that say nothing about the run
};

struct HtsimImportOptions {
  bool exact = false;  // Weir's physics; else the simulator's own
  std::string connections_name;
  std::string graph_name;
};

// `arguments` are those of htsim_uec. Throws InputError that names the option, or file and line.
HtsimImport import_htsim(const std::vector<std::string>& arguments, const HtsimImportOptions& options,
                         const ReadFile& read);

}  // namespace weir::scenario
