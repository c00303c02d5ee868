#include "weir/base/divisor.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

namespace weir {
namespace {

TEST(Divisor, DividesAsTheProcessorDoes) {
  std::mt19937_64 random(1);
  const auto number = [&] { return static_cast<std::int64_t>(random() >> 1 >> random() % 63); };
  for (int i = 0; i < 200'000; ++i) {
    const std::int64_t by = std::max<std::int64_t>(1, number());
    const Divisor divisor(by);
    ASSERT_EQ(divisor.value(), by);
    for (const std::int64_t n : {number(), number() / by * by, std::max<std::int64_t>(0, number() / by * by - 1)})
      ASSERT_EQ(divisor.quotient(n), n / by) << n << " / " << by;
  }
}

TEST(Divisor, AtTheEnds) {
  constexpr std::int64_t kHalf = std::int64_t{1} << 32;
  constexpr std::int64_t kMost = std::numeric_limits<std::int64_t>::max();
  for (const std::int64_t by :
       {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, std::int64_t{1'000}, kHalf - 1, kHalf, kMost})
    for (const std::int64_t n : {std::int64_t{0}, by - 1, by, kHalf - 1, kHalf, kHalf + 1, kMost - 1, kMost})
      EXPECT_EQ(Divisor(by).quotient(n), n / by) << n << " / " << by;
}

}  // namespace
}  // namespace weir
