#include "weir/cc/cube_root.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <random>

namespace weir::cc::cube_root_test {
namespace {

TEST(CubeRoot, OfCubesIsExact) {
  EXPECT_EQ(cube_root(0), 0);
  for (std::int64_t n = 1; n <= 208'063; ++n) {  // 208,063^3 < 2^53
    const auto cube = static_cast<double>(n * n * n);
    ASSERT_EQ(cube_root(cube), static_cast<double>(n));
  }
  // Powers of two, up and down: 2^-300 to 2^300.
  for (int e = -100; e <= 100; ++e) EXPECT_EQ(cube_root(std::ldexp(1.0, 3 * e)), std::ldexp(1.0, e));
}

// Against a root of more digits, in units of the last place of a double.
TEST(CubeRoot, IsWithinOneUnitInTheLastPlace) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200'000; ++i) {
    const double mantissa = 1 + static_cast<double>(random() >> 11) * 0x1.0p-53;
    const double x = std::ldexp(mantissa, static_cast<int>(random() % 200) - 100);
    const long double root = std::cbrt(static_cast<long double>(x));
    const auto nearest = static_cast<double>(root);
    const double unit = std::nextafter(nearest, std::numeric_limits<double>::infinity()) - nearest;
    ASSERT_LE(std::fabs(static_cast<long double>(cube_root(x)) - root), static_cast<long double>(unit)) << x;
  }
}

// The same bits everywhere: also while compiling.
static_assert(cube_root(27.0) == 3.0);
static_assert(cube_root(2.0) == 0x1.428a2f98d728bp+0);

}  // namespace
}  // namespace weir::cc::cube_root_test
