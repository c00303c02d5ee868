// Rates compared one by one.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

namespace weir::theory {

// Each rate is `wanted` but for `relative` of it.
inline void expect_near(const std::vector<double>& got, const std::vector<double>& wanted, double relative) {
  ASSERT_EQ(got.size(), wanted.size());
  for (std::size_t j = 0; j < got.size(); ++j) EXPECT_NEAR(got[j], wanted[j], relative * wanted[j]) << "flow " << j;
}

}  // namespace weir::theory
