#include "weir/traffic/training_stage.h"

#include <algorithm>
#include <cmath>

namespace weir::traffic {
namespace {

using Channel = TrainingChannel;
using OperationKind = TrainingOperation::Kind;
using Operations = TrainingStage::Operations;

TrainingOperation compute(Time time) { return {.kind = OperationKind::compute, .time = time}; }

TrainingOperation ring(Channel channel, std::uint32_t steps, Bytes size) {
  return {.kind = OperationKind::ring, .channel = channel, .steps = steps, .size = size};
}

}  // namespace

// 1F1B or, with several parts, its interleaved form: microbatches go through a part in groups of as many as there are
// stages, and backward turns begin with the last part.
std::vector<TrainingTurn> turns_of(const Training& t, std::uint32_t stage) {
  const std::uint32_t parts = t.virtual_stages;
  const std::uint64_t all = std::uint64_t{t.microbatches} * parts;
  const auto turn = [&](std::uint64_t number, bool is_backward) {
    const auto part = static_cast<std::uint32_t>(number / t.pipeline % parts);
    return TrainingTurn{.part = is_backward ? parts - 1 - part : part, .is_backward = is_backward};
  };
  const std::uint64_t behind = t.pipeline - 1 - stage;  // stages
  std::uint64_t ahead = parts == 1 ? behind : 2 * behind + (parts - std::uint64_t{1}) * t.pipeline;
  ahead = std::min(ahead, all);
  std::vector<TrainingTurn> out;
  for (std::uint64_t i = 0; i < all; ++i) {
    out.push_back(turn(i, false));
    if (i >= ahead) out.push_back(turn(i - ahead, true));
  }
  for (std::uint64_t i = all - ahead; i < all; ++i) out.push_back(turn(i, true));
  return out;
}

TrainingStage training_stage(const Training& t, std::uint32_t number) {
  const Bytes part{(t.activations.count + t.tensor - 1) / t.tensor};
  const auto scaled = [&](Time time) { return Time{std::llround(static_cast<double>(time.ps) * t.backward)}; };
  const auto across = [&](OperationKind kind, Channel channel) {
    return TrainingOperation{.kind = kind, .channel = channel, .size = part};
  };
  const TrainingOperation all_reduce = ring(Channel::tensor, 2 * (t.tensor - 1), part);
  const TrainingOperation gather = ring(Channel::tensor, t.tensor - 1, part);
  const auto add_mlp = [&](Operations& operations, Time time) {
    if (t.experts == 1)
      operations.insert(operations.end(), {compute(time), all_reduce});
    else
      operations.insert(operations.end(), {across(OperationKind::dispatch, Channel::expert), compute(time),
                                           across(OperationKind::combine, Channel::expert)});
  };

  TrainingStage out;
  for (std::uint32_t of_model = 0; of_model < t.virtual_stages; ++of_model) {
    const bool is_first = number == 0 && of_model == 0;
    const bool is_last = number + 1 == t.pipeline && of_model + 1 == t.virtual_stages;
    Operations forward;
    Operations backward;
    if (!is_first) forward = {across(OperationKind::receive, Channel::forward), gather};
    if (!is_last) backward = {across(OperationKind::receive, Channel::backward), gather};
    for (std::uint32_t layer = 0; layer < t.layers / t.pipeline / t.virtual_stages; ++layer) {
      forward.insert(forward.end(), {compute(t.attention), all_reduce});
      add_mlp(forward, t.mlp);
      add_mlp(backward, scaled(t.mlp));
      backward.insert(backward.end(), {compute(scaled(t.attention)), all_reduce});
    }
    if (!is_last) forward.push_back(across(OperationKind::send, Channel::forward));
    if (!is_first) backward.push_back(across(OperationKind::send, Channel::backward));
    out.forward.push_back(std::move(forward));
    out.backward.push_back(std::move(backward));
  }
  out.end = {ring(Channel::data, 2 * (t.data - 1), Bytes{(t.gradients.count + t.data - 1) / t.data})};
  out.turns = turns_of(t, number);
  return out;
}

}  // namespace weir::traffic
