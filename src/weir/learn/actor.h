// Actor: decides for the flows of one environment while a learner learns, and notes what they decide.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "weir/cc/decision_maker.h"
#include "weir/learn/functions.h"
#include "weir/learn/trajectories.h"
#include "weir/policy/decider.h"

namespace weir::learn {

// First rates of flows, as shares of the line rate: the logarithm is uniform. 0: the algorithm's own.
struct FirstRates {
  double low = 0;
  double high = 0;
};

class Actor : public cc::DecisionMaker {
 public:
  Actor(const RandomStream& stream, const FirstRates& rates) : draws_(stream), rates_(rates), store_(kMostSteps) {}

  std::uint32_t start(const cc::FlowFacts& flow, double& rate) final;
  double decide(std::uint32_t flow, Time now, const policy::Observation& observation) final;
  void ask(std::uint32_t flow, Time now, const policy::Observation& observation) final;
  double answer(std::uint32_t flow, Time now) final;

  TrajectoryStore& store() { return store_; }
  // Whether decisions are noted; without that only how much has been decided is counted.
  void note(bool on) { notes_ = on; }

 protected:
  Draws& draws() { return draws_; }
  // A flow starts, with the next key from 0.
  virtual void begin(std::uint32_t flow) = 0;
  // The factor of the flow's rate; what was decided, and what the event told of the decision before it: the signal and
  // the reward. What the observation says of rate and queue is filled in by the caller.
  virtual double act(std::uint32_t flow, Time now, const policy::Observation& observation, Decision& decision,
                     Outcome& outcome) = 0;

 private:
  static constexpr std::size_t kMostSteps = 8192;  // of a flow between two updates, as in the public code

  Draws draws_;
  FirstRates rates_;
  TrajectoryStore store_;
  bool notes_ = true;
  std::vector<double> answers_;  // due, by flow
};

// Follows a policy.
class PolicyActor final : public Actor {
 public:
  // `decider` may be another one later: the one that it holds at a decision counts. It must outlive the actor.
  PolicyActor(const RandomStream& stream, const FirstRates& rates,
              const std::shared_ptr<const policy::Decider>& decider)
      : Actor(stream, rates), decider_(decider) {}

 private:
  void begin(std::uint32_t flow) override;
  double act(std::uint32_t flow, Time now, const policy::Observation& observation, Decision& decision,
             Outcome& outcome) override;

  struct alignas(16) Memory {
    std::array<std::byte, policy::Decider::kMaxMemory> bytes;
  };
  const std::shared_ptr<const policy::Decider>& decider_;
  std::deque<Memory> memories_;
};

}  // namespace weir::learn
