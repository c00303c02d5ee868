// What the directory of a sweep says, apart from its runs and figures.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "weir/result/sweep.h"

namespace weir::report {

// A sweep's runs, told together.
struct Study {
  // Of how many values a percentile of a point is, in its runs.
  struct Count {
    std::uint64_t fewest = 0;
    std::uint64_t most = 0;
    bool few = false;  // so few in some run that the percentile is the largest of them
  };

  std::string name;
  std::size_t runs = 0;  // planned
  std::size_t done = 0;
  std::vector<std::pair<std::string, std::string>> failed;  // run, message
  std::vector<std::string> columns;                         // of points.csv
  std::vector<std::string> units;                           // of each of them; "" = a label of an axis
  std::vector<std::string> words;                           // what each of them is of; "" = not known
  std::vector<std::string> better;             // of which the "lower" or "higher" value is better; "" = not known
  std::vector<std::vector<std::size_t>> best;  // by column: rows that are the best of those with the same task
  std::vector<std::vector<std::string>> points;
  // By column and point; empty, for a column that is no percentile, or where it is not known.
  std::vector<std::vector<std::optional<Count>>> counts;
};

struct StudyResult {
  Study study;  // without its points
  std::vector<result::SweepRun> done;
  nlohmann::ordered_json sweep;  // the document sweep.json; an empty object if there is none
};

// From runs.csv, sweep.json and what failed. Throws InputError.
StudyResult read_study(const std::string& directory, const std::string& name);
// The points from points.csv, if it is there. Throws InputError, and leaves the study without points.
void read_points(const std::string& directory, StudyResult& to);

}  // namespace weir::report
