// Network: a small network as the learner has it, in double precision, with the gradients of its weights.
//
// Layers have no biases, as in the public code of Tessler et al. Weights lie one layer after the other in the order of
// policy::Layer. Gradients are of the reverse mode, through all steps of a sequence where a layer is an LSTM.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "weir/base/error.h"
#include "weir/learn/functions.h"
#include "weir/policy/policy.h"

namespace weir::learn {

struct LayerShape {
  bool lstm = false;
  policy::Activation activation = policy::Activation::none;  // of a dense layer
  int inputs = 1;
  int outputs = 1;

  std::size_t weights() const {
    return static_cast<std::size_t>(outputs) * static_cast<std::size_t>(lstm ? 4 * (inputs + outputs) : inputs);
  }
};

// inputs - 12 - 12 - 1, ReLU, tanh at the end: the public code's.
std::vector<LayerShape> mlp_shape(int inputs);
// inputs - 32 - 16 - LSTM 16 - 1, ReLU, tanh at the end: the paper's.
std::vector<LayerShape> lstm_shape(int inputs);
// Dense layers of these widths, the first one that of the inputs: ReLU, and `last` at the end.
std::vector<LayerShape> dense_shape(std::span<const int> widths, policy::Activation last);

class Network {
 public:
  // What forward() notes for backward().
  struct Tape {
    std::size_t steps = 0;
    std::vector<double> notes;
  };

  // Each layer's inputs are the outputs of the one before. All weights are 0.
  explicit Network(std::vector<LayerShape> layers);

  // Orthogonal matrices times `gain` (Saxe et al. 2014): rows or columns, whichever are fewer, are orthogonal. An
  // LSTM's matrices of its inputs and of its hidden state are drawn one by one.
  void initialise(Draws& draws, double gain);

  int inputs() const { return layers_.front().inputs; }
  int outputs() const { return layers_.back().outputs; }
  // Numbers that a sequence carries from step to step: hidden state and cell of each LSTM; 0 at its start.
  std::size_t state() const { return state_; }
  const std::vector<LayerShape>& layers() const { return layers_; }
  std::span<double> weights() { return weights_; }
  std::span<const double> weights() const { return weights_; }

  // Runs `steps` steps of one sequence: `in` has steps x inputs() numbers, `out` steps x outputs(). `state` is what the
  // sequence carries, and is moved on.
  void forward(std::span<const double> in, std::size_t steps, std::span<double> state, std::span<double> out,
               Tape& tape) const;
  // The same sequence backwards: `slopes` are the derivatives of a loss by the outputs; those by the weights are added
  // to `gradients`. What the sequence carried at its start counts as constant. `back`, if it is not empty, has
  // steps x inputs() numbers and gets the derivatives by the inputs.
  void backward(const Tape& tape, std::span<const double> slopes, std::span<double> gradients,
                std::span<double> back = {}) const;

  // Its weights. The Loader's throws InputError if they are those of another network.
  template <class A>
  void archive(A& a) {
    const std::size_t weights = weights_.size();
    a.values(weights_);
    if (weights_.size() != weights) throw InputError("the checkpoint is of another network");
  }

  // The network as the layers of a policy, in single precision.
  std::vector<policy::Layer> to_layers() const;

 private:
  std::vector<LayerShape> layers_;
  std::vector<double> weights_;
  std::size_t state_ = 0;
  std::size_t notes_ = 0;  // of one step
};

}  // namespace weir::learn
