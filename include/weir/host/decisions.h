// Decisions from outside: whoever embeds a run is asked for the next window, rate and timer of a flow at the instants
// at which the flow's algorithm wants that (cc::Control::ask).
//
// The answer comes in the same event (Policy), or at the end of the epoch for all that asked in it at once
// (BatchPolicy). An epoch is as long as the shortest link between switches, or 10 us in a network without any, so an
// answer is late by less than that; it counts from the end of the epoch on. Both ways are deterministic as long as the
// answers are: they must depend on the questions alone.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "weir/base/units.h"
#include "weir/cc/algorithm.h"

namespace weir::host {

// A flow wants a decision.
struct Question {
  Time now;                // when it asked
  std::uint64_t flow = 0;  // id
  std::uint32_t src = 0;   // hosts
  std::uint32_t dst = 0;
  std::uint16_t profile = 0;
  std::uint16_t tag = 0;
  const cc::FlowFacts* facts = nullptr;
  const void* state = nullptr;  // the object of its algorithm, as it is when the question is told
  std::uint32_t slot = 0;       // by these two its sender knows it
  std::uint32_t generation = 0;
};

// Changes what the flow has; called on the thread that simulates it, so on several at once if the run has several.
using Policy = std::function<void(const Question&, cc::Control&)>;
// The same for many flows: one Control for each question, by id of the flow, each flow once. Called between epochs, on
// the thread that called advance().
using BatchPolicy = std::function<void(std::span<const Question>, std::span<cc::Control>)>;

// What the senders of one partition ask.
class Decisions {
 public:
  void decide_by(Policy policy) { policy_ = std::move(policy); }
  void ask(const Question& question, cc::Control& control) {
    if (policy_)
      policy_(question, control);
    else
      open_.push_back(question);
  }
  // Those that wait for an answer, in the order in which they were asked.
  std::vector<Question>& open() { return open_; }

 private:
  Policy policy_;
  std::vector<Question> open_;
};

}  // namespace weir::host
