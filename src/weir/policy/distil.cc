#include "weir/policy/distil.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "weir/policy/check.h"
#include "weir/policy/index.h"
#include "weir/policy/policy_file.h"

namespace weir::policy {
namespace {

class Grower {
 public:
  Grower(std::span<const Sample> samples, int width, const DistilOptions& options, std::vector<TreeNode>& nodes)
      : samples_(samples), width_(width), options_(options), nodes_(nodes) {}

  // Grows the tree of all samples: of all leaves the one is split whose split gains most, as long as one gains.
  void grow() {
    std::vector<std::uint32_t> all(samples_.size());
    std::iota(all.begin(), all.end(), 0u);
    std::vector<Leaf> waiting;
    add(std::move(all), 0, waiting);
    for (int leaves = 1; leaves < options_.leaves && !waiting.empty(); ++leaves) {
      std::pop_heap(waiting.begin(), waiting.end(), gains_less);
      Leaf leaf = std::move(waiting.back());
      waiting.pop_back();
      const Split split = leaf.split;
      auto& left = leaf.members;
      const auto middle = std::stable_partition(
          left.begin(), left.end(), [&](std::uint32_t m) { return input(m, split.feature) < split.threshold; });
      std::vector<std::uint32_t> right(middle, left.end());
      left.erase(middle, left.end());
      const int left_node = add(std::move(left), leaf.depth + 1, waiting);
      const int right_node = add(std::move(right), leaf.depth + 1, waiting);
      nodes_[index(leaf.node)] = {split.feature, split.threshold, left_node, right_node, 0};
    }
  }

 private:
  struct Split {
    int feature = -1;
    float threshold = 0;
    double gain = 0;
  };

  // A leaf that may be split.
  struct Leaf {
    int node = 0;
    int depth = 0;
    Split split;
    std::vector<std::uint32_t> members;
  };
  static bool gains_less(const Leaf& a, const Leaf& b) {
    return a.split.gain < b.split.gain || (a.split.gain == b.split.gain && a.node > b.node);
  }

  // Makes a leaf of these samples and returns its number.
  int add(std::vector<std::uint32_t> members, int depth, std::vector<Leaf>& waiting) {
    const auto node = static_cast<int>(nodes_.size());
    double sum = 0;
    for (const std::uint32_t m : members) sum += static_cast<double>(samples_[m].y);
    const auto mean = static_cast<float>(sum / static_cast<double>(members.size()));
    nodes_.push_back({.value = std::clamp(mean, -1.0f, 1.0f)});
    if (depth == options_.depth) return node;
    const Split split = best(members);
    if (split.feature < 0) return node;
    waiting.push_back({node, depth, split, std::move(members)});
    std::push_heap(waiting.begin(), waiting.end(), gains_less);
    return node;
  }

  float input(std::uint32_t m, int feature) const { return samples_[m].inputs[static_cast<std::size_t>(feature)]; }

  // The split that takes most from the sum of squares: the largest left^2 / n + right^2 / n of sums of y.
  Split best(const std::vector<std::uint32_t>& members) const {
    Split out;
    double total = 0;
    double squares = 0;
    for (const std::uint32_t m : members) {
      const auto y = static_cast<double>(samples_[m].y);
      total += y;
      squares += y * y;
    }
    const auto n = static_cast<double>(members.size());
    const double least = total * total / n;
    // less is noise of the sums
    out.gain = 1e-9 * (squares - least) + 1e-12 * squares;
    const auto leaf = static_cast<std::size_t>(options_.leaf);
    std::vector<std::uint32_t> order(members);
    for (int f = 0; f < width_; ++f) {
      std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        const float x = input(a, f);
        const float y = input(b, f);
        return x < y || (x == y && a < b);
      });
      double left = 0;
      for (std::size_t i = 1; i < order.size(); ++i) {
        left += static_cast<double>(samples_[order[i - 1]].y);
        const float below = input(order[i - 1], f);
        const float above = input(order[i], f);
        if (below == above || i < leaf || order.size() - i < leaf) continue;
        const auto count = static_cast<double>(i);
        const double right = total - left;
        const double gain = left * left / count + right * right / (n - count) - least;
        if (gain <= out.gain) continue;
        const float middle = below + (above - below) / 2;
        out = {f, middle > below ? middle : above, gain};
      }
    }
    return out;
  }

  std::span<const Sample> samples_;
  int width_;
  DistilOptions options_;
  std::vector<TreeNode>& nodes_;
};

}  // namespace

Policy distil(const Policy& policy, std::span<const Sample> samples, const DistilOptions& options) {
  if (samples.empty()) throw std::logic_error("there are no samples to distil from");
  if (options.depth < 0 || options.depth > 14 || options.leaf < 1 || options.leaves < 1)
    throw std::logic_error("a tree of that depth or with such leaves is not possible");
  Policy out = policy;
  out.kind = Kind::tree;
  out.arithmetic = Arithmetic::float32;
  out.layers.clear();
  out.nodes.clear();
  out.provenance["parent"] = digest(policy);
  Grower(samples, policy.width(), options, out.nodes).grow();
  check(out);
  return out;
}

Policy distil_in_loop(const Policy& policy, const DistilOptions& options, const LoopOptions& loop) {
  const Decider teacher(policy);
  WalkOptions walks = loop.walks;
  std::vector<Sample> samples = walk(teacher, walks);
  Policy tree = distil(policy, samples, options);
  for (int round = 0; round < loop.rounds; ++round) {
    ++walks.seed;
    const auto more = walk(Decider(tree), teacher, walks);
    samples.insert(samples.end(), more.begin(), more.end());
    tree = distil(policy, samples, options);
  }
  return tree;
}

}  // namespace weir::policy
