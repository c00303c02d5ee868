// Whether policies of pcc_rl run in networks like those in which they were trained.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "weir/engine/model/model.h"
#include "weir/policy/policy.h"
#include "weir/scenario/scenario.h"

namespace weir::scenario {

// Extends the ranges of base RTT, rate and hops by those of the path from `src` to `dst`. `empty`: the ranges are of no
// path so far.
void include_path(const engine::Model&, std::uint16_t profile, std::uint32_t src, std::uint32_t dst, bool empty,
                  policy::Trained& to);

// Adds a warning for each profile whose flows have paths outside of what its policy was trained for (policy::Trained).
// Base RTTs may be a quarter longer or shorter: they change with the size of packets. How many flows a link has at a
// time is known only to the run.
void warn_of_policy_ranges(const Scenario&, const engine::Model&, std::vector<std::string>& out);

}  // namespace weir::scenario
