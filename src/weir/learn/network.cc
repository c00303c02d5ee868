#include "weir/learn/network.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <stdexcept>

namespace weir::learn {
namespace {

constexpr std::size_t kWidest = 256;

std::size_t size_of(int n) { return static_cast<std::size_t>(n); }

// Notes of a step begin with its inputs. A dense layer notes its outputs; an LSTM its gates i, f, g, o, the hidden
// state and the cell before, tanh of the cell, and its outputs.
std::size_t notes_of(const LayerShape& layer) { return size_of(layer.outputs) * (layer.lstm ? 8 : 1); }

void multiply(const double* weights, std::size_t rows, std::size_t columns, std::size_t stride, const double* x,
              double* out) {
  for (std::size_t r = 0; r < rows; ++r) {
    double sum = out[r];
    for (std::size_t c = 0; c < columns; ++c) sum += weights[r * stride + c] * x[c];
    out[r] = sum;
  }
}

// Adds slope x input to the gradients, and what the inputs answer for to `back`.
void multiply_back(const double* weights, std::size_t rows, std::size_t columns, std::size_t stride, const double* x,
                   const double* slopes, double* gradients, double* back) {
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      gradients[r * stride + c] += slopes[r] * x[c];
      back[c] += slopes[r] * weights[r * stride + c];
    }
}

double activated(policy::Activation activation, double x) {
  if (activation == policy::Activation::relu) return std::max(x, 0.0);
  return activation == policy::Activation::tanh ? tanh_of(x) : x;
}

// The derivative where the function has the value y.
double slope_at(policy::Activation activation, double y) {
  if (activation == policy::Activation::relu) return y > 0 ? 1 : 0;
  return activation == policy::Activation::tanh ? 1 - y * y : 1;
}

// rows x columns, with columns of the whole matrix that are `stride` apart: modified Gram-Schmidt of normal draws.
void draw_orthogonal(Draws& draws, double gain, double* weights, std::size_t rows, std::size_t columns,
                     std::size_t stride) {
  const bool wide = columns > rows;
  const std::size_t vectors = wide ? rows : columns;
  const std::size_t length = wide ? columns : rows;
  const auto at = [&](std::size_t v, std::size_t i) -> double& {
    return wide ? weights[v * stride + i] : weights[i * stride + v];
  };
  for (std::size_t v = 0; v < vectors; ++v) {
    double norm = 0;
    while (norm < 1e-6) {
      for (std::size_t i = 0; i < length; ++i) at(v, i) = draws.normal();
      for (std::size_t u = 0; u < v; ++u) {
        double product = 0;
        for (std::size_t i = 0; i < length; ++i) product += at(u, i) * at(v, i);
        for (std::size_t i = 0; i < length; ++i) at(v, i) -= product * at(u, i);
      }
      norm = 0;
      for (std::size_t i = 0; i < length; ++i) norm += at(v, i) * at(v, i);
      norm = std::sqrt(norm);
    }
    for (std::size_t i = 0; i < length; ++i) at(v, i) /= norm;
  }
  for (std::size_t v = 0; v < vectors; ++v)
    for (std::size_t i = 0; i < length; ++i) at(v, i) *= gain;
}

void lstm_forward(const LayerShape& layer, const double* weights, const double* x, double* state, double* notes) {
  const std::size_t h = size_of(layer.outputs);
  const std::size_t in = size_of(layer.inputs);
  double* gates = notes;
  std::copy_n(state, 2 * h, notes + 4 * h);  // hidden state and cell before
  std::fill_n(gates, 4 * h, 0.0);
  const double* hidden_before = notes + 4 * h;
  const double* cell_before = notes + 5 * h;
  multiply(weights, 4 * h, in, in + h, x, gates);
  multiply(weights + in, 4 * h, h, in + h, hidden_before, gates);
  for (std::size_t i = 0; i < h; ++i) {
    gates[i] = sigmoid_of(gates[i]);
    gates[h + i] = sigmoid_of(gates[h + i]);
    gates[2 * h + i] = tanh_of(gates[2 * h + i]);
    gates[3 * h + i] = sigmoid_of(gates[3 * h + i]);
    const double cell = gates[h + i] * cell_before[i] + gates[i] * gates[2 * h + i];
    notes[6 * h + i] = tanh_of(cell);
    notes[7 * h + i] = gates[3 * h + i] * notes[6 * h + i];
    state[i] = notes[7 * h + i];
    state[h + i] = cell;
  }
}

// `carried` has the slopes of the hidden state and the cell that the next step takes over, and gets those of the step
// before.
void lstm_backward(const LayerShape& layer, const double* weights, const double* x, const double* notes,
                   const double* slopes, double* carried, double* gradients, double* back) {
  const std::size_t h = size_of(layer.outputs);
  const std::size_t in = size_of(layer.inputs);
  std::array<double, 4 * kWidest> sums;
  for (std::size_t i = 0; i < h; ++i) {
    const double input = notes[i], forget = notes[h + i], candidate = notes[2 * h + i], output = notes[3 * h + i];
    const double tanh_cell = notes[6 * h + i];
    const double hidden = slopes[i] + carried[i];
    const double cell = carried[h + i] + hidden * output * (1 - tanh_cell * tanh_cell);
    sums[i] = cell * candidate * input * (1 - input);
    sums[h + i] = cell * notes[5 * h + i] * forget * (1 - forget);
    sums[2 * h + i] = cell * input * (1 - candidate * candidate);
    sums[3 * h + i] = hidden * tanh_cell * output * (1 - output);
    carried[h + i] = cell * forget;
  }
  std::fill_n(carried, h, 0.0);
  multiply_back(weights, 4 * h, in, in + h, x, sums.data(), gradients, back);
  multiply_back(weights + in, 4 * h, h, in + h, notes + 4 * h, sums.data(), gradients + in, carried);
}

}  // namespace

std::vector<LayerShape> dense_shape(std::span<const int> widths, policy::Activation last) {
  std::vector<LayerShape> out;
  for (std::size_t i = 0; i + 1 < widths.size(); ++i)
    out.push_back({false, i + 2 == widths.size() ? last : policy::Activation::relu, widths[i], widths[i + 1]});
  return out;
}

std::vector<LayerShape> mlp_shape(int inputs) {
  return dense_shape(std::array{inputs, 12, 12, 1}, policy::Activation::tanh);
}

std::vector<LayerShape> lstm_shape(int inputs) {
  std::vector<LayerShape> out = dense_shape(std::array{inputs, 32, 16}, policy::Activation::relu);
  out.push_back({true, policy::Activation::none, 16, 16});
  out.push_back({false, policy::Activation::tanh, 16, 1});
  return out;
}

Network::Network(std::vector<LayerShape> layers) : layers_(std::move(layers)) {
  if (layers_.empty()) throw std::logic_error("a network needs a layer");
  std::size_t weights = 0;
  notes_ = size_of(layers_.front().inputs);
  for (const LayerShape& layer : layers_) {
    if (size_of(layer.inputs) > kWidest || size_of(layer.outputs) > kWidest)
      throw std::logic_error("a layer of a network is too wide");
    weights += layer.weights();
    notes_ += notes_of(layer);
    if (layer.lstm) state_ += 2 * size_of(layer.outputs);
  }
  weights_.resize(weights);
}

void Network::initialise(Draws& draws, double gain) {
  double* weights = weights_.data();
  for (const LayerShape& layer : layers_) {
    const std::size_t in = size_of(layer.inputs), out = size_of(layer.outputs);
    if (layer.lstm) {
      draw_orthogonal(draws, gain, weights, 4 * out, in, in + out);
      draw_orthogonal(draws, gain, weights + in, 4 * out, out, in + out);
    } else {
      draw_orthogonal(draws, gain, weights, out, in, in);
    }
    weights += layer.weights();
  }
}

void Network::forward(std::span<const double> in, std::size_t steps, std::span<double> state, std::span<double> out,
                      Tape& tape) const {
  assert(in.size() == steps * size_of(inputs()) && state.size() == state_ && out.size() == steps * size_of(outputs()));
  tape.steps = steps;
  tape.notes.resize(steps * notes_);
  double* notes = tape.notes.data();
  for (std::size_t t = 0; t < steps; ++t) {
    const double* x = notes;
    std::copy_n(in.data() + t * size_of(inputs()), size_of(inputs()), notes);
    notes += size_of(inputs());
    const double* weights = weights_.data();
    double* carried = state.data();
    for (const LayerShape& layer : layers_) {
      const std::size_t width = size_of(layer.outputs);
      if (layer.lstm) {
        lstm_forward(layer, weights, x, carried, notes);
        carried += 2 * width;
      } else {
        std::fill_n(notes, width, 0.0);
        multiply(weights, width, size_of(layer.inputs), size_of(layer.inputs), x, notes);
        for (std::size_t i = 0; i < width; ++i) notes[i] = activated(layer.activation, notes[i]);
      }
      notes += notes_of(layer);
      x = notes - width;
      weights += layer.weights();
    }
    std::copy_n(x, size_of(outputs()), out.data() + t * size_of(outputs()));
  }
}

void Network::backward(const Tape& tape, std::span<const double> slopes, std::span<double> gradients,
                       std::span<double> back) const {
  assert(slopes.size() == tape.steps * size_of(outputs()) && gradients.size() == weights_.size());
  std::vector<double> carried(state_);
  std::array<double, kWidest> above;
  std::array<double, kWidest> below;
  for (std::size_t t = tape.steps; t-- > 0;) {
    std::copy_n(slopes.data() + t * size_of(outputs()), size_of(outputs()), above.begin());
    const double* end = tape.notes.data() + (t + 1) * notes_;
    std::size_t weight = weights_.size();
    std::size_t memory = state_;
    for (std::size_t l = layers_.size(); l-- > 0;) {
      const LayerShape& layer = layers_[l];
      const std::size_t in = size_of(layer.inputs), width = size_of(layer.outputs);
      const double* notes = end - notes_of(layer);
      const double* x = notes - in;  // the outputs of the layer below stand last in its notes
      weight -= layer.weights();
      std::fill_n(below.begin(), in, 0.0);
      if (layer.lstm) {
        memory -= 2 * width;
        lstm_backward(layer, weights_.data() + weight, x, notes, above.data(), carried.data() + memory,
                      gradients.data() + weight, below.data());
      } else {
        for (std::size_t i = 0; i < width; ++i) above[i] *= slope_at(layer.activation, notes[i]);
        multiply_back(weights_.data() + weight, width, in, in, x, above.data(), gradients.data() + weight,
                      below.data());
      }
      std::copy_n(below.begin(), in, above.begin());
      end = notes;
    }
    if (!back.empty()) std::copy_n(above.begin(), size_of(inputs()), back.data() + t * size_of(inputs()));
  }
}

std::vector<policy::Layer> Network::to_layers() const {
  std::vector<policy::Layer> out;
  auto weight = weights_.begin();
  for (const LayerShape& shape : layers_) {
    policy::Layer& layer = out.emplace_back();
    layer.lstm = shape.lstm;
    layer.activation = shape.activation;
    layer.inputs = shape.inputs;
    layer.outputs = shape.outputs;
    for (std::size_t i = 0; i < shape.weights(); ++i) layer.weights.push_back(static_cast<float>(*weight++));
  }
  return out;
}

}  // namespace weir::learn
