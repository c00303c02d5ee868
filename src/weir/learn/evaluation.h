// What a policy makes of a network: utilisation, fairness, queues and losses, and one score of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "weir/learn/actor.h"
#include "weir/learn/curriculum.h"
#include "weir/policy/observation.h"

namespace weir::learn {

struct EvaluationOptions {
  Time duration{4'000'000'000};
  double measured = 0.5;  // share of the duration, at its end
  Time spread{20'000'000};
  std::uint64_t seed = 1;
  policy::Signal signal;  // for the queue that is to be expected
};

// Of the measured time. Links are those from switches to hosts that flows send to.
struct Evaluation {
  std::uint64_t flows = 0;   // active at the end
  double utilisation = 0;    // of these links, mean
  double fairness = 0;       // least flow's mean rate by the largest one's, by link, mean
  double jain = 0;           // Jain's index of the flows' mean rates, likewise
  double host_fairness = 0;  // the same of the sums over each sending host
  double host_jain = 0;
  double goodput_fairness = 0;  // least flow's acknowledged bytes by the largest one's
  double rate_error = 0;        // mean over flows and samples of abs(rate * flows of the link - 1)
  double oscillation = 0;       // standard deviation of a flow's rate by its mean, mean over flows
  double queue = 0;             // s of the link's rate, mean over time
  // The queue at which the signal of N equal flows is 0, by inflation base_rtt * (beta + target * sqrt(N)) - the path's
  // base RTT (policy::queue_at).
  double expected_queue = 0;
  std::uint64_t dropped = 0;  // packets, in the measured time
  std::uint64_t dropped_before = 0;
  double reward = 0;  // mean of all decisions in the measured time
  std::uint64_t decisions = 0;

  // 1 is the best: less what utilisation and fairness lack, four times rate_error, half of the queue's relative
  // distance from what is expected, and 0.2 if anything is dropped.
  double score() const;
};

// `make` gives the actor of the run.
using MakeActor = std::function<std::unique_ptr<Actor>(const RandomStream&, const FirstRates&)>;
// First rates are `loads` times a flow's fair share.
Evaluation evaluate(const World& world, const MakeActor& make, const FirstRates& loads,
                    const EvaluationOptions& options);

}  // namespace weir::learn
