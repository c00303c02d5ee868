// The one generator that all of uet-htsim draws from: its rand(), random() and drand() are the Mersenne twister of
// <random>, cut to 31 bits, so that a seed gives the same run here and there.
#pragma once

#include <cstdint>
#include <random>

namespace weir::replica::uet {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(static_cast<std::uint32_t>(seed)) {}

  std::uint32_t bits() { return static_cast<std::uint32_t>(engine_()) & kMost; }
  std::uint32_t below(std::uint32_t n) { return bits() % n; }
  double uniform() { return static_cast<double>(bits()) / static_cast<double>(kMost); }  // 0 and 1 are possible

  static constexpr std::uint32_t kMost = 0x7fffffff;

 private:
  std::mt19937 engine_;
};

}  // namespace weir::replica::uet
