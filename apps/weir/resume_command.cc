// weir resume DIR: goes on with a run that was ended from outside.
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "weir/base/checksum.h"
#include "weir/commands.h"
#include "weir/ranks.h"
#include "weir/run/execute.h"
#include "weir/run_text.h"
#include "weir/signals.h"
#include "weir/sweep/admission.h"

namespace weir::app {
namespace {

struct ResumeOptions {
  std::string directory;
  RunCommandOptions run;
};

int resume(ResumeOptions o, engine::Ranks* ranks) {
  o.run.ranks = ranks;
  std::vector<std::string> overrides;
  if (!o.run.threads.empty()) overrides.push_back("run.threads=" + o.run.threads);
  const run::CheckpointRhythm asked = o.run.checkpoints();
  catch_signals();
  std::unique_ptr<probe::ResultDirectory> directory;
  together(ranks, [&] {
    directory = o.run.is_first() ? probe::ResultDirectory::resume(o.directory) : probe::ResultDirectory::nowhere();
  });
  run::Unfinished unfinished;
  run::Admitted admitted;
  const std::uint32_t sharing = ranks_here(ranks);
  std::uint64_t limit = 0;
  together(ranks, [&] {
    o.run.find_python();
    limit = o.run.memory_limit(sharing);
    const std::string folder =
        o.run.is_first() ? directory->partial() : probe::ResultDirectory::left_behind(o.directory);
    unfinished = run::read_unfinished(folder, overrides);
    admitted = run::admit(unfinished.scenario, limit, o.directory + ": it");
  });
  const run::CheckpointRhythm checkpoints = asked.is_on() ? asked : unfinished.checkpoint.rhythm;
  if (ranks != nullptr)
    must_agree(ranks,
               {{"--checkpoint", text_of(checkpoints)}, {"checkpoint", checksum_of(unfinished.checkpoint.state)}});
  return run_and_show(unfinished.scenario, std::move(admitted), limit, checkpoints, o.run, directory.get(),
                      [&](std::shared_ptr<const engine::Model> model, const run::ExecutionOptions& execution) {
                        return run::resume(unfinished, std::move(model), *directory, execution);
                      });
}

}  // namespace

void add_resume(CLI::App& app, int& status) {
  auto o = std::make_shared<ResumeOptions>();
  CLI::App* command =
      app.add_subcommand("resume", "Go on with a run that kept checkpoints and was killed or interrupted");
  command->add_option("DIR", o->directory, "that the run was to leave, its --out")->required();
  add_run_options(*command, o->run);
  command->callback([o, &status] { status = on_ranks([&](engine::Ranks* ranks) { return resume(*o, ranks); }); });
}

}  // namespace weir::app
