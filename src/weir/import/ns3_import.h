// From the input files of the simulator of HPCC's authors to a scenario (docs/guides/from-ns3.md).
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
  std::string nodes;                 // CSV: which node is which, if they are numbered otherwise here; else empty
  std::vector<std::string> ignored;  // keys and parts of files that say nothing about the run
};

struct Ns3ImportOptions {
  bool exact = false;  // Weir's physics and the papers' forms; else the simulator's own
  std::string graph_name;
  std::string flows_name;
  // Whether there is such a file. The simulator takes names from the folder where it starts: the config's own, the one
  // above it and the present one are tried in this order.
  std::function<bool(const std::string& path)> is_file;
};

// The content of a file that the config names, `expected` says what it should be. Throws InputError.
using ReadFile = std::function<std::string(const std::string& path, std::string_view expected)>;

// Throws InputError that names file, line and key.
Ns3Import import_ns3(std::string_view config, const std::string& file, const Ns3ImportOptions& options,
                     const ReadFile& read);

}  // namespace weir::scenario
