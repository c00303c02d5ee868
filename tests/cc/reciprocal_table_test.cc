#include "weir/cc/reciprocal_table.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace weir::cc::reciprocal_table_test {
namespace {

TEST(ReciprocalTable, WithoutEpsilonThereIsNone) {
  EXPECT_TRUE(ReciprocalTable().empty());
  EXPECT_EQ(static_cast<double>(ReciprocalTable(0.01)), 0.01);
}

// epsilon = 0.25: n_k+1 = ceil(n_k / 0.75): 1, 2, 3, 4, 6 (5.33), 8, 11 (10.67), 15 (14.67).
TEST(ReciprocalTable, KeepsReciprocalsThatAreFarEnoughApart) {
  const ReciprocalTable table(0.25);
  for (const auto& [n, stored] : {std::pair{1u, 1},
                                  {2u, 2},
                                  {3u, 3},
                                  {4u, 4},
                                  {5u, 4},
                                  {6u, 6},
                                  {7u, 6},
                                  {8u, 8},
                                  {10u, 8},
                                  {11u, 11},
                                  {14u, 11},
                                  {15u, 15}})
    EXPECT_FLOAT_EQ(static_cast<float>(table.reciprocal(n)), 1 / static_cast<float>(stored)) << n;
}

// The number of entries follows from the recursion alone; these were counted independently.
TEST(ReciprocalTable, Sizes) {
  for (const auto& [epsilon, entries] : {std::pair{0.001, 8915u},
                                         {0.002, 4802u},
                                         {0.004, 2572u},
                                         {0.005, 2101u},
                                         {0.01, 1117u},
                                         {0.02, 590u},
                                         {0.05, 251u}})
    EXPECT_EQ(ReciprocalTable(epsilon).size(), entries) << epsilon;
}

// A3: 10 KB for all n up to 2^22. With entries of 4 bytes, and an error of at most 0.45 % for each n.
TEST(ReciprocalTable, TenKilobytesAreEnough) {
  const ReciprocalTable table(0.0044);
  EXPECT_LE(table.size() * 4, 10'000u);
  double worst = 0;
  double best = 0;
  for (std::uint32_t n = 1; n <= ReciprocalTable::kLargest; ++n) {
    const double error = table.reciprocal(n) * n - 1;
    worst = std::max(worst, error);
    best = std::min(best, error);
  }
  EXPECT_LE(worst, 0.0045);
  EXPECT_GT(worst, 0.004);
  EXPECT_GE(best, -1e-7);  // single precision; never too small otherwise
}

TEST(ReciprocalTable, DividesFractions) {
  const ReciprocalTable table(0.0044);
  for (const double x : {0.01, 0.5, 0.95, 1.0, 1.7, 64.0, 255.9})
    EXPECT_NEAR(table.inverse(x) * x, 1, 0.0045 + 1 / (16'384 * x)) << x;
  EXPECT_EQ(table.inverse(1e9), table.inverse(256));
  EXPECT_EQ(table.inverse(1e-9), 16'384);
}

}  // namespace
}  // namespace weir::cc::reciprocal_table_test
