// The runs of a study, in order: points in order of the axes, seeds within each.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "weir/scenario/scenario.h"
#include "weir/study/study.h"

namespace weir::study {

struct PlannedRun {
  std::string name;       // of its directory: labels and the seed, joined by '+'
  std::size_t point = 0;  // of the plan's
  std::uint64_t seed = 0;
  std::uint32_t perturbation = 0;  // run.perturbation
};

struct Plan {
  Study study;
  std::vector<Point> points;
  std::size_t seeds = 1;  // runs of each point: seeds; or, of a perturbed study, the plain one and those perturbed
  std::vector<PlannedRun> runs;                      // of point i: i * seeds, i * seeds + 1...
  std::map<std::string, scenario::Value> documents;  // by the name that the study has for the file; "" = inline

  // Throws InputError that names the study's line and the point.
  scenario::Scenario scenario(std::size_t run) const;
  // "load=0.3, algorithm=HPCC, seed 2"
  std::string describe(std::size_t run) const;
  // The run with the labels of a measure of pairs instead of its own, and the same seed.
  std::size_t base_of(std::size_t run, const Measure& measure) const;
  // The names of scenario files, as the study has them.
  std::vector<std::string> scenario_files() const;
  // The names of files that a run has to keep.
  std::vector<std::string> kept_files() const;
};

// Whether a profile of some run has this algorithm.
bool runs_algorithm(const Plan& plan, std::string_view name);

// Reads the scenario files and checks the scenario of each run. A perturbed study leaves out perturbations by which the
// scenario of no point changes.
Plan make_plan(Study study);

// The runs of points that have all these labels: "load=0.3,algorithm=HPCC"; "" = all. Throws InputError that names
// --only.
std::vector<std::size_t> runs_with(const Plan& plan, const std::string& only);

// A warning of scenario::warnings() about the scenarios of some points.
struct Notice {
  std::string text;  // as the first of these points has it
  std::string
      points;  // of which points: describe_points(); and which the numbers in `text` are of, if others have others
};
struct PointWarnings {
  std::size_t point = 0;
  std::vector<std::string> texts;
  std::vector<std::string> unused;  // those of them that tell of values without effect (scenario/unused.h)
};
// Each text once, in order of the first point that has it. Texts that differ in numbers alone are one. A value without
// effect is told of only if it has none at any point of the plan: a study may write it for some of its points.
std::vector<Notice> notices_of(const Plan& plan, const std::vector<PointWarnings>& warnings);

// To compare texts that may differ in times, counts and node numbers alone: the text without its digits.
std::string without_numbers(std::string text);

// The i-th of n that share a study's runs.
struct Shard {
  std::size_t i = 1;
  std::size_t n = 1;
};
// "i/n"; "" = all of it. Throws InputError that names --shard.
Shard parse_shard(const std::string& text);
// Of these, every n-th one beginning with the i-th.
std::vector<std::size_t> shard_of(const std::vector<std::size_t>& runs, const Shard& shard);

}  // namespace weir::study
