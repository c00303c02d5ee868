// From the input files of the simulator of HPCC's authors to a scenario (docs/from-ns3.md).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace weir::scenario {

struct Ns3Import {
  std::string toml;
  std::string graph;                 // data file `graph_name`
  std::string flows;                 // data file `flows_name`
  std::vector<std::string> ignored;  // keys that stand in the config and say nothing about the run
};

struct Ns3ImportOptions {
  bool exact = false;  // Weir's physics and the papers' forms; else the simulator's own
  std::string graph_name;
  std::string flows_name;
};

// The content of a file that the config names, `expected` says what it should be. Throws InputError.
using ReadFile = std::function<std::string(const std::string& path, std::string_view expected)>;

// Throws InputError that names file, line and key.
Ns3Import import_ns3(std::string_view config, const std::string& file, const Ns3ImportOptions& options,
                     const ReadFile& read);

}  // namespace weir::scenario
