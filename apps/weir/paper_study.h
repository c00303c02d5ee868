// The figures of papers that are studies: run, drawn, and their claims judged.
#pragma once

#include <string>
#include <vector>

#include "weir/claims/claim.h"
#include "weir/study/paper.h"
#include "weir/sweep.h"

namespace weir::app {

struct PaperOptions {
  std::string out = "out/papers";  // a figure's results go to OUT/PAPER/NAME
  int jobs = 2;
  std::uint64_t memory = 0;
  bool fresh = false;
  bool quiet = false;
};

struct PaperRun {
  study::PaperStudy study;
  study::Table table;
  std::vector<study::Judgement> judgements;  // of its [[claim]] tables
  SweepOutcome outcome;
  std::string dir;
};

// Why some of its runs are missing; "" if none is.
std::string incomplete(const PaperRun& run);

// Runs what is missing of the study in `file`. Throws InputError, for rules that name what the study has not as well.
PaperRun run_paper_study(const claims::FigureFile& file, const PaperOptions& options);

}  // namespace weir::app
