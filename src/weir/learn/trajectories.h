// TrajectoryStore: what the flows of one environment have decided, flow by flow, and what came of it.
//
// A simulation hands over events of many flows in turn. The store puts each flow's decisions in a sequence of their own
// (the "KeySeparatedTemporalReplay" of Tessler et al.'s public code): a slice of a sequence has decisions of one flow
// alone, one after the other, with none left out. A decision is complete when the next event of its flow has told what
// came of it; the last decision of a flow that ends never is.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "weir/learn/functions.h"

namespace weir::learn {

inline constexpr std::size_t kMaxInputs = 32;

// What was decided. `note` and `value` are the method's own, such as a log-probability.
struct Decision {
  std::array<float, kMaxInputs> inputs{};
  float output = 0;
  double note = 0;
  double value = 0;
};

// What the next event of the flow told.
struct Outcome {
  double signal = 0;    // policy::signal() of the event
  double reward = 0;    // the method's own
  double rate = 0;      // share of the line rate that the flow had in between
  double queueing = 0;  // round trip beyond that of the empty path, s
};

struct Step {
  std::uint32_t number = 0;  // of the flow's decisions, from 0
  Decision decision;
  Outcome outcome;
};

class TrajectoryStore {
 public:
  // A sequence keeps so many complete decisions, above 0, and forgets the oldest beyond that.
  explicit TrajectoryStore(std::size_t most) : most_(most) {}

  struct Sequence {
    std::deque<Step> steps;  // complete ones
    std::optional<Step> open;
    std::vector<double> state;  // what a recurrent network carries into the first of `steps`; empty = the start's
    std::uint32_t decided = 0;
  };

  // A flow starts: its key counts from 0.
  std::uint32_t open();
  // An event of the flow: it completes the flow's decision before it, if there is one, and begins the next.
  void record(std::uint32_t flow, const Outcome& outcome, const Decision& decision);

  std::size_t flows() const { return sequences_.size(); }
  Sequence& sequence(std::uint32_t flow) { return sequences_[flow]; }
  const Sequence& sequence(std::uint32_t flow) const { return sequences_[flow]; }
  // Complete decisions of all flows, and the flows that have `count` of them at least.
  std::size_t steps() const { return steps_; }
  std::size_t flows_with(std::size_t count) const;

  // A slice of `length` decisions of one flow: a flow and a place in its sequence.
  struct Slice {
    std::uint32_t flow = 0;
    std::size_t first = 0;
    std::size_t length = 0;
  };
  // A uniform flow of those that have so many decisions, and a uniform place in it; nothing if there is none.
  std::optional<Slice> sample(std::size_t length, Draws& draws) const;

  // Forgets complete decisions. Open ones stay.
  void clear();

 private:
  std::size_t most_;
  std::size_t steps_ = 0;
  std::vector<Sequence> sequences_;
};

}  // namespace weir::learn
