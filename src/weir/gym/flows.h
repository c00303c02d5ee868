// Flows: what an environment knows of the flows that are decided from outside, and the observations that it makes of
// it.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "weir/base/units.h"
#include "weir/cc/algorithm.h"
#include "weir/gym/settings.h"
#include "weir/policy/observation.h"

namespace weir::gym {

// A flow wants a decision.
struct Question {
  Time now;                  // when its probe returned
  Time interval;             // since the flow's question before, or its start
  std::uint64_t flow = 0;    // id
  std::uint32_t number = 0;  // flows decided from outside count from 0, in the order in which they start
  float reward = 0;          // of the flow's decision before; 0 for the first
  bool first = false;        // the flow's first question
  policy::Observation seen;  // what it has observed since the decision before
  std::uint32_t place = 0;   // internal: its place in Flows
};

// A flow that has started or ended.
struct FlowName {
  std::uint64_t flow = 0;
  std::uint32_t number = 0;
};

class Flows {
 public:
  explicit Flows(const Settings& settings) : settings_(settings), width_(static_cast<std::size_t>(settings.width())) {}

  // Forgets all flows. First rates are drawn anew, from this seed.
  void clear(std::uint64_t seed);

  // A flow starts. Sets its first rate if the settings say so. Returns the flow's place.
  std::uint32_t start(const cc::FlowFacts& facts, double& rate);
  // Its probe has returned. Writes the observation to `row`, which has room for width() numbers.
  Question observe(std::uint32_t place, Time now, const policy::Observation& observation, float* row);
  // The decision after that.
  void decided(std::uint32_t place, double factor) { states_[place].factor = factor; }
  std::uint32_t number(std::uint32_t place) const { return states_[place].number; }
  // The decision that is due.
  double factor(std::uint32_t place) const { return states_[place].factor; }
  // A flow of the run has ended. Returns whether it is one of these, and then appends it to ended().
  bool finish(std::uint64_t flow);
  // Whether the flow that asked is still active.
  bool is_active(const Question& q) const { return states_[q.place].active && states_[q.place].number == q.number; }

  // Flows that have started and ended since the last call of forget_news(), in order.
  std::span<const FlowName> started() const { return started_; }
  std::span<const FlowName> ended() const { return ended_; }
  void forget_news();

  std::size_t width() const { return width_; }
  std::uint32_t count() const { return count_; }  // flows that have started

 private:
  struct State {
    std::uint64_t flow = 0;
    Time last;  // question, or the start
    double factor = 1;
    std::uint32_t number = 0;
    bool active = false;
    bool asked = false;
  };

  const Settings settings_;
  const std::size_t width_;
  std::uint64_t seed_ = 0;
  std::uint32_t count_ = 0;
  std::vector<State> states_;
  std::vector<float> rows_;                                  // of the flow at a place: its last observation
  std::vector<std::uint32_t> free_;                          // places of flows that have ended
  std::unordered_map<std::uint64_t, std::uint32_t> places_;  // of active flows, by id
  std::vector<FlowName> started_;
  std::vector<FlowName> ended_;
};

}  // namespace weir::gym
