// This command once more in a process of its own, and what that process cost.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace weir::app {

struct ChildResult {
  std::string output;  // what it wrote to standard output
  double wall_s = 0;
  double cpu_s = 0;
  std::uint64_t max_rss_bytes = 0;
};

// Runs `weir ARGUMENTS` to its end. Throws std::runtime_error unless it exits with 0.
ChildResult run_child(const std::vector<std::string>& arguments);

}  // namespace weir::app
