// The small scenario of studies in tests: a star under HPCC, with one source of traffic.
#pragma once

#include <string>

#include <fmt/format.h>

namespace weir {

// `traffic` is the content of its [[scenario.traffic]], which further tables may follow.
inline std::string star_scenario(int hosts, const std::string& traffic) {
  return fmt::format(R"([scenario.topology]
kind = "star"
hosts = {}
[scenario.algorithm]
name = "hpcc"
[[scenario.traffic]]
{})",
                     hosts, traffic);
}

// Flows of 1 KB to one of five hosts.
inline const std::string kStarScenario = star_scenario(5, "kind = \"incast\"\nsize = \"1 KB\"\n");

}  // namespace weir
