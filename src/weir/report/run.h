// What a result directory says, apart from its tables.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "weir/report/read.h"
#include "weir/result/directory.h"

namespace weir::report {

// A port that PFC has paused.
struct PausedPort {
  std::uint32_t port = 0;
  std::uint32_t from = 0;  // nodes
  std::uint32_t to = 0;
  std::uint64_t pauses = 0;
  double paused_ps = 0;
  double share = 0;  // of the run
};

struct Run {
  std::string name;                      // among all runs of a report
  std::string group = {};                // the study it belongs to, or empty
  std::vector<std::string> labels = {};  // of the study's axes, and its seed if there are several
  result::Directory files;
  nlohmann::ordered_json manifest = {};
  nlohmann::ordered_json summary = {};
  std::string scenario = {};                 // text of scenario.toml
  std::vector<std::string> algorithms = {};  // of its flows, with their policies (setting.h)
  // Keys of its effective scenario in which it differs from others of the report, with its values (setting.h).
  std::vector<std::pair<std::string, std::string>> differences = {};
  std::vector<PausedPort> paused = {};   // all that pfc.csv tells of, the longest paused first; ties: by port
  std::vector<std::string> events = {};  // what happens to links, in words (setting.h)

  bool has(const std::string& of) const { return files.has(of); }
  std::string file(const std::string& of) const { return files.file(of); }
  CsvTable table(const std::string& of) const { return {file(of), files.text(of)}; }
};

// True if `path` has a run's manifest.json.
bool is_run(const std::string& path);

// Reads a result directory of `weir run`. Throws InputError if a file is missing or broken, or from another version.
Run read_run(const std::string& path, std::string name);

}  // namespace weir::report
