// Observations like those of flows in a network, without a network: for calibration, distillation and comparisons.
//
// A walk is a link of rate 1 that N flows share, N drawn log-uniformly from 1 to 8192; up to 8 of them decide, each for
// an equal share of the N. The queue is the integral of what the flows send beyond the link's rate, between empty and
// 400 us (5 MB at 100 Gb/s); a flow decides each time a probe returns, by the policy itself. Half of the walks begin
// with all flows at line rate, the others with rates drawn log-uniformly: so the observations cover cold starts, the
// way to equilibrium, and long stays there, where a policy must tell small signals apart. The last matter most for
// fairness, the first for not being surprised.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "weir/policy/decider.h"

namespace weir::policy {

// A decision. Samples of one flow are in the order of time.
struct Sample {
  std::uint32_t flow = 0;
  Observation observation;  // not known of samples from a file
  std::array<float, 16> inputs{};
  float y = 0;
  double factor = 1;
};

struct WalkOptions {
  int walks = 200;       // at least 1
  int decisions = 1000;  // of each walk, by all its flows together
  std::uint64_t seed = 1;
};

std::vector<Sample> walk(const Decider& decider, const WalkOptions& options = {});
// The flows follow `driver`, and y of a sample is what `teacher` answers to the inputs that the flow has met on its
// way. Both take the same inputs.
std::vector<Sample> walk(const Decider& driver, const Decider& teacher, const WalkOptions& options = {});

// From a table with a header line that names columns in1, in2, ... for the policy's inputs, and maybe `flow`, a whole
// number; without it all lines are one flow's. Further columns are ignored. y is what the policy answers to the inputs.
// Throws InputError with file and line.
std::vector<Sample> read_samples(std::string_view text, const std::string& file, const Decider& decider);

}  // namespace weir::policy
