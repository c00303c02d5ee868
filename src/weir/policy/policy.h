// A policy: a small network or a tree of decisions, trained to turn what a flow observes into the factor by which its
// rate changes. This is the data; decider.h evaluates it, policy_file.h reads and writes it as TOML.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weir/policy/observation.h"

namespace weir::policy {

enum class Kind : std::uint8_t { mlp, lstm, tree };
enum class Arithmetic : std::uint8_t { float32, int8 };

// What goes into the network. `code`: for each of the last `history` decisions, the newest first, the factor that the
// decision before it gave (1 at the start) and the signal. `paper`: rate, RTT inflation (rtt / base_rtt of the flow),
// CNPs and NACKs, both per packet sent, of the last decision; history is 1.
enum class Inputs : std::uint8_t { paper, code };

enum class Activation : std::uint8_t { none, relu, tanh };

// A dense layer, or an LSTM. Weights are row by row: dense: outputs x inputs. lstm: (4 x outputs) x (inputs + outputs),
// with the gates input, forget, cell, output one below the other, and the columns of the inputs before those of the
// hidden state. There are no biases, as in the public code.
struct Layer {
  bool lstm = false;
  Activation activation = Activation::none;  // of a dense layer
  int inputs = 0;                            // 1 to 64
  int outputs = 0;                           // 1 to 64
  std::vector<float> weights;                // float32: as used; int8: whole numbers in [-127, 127]
  // int8 only. The weight that a row's number n stands for is n * row_scales[row]; what goes into the layer is rounded
  // to units of input_scale, but behind tanh and LSTM to units of 2^-14, and in an LSTM the hidden state to 1/128.
  std::vector<float> row_scales;
  float input_scale = 0;
};

// A regression tree's node: go left if input[feature] < threshold. A leaf has feature -1 and a value of y.
struct TreeNode {
  int feature = -1;
  float threshold = 0;
  int left = 0;
  int right = 0;
  float value = 0;
};

// From the least to the largest, both included.
template <class T>
struct Range {
  T low{};
  T high{};

  bool has(const T& value) const { return low <= value && value <= high; }
  void include(const T& value) {
    if (value < low) low = value;
    if (high < value) high = value;
  }
};

// The networks in which a policy was trained and validated.
struct Trained {
  Range<Time> base_rtt;       // of flows' paths
  Range<Rate> rate;           // of senders' NICs and of the slowest links of paths
  Range<std::int64_t> hops;   // switches on the path
  Range<std::int64_t> flows;  // of one link at a time, as far as the curriculum tells
};

// The output y in [-1, 1], tanh of the last layer's only output or a tree's leaf, gives the factor 1 + step * y for
// y >= 0 and 1 / (1 - step * y) for y < 0.
struct Policy {
  Kind kind = Kind::mlp;
  Arithmetic arithmetic = Arithmetic::float32;
  Inputs inputs = Inputs::code;
  int history = 2;    // 1 to 8
  double clip = 8;    // inputs are limited to [-clip, clip]; above 0
  double step = 0.2;  // in (0, 1)
  Signal signal;
  std::vector<Layer> layers;                      // mlp, lstm
  std::vector<TreeNode> nodes;                    // tree: the root first
  std::optional<Trained> trained;                 // changes no decision
  std::map<std::string, std::string> provenance;  // how it came about: curriculum, seed, update, version, parent
  int width() const { return inputs == Inputs::paper ? 4 : 2 * history; }  // number of inputs
};

}  // namespace weir::policy
