// The groups of standard figures, each from one kind of file, and what they share. Internal to those who make figures.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "weir/report/figures.h"

namespace weir::report {

inline constexpr std::size_t kMaxQuantiles = 4'000;  // points of a distribution

// The share of values up to each, with a step per distinct value.
Series distribution(std::vector<double> values);

// Each appends what the runs have data for.
void add_flow_figures(std::span<const Run> runs, std::vector<Figure>& to);
void add_queue_cdf(std::span<const Run> runs, std::vector<Figure>& to);
void add_rates(const Run& run, bool alone, std::vector<Figure>& to);
void add_fairness(std::span<const Run> runs, std::vector<Figure>& to);
// A column of a file with a row per time and port.
struct PortColumn {
  // By what ports are chosen, where one run has too many.
  enum class Rank { largest, mean };

  std::string file;
  std::string name;
  std::string what;  // for people
  Rank rank = Rank::largest;
};
void add_ports(std::span<const Run> runs, const PortColumn& column, Figure figure, std::vector<Figure>& to);

}  // namespace weir::report
