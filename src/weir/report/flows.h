// Rows of flows.csv, column by column.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/report/run.h"

namespace weir::report {

// Of finished flows, in order of finish. Sizes are bytes, times ps.
struct Flows {
  std::vector<double> size;
  std::vector<double> start;
  std::vector<double> finish;  // finished flows only, as the others
  std::vector<double> fct;
  std::vector<double> slowdown;
  std::vector<std::uint32_t> algorithm;  // index into algorithms
  std::vector<std::uint32_t> tag;        // index into tags
  std::vector<std::string> algorithms;
  std::vector<std::string> tags;
};

// Throws InputError.
Flows read_flows(const Run& run);

}  // namespace weir::report
