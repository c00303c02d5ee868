// The number that stands where there is none.
#pragma once

#include <limits>

namespace weir::result {

// Where a measure, a statistic or a point of a figure has no value: tests with std::isnan, JSON has null for it, CSV
// nothing.
inline constexpr double kNoValue = std::numeric_limits<double>::quiet_NaN();

}  // namespace weir::result
