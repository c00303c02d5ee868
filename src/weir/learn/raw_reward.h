// What the methods have in common that learn from the paper's raw reward, equation 1, and are there to be compared with
// (ppo.h, dqn.h, ddpg.h): what they see of a flow, the size of their networks and the factors of discrete actions.
#pragma once

#include <array>
#include <vector>

#include "weir/learn/network.h"
#include "weir/learn/trajectories.h"
#include "weir/policy/policy.h"

namespace weir::learn {

inline constexpr int kRawInputs = 4;
// The factors of the rate that discrete actions give.
inline constexpr std::array<double, 6> kDiscreteFactors{0.8, 0.95, 1, 1.05, 1.1, 1.2};

// inputs-32-16-outputs.
std::vector<LayerShape> raw_shape(int inputs, int outputs, policy::Activation last);

// Rate, RTT inflation up to `limit`, CNPs and NACKs per packet sent. `outcome` gets the signal and the reward, less the
// square of the signal before its scale.
std::array<double, kRawInputs> look_raw(const policy::Signal& signal, double limit, const policy::Observation& o,
                                        Outcome& outcome);

}  // namespace weir::learn
