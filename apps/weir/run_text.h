// A run, for people and for the shell: how far it is, and what came of it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "weir/parquet.h"
#include "weir/run/execute.h"
#include "weir/sweep/admission.h"

namespace weir::app {

// The exit status of a run that may have ended early.
int status_of(const run::Outcome& o);
// Why it ended early, and when: "interrupted at 1.250 ms"; "" if it did not.
std::string early_end_text(const run::Outcome& o);
// What the engine did and how fast.
std::string engine_text(const probe::Manifest& m);

// What commands that run one scenario have in common.
struct RunCommandOptions {
  std::string threads;
  std::string memory;
  std::string checkpoint;         // of simulated time, as "10 ms"; "" = none
  double checkpoint_seconds = 0;  // of time that passes; 0 = none
  bool json = false;
  bool quiet = false;
  std::optional<Parquet> parquet;  // --format parquet: writes the tables as Parquet as well
  engine::Ranks* ranks = nullptr;  // of which this process is one; null: it is the only one

  // Whether it is this process that tells and writes what comes of the run.
  bool is_first() const { return ranks == nullptr || ranks->rank() == 0; }
  // Throws InputError.
  run::CheckpointRhythm checkpoints() const;
  // In bytes, where so many ranks share the memory of this machine. Throws InputError.
  std::uint64_t memory_limit(std::uint32_t sharing) const;
  // Finds what --format needs, at the process that writes. Throws InputError.
  void find_python();
};
// What ranks have to have alike of it.
std::string text_of(const run::CheckpointRhythm&);
// The options themselves: `o` must outlive the command line.
void add_run_options(CLI::App& command, RunCommandOptions& o);
// --format; what it needs is looked for by find_python().
void add_format_option(CLI::App& command, std::optional<Parquet>& parquet);
// --plugin FILE, which is loaded as the command line is read.
void add_plugin_option(CLI::App& command);

// What `go` needs to run under these options, and to show how far it is; called once. Nothing is returned of a run that
// was cancelled before there was a result.
using Go =
    std::function<std::optional<run::Outcome>(std::shared_ptr<const engine::Model>, const run::ExecutionOptions&)>;
// Runs an admitted scenario, shows what came of it, and returns the exit status. `directory` is committed, unless it is
// null.
int run_and_show(const scenario::Scenario& s, run::Admitted admitted, std::uint64_t memory,
                 const run::CheckpointRhythm& checkpoints, const RunCommandOptions& o,
                 probe::ResultDirectory* directory, const Go& go);

}  // namespace weir::app
