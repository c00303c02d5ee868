// What On-Ramp did on real hosts (result/host_trace.h), beside what it did in simulations.
#pragma once

#include <span>
#include <string>
#include <utility>
#include <vector>

#include "weir/report/figures.h"
#include "weir/result/host_trace.h"

namespace weir::report {

struct HostCapture {
  std::string name;
  result::HostTrace trace;
  // In words: how long, flows, packets, how many were held and for how long, delays, T.
  std::vector<std::pair<std::string, std::string>> facts = {};
};

// Reads a directory of `weir-host trace`. Throws InputError if a file is missing or broken.
HostCapture read_host_capture(const std::string& path, std::string name);

// One-way delays as On-Ramp knew them, as a distribution and over time, and for how long packets were held: of each
// capture, and delays also of each run that has the probe `delays`.
std::vector<Figure> host_figures(std::span<const HostCapture> captures, std::span<const Run> runs);

}  // namespace weir::report
