// weir fork DIR: what if, from an instant of another run.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/error.h"
#include "weir/base/params.h"
#include "weir/commands.h"
#include "weir/output.h"
#include "weir/run/fork.h"
#include "weir/run/memory_limit.h"
#include "weir/run_text.h"
#include "weir/signals.h"
#include "weir/sweep/admission.h"

namespace weir::app {
namespace {

struct ForkOptions {
  std::string directory;
  std::string at;
  std::string out;
  std::vector<std::string> set;
  RunCommandOptions run;
};

Time parse_at(const std::string& text) {
  try {
    return parse_time(text);
  } catch (const InputError& error) {
    throw InputError(fmt::format("--at: {}", error.what()));
  }
}

int fork(ForkOptions o) {
  const Time at = parse_at(o.at);
  std::vector<std::string> overrides = o.set;
  if (!o.run.threads.empty()) overrides.push_back("run.threads=" + o.run.threads);
  const run::CheckpointRhythm checkpoints = o.run.checkpoints();
  catch_signals();
  // A run that has left a checkpoint is held, so that it does not go on meanwhile.
  namespace fs = std::filesystem;
  std::unique_ptr<probe::ResultDirectory> held;
  std::string folder = o.directory;
  if (fs::is_regular_file(folder))
    throw InputError(fmt::format("{}: it is a file; run it with --out DIR first, and fork that directory", folder));
  if (!fs::exists(folder) && !fs::exists(folder + ".partial-run"))
    throw InputError(fmt::format("{}: there is no such directory", folder));
  if (!fs::exists(folder + "/scenario.toml") || fs::exists(folder + "/checkpoint")) {
    held = probe::ResultDirectory::resume(o.directory);
    folder = held->partial();
  }
  run::Fork f = run::read_fork(folder, at, overrides);
  o.run.find_python();
  const std::uint64_t limit = o.run.memory_limit(1);
  probe::ResultDirectory directory(o.out);
  run::Admitted admitted = run::admit(f.after, limit, o.directory + ": it");
  const auto go = [&](std::shared_ptr<const engine::Model> model, const run::ExecutionOptions& execution) {
    return run::fork(f, std::move(model), directory, execution);
  };
  return run_and_show(f.after, std::move(admitted), limit, checkpoints, o.run, &directory, go);
}

}  // namespace

void add_fork(CLI::App& app, int& status) {
  auto o = std::make_shared<ForkOptions>();
  CLI::App* command =
      app.add_subcommand("fork", "What if: repeat a run up to an instant, and go on from there with changes");
  command->add_option("DIR", o->directory, "the result of the run, or what it has left")->required();
  command->add_option("--at", o->at, "the instant, like '5 ms'")->required();
  command->add_option("--set", o->set, "key=value: what is changed from then on, like network.ecn.k_min='20 KB'")
      ->allow_extra_args(false);
  command->add_option("-o,--out", o->out, "write the results to this new directory")->required()->check(not_empty());
  add_run_options(*command, o->run);
  command->callback([o, &status] { status = fork(*o); });
}

}  // namespace weir::app
