// The standard figures of results, drawn as the papers do: slowdown by flow size, distributions, time series.
#pragma once

#include <span>
#include <vector>

#include "weir/figure/figure.h"
#include "weir/report/run.h"

namespace weir::report {

using figure::Figure;
using figure::Series;

// So many runs can be told apart in one figure.
inline constexpr std::size_t kMaxCompared = 12;
// A longer series is thinned, those of a stack earlier: they are many, and areas.
inline constexpr std::size_t kMaxPoints = 20'000;
inline constexpr std::size_t kMaxStackPoints = 2'000;

// Those for which the runs have data. Of one run a figure shows its parts (percentiles, tiers, ports), of several a
// series per run.
std::vector<Figure> standard_figures(std::span<const Run> runs);

}  // namespace weir::report
