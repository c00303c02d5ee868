// The smallest scenario of studies in tests: flows of 1 KB to one of five hosts.
#pragma once

namespace weir {

inline constexpr const char* kStarScenario = R"([scenario.topology]
kind = "star"
hosts = 5
[scenario.algorithm]
name = "hpcc"
[[scenario.traffic]]
kind = "incast"
size = "1 KB"
)";

}  // namespace weir
