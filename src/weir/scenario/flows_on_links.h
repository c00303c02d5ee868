// A network as theory sees it, from a TOML file:
//
//     [[link]]
//     name = "left"
//     capacity = "100 Gbps"
//
//     [[flow]]
//     name = "long"                  # without one, its number
//     links = ["left", "right"]
//     weight = 2                     # it stands for two flows
//     start = "10 Gbps"              # where recursions begin; without it, the least capacity on its path
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "weir/theory/network.h"

namespace weir::scenario {

struct FlowsOnLinks {
  theory::Network network;  // in bit/s
  std::vector<std::string> links;
  std::vector<std::string> flows;
  std::vector<double> start;  // by flow, bit/s
};

// Reads such a file. Throws InputError that names file, line and key.
FlowsOnLinks parse_flows_on_links(std::string_view text, const std::string& file);

}  // namespace weir::scenario
