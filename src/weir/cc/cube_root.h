// The cube root with the same bits on every machine, unlike a library's cbrt.
#pragma once

#include <bit>
#include <cstdint>

namespace weir::cc {

// Within one unit in the last place, and exact for the cubes of whole numbers. x = 0, or a normal x > 0.
constexpr double cube_root(double x) {
  if (x == 0) return 0;
  // The bits of a double are nearly its logarithm. A third of them, with two thirds of the exponent's bias put back,
  // is a guess within 6 %; each of Halley's steps triples its digits.
  constexpr std::uint64_t kBias = std::uint64_t{1'023 / 3 * 2} << 52;
  double y = std::bit_cast<double>(std::bit_cast<std::uint64_t>(x) / 3 + kBias);
  for (int step = 0; step < 2; ++step) {
    const double cube = y * y * y;
    y *= (cube + 2 * x) / (2 * cube + x);
  }
  // A step of Newton's: its correction is so small that its own rounding does not matter.
  return y - (y - x / (y * y)) / 3;
}

}  // namespace weir::cc
