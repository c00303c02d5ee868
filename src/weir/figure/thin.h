// Fewer points, where a figure has more than anybody can see.
#pragma once

#include <cstddef>

#include "weir/figure/figure.h"

namespace weir::figure {

// What is kept of a series that has too many points.
enum class Keep {
  // The first and the last point, and of each of `points` / 2 bins of equally many points the lowest and the highest;
  // in a series with gaps, of each of `points` / 3 bins one point without a value as well.
  extremes,
  // Every k-th point from the first, with the least k that leaves no more than `points`.
  every_kth,
};

// False, and nothing changes, if the series has no more than `points`.
bool thin(Series& series, std::size_t points, Keep keep = Keep::extremes);

// The same, with the extremes, for all series of lines, steps or dots. Those of a stack become means of neighbouring
// points, so that their sums are kept, if all of them have the same places. The caption says so. What becomes of a kind
// is its Kind::shorter; all others stay as they are.
void thin(Figure& figure, std::size_t points);

}  // namespace weir::figure
