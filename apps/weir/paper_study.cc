#include "weir/paper_study.h"

#include <utility>

#include <fmt/format.h>

#include "weir/sweep_results.h"

namespace weir::app {

PaperRun run_paper_study(const claims::FigureFile& file, const PaperOptions& options) {
  PaperRun out{.study = study::read_paper_study(file.file),
               .table = {},
               .judgements = {},
               .outcome = {},
               .dir = fmt::format("{}/{}", options.out, file.name)};
  const auto plan = study::make_plan(out.study.study);
  for (const auto& claim : out.study.claims) study::check(claim, study::empty_table(plan));
  SweepOptions sweep{.dir = out.dir,
                     .jobs = options.jobs,
                     .memory = options.memory,
                     .fresh = options.fresh,
                     .shard = "",
                     .runs = study::runs_with(plan, "")};
  out.outcome = sweep_with_progress(plan, sweep, options.quiet);
  out.table = collect_all(plan, out.dir);
  for (const auto& claim : out.study.claims) out.judgements.push_back(study::judge(claim, out.table));
  return out;
}

std::vector<claims::Judgement> StudyJudge::judge(const claims::FigureFile& file, const std::vector<claims::Claim>&) {
  std::vector<claims::Judgement> out;
  if (file.claims.empty()) return out;
  for (auto& j : run_paper_study(file, options_).judgements)
    if (j.complete) out.push_back({std::move(j.id), j.holds, std::move(j.measured)});
  return out;
}

}  // namespace weir::app
