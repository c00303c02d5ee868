// The flow-size distributions that come with Weir (data/workloads, compiled in).
#pragma once

#include <span>
#include <string_view>

namespace weir::traffic {

struct Workload {
  std::string_view name;  // what a scenario writes
  std::string_view cdf;   // the text of data/workloads/NAME.cdf.txt
};

// In order of their names.
std::span<const Workload> workloads();

}  // namespace weir::traffic
