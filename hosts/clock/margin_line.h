// The line between two sets of points that keeps the largest distance, measured vertically, from both: what a linear
// support vector machine with a hard margin finds (Huygens, section 4.2), exactly and in linear time.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace weir::hosts::clock {

struct Dot {
  double x = 0;
  double y = 0;
};

struct MarginLine {
  double x = 0;  // where the sets are closest
  double y = 0;  // half way between them there
  double slope = 0;
  double margin = 0;  // half their distance there; negative where the sets overlap
  // The points that hold it: one or two of either set.
  std::vector<std::size_t> upper;
  std::vector<std::size_t> lower;

  double at(double where) const { return y + slope * (where - x); }
};

// Both sets sorted by x, their coordinates below 2^53 in products. Nothing if they share no x: then the distance has no
// maximum. Where several slopes are as good, the one in the middle.
//
// Why hulls do: the distance of the sets along a slope s is f(s) = min over the upper set of (y - s x) - max over the
// lower set of (y - s x), a concave function. Its largest value is the smallest vertical distance between the lower
// hull of the upper set and the upper hull of the lower set, which is at a corner of one of them; there s is a slope
// that supports both.
std::optional<MarginLine> max_margin(std::span<const Dot> upper, std::span<const Dot> lower);

// The heights at `x` of all lines that keep `margin` or more from both sets. If the sets were measured around a line
// that is this far from both at least, that line is one of them: so this is what it may be wrong by. Slopes are looked
// for within `steepest` of that of the widest line. Nothing if there is no such line.
struct Heights {
  double least = 0;
  double most = 0;
};
std::optional<Heights> heights(std::span<const Dot> upper, std::span<const Dot> lower, const MarginLine& widest,
                               double margin, double x, double steepest);

// The places of the corners of the hulls that face each other: they stand for the sets in all of the above. Rising.
std::vector<std::size_t> facing_upper(std::span<const Dot> upper);
std::vector<std::size_t> facing_lower(std::span<const Dot> lower);

// The same as max_margin where some points are wrong: as long as the sets overlap, the point is dropped whose loss
// widens the distance most, and then as long as a single point takes away more than many others. `allowed` points at
// most are dropped; nothing if the sets still overlap then.
struct SoftMarginLine {
  MarginLine line;
  std::vector<std::size_t> dropped_upper;  // sorted
  std::vector<std::size_t> dropped_lower;
};
std::optional<SoftMarginLine> soft_margin(std::span<const Dot> upper, std::span<const Dot> lower, std::size_t allowed);

}  // namespace weir::hosts::clock
