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
                     .shard = {},
                     .runs = study::runs_with(plan, "")};
  out.outcome = sweep_with_progress(plan, sweep, options.quiet);
  out.table = collect_all(plan, out.dir);
  for (const auto& claim : out.study.claims) out.judgements.push_back(study::judge(claim, out.table));
  return out;
}

std::string incomplete(const PaperRun& run) {
  const SweepOutcome& o = run.outcome;
  if (o.signal != 0) return "interrupted; the same command goes on from there";
  if (!o.obstacle.empty()) return o.obstacle;
  if (o.failed > 0) return fmt::format("{} runs failed; see {}/failed", o.failed, run.dir);
  return "";
}

}  // namespace weir::app
