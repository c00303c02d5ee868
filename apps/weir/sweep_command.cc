// weir sweep STUDY: the runs of a study, and its tables and figures.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
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
#include "weir/run/sweep.h"
#include "weir/scenario/effective.h"
#include "weir/signals.h"
#include "weir/study/check.h"
#include "weir/study/figures.h"
#include "weir/study/measurements.h"
#include "weir/study/paper.h"
#include "weir/sweep_progress.h"

namespace weir::app {
namespace {

namespace fs = std::filesystem;

struct SweepOptions {
  std::string file;
  std::string out;
  int jobs = 0;
  std::string memory;
  std::string only;
  std::string shard;
  int seeds = 0;
  bool list = false;
  bool fresh = false;
  bool json = false;
  bool quiet = false;
};

void list_runs(const study::Plan& plan, const std::vector<std::size_t>& runs) {
  std::vector<study::Notice> warnings;
  const auto estimates = study::check_runs(plan, runs, &warnings);
  for (const auto& warning : warnings) show_warning(warning);
  for (const std::size_t run : runs) {
    const auto& e = estimates[run];
    show("{:<40} {:>12.0f} packets {:>8.0f} MB at most\n", plan.runs[run].name, e.packets,
         static_cast<double>(e.bytes) * 1e-6);
  }
  show("{} runs\n", runs.size());
}

std::string to_json(const study::Measurements& measured, const run::SweepOutcome& o) {
  using Json = nlohmann::ordered_json;
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

int sweep(const SweepOptions& o) {
  auto study = study::read_study(o.file);
  if (o.seeds > 0) {
    study.seeds.clear();
    for (int seed = 1; seed <= o.seeds; ++seed) study.seeds.push_back(static_cast<std::uint64_t>(seed));
  }
  const auto plan = study::make_plan(std::move(study));
  const auto shard = study::parse_shard(o.shard);
  const auto runs = study::shard_of(study::runs_with(plan, o.only), shard);
  if (o.list) {
    list_runs(plan, runs);
    return 0;
  }
  if (o.out.empty()) throw InputError("--out is missing; name the directory that the results go to, or use --list");

  catch_signals();
  const int jobs = o.jobs > 0 ? o.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const run::SweepOptions options{o.out, jobs, run::memory_limit(o.memory), o.fresh, shard, runs, {}, show_warning};
  const auto outcome = sweep_with_progress(plan, options, o.quiet);
  const auto measured = collect_and_warn(plan, o.out);

  if (o.json) {
    show_text(to_json(measured, outcome));
  } else {
    if (!plan.study.title.empty()) show("{}\n\n", plan.study.title);
    show("{}\n", study::to_text(measured));
    show("runs     {} done, {} kept from before, {} failed\n", outcome.done, outcome.kept, outcome.failures.size());
    show("results  {}\n", o.out);
  }
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
  command->add_option("--shard", o->shard, "i/n: only this share of the runs; all shards may share DIR")
      ->check(not_empty());
  command->add_option("--seeds", o->seeds, "this many seeds in place of the study's")->check(CLI::Range(1, 10000));
  command->add_flag("--list", o->list, "only list the runs");
  command->add_flag("--fresh", o->fresh, "run again what another scenario or version left in DIR");
  command->add_flag("--json", o->json, "print the points as JSON");
  command->add_flag("-q,--quiet", o->quiet, "no progress");
  command->callback([o, &status] { status = sweep(*o); });
}

}  // namespace weir::app
