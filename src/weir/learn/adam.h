// Adam (Kingma and Ba, ICLR 2015), with each number of a gradient limited before.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace weir::learn {

class Adam {
 public:
  struct Options {
    double clip = 0.5;  // of each number of a gradient; 0 = none
    double first_decay = 0.9;
    double second_decay = 0.999;
    double epsilon = 1e-5;
  };

  Adam(std::size_t weights, const Options& options) : options_(options), first_(weights), second_(weights) {}

  // One step down the gradient.
  void step(std::span<double> weights, std::span<const double> gradients, double rate);

  template <class A>
  void archive(A& a) {
    a.values(first_);
    a.values(second_);
    a.value(first_power_);
    a.value(second_power_);
  }

 private:
  Options options_;
  std::vector<double> first_;
  std::vector<double> second_;
  double first_power_ = 1;  // first_decay to the number of steps
  double second_power_ = 1;
};

}  // namespace weir::learn
