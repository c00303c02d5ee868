// What a pipeline stage does in a step of training (traffic/training.h), turn by turn.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/base/units.h"
#include "weir/traffic/training.h"

namespace weir::traffic {

// The kinds of messages of a rank. Messages of one kind are used in the order of their arrival.
enum class TrainingChannel : std::uint8_t { tensor, data, forward, backward, expert };
inline constexpr std::size_t kTrainingChannels = 5;

// One operation of a stage in a turn, or at the end of the step.
struct TrainingOperation {
  enum class Kind : std::uint8_t { compute, ring, send, receive, dispatch, combine } kind;
  TrainingChannel channel = TrainingChannel::tensor;
  std::uint32_t steps = 0;  // of a ring
  Bytes size;               // of a message
  Time time;                // of a computation
};

// A turn: a microbatch goes forward or backward through one of the stage's parts of the model.
struct TrainingTurn {
  std::uint32_t part = 0;
  bool is_backward = false;

  friend bool operator==(const TrainingTurn&, const TrainingTurn&) = default;
};

struct TrainingStage {
  using Operations = std::vector<TrainingOperation>;

  std::vector<TrainingTurn> turns;
  std::vector<Operations> forward;  // by part
  std::vector<Operations> backward;
  Operations end;

  const Operations& of(TrainingTurn turn) const { return (turn.is_backward ? backward : forward)[turn.part]; }
};

TrainingStage training_stage(const Training& training, std::uint32_t number);

// The turns of a stage, in order.
std::vector<TrainingTurn> turns_of(const Training& training, std::uint32_t stage);

}  // namespace weir::traffic
