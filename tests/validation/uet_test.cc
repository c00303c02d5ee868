// Weir's physics beside the rules of uet-htsim. The replica stands for that simulator, which it repeats to the digit
// (tests/replica). docs/evidence/validation.md tells which rule makes which difference; these tests compute the table
// of differences in docs/evidence/validation-details.md, and hold them to what the replica gives when its rules are
// changed to Weir's.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "tests/support/command.h"
#include "tests/support/document.h"
#include "tests/validation/artifact.h"
#include "weir/base/text_file.h"
#include "weir/import/htsim_import.h"
#include "weir/scenario/build.h"

namespace weir::validation::uet_test {
namespace {

// In percent, with its standard error.
struct Difference {
  double value = 0;
  double error = 0;
};

// Options of htsim_uec. "{}" is this folder's path; each run has the seeds 1 to `seeds`.
struct UetRun {
  std::string name;
  std::string options;
  int seeds = 0;
  bool quick = true;
  // What the replica differs by from itself when its rules are changed to Weir's, measured once with these seeds.
  Difference mean_by_rules;
  Difference max_by_rules;
};
void PrintTo(const UetRun& run, std::ostream* out) { *out << run.name; }

const std::string kDrops = " -mtu 4160 -q 192 -ecn 10 10 -disable_trim -target_q_delay 1 -sender_cc_only";
const std::string kTrims = " -mtu 4160 -sender_cc_only";
const std::string kSmall = " -topo {}ft16.topo -linkspeed 400000";
const std::string kLarge = " -topo {}ft128.topo -linkspeed 400000";
const std::string kReps = " -load_balancing_algo reps";
const std::string kOps = " -load_balancing_algo oblivious";

std::vector<UetRun> uet_runs() {
  return {
      {"permutation of 16, oblivious", "-tm {}perm16.cm" + kSmall + kDrops + kOps, 10, true, {-1.6, 0.5}, {-2.7, 0.3}},
      {"permutation of 16, REPS", "-tm {}perm16.cm" + kSmall + kDrops + kReps, 10, true, {-1.5, 1.4}, {-0.4, 1.1}},
      {"permutation of 16, adaptive routing",
       "-tm {}perm16.cm" + kSmall + kDrops + " -strat ecmp_ar",
       10,
       true,
       {-0.1, 0.8},
       {2.3, 2.6}},
      {"permutation of 16, round robin",
       "-tm {}perm16.cm" + kSmall + kDrops + " -strat ecmp_rr",
       10,
       true,
       {-8.2, 0.9},
       {-23.3, 2.0}},
      {"permutation of 16, oblivious, trimming",
       "-tm {}perm16.cm" + kSmall + kTrims + kOps,
       10,
       true,
       {0.1, 0.0},
       {0.1, 0.1}},
      {"permutation of 16, REPS, trimming",
       "-tm {}perm16.cm" + kSmall + kTrims + kReps,
       10,
       true,
       {-0.1, 0.2},
       {-0.1, 0.7}},
      {"mix of 16, oblivious", "-tm {}mix16.cm" + kSmall + kDrops + kOps, 10, true, {-0.7, 0.2}, {-1.0, 0.2}},
      {"mix of 16, REPS", "-tm {}mix16.cm" + kSmall + kDrops + kReps, 10, true, {-0.3, 0.3}, {0.1, 0.7}},
      {"mix of 16 and an incast, oblivious",
       "-tm {}mixincast16.cm" + kSmall + kDrops + kOps,
       10,
       true,
       {3.0, 0.8},
       {5.4, 1.0}},
      {"mix of 16 and an incast, oblivious, trimming",
       "-tm {}mixincast16.cm" + kSmall + kTrims + kOps,
       10,
       true,
       {-0.1, 0.1},
       {-1.0, 0.4}},
      {"mix of 16 and an incast, REPS, trimming",
       "-tm {}mixincast16.cm" + kSmall + kTrims + kReps,
       10,
       true,
       {-0.2, 0.2},
       {-0.7, 0.7}},
      {"mix of 32, 100 and 400 Gb/s, oblivious",
       "-tm {}mix32.cm -topo {}rates32.topo -linkspeed 100000" + kDrops + kOps,
       10,
       true,
       {-0.7, 0.1},
       {-2.0, 0.8}},
      {"mix of 32, 100 and 400 Gb/s, REPS",
       "-tm {}mix32.cm -topo {}rates32.topo -linkspeed 100000" + kDrops + kReps,
       10,
       true,
       {-0.6, 0.1},
       {-1.4, 0.6}},
      {"permutation of 128, oblivious",
       "-tm {}perm128.cm" + kLarge + kDrops + kOps,
       6,
       false,
       {-2.0, 0.2},
       {-1.8, 0.4}},
      {"permutation of 128, REPS", "-tm {}perm128.cm" + kLarge + kDrops + kReps, 6, false, {-2.8, 0.4}, {-3.1, 3.0}},
      {"permutation of 128, adaptive routing",
       "-tm {}perm128.cm" + kLarge + kDrops + " -strat ecmp_ar",
       3,
       false,
       {-2.7, 1.0},
       {-7.4, 0.7}},
      {"permutation of 128, round robin",
       "-tm {}perm128.cm" + kLarge + kDrops + " -strat ecmp_rr",
       3,
       false,
       {-6.6, 0.3},
       {-20.6, 3.2}},
      {"permutation of 128, oblivious, trimming",
       "-tm {}perm128.cm" + kLarge + kTrims + kOps,
       4,
       false,
       {0.1, 0.0},
       {1.2, 0.6}},
      {"permutation of 128, REPS, trimming",
       "-tm {}perm128.cm" + kLarge + kTrims + kReps,
       4,
       false,
       {0.1, 0.2},
       {-0.7, 0.6}},
      {"mix of 128 and an incast, oblivious, trimming",
       "-tm {}mix128.cm" + kLarge + kTrims + kOps,
       3,
       false,
       {0.2, 0.3},
       {-1.6, 0.9}},
      {"mix of 128 and an incast, REPS, trimming",
       "-tm {}mix128.cm" + kLarge + kTrims + kReps,
       3,
       false,
       {0.0, 0.2},
       {-0.1, 1.5}},
      {"permutation of 250, oblivious",
       "-tm {}perm250.cm -linkspeed 400000 -hop_latency 0.5" + kDrops + kOps,
       3,
       false,
       {-1.9, 0.2},
       {-1.3, 1.4}},
      {"permutation of 250, REPS",
       "-tm {}perm250.cm -linkspeed 400000 -hop_latency 0.5" + kDrops + kReps,
       3,
       false,
       {-2.4, 0.8},
       {0.1, 5.4}},
      {"mix of 256, 100 and 400 Gb/s, oblivious",
       "-tm {}mix256.cm -topo {}rates256.topo -linkspeed 100000" + kDrops + kOps,
       3,
       false,
       {-0.4, 0.2},
       {-1.7, 1.9}},
      {"mix of 256, 100 and 400 Gb/s, REPS",
       "-tm {}mix256.cm -topo {}rates256.topo -linkspeed 100000" + kDrops + kReps,
       3,
       false,
       {-0.4, 0.0},
       {1.2, 0.7}},
      {"incast of 8 to one of 128, oblivious",
       "-tm data/reference/htsim/inc8_2M.cm -topo data/reference/htsim/ft128.topo -linkspeed 800000" + kDrops + kOps,
       4,
       true,
       {-1.4, 1.2},
       {-9.0, 1.5}},
      {"incast of 32 to one of 128, oblivious",
       "-tm data/reference/htsim/incast32_8M_s1.cm -topo data/reference/htsim/ft128.topo -linkspeed 800000" + kDrops +
           kOps,
       3,
       false,
       {4.3, 2.4},
       {-5.0, 1.8}},
  };
}

std::vector<std::string> arguments_of(const UetRun& run, int seed) {
  const std::string folder = "tests/validation/uet/";
  std::istringstream in(run.options + fmt::format(" -end 100000 -seed {}", seed));
  std::vector<std::string> out;
  for (std::string word; in >> word;) out.push_back(word.starts_with("{}") ? folder + word.substr(2) : word);
  return out;
}

struct Completion {
  double mean = 0;  // us
  double max = 0;
  std::size_t flows = 0;
};

Completion completion_of(const std::vector<std::string>& arguments, bool exact) {
  const scenario::HtsimImportOptions options{
      .exact = exact, .connections_name = "a.csv", .program_name = "a.csv", .graph_name = "a.graph"};
  const auto made = scenario::import_htsim(arguments, options, read_text_file);
  const app::Folder folder("uet");
  std::ofstream(folder / "a.csv") << made.connections;
  std::ofstream(folder / "a.graph") << made.graph;
  std::ofstream(folder / "a.toml") << made.toml;
  const scenario::Run run = scenario::build(scenario::load_scenario_file(folder / "a.toml"));
  Completion out;
  run.simulation->on_finish([&](const host::FlowRecord& f) {
    const double us = static_cast<double>((f.finish - f.start).ps) / 1e6;
    out.mean += us;
    out.max = std::max(out.max, us);
    ++out.flows;
  });
  while (!run.simulation->advance()) {
  }
  out.mean /= static_cast<double>(out.flows);
  return out;
}

double mean_of(const std::vector<double>& values) {
  double sum = 0;
  for (const double v : values) sum += v;
  return sum / static_cast<double>(values.size());
}

// Of `ours` to `theirs`, seed by seed.
Difference difference_of(const std::vector<double>& ours, const std::vector<double>& theirs) {
  std::vector<double> percent;
  for (std::size_t i = 0; i < ours.size(); ++i) percent.push_back(100 * (ours[i] / theirs[i] - 1));
  const double mean = mean_of(percent);
  double squares = 0;
  for (const double p : percent) squares += (p - mean) * (p - mean);
  const auto n = static_cast<double>(percent.size());
  return {mean, std::sqrt(squares / (n - 1) / n)};
}

std::string cell(Difference d) { return fmt::format("{:+.1f} +- {:.1f} %", d.value, d.error); }

class UetPhysics : public testing::TestWithParam<UetRun> {};

// All flows end, and what the rules do not explain is chance.
TEST_P(UetPhysics, DiffersByTheRules) {
  const UetRun& run = GetParam();
  if (!run.quick && !all_runs()) GTEST_SKIP() << "takes long; WEIR_VALIDATION=all runs it";
  std::vector<double> means[2];
  std::vector<double> largest[2];
  for (int seed = 1; seed <= run.seeds; ++seed) {
    const auto arguments = arguments_of(run, seed);
    const Completion theirs = completion_of(arguments, false);
    const Completion ours = completion_of(arguments, true);
    ASSERT_EQ(ours.flows, theirs.flows);
    means[0].push_back(theirs.mean);
    means[1].push_back(ours.mean);
    largest[0].push_back(theirs.max);
    largest[1].push_back(ours.max);
  }
  const Difference mean = difference_of(means[1], means[0]);
  const Difference max = difference_of(largest[1], largest[0]);
  EXPECT_LT(std::abs(mean.value - run.mean_by_rules.value), 3 * std::hypot(mean.error, run.mean_by_rules.error));
  EXPECT_LT(std::abs(max.value - run.max_by_rules.value), 3 * std::hypot(max.error, run.max_by_rules.error));
  expect_row(
      "docs/evidence/validation-details.md", "Weir's physics", run.name,
      {std::to_string(run.seeds), fmt::format("{:.1f} / {:.1f}", mean_of(means[1]), mean_of(means[0])), cell(mean),
       cell(run.mean_by_rules), fmt::format("{:.1f} / {:.1f}", mean_of(largest[1]), mean_of(largest[0])), cell(max),
       cell(run.max_by_rules)});
}

std::string identifier(std::string name) {
  name.erase(std::remove_if(name.begin(), name.end(), [](unsigned char c) { return std::isalnum(c) == 0; }),
             name.end());
  return name;
}
INSTANTIATE_TEST_SUITE_P(Runs, UetPhysics, testing::ValuesIn(uet_runs()),
                         [](const auto& of) { return identifier(of.param.name); });

}  // namespace
}  // namespace weir::validation::uet_test
