// weir theory max-min, alpha-fair and pareto: the rates of flows on links, from a file.
#pragma once

#include <string>

#include "weir/base/params.h"

namespace weir::app {

struct ParetoOptions {
  double target = 1;
  Rate increase;
  std::uint32_t steps = 0;

  static void describe(ParamList<ParetoOptions>& p) {
    p.number("target", &ParetoOptions::target, 0.01, 1, "share of the capacities to fill", "HPCC A.2");
    p.rate("increase", &ParetoOptions::increase, "added to a flow's rate in each step", "HPCC A.3");
    p.integer("steps", &ParetoOptions::steps, 0, 10'000, "also print the rates after each of the first steps");
  }
};

// Each prints a table, or JSON, and returns the exit status.
int max_min_command(const std::string& file, bool json);
int alpha_fair_command(const std::string& file, const std::string& alpha, bool json);
int pareto_command(const std::string& file, const ParetoOptions& options, bool json);

}  // namespace weir::app
