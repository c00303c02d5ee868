// ADPG, the analytic deterministic policy gradient (Tessler et al., section 6.1), with the loss of the authors' public
// code.
//
// A flow has made n decisions with outputs y_0 ... y_(n-1), and the event after decision t had the signal s_t, which is
// above 0 where the flow is too aggressive. Its loss is
//   reward * mean over t of y_t g_t, plus
//   smooth * (1/n) sum over i of sum over j > i of (y_i - y_j)^2 / (2 (n - i)).
// The loss of all is the mean over flows. The signals are constants: the rate falls and rises with y, which is all that
// the method needs to know of the network.
//
// g_t is what a decision is held to account for. With the public code it is the mean over all k >= t of gamma^(k-t)
// s_k. With `horizon` it is the mean, weighted by gamma^i, of the signals s_(t+delay+i) for i from 0 to horizon - 1;
// decisions whose signals are not all there have no part in the first term. The public code's mean is over many periods
// of the flows' own oscillation, which cancel in it, so that nothing speaks against oscillating. A short horizon that
// begins when the decision can be seen tells apart a queue that grows and one that falls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "weir/learn/network.h"
#include "weir/learn/trajectories.h"

namespace weir::learn {

struct AdpgOptions {
  double gamma = 0.99;  // outside (0, 1): signals count alike
  double reward = 1;
  double smooth = 1;
  std::size_t horizon = 0;  // 0: all that follow
  std::size_t delay = 0;    // without a horizon it means nothing
  double signal_clip = 0;   // signals count as no more than plus or minus this; 0 = as they are
};

// The loss of one flow, and its derivatives by the outputs.
double adpg_loss(const AdpgOptions& options, std::span<const double> outputs, std::span<const double> signals,
                 std::span<double> slopes);

struct AdpgLoss {
  double loss = 0;
  std::uint64_t flows = 0;
  std::uint64_t decisions = 0;
};
// The loss over all flows with complete decisions in these stores, in order, and its gradient. Sequences' states move
// on to the end of what they hold; the stores are cleared by the caller.
AdpgLoss adpg_gradient(const AdpgOptions& options, const Network& network, std::span<TrajectoryStore* const> stores,
                       std::span<double> gradients);

}  // namespace weir::learn
