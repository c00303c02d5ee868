// The figures of papers that are studies: run, drawn, and their claims judged.
#pragma once

#include <string>
#include <vector>

#include "weir/claims/claim.h"
#include "weir/study/paper.h"
#include "weir/sweep/sweep.h"

namespace weir::app {

struct PaperOptions {
  std::string out = "out/papers";  // a figure's results go to OUT/PAPER/NAME
  int jobs = 2;
  std::uint64_t memory = 0;
  bool fresh = false;
  bool quiet = false;
  std::string policy;            // of all points that run pcc_rl, instead of the study's; "" = as the study has it
  std::vector<std::string> set;  // "key=value", instead of what the study and its scenarios say
  std::size_t seeds = 0;         // this many instead of the study's; 0 = the study's

  // Whether it is the study as its file has it that is run.
  bool is_as_written() const { return policy.empty() && set.empty() && seeds == 0; }
};

// What a file asks for; the file outlives it.
struct PaperPlan {
  const claims::FigureFile* file = nullptr;
  study::Plan plan;
  run::SweepOptions sweep;
};

struct PaperRun {
  study::Measurements measured;
  std::vector<study::Judgement> judgements;  // of its [[claim]] tables
  run::SweepOutcome outcome;
  std::string dir;
};

// Why some of its runs are missing; "" if none is.
std::string incomplete(const PaperRun& run);

// Throws InputError for what is wrong with the study, for rules that name what it has not, for results in its place
// that are of another scenario or version, and for a policy if no point runs pcc_rl.
PaperPlan plan_paper_study(const claims::FigureFile& file, const PaperOptions& options);
// Runs what is missing of it.
PaperRun run_paper_study(const PaperPlan& plan, bool quiet);

}  // namespace weir::app
