// Decisions of a program that embeds a run: whenever a flow's algorithm asks (cc::Control::ask), the program gives the
// flow's next window, rate and timer (engine::Engine::decide).
//
// A Policy answers in the same event. A BatchPolicy answers at the end of the epoch, for all flows that asked in it. An
// epoch is at most 10 us long, and at most as long as the propagation delay of the shortest link between switches
// (links of less than 10 ns do not count). The answer of a BatchPolicy takes effect at the end of the epoch, so it is
// late by one epoch at most. Both ways are deterministic if the answers depend on the questions alone.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

#include "weir/base/units.h"
#include "weir/cc/algorithm.h"

namespace weir::host {

// The question of a flow that wants a decision.
struct Question {
  Time now;                // when the flow asked
  std::uint64_t flow = 0;  // id of the flow
  std::uint32_t src = 0;   // sending and receiving host
  std::uint32_t dst = 0;
  std::uint16_t profile = 0;
  std::uint16_t tag = 0;
  const cc::FlowFacts* facts = nullptr;
  const void* state = nullptr;  // the algorithm's object of this flow, in its present state
  std::uint32_t slot = 0;       // these two identify the flow at its sender
  std::uint32_t generation = 0;
};

// A function that answers one question by changing the flow's Control. A timer that is not in the future is set to the
// next picosecond. The function is called on the thread that simulates the flow, so on several threads at once if the
// run has several.
using Policy = std::function<void(const Question&, cc::Control&)>;
// A function that answers the questions of many flows: the Control at a place belongs to the question at that place.
// Questions are ordered by the flow's id, and each flow comes once. The function is called between epochs, on the
// thread that called advance().
using BatchPolicy = std::function<void(std::span<const Question>, std::span<cc::Control>)>;

// Internal: the questions of the senders in one partition of the network.
class Decisions {
 public:
  void decide_by(Policy policy) { policy_ = std::move(policy); }
  void ask(const Question& question, cc::Control& control) {
    if (policy_)
      policy_(question, control);
    else
      open_.push_back(question);
  }
  // The questions that wait for an answer, in the order in which they were asked.
  std::vector<Question>& open() { return open_; }

 private:
  Policy policy_;
  std::vector<Question> open_;
};

}  // namespace weir::host
