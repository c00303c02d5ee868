// weir sweep STUDY: the runs of a study, and its tables and figures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <iterator>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "weir/commands.h"
#include "weir/output.h"
#include "weir/progress.h"
#include "weir/run/memory_limit.h"
#include "weir/run_text.h"
#include "weir/scenario/effective.h"
#include "weir/signals.h"
#include "weir/slurm.h"
#include "weir/study/figures.h"
#include "weir/study/kept_runs.h"
#include "weir/study/measurements.h"
#include "weir/study/nccl_table.h"
#include "weir/study/paper.h"
#include "weir/sweep/earlier_runs.h"
#include "weir/sweep/job_environment.h"
#include "weir/sweep/sweep.h"
#include "weir/sweep_options.h"
#include "weir/sweep_progress.h"
#include "weir/sweep_submission.h"

namespace weir::app {
namespace {

using Json = nlohmann::ordered_json;

namespace fs = std::filesystem;

std::string to_json(const study::Measurements& measured, const run::SweepOutcome& o) {
  const auto number = [](double v) { return std::isnan(v) ? Json(nullptr) : Json(v); };
  Json points = Json::array();
  for (std::size_t p = 0; p < measured.points.size(); ++p) {
    Json labels = Json::object();
    for (std::size_t i = 0; i < measured.study.axes.size(); ++i)
      labels[measured.study.axes[i].name] = measured.study.axes[i].points[measured.points[p][i]].label;
    Json measures = Json::object();
    for (std::size_t m = 0; m < measured.study.measures.size(); ++m)
      if (const auto v = measured.over_seeds(p, m); v && !measured.study.measures[m].is_list())
        measures[measured.study.measures[m].name()] = {
            {"mean", number(v->mean)}, {"low", number(v->low)}, {"high", number(v->high)}, {"seeds", v->count}};
    points.push_back({{"point", std::move(labels)},
                      {"seeds", measured.runs_done(p)},
                      {"unfinished", measured.unfinished(p)},
                      {"measures", std::move(measures)}});
  }
  const Json runs{{"planned", measured.runs.size()}, {"done", o.done}, {"kept", o.kept}, {"failed", o.failures.size()}};
  return Json{{"runs", runs}, {"points", std::move(points)}}.dump(2) + "\n";
}

void show_tables(const SweepOptions& o, const study::Plan& plan, const study::Measurements& measured,
                 const run::SweepOutcome& outcome) {
  if (o.json) {
    show_text(to_json(measured, outcome));
    return;
  }
  if (o.quiet) return;
  if (!plan.study.title.empty()) show("{}\n\n", plan.study.title);
  show("{}\n", plan.study.nccl_table ? study::nccl_table(plan, measured) : study::to_text(measured));
  const std::string resumed = outcome.resumed > 0 ? fmt::format(" ({} from a checkpoint)", outcome.resumed) : "";
  show("runs     {} done{}, {} kept from before, {} failed\n", outcome.done, resumed, outcome.kept,
       outcome.failures.size());
  show("results  {}\n", o.out);
}

std::vector<std::size_t> without_result(const std::vector<std::size_t>& runs, const study::Measurements& measured) {
  std::vector<std::size_t> out;
  std::copy_if(runs.begin(), runs.end(), std::back_inserter(out),
               [&](std::size_t run) { return measured.runs[run].status != study::Record::Status::done; });
  return out;
}

// Tables of what is there; what is missing is sent again, if that was asked for.
int collect(const SweepOptions& o, const study::Plan& plan, const std::vector<std::size_t>& runs) {
  if (!fs::exists(study::results_of(o.out)))
    throw InputError(fmt::format("--collect: there are no results in {}", o.out));
  const auto measured = collect_and_warn(plan, o.out);
  const auto missing = without_result(runs, measured);
  run::SweepOutcome outcome;
  outcome.kept = runs.size() - missing.size();
  for (const std::size_t run : missing)
    if (measured.runs[run].status == study::Record::Status::failed)
      outcome.failures.emplace(run, measured.runs[run].message);
  if (missing.empty() || o.executor == "local" || !o.json) show_tables(o, plan, measured, outcome);
  if (missing.empty()) return 0;
  if (!outcome.failures.empty()) notice("weir: {}", run::failures_text(measured, o.out, outcome));
  if (missing.size() > outcome.failures.size())
    notice("weir: {} of {} runs are missing, such as {}", missing.size() - outcome.failures.size(), runs.size(),
           plan.describe(*std::find_if(missing.begin(), missing.end(),
                                       [&](std::size_t run) { return outcome.failures.count(run) == 0; })));
  if (o.executor == "local") return 1;
  submit_sweep(plan, missing, o);
  return 0;
}

// Workers for what is not there yet.
int submit(const SweepOptions& o, const study::Plan& plan, const std::vector<std::size_t>& runs) {
  require_slurm();
  std::vector<std::size_t> left = runs;
  if (fs::exists(study::results_of(o.out))) {
    const run::SweepOptions all{.dir = o.out, .fresh = o.fresh, .runs = runs, .leases = run::LeaseRules{}};
    run::refuse_others(plan, all);
    const auto done = run::find_done(plan, all);
    left.erase(std::remove_if(left.begin(), left.end(), [&](std::size_t run) { return done[run]; }), left.end());
  }
  if (left.empty()) return collect(o, plan, runs);
  submit_sweep(plan, left, o);
  return 0;
}

void check_combinations(const SweepOptions& o) {
  const bool is_remote = o.executor != "local";
  if (o.claim && !o.shard.empty())
    throw InputError("--claim and --shard are two ways to share the runs; leave out one");
  if (!o.since.empty() && !o.claim) throw InputError("--since is for workers; write --claim, or leave it out");
  if (o.collect && (o.claim || !o.shard.empty()))
    throw InputError("--collect runs nothing; leave out --claim and --shard");
  if (is_remote && (o.claim || !o.shard.empty()))
    throw InputError("--executor: its jobs share the runs by themselves; leave out --claim and --shard");
  if (!is_remote && (o.workers > 0 || o.retries > 0 || !o.sbatch.empty()))
    throw InputError("--workers, --retries and --sbatch are for jobs; write --executor slurm, or leave them out");
}

int sweep(const SweepOptions& o) {
  check_combinations(o);
  auto study = study::read_study(o.file);
  if (o.seeds > 0) study.take_seeds(static_cast<std::size_t>(o.seeds));
  const auto plan = study::make_plan(std::move(study));
  const auto shard = o.shard == "auto" ? run::shard_of_job([](const char* name) { return std::getenv(name); })
                                       : study::parse_shard(o.shard);
  const auto runs = study::shard_of(study::runs_with(plan, o.only), shard);
  if (o.list) {
    list_runs(plan, runs);
    return 0;
  }
  if (o.out.empty()) throw InputError("--out is missing; name the directory that the results go to, or use --list");
  if (o.collect) return collect(o, plan, runs);
  if (o.executor != "local") return submit(o, plan, runs);

  catch_signals();
  const int jobs = o.jobs > 0 ? o.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  run::SweepOptions options{.dir = o.out,
                            .jobs = jobs,
                            .memory = run::memory_limit(o.memory),
                            .fresh = o.fresh,
                            .shard = shard,
                            .runs = runs,
                            .warn = show_warning,
                            .checkpoint_s = o.checkpoint_s};
  if (o.claim) options.leases = {.lease_s = o.lease_s, .since = o.since};
  const auto outcome = sweep_with_progress(plan, options, o.quiet);
  if (outcome.elsewhere > 0 && !outcome.cancelled && outcome.obstacle.empty()) {
    notice("weir: {} done, and {} under way at other workers, the last of which writes the tables", outcome.done,
           outcome.elsewhere);
    return outcome.failures.empty() ? 0 : 1;
  }
  if (outcome.cancelled && o.claim) {  // a batch system waits for a moment only
    notice("weir: interrupted; what is done is kept, and others go on from there");
    return 128 + pending_signal();
  }
  const auto measured = collect_and_warn(plan, o.out);
  show_tables(o, plan, measured, outcome);
  if (outcome.cancelled) {
    notice("weir: interrupted; what is done is kept, and the same command goes on from there");
    return 128 + pending_signal();
  }
  if (!outcome.obstacle.empty()) {
    notice("weir: {}; what is done is kept, and the same command goes on from there", outcome.obstacle);
    return 1;
  }
  if (outcome.failures.empty()) return 0;
  notice("weir: {}", run::failures_text(measured, o.out, outcome));
  return 1;
}

// What belongs to sweeps that are shared.
void add_shared(CLI::App& command, SweepOptions& o) {
  command
      .add_option(
          "--shard", o.shard,
          "i/n: only this share of the runs; all shards may share DIR; auto: the share of this task of an array "
          "job, or of this rank of mpirun")
      ->check(not_empty());
  command.add_flag("--claim", o.claim, "be one of several workers in DIR, each of which takes runs that no other has");
  command
      .add_option("--lease", o.lease_s, "seconds after which a worker without a sign of life is dead, 60 if not given")
      ->check(CLI::Range(0.5, 86400.0));
  command.add_option("--since", o.since, "a file: what has failed after it was written is not tried again")
      ->check(not_empty());
  command.add_flag("--collect", o.collect, "run nothing, only write tables and figures of what is there");
  command
      .add_option("--executor", o.executor, "where the runs are done: local, or slurm, as jobs of workers that claim")
      ->check(CLI::IsMember({"local", "slurm"}));
  command.add_option("--workers", o.workers, "most jobs, 32 if not given")->check(CLI::Range(1, 100000));
  command.add_option("--retries", o.retries, "how often what is missing at the end is sent again")
      ->check(CLI::Range(0, 100));
  command
      .add_option("--sbatch", o.sbatch, "a further option of sbatch, as --sbatch=--partition=short; may be repeated")
      ->allow_extra_args(false)
      ->check(not_empty());
}

}  // namespace

void add_sweep(CLI::App& app, int& status) {
  auto o = std::make_shared<SweepOptions>();
  CLI::App* command = app.add_subcommand("sweep", "Run a study: a scenario over several values and seeds");
  command->add_option("STUDY", o->file, "study, a TOML file")->required();
  command->add_option("-o,--out", o->out, "directory of the results; what it has is not run again")->check(not_empty());
  command->add_option("-j,--jobs", o->jobs, "runs at once; without it, one per processor")->check(CLI::Range(1, 4096));
  command->add_option("--memory", o->memory, "of all runs at once, like '8 GB'; without it, 80 % of what is free")
      ->check(not_empty());
  command->add_option("--only", o->only, "axis=label[,axis=label...]: only these points")->check(not_empty());
  command->add_option("--seeds", o->seeds, "this many seeds instead of the study's")->check(CLI::Range(1, 10000));
  command
      ->add_option(
          "--checkpoint-seconds", o->checkpoint_s,
          "how often a run keeps a checkpoint, from which it goes on if it is killed; 60 if not given, 0 = never")
      ->check(CLI::Range(0.0, 1e9));
  add_plugin_option(*command);
  add_shared(*command, *o);
  command->add_flag("--list", o->list, "only list the runs");
  command->add_flag("--fresh", o->fresh, "run again what another scenario or version left in DIR");
  command->add_flag("--json", o->json, "print the points as JSON");
  command->add_flag("-q,--quiet", o->quiet, "print nothing but what is wrong");
  command->callback([o, &status] { status = sweep(*o); });
}

}  // namespace weir::app
