#include "weir/policy/distil.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "weir/policy/check.h"
#include "weir/policy/policy_file.h"

namespace weir::policy {
namespace {

class Grower {
 public:
  Grower(std::span<const Sample> samples, int width, const DistilOptions& options, std::vector<TreeNode>& nodes)
      : samples_(samples), width_(width), options_(options), nodes_(nodes) {}

  // Grows the tree of these samples and returns its root's number.
  int grow(std::vector<std::uint32_t> members, int depth) {
    const auto number = static_cast<int>(nodes_.size());
    nodes_.emplace_back();
    const Split split = depth == 0 ? Split{} : best(members);
    if (split.feature < 0) {
      double sum = 0;
      for (const std::uint32_t m : members) sum += static_cast<double>(samples_[m].y);
      const auto mean = static_cast<float>(sum / static_cast<double>(members.size()));
      nodes_.back().value = std::clamp(mean, -1.0f, 1.0f);
      return number;
    }
    const auto middle = std::stable_partition(
        members.begin(), members.end(), [&](std::uint32_t m) { return input(m, split.feature) < split.threshold; });
    std::vector<std::uint32_t> right(middle, members.end());
    members.erase(middle, members.end());
    const int left_child = grow(std::move(members), depth - 1);
    const int right_child = grow(std::move(right), depth - 1);
    nodes_[static_cast<std::size_t>(number)] = {split.feature, split.threshold, left_child, right_child, 0};
    return number;
  }

 private:
  struct Split {
    int feature = -1;
    float threshold = 0;
    double gain = 0;
  };

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
  if (options.depth < 0 || options.depth > 14 || options.leaf < 1)
    throw std::logic_error("a tree of that depth or with such leaves is not possible");
  Policy out = policy;
  out.kind = Kind::tree;
  out.arithmetic = Arithmetic::float32;
  out.layers.clear();
  out.nodes.clear();
  out.provenance["parent"] = digest(policy);
  std::vector<std::uint32_t> all(samples.size());
  std::iota(all.begin(), all.end(), 0u);
  Grower(samples, policy.width(), options, out.nodes).grow(std::move(all), options.depth);
  check(out);
  return out;
}

}  // namespace weir::policy
