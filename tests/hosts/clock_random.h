// Random numbers of tests, the same everywhere: the standard's distributions are not.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>

namespace weir::hosts::clock {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t bits() { return engine_(); }
  std::uint64_t below(std::uint64_t limit) { return engine_() % limit; }
  double uniform() { return static_cast<double>(engine_() >> 11) * 0x1p-53; }
  double uniform(double least, double most) { return least + (most - least) * uniform(); }
  double exponential(double mean) { return -mean * std::log(1 - uniform()); }
  double normal(double deviation) {
    return deviation * std::sqrt(-2 * std::log(1 - uniform())) * std::cos(2 * 3.14159265358979323846 * uniform());
  }

 private:
  std::mt19937_64 engine_;
};

}  // namespace weir::hosts::clock
