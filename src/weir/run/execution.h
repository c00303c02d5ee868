// A run between its beginning, or a state that was saved, and its end: what execute(), resume() and fork() share.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/probe/manifest.h"
#include "weir/probe/probe_set.h"
#include "weir/run/checkpoint.h"
#include "weir/run/execute.h"
#include "weir/run/lockstep.h"
#include "weir/run/starvation.h"
#include "weir/scenario/build.h"

namespace weir::run {

class Execution {
 public:
  // Begins the run, or goes on from `from` with the files that the directory has kept. The scenario and the options
  // must outlive this. `directory` may be null. `partitions` is engine::RunOptions::partitions, for a run that begins.
  Execution(const scenario::Scenario& s, std::shared_ptr<const engine::Model> model, probe::ResultDirectory* directory,
            const ExecutionOptions& options, const Checkpoint* from, std::uint32_t partitions = 0);

  // Runs to the end, or until it is ended early, and stores the result.
  Outcome finish();

  engine::Engine& engine() { return *run_.simulation; }
  probe::ProbeSet& probes() { return *probes_; }
  const std::vector<std::string>& tags() const { return run_.tags(); }
  // Why the run must end at this instant, for want of memory; "" = it may go on.
  std::string lack_of_memory() const;
  // The state at this instant, with all files on their way to the disk. The run must not have stalled.
  Checkpoint state();
  // Stores the result of the run as it is: it has ended by itself, was cancelled, or ends early for this reason.
  // `changes` is the number of changes that were made while it went on.
  Outcome end(bool cancelled, const std::string& reason, std::uint64_t changes = 0);

  // Runs up to the last end of an epoch that is not after `at` and returns the state there, with all files on their
  // way to the disk; nothing if the run was cancelled. Throws InputError if the run has ended before, or must end.
  std::optional<Checkpoint> state_at(Time at);

 private:
  void store_scenario(bool is_there);
  // Why the run ended early; "" = it has ended, or was cancelled, or is where it was to go.
  std::string advance(Time until);
  Time next_checkpoint() const { return kept_ + options_.checkpoints.simulated; }
  bool is_checkpoint_due() const;
  void keep();

  const double cpu_before_;  // of this thread
  const scenario::Scenario& scenario_;
  probe::ResultDirectory* const directory_;
  const ExecutionOptions& options_;
  const Lockstep together_;
  const probe::RunClock clock_;
  scenario::Run run_;
  std::optional<probe::ProbeSet> probes_;
  std::optional<Time> forked_at_;  // the run is a fork of another, from here on
  bool cancelled_ = false;
  Time kept_;  // the last checkpoint, or where the run began
  double kept_wall_s_ = 0;
  Starvation starvation_;
  std::string problem_;  // why the last checkpoint was not kept
};

}  // namespace weir::run
