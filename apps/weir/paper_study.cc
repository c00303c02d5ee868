#include "weir/paper_study.h"

#include <filesystem>
#include <utility>

#include <fmt/format.h>

#include "weir/base/error.h"
#include "weir/policy/policy_file.h"
#include "weir/scenario/fidelity.h"
#include "weir/study/kept_runs.h"
#include "weir/sweep/earlier_runs.h"
#include "weir/sweep_progress.h"

namespace weir::app {
namespace {

// A policy is a name, or a file as the user named it: a scenario would look for it in its own folder.
study::Plan plan_with_policy(study::Study study, const std::string& policy) {
  if (policy.empty()) return study::make_plan(std::move(study));
  const bool is_file = std::filesystem::exists(policy);
  const std::string value = is_file ? std::filesystem::absolute(policy).lexically_normal().string() : policy;
  policy::find_policy(value);  // what is wrong with it is told before anything else
  study.of_profiles.push_back({"pcc_rl", "policy", {study.where, value}});
  study::Plan plan = study::make_plan(std::move(study));
  if (study::runs_algorithm(plan, "pcc_rl")) return plan;
  throw InputError(
      fmt::format("--policy: no point of {} runs pcc_rl, so that there is no policy to replace", plan.study.file));
}

}  // namespace

PaperPlan plan_paper_study(const claims::FigureFile& file, const PaperOptions& options) {
  study::Study study = file.study.study;
  if (options.seeds > 0) study.take_seeds(options.seeds);
  study.assignments = options.set;
  PaperPlan out{.file = &file, .plan = plan_with_policy(std::move(study), options.policy), .sweep = {}};
  study::check_claims(file.study, study::no_measurements(out.plan));
  for (std::size_t run = 0; run < out.plan.runs.size(); run += out.plan.seeds)
    scenario::check_judges_claims(out.plan.scenario(run));
  out.sweep = {.dir = fmt::format("{}/{}", options.out, file.name),
               .jobs = options.jobs,
               .memory = options.memory,
               .fresh = options.fresh,
               .shard = {},
               .runs = study::runs_with(out.plan, ""),
               .cancelled = {},
               .warn = {}};
  if (!options.fresh && std::filesystem::exists(study::results_of(out.sweep.dir))) run::find_done(out.plan, out.sweep);
  return out;
}

PaperRun run_paper_study(const PaperPlan& plan, bool quiet) {
  PaperRun out{.measured = {}, .judgements = {}, .outcome = {}, .dir = plan.sweep.dir};
  out.outcome = sweep_with_progress(plan.plan, plan.sweep, quiet);
  out.measured = collect_and_warn(plan.plan, out.dir);
  out.judgements = study::judge_claims(plan.file->study, out.measured);
  return out;
}

std::string incomplete(const PaperRun& run) {
  const run::SweepOutcome& o = run.outcome;
  if (o.cancelled) return "interrupted; the same command goes on from there";
  if (!o.obstacle.empty()) return o.obstacle;
  return o.failures.empty() ? "" : run::failures_text(run.measured, run.dir, o);
}

}  // namespace weir::app
