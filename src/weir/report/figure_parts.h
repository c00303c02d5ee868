// The groups of standard figures, each from one kind of file. Internal to figures.cc and its parts.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "weir/report/figures.h"

namespace weir::report {

inline constexpr std::size_t kMaxQuantiles = 4'000;  // points of a distribution

bool has_values(const Figure& figure);

// Each appends what the runs have data for.
void add_flow_figures(std::span<const Run> runs, std::vector<Figure>& to);
void add_queue_cdf(std::span<const Run> runs, std::vector<Figure>& to);
void add_rates(const Run& run, bool alone, std::vector<Figure>& to);
void add_fairness(std::span<const Run> runs, std::vector<Figure>& to);
// Of a file with a row per time and port; `what` is the column's name for people.
void add_ports(std::span<const Run> runs, const std::string& file, const std::string& column, Figure figure,
               const std::string& what, std::vector<Figure>& to);

}  // namespace weir::report
