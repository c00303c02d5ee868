// The measures of a study by point and seed, and the tables they are told in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "weir/study/plan.h"

namespace weir::study {

// What has become of a run.
struct Record {
  enum class Status { missing, done, failed };
  Status status = Status::missing;
  std::string message;  // why it failed, or why the result that is there does not count
  double wall_s = 0;
  double cpu_s = 0;
  std::uint64_t max_rss_bytes = 0;
  std::uint64_t unfinished = 0;  // flows that had started when the run ended, and not finished
  std::vector<Values> measures;  // of the study's measures, if it is done
  std::vector<double> counts;    // ... that are percentiles: of how many values; NaN for others; or empty
};

inline constexpr std::string_view kAnyLabel = "*";  // instead of a label: all of the axis, or of all axes not named

struct Measurements {
  Study study;
  std::vector<Point> points;
  std::vector<PlannedRun> planned;
  std::size_t seeds = 1;
  std::vector<Record> runs;  // as in the plan

  struct Selection {
    std::vector<std::size_t> points;  // in order, at least one
    Labels taken;                     // of `otherwise`
  };
  // The points that have all these labels, and those of `otherwise` whose axes these do not name. Throws InputError
  // that names what is unknown, or left open without a kAnyLabel.
  Selection select(const Labels& labels, const Labels& otherwise = {}) const;
  // Of the runs of a point: how many are done, and how many unfinished flows they have together.
  std::size_t runs_done(std::size_t point) const;
  std::uint64_t unfinished(std::size_t point) const;
  // Empty if the run is not there; NaN where it has no value.
  const Values& values(std::size_t point, std::size_t seed, std::size_t measure) const;
  // Of a percentile at this point: of how few and how many values it is in its runs; nothing if that is not known.
  std::optional<std::pair<double, double>> counts(std::size_t point, std::size_t measure) const;
  // Whether a percentile stands on so few values, in some run, that it is the largest of them.
  bool is_the_largest(std::size_t point, std::size_t measure) const;
  // The same of the first run of each point alone: that of the first seed, or the one that is not perturbed.
  Measurements of_first_runs() const;
  // The same of the points of one axis that have this label alone, as if the study had not that axis.
  Measurements with(std::size_t axis, std::size_t label) const;
  // Mean and confidence interval over seeds of a single value, the geometric ones where Measure::is_geometric();
  // nothing if no run has it.
  std::optional<Interval> over_seeds(std::size_t point, std::size_t measure) const;
  // Of the points with the same traffic and topology, the one with the best mean (Measure::better()), of each such
  // group that has one whose interval lies apart from those of all others; in order. A single seed has no interval, and
  // its mean stands for it. Empty if it is not known what is better.
  std::vector<std::size_t> best(std::size_t measure) const;
};

// Without results, to look up labels.
Measurements no_measurements(const Plan& plan);
// Whatever is there of the plan's runs in DIR/runs and DIR/failed. `warnings` tells of results of another scenario or
// version, which do not count, of runs with unfinished flows, and of measures that no run has.
Measurements collect(const Plan& plan, const std::string& dir, std::vector<std::string>* warnings = nullptr);

// The texts of runs.csv and points.csv.
std::string runs_csv(const Measurements& measured);
std::string points_csv(const Measurements& measured);
// The text of sweep.json: how many runs there are, the units of measures, what they are in words, which values are
// better, and of how many values percentiles are.
std::string sweep_json(const Measurements& measured);
// points.csv for people: each measure in a unit in which its largest value is short, and the best point of each marked.
// An interval that says nothing (is_informative()) is "n/a" there.
std::string to_text(const Measurements& measured);

// "0.1234": 10 significant digits; "" for none.
std::string number_text(double value);

}  // namespace weir::study
