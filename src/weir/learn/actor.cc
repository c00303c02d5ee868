#include "weir/learn/actor.h"

#include <algorithm>

namespace weir::learn {

std::uint32_t Actor::start(const cc::FlowFacts&, double& rate) {
  const std::uint32_t flow = store_.open();
  if (rates_.high > 0) rate = std::min(draws_.log_between(rates_.low, rates_.high), 1.0);
  answers_.push_back(1);
  begin(flow);
  return flow;
}

double Actor::decide(std::uint32_t flow, Time now, const policy::Observation& observation) {
  Decision decision;
  Outcome outcome;
  outcome.rate = observation.rate;
  outcome.queueing = (observation.rtt - observation.base_rtt).seconds();
  const double factor = act(flow, now, observation, decision, outcome);
  if (notes_) store_.record(flow, outcome, decision);
  return factor;
}

void Actor::ask(std::uint32_t flow, Time now, const policy::Observation& observation) {
  answers_[flow] = decide(flow, now, observation);
}

double Actor::answer(std::uint32_t flow, Time) { return answers_[flow]; }

void PolicyActor::begin(std::uint32_t) { decider_->start(memories_.emplace_back().bytes.data()); }

double PolicyActor::act(std::uint32_t flow, Time, const policy::Observation& observation, Decision& decision,
                        Outcome& outcome) {
  outcome.signal = policy::signal(decider_->policy().signal, observation);
  const double error = outcome.signal / decider_->policy().signal.scale;
  outcome.reward = -error * error;
  return decider_->decide(observation, memories_[flow].bytes.data(), decision.inputs, decision.output);
}

}  // namespace weir::learn
