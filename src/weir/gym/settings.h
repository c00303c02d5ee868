// What an environment shows to a learner, and how it rewards. An environment is a run whose flows of the algorithm
// pcc_rl are decided from outside.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "weir/base/error.h"
#include "weir/policy/observation.h"
#include "weir/policy/policy.h"

namespace weir::gym {

// signal: -|signal|. paper: -(signal / scale)^2, which is the reward of the paper (Tessler et al., section 4) if the
// signal's beta and base_rtt are 0.
enum class Reward : std::uint8_t { signal, paper };

struct Settings {
  std::vector<std::string> profiles;  // whose flows are decided from outside; none: all with the algorithm pcc_rl
  policy::Inputs inputs = policy::Inputs::code;
  int history = 2;        // decisions that an observation tells of; 1 to 8; 1 with Inputs::paper
  double clip = 8;        // observations are limited to [-clip, clip]; above 0, finite
  policy::Signal signal;  // of observations and rewards
  Reward reward = Reward::signal;
  // A flow's first rate, as a share of its line rate, is drawn between the two, log-uniformly; 0 = as the scenario
  // says.
  double least_first_rate = 0;
  double most_first_rate = 0;

  // Numbers in an observation. Inputs::code: for each of the last `history` decisions, the newest first, the factor
  // that was decided before it (1 at the start) and the signal. Inputs::paper: the rate as a share of the line rate,
  // the RTT as a multiple of the flow's base RTT, and CNPs and NACKs per packet sent.
  int width() const { return inputs == policy::Inputs::paper ? 4 : 2 * history; }
};

// Throws InputError, with the member's name as key, if a value is not valid.
void check(const Settings&);

InputError factor_error(double factor, std::size_t place);
// Throws InputError unless the factor is finite and above 0. `place` is its index among the given ones.
inline void check_factor(double factor, std::size_t place) {
  if (!(factor > 0 && factor <= std::numeric_limits<double>::max())) throw factor_error(factor, place);
}

}  // namespace weir::gym
