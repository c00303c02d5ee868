#include "weir/learn/adam.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace weir::learn {

void Adam::step(std::span<double> weights, std::span<const double> gradients, double rate) {
  assert(weights.size() == first_.size() && gradients.size() == first_.size());
  const Options& o = options_;
  first_power_ *= o.first_decay;
  second_power_ *= o.second_decay;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    const double g = o.clip > 0 ? std::clamp(gradients[i], -o.clip, o.clip) : gradients[i];
    first_[i] = o.first_decay * first_[i] + (1 - o.first_decay) * g;
    second_[i] = o.second_decay * second_[i] + (1 - o.second_decay) * g * g;
    const double mean = first_[i] / (1 - first_power_);
    const double square = second_[i] / (1 - second_power_);
    weights[i] -= rate * mean / (std::sqrt(square) + o.epsilon);
  }
}

}  // namespace weir::learn
