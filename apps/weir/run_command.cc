// weir run FILE: one run of one scenario.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/commands.h"
#include "weir/output.h"
#include "weir/progress.h"
#include "weir/run/admission.h"
#include "weir/run/execute.h"
#include "weir/run/memory_limit.h"
#include "weir/run/output_size.h"
#include "weir/run_text.h"
#include "weir/scenario/ecn_choice.h"
#include "weir/scenario/warnings.h"
#include "weir/signals.h"

namespace weir::app {
namespace {

struct Options {
  std::string file;
  std::string out;
  std::vector<std::string> set;
  std::string seed;
  std::string threads;
  std::string memory;
  bool json = false;
  bool quiet = false;
};

// `out`: where the result goes, "" = nowhere.
std::vector<std::string> warnings(const scenario::Scenario& s, const run::Admitted& admitted, const std::string& out) {
  auto all = scenario::warnings(s, *admitted.model);
  if (out.empty()) return all;
  const auto size = run::output_size(s, *admitted.model, admitted.expected);
  if (const auto warning = run::size_warning(size, run::space_left(out)); !warning.empty()) all.push_back(warning);
  return all;
}

int run(const Options& o) {
  std::vector<scenario::Option> options;
  if (!o.seed.empty()) options.push_back({"--seed", "run.seed=" + o.seed});
  if (!o.threads.empty()) options.push_back({"--threads", "run.threads=" + o.threads});
  const auto s = scenario::load_scenario_file(o.file, o.set, options);
  catch_signals();
  const std::uint64_t limit = run::memory_limit(o.memory);
  // first of all: a large network takes its time
  std::optional<probe::ResultDirectory> directory;
  if (!o.out.empty()) directory.emplace(o.out);
  run::ExecuteOptions execution{.cancelled = [] { return pending_signal() != 0; }, .memory = limit};
  run::Admitted admitted = run::admit(s, limit, o.file + ": it");
  std::optional<Progress> progress;
  if (!o.quiet) {
    for (const auto& warning : warnings(s, admitted, o.out)) notice("weir: {}", warning);
    progress.emplace(admitted.expected, s.run.stop);
  }
  const std::string ecn = scenario::ecn_text(s, *admitted.model);
  execution.look = [&](const run::Pace& pace) {
    if (progress) progress->look(pace);
  };
  const run::Outcome outcome = run::execute(s, std::move(admitted.model), directory ? &*directory : nullptr, execution);
  if (directory) directory->commit();
  progress.reset();

  const std::string why = early_end_text(outcome);
  if (o.json) {
    show_text(run::to_json(outcome));
  } else {
    if (!s.title.empty()) show("{}\n\n", s.title);
    show("{}\n{}", probe::to_text(outcome.summary), engine_text(outcome.manifest));
    if (!ecn.empty()) show("ecn      {}\n", ecn);
    show("results  {}\n", o.out.empty() ? "not kept; --out DIR keeps them" : o.out);
    if (!why.empty()) show("\nThese are the figures of an incomplete run, {}.\n", why);
  }
  if (!why.empty()) notice("weir: {}; the result is incomplete", why);
  return status_of(outcome);
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto o = std::make_shared<Options>();
  CLI::App* command = app.add_subcommand("run", "Run a scenario");
  command->add_option("FILE", o->file, "scenario, a TOML file")->required();
  command->add_option("-o,--out", o->out, "write the results to this new directory; without it they are only shown")
      ->check(not_empty());
  command->add_option("--seed", o->seed, "run.seed in place of the scenario's")->check(not_empty());
  command->add_option("--threads", o->threads, "run.threads in place of the scenario's")->check(not_empty());
  command->add_option("--set", o->set, "key=value: any value in place of the scenario's, like traffic.0.load=0.3")
      ->allow_extra_args(false);
  command->add_option("--memory", o->memory, "that it may take, like '8 GB'; without it, 80 % of what is free")
      ->check(not_empty());
  command->add_flag("--json", o->json, "print manifest and summary as JSON");
  command->add_flag("-q,--quiet", o->quiet, "no progress, no warnings");
  command->callback([o, &status] { status = run(*o); });
}

}  // namespace weir::app
