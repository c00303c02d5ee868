// ReplayMemory: the last decisions of all flows, each with what came of it and with what its flow saw then, for methods
// that learn from decisions of long ago (dqn.h, ddpg.h).
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "weir/learn/functions.h"
#include "weir/learn/raw_reward.h"
#include "weir/learn/trajectories.h"

namespace weir::learn {

struct Transition {
  std::array<float, kRawInputs> before{};
  std::array<float, kRawInputs> after{};  // the flow's inputs at its next decision
  double reward = 0;
  float output = 0;  // what was decided
};

class ReplayMemory {
 public:
  // It keeps so many, above 0, and forgets the oldest beyond that.
  explicit ReplayMemory(std::size_t most) : most_(most) {}

  // All complete decisions of these stores, in order; returns how many.
  std::size_t add(std::span<TrajectoryStore* const> stores);
  std::size_t size() const { return kept_.size(); }
  // Fills `batch` with uniform draws, with replacement. There must be one to draw.
  void sample(std::span<Transition> batch, Draws& draws) const;

  template <class A>
  void archive(A& a) {
    a.values(kept_);
    a.value(next_);
  }

 private:
  std::size_t most_;
  std::size_t next_ = 0;  // the place of the next one
  std::vector<Transition> kept_;
};

// The inputs of a batch, one after the other: those before, or those after.
void gather_inputs(std::span<const Transition> batch, std::array<float, kRawInputs> Transition::*which,
                   std::vector<double>& out);

}  // namespace weir::learn
