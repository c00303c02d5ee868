// How long collectives and steps of training take in two results, and by what their hosts spend that time, as weir run
// tells it.
#pragma once

#include <string>
#include <vector>

#include <nlohmann/json.hpp>

namespace weir::app {

// A time of a collective in both results: until all is received, or what its hosts spend on something in the mean.
struct ComparedTime {
  std::string collective;
  std::string activity;         // "" = until all is received
  std::vector<double> base_ps;  // of each pair of runs; NaN = it is not complete
  std::vector<double> other_ps;

  double mean_base_ps() const;
  double mean_other_ps() const;
  double ratio() const { return mean_other_ps() / mean_base_ps(); }
};

// Adds those of a pair of runs, by their summary.json. Collectives are the same if they have the same tag and place.
void add_times(std::vector<ComparedTime>& to, const nlohmann::ordered_json& base, const nlohmann::ordered_json& other);

// A table; "" without collectives.
std::string to_text(const std::vector<ComparedTime>& times);
nlohmann::ordered_json to_json(const std::vector<ComparedTime>& times);

}  // namespace weir::app
