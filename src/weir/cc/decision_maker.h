// DecisionMaker: who decides for the flows of pcc_rl in a policy's place, such as a learner or a program. It is set in
// PccRl::Params::maker. Its functions are called on the thread that simulates the flow.
#pragma once

#include <cstdint>

#include "weir/base/units.h"
#include "weir/policy/observation.h"

namespace weir::cc {

struct FlowFacts;

class DecisionMaker {
 public:
  virtual ~DecisionMaker() = default;
  // A flow starts. `rate` is its first rate as a fraction of its line rate and may be changed, within (0, 1]. Returns
  // what names the flow in the later calls.
  virtual std::uint32_t start(const FlowFacts& flow, double& rate) = 0;
  // A probe has returned, and the scenario's decision_latency is 0: the factor for the flow's rate, above 0.
  virtual double decide(std::uint32_t flow, Time now, const policy::Observation& observation) = 0;
  // With a decision_latency of L above 0: a probe has returned at `now`, and answer() will be called at now + L. While
  // an answer is due, the flow's further probes ask nothing.
  virtual void ask(std::uint32_t flow, Time now, const policy::Observation& observation) = 0;
  virtual double answer(std::uint32_t flow, Time now) = 0;
};

}  // namespace weir::cc
