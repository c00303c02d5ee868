#include "weir/policy/check.h"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/base/error.h"

namespace weir::policy {
namespace {

constexpr double kLeast = 1e-9;
constexpr double kMost = 1e9;

void check_positive(const std::string& key, double value) {
  if (!(value >= kLeast && value <= kMost))
    throw InputError(key, fmt::format("{} is out of range; valid is {} to {}", value, kLeast, kMost));
}

void check_weights(const std::string& key, const Layer& layer, bool whole) {
  const int columns = layer.lstm ? layer.inputs + layer.outputs : layer.inputs;
  const int rows = layer.lstm ? 4 * layer.outputs : layer.outputs;
  const auto count = static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns);
  if (layer.weights.size() != count)
    throw InputError(key + ".weights", fmt::format("{} numbers; the layer has {} rows of {}, {} in all",
                                                   layer.weights.size(), rows, columns, count));
  for (std::size_t i = 0; i < count; ++i) {
    const float w = layer.weights[i];
    const auto error = [&](std::string_view valid) {
      const auto width = static_cast<std::size_t>(columns);
      return InputError(fmt::format("{}.weights.{}", key, i / width),
                        fmt::format("{} in column {}; {}", w, i % width + 1, valid));
    };
    if (!whole && !(std::abs(w) <= 1e6f)) throw error("valid is -1e6 to 1e6");
    if (whole && !(std::abs(w) <= 127 && w == std::floor(w)))
      throw error("int8 weights are whole numbers from -127 to 127");
  }
  if (!whole) {
    if (!layer.row_scales.empty()) throw InputError(key + ".row_scales", "only int8 layers have scales; remove it");
    if (layer.input_scale != 0) throw InputError(key + ".input_scale", "only int8 layers have a scale; remove it");
    return;
  }
  if (layer.row_scales.size() != static_cast<std::size_t>(rows))
    throw InputError(key + ".row_scales",
                     fmt::format("{} in the list; each of the layer's {} rows has one", layer.row_scales.size(), rows));
  for (const float scale : layer.row_scales) check_positive(key + ".row_scales", static_cast<double>(scale));
  check_positive(key + ".input_scale", static_cast<double>(layer.input_scale));
}

void check_layers(const Policy& p) {
  if (!p.nodes.empty()) throw InputError("nodes", "only a tree has nodes; remove them, or write kind = \"tree\"");
  if (p.layers.empty()) throw InputError("layer", "missing; a network has at least one [[layer]]");
  if (p.layers.size() > kMaxLayers)
    throw InputError("layer", fmt::format("{} layers; at most {} are possible", p.layers.size(), kMaxLayers));
  int inputs = p.width();
  bool remembers = false;
  for (std::size_t i = 0; i < p.layers.size(); ++i) {
    const Layer& layer = p.layers[i];
    const std::string key = fmt::format("layer.{}", i);
    for (const auto& [name, units] : {std::pair{".inputs", layer.inputs}, {".outputs", layer.outputs}})
      if (units < 1 || units > kMaxUnits)
        throw InputError(key + name, fmt::format("{} is out of range; valid is 1 to {}", units, kMaxUnits));
    if (layer.inputs != inputs)
      throw InputError(key + ".inputs", fmt::format("{} does not fit; {} {}", layer.inputs,
                                                    i == 0 ? "the first layer takes all inputs of the policy, which are"
                                                           : "the outputs of the layer before are",
                                                    inputs));
    if (layer.lstm && p.kind != Kind::lstm)
      throw InputError(key + ".type", "an LSTM in a policy of kind mlp; write kind = \"lstm\"");
    if (layer.lstm && layer.activation != Activation::none)
      throw InputError(key + ".activation", "an LSTM has its own; write \"none\" or nothing");
    remembers = remembers || layer.lstm;
    inputs = layer.outputs;
    check_weights(key, layer, p.arithmetic == Arithmetic::int8);
  }
  const std::string last = fmt::format("layer.{}", p.layers.size() - 1);
  if (p.layers.back().lstm) throw InputError(last + ".type", "the last layer must be dense, with one output");
  if (inputs != 1)
    throw InputError(last + ".outputs", fmt::format("the last layer has {} outputs; it must have 1", inputs));
  if (p.layers.back().activation != Activation::none)
    throw InputError(last + ".activation",
                     "the output's tanh is taken anyway; the last layer's activation must be none");
  if (p.kind == Kind::lstm && !remembers) throw InputError("kind", "no layer is an LSTM; write \"mlp\", or make one");
}

void check_tree(const Policy& p) {
  if (!p.layers.empty()) throw InputError("layer", "a tree has no layers; remove them, or write kind = \"mlp\"");
  if (p.arithmetic != Arithmetic::float32) throw InputError("arithmetic", "a tree compares floats; write \"float32\"");
  if (p.nodes.empty()) throw InputError("nodes", "missing; a tree has at least one leaf, [[0.1]]");
  if (p.nodes.size() > kMaxNodes)
    throw InputError("nodes", fmt::format("{} nodes; at most {} are possible", p.nodes.size(), kMaxNodes));
  const int count = static_cast<int>(p.nodes.size());
  std::vector<int> depth(p.nodes.size(), 0);
  std::vector<int> parents(p.nodes.size(), 0);
  for (int i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    const TreeNode& node = p.nodes[at];
    const auto require = [&]<class... T>(bool met, fmt::format_string<T...> otherwise, T&&... values) {
      if (!met) throw InputError(fmt::format("nodes.{}", i), fmt::format(otherwise, std::forward<T>(values)...));
    };
    require(i == 0 || parents[at] == 1, "the node has {} parents; each but the first has one, which stands before it",
            parents[at]);
    if (node.feature < 0) {
      require(node.feature == -1, "input {} is not valid; valid is 0 to {}", node.feature, p.width() - 1);
      require(std::abs(node.value) <= 1, "y = {} is out of range; valid is -1 to 1", node.value);
      continue;
    }
    require(node.feature < p.width(), "there is no input {}; valid is 0 to {}", node.feature, p.width() - 1);
    require(std::isfinite(node.threshold), "the threshold is not a number");
    require(depth[at] < kMaxTreeDepth, "the tree is deeper than {}", kMaxTreeDepth);
    for (const int child : {node.left, node.right}) {
      require(child > i && child < count, "its child {} is not valid; children stand behind, valid is {} to {}", child,
              i + 1, count - 1);
      ++parents[static_cast<std::size_t>(child)];
      depth[static_cast<std::size_t>(child)] = depth[at] + 1;
    }
  }
}

void check_queue_signal(const Signal& s) {
  if (s.queue_unit < Time{}) throw InputError("signal.queue_unit", "it may not be negative");
  if (!(s.queue_packets >= 0 && s.queue_packets <= kMost))
    throw InputError("signal.queue_packets",
                     fmt::format("{} is out of range; valid is 0 to {}", s.queue_packets, kMost));
  if (s.queue_unit > Time{} && s.base_rtt > Time{})
    throw InputError("signal.base_rtt", "with queue_unit each flow's own counts; write \"0 s\"");
  if (s.queue_unit == Time{} && s.queue_packets > 0)
    throw InputError("signal.queue_packets", "it is without queue_unit; write that, too, or leave it away");
  if (s.power < 1 || s.power > 8) throw InputError("signal.power", "valid is 0.125, 0.25, ... 1");
}

template <class T>
void check_range(const std::string& key, const Range<T>& range) {
  if (range.low < T{} || range.high < range.low)
    throw InputError(key, "write the least and the largest value, both from 0 on and the least one first");
}

void check_trained(const Trained& t) {
  check_range("trained.base_rtt", t.base_rtt);
  check_range("trained.rate", t.rate);
  check_range("trained.hops", t.hops);
  check_range("trained.flows", t.flows);
}

}  // namespace

void check(const Policy& p) {
  if (p.history < 1 || p.history > kMaxHistory)
    throw InputError("history", fmt::format("{} is out of range; valid is 1 to {}", p.history, kMaxHistory));
  if (p.inputs == Inputs::paper && p.history != 1)
    throw InputError("history",
                     fmt::format("the inputs of the paper are those of one decision; write 1, not {}", p.history));
  check_positive("clip", p.clip);
  if (!(p.step >= kLeast && p.step <= 0.999))
    throw InputError("step", fmt::format("{} is out of range; valid is {} to 0.999", p.step, kLeast));
  check_positive("signal.target", p.signal.target);
  check_positive("signal.scale", p.signal.scale);
  if (!(p.signal.beta >= 0 && p.signal.beta <= kMost))
    throw InputError("signal.beta", fmt::format("{} is out of range; valid is 0 to {}", p.signal.beta, kMost));
  if (p.signal.base_rtt < Time{}) throw InputError("signal.base_rtt", "it may not be negative");
  check_queue_signal(p.signal);
  if (p.trained) check_trained(*p.trained);
  if (p.kind == Kind::tree)
    check_tree(p);
  else
    check_layers(p);
}

}  // namespace weir::policy
