// One run from a checked scenario to its results.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weir/engine/parallel/ranks.h"
#include "weir/probe/manifest.h"
#include "weir/probe/probe_set.h"
#include "weir/probe/results.h"
#include "weir/probe/summary.h"
#include "weir/run/checkpoint.h"
#include "weir/run/progress.h"
#include "weir/scenario/build.h"

namespace weir::run {

// How far a run is, without the share that is done (share_done()).
Progress progress_of(const engine::Engine&);

// What a run has come to.
struct Outcome {
  probe::Summary summary;
  // Why the run ended early, if it did: `interrupted` if it was cancelled, else `reason`.
  probe::Manifest manifest;
  std::string checkpoint_problem;  // why the last checkpoint could not be kept; "" = it was, or none was due

  bool is_whole() const { return !manifest.interrupted && manifest.reason.empty(); }
};

struct ExecutionOptions {
  // Called several times a second, between epochs, and when the run has ended, without the share that is done. When it
  // returns false, a run that has not ended is cancelled: it ends early, and keeps what it has.
  std::function<bool(const Progress&)> progress;
  // Called before the run begins, and in the same way when it goes on: to ask for events, decisions or instants.
  std::function<void(engine::Engine&)> prepare;
  std::function<void(engine::Engine&)> conclude;  // called once the run has ended, in whatever way
  bool traced = false;  // `prepare` may ask for single events though no probe does; only if the fidelity tells them
  std::function<void(const std::string&)> tell;  // told what looks wrong while the run goes on; for people
  bool own_thread = false;                       // processor time is that of the calling thread; the run has no other
  std::uint64_t memory = 0;  // bytes: the run ends early when the process takes more; 0 = it may take what there is
  // Checkpoints are kept in the directory, and another when the run is cancelled or its memory is used up: resume()
  // goes on from the last one.
  CheckpointRhythm checkpoints;
  // The ranks of which this process is one, null = it is the only one; only if the fidelity has them. Each of the
  // others writes to ResultDirectory::nowhere() if the first one has a directory, and to null if not. What the first
  // one is told to do is done by all; what ends the run early at one of them ends it at all.
  engine::Ranks* ranks = nullptr;
};

// Builds and runs; results go to `directory`, which is left to be committed, or nowhere if it is null. Stops early when
// it is cancelled, when memory is used up, or when the run cannot go on.
Outcome execute(const scenario::Scenario& s, probe::ResultDirectory* directory, const ExecutionOptions& options = {});
// Does so with the model that scenario::build_model() has made of this scenario.
Outcome execute(const scenario::Scenario& s, std::shared_ptr<const engine::Model> model,
                probe::ResultDirectory* directory, const ExecutionOptions& options);

// Throws InputError "... only "exact" <what>" if the state of the scenario's engine cannot be saved.
void check_can_be_saved(const scenario::Scenario& s, std::string_view what);

// A run that goes on.
struct Unfinished {
  scenario::Scenario scenario;
  Checkpoint checkpoint;
};
// Reads the run that has left `folder`, the directory of a result that is locked (probe::ResultDirectory::resume).
// Nothing is written. Throws InputError if the checkpoint cannot be used (read_checkpoint). `overrides` may change
// run.threads and run.scheduler, which change no result.
Unfinished read_unfinished(const std::string& folder, const std::vector<std::string>& overrides);
// Goes on with an unfinished run, and gives back the memory of its checkpoint. The result is that of a run that was
// never ended, but for what manifest.json says it took.
Outcome resume(Unfinished& unfinished, std::shared_ptr<const engine::Model> model, probe::ResultDirectory& directory,
               const ExecutionOptions& options);

// Completes the files of the probes of a run that has ended by itself or goes no further, and says what it has come to.
// Whoever ended it early adds why.
Outcome conclude(probe::ProbeSet& probes, const probe::RunClock& clock, const scenario::Scenario& s);

// {"manifest": ..., "summary": ...}
std::string to_json(const Outcome& o);
// How much of a run is done, by packets sent and by simulated time, from 0 to 1; below 0 = unknown. `stop` is the end
// of the run in simulated time, 0 if it has none.
double share_done(const Progress& progress, const scenario::Expected& expected, Time stop);

}  // namespace weir::run
