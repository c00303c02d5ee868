// weir run FILE: one run of one scenario.
#include <fmt/format.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/commands.h"
#include "weir/output.h"
#include "weir/run/admission.h"
#include "weir/run/execute.h"
#include "weir/run/memory_limit.h"
#include "weir/run/output_size.h"
#include "weir/run_text.h"
#include "weir/scenario/warnings.h"
#include "weir/signals.h"

namespace weir::app {
namespace {

struct RunOptions {
  std::string file;
  std::string out;
  std::vector<std::string> set;
  std::string seed;
  RunCommandOptions run;
};

// `out`: where the result goes, "" = nowhere.
std::vector<std::string> warnings(const scenario::Scenario& s, const run::Admitted& admitted, const std::string& out) {
  auto all = scenario::warnings(s, *admitted.model);
  if (out.empty()) return all;
  const auto size = run::output_size(s, *admitted.model, admitted.expected);
  if (const auto warning = run::size_warning(size, run::space_left(out)); !warning.empty()) all.push_back(warning);
  return all;
}

int run(const RunOptions& o) {
  std::vector<scenario::Option> options;
  if (!o.seed.empty()) options.push_back({"--seed", "run.seed=" + o.seed});
  if (!o.run.threads.empty()) options.push_back({"--threads", "run.threads=" + o.run.threads});
  const auto s = scenario::load_scenario_file(o.file, o.set, options);
  const run::CheckpointRhythm checkpoints = o.run.checkpoints();
  if (checkpoints.is_on() && o.out.empty())
    throw InputError("--checkpoint: checkpoints stand in the directory of the results; write --out DIR");
  if (checkpoints.is_on()) run::check_can_be_saved(s, "keeps checkpoints; write that, or leave out --checkpoint");
  catch_signals();
  const std::uint64_t limit = run::memory_limit(o.run.memory);
  // first of all: a large network takes its time
  std::optional<probe::ResultDirectory> directory;
  if (!o.out.empty()) directory.emplace(o.out);
  run::Admitted admitted = run::admit(s, limit, o.file + ": it");
  if (!o.run.quiet)
    for (const auto& warning : warnings(s, admitted, o.out)) notice("weir: {}", warning);
  probe::ResultDirectory* const target = directory ? &*directory : nullptr;
  return run_and_show(s, std::move(admitted), limit, checkpoints, o.run, target,
                      [&](std::shared_ptr<const engine::Model> model, const run::ExecuteOptions& execution) {
                        return run::execute(s, std::move(model), target, execution);
                      });
}

}  // namespace

void add_run(CLI::App& app, int& status) {
  auto o = std::make_shared<RunOptions>();
  CLI::App* command = app.add_subcommand("run", "Run a scenario");
  command->add_option("FILE", o->file, "scenario, a TOML file")->required();
  command->add_option("-o,--out", o->out, "write the results to this new directory; without it they are only shown")
      ->check(not_empty());
  command->add_option("--seed", o->seed, "run.seed in place of the scenario's")->check(not_empty());
  command->add_option("--set", o->set, "key=value: any value in place of the scenario's, like traffic.0.load=0.3")
      ->allow_extra_args(false);
  add_run_options(*command, o->run);
  command->callback([o, &status] { status = run(*o); });
}

}  // namespace weir::app
