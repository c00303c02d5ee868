// A run that is driven step by step and may be changed between the steps.
//
//   SteeredRun run(s, model, directory, options);
//   while (!run.advance(run.engine().now() + span)) run.apply({run.engine().now(), SentFlow{...}});
//   Outcome outcome = run.finish();
//
// It runs in one partition. Flows are sent to the engine; whatever else changes is a fork (run/fork.h) at that instant:
// the state is loaded into a run of the changed scenario.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "weir/probe/results.h"
#include "weir/run/execute.h"
#include "weir/run/steering.h"
#include "weir/scenario/scenario.h"

namespace weir::run {

class Execution;

class SteeredRun {
 public:
  // The arguments must outlive it. Of the options `progress` and the checkpoints are not used.
  SteeredRun(const scenario::Scenario& s, std::shared_ptr<const engine::Model> model, probe::ResultDirectory& directory,
             const ExecutionOptions& options);
  ~SteeredRun();
  SteeredRun(const SteeredRun&) = delete;

  // Parts of the run as it is now. After apply() they may be other objects.
  engine::Engine& engine();
  const scenario::Scenario& scenario() const;
  probe::ProbeSet& probes();
  const std::vector<std::string>& tags() const;

  // Runs up to `until`, the end of an epoch, or to the end of the run. Returns whether the run has ended.
  bool advance(Time until);
  // Why the run must end for want of memory; "" = it may go on.
  std::string lack_of_memory() const;

  // Makes a change at the present instant, whatever its `at`. Throws InputError if it cannot be made; the run then goes
  // on without it.
  void apply(Change change);
  const std::vector<Change>& changes() const { return changes_; }
  // The keys of the scenario that SetKeys may change, with their values now.
  std::vector<std::pair<std::string, std::string>> changeable() const;

  // Stores the result. Once, after the last advance().
  Outcome finish(bool cancelled = false, const std::string& reason = "");

 private:
  void turn(const TurnedLinks& links, const std::string& toml);
  void go_on_with(const std::string& toml, const std::vector<std::string>& overrides);

  probe::ResultDirectory& directory_;
  const ExecutionOptions& options_;
  std::shared_ptr<const engine::Model> model_;
  std::unique_ptr<const scenario::Scenario> scenario_;
  std::unique_ptr<Execution> execution_;
  std::vector<Change> changes_;
};

// A whole run with changes that are known before, in order of time. Throws InputError if one cannot be made.
Outcome execute_steered(const scenario::Scenario& s, std::shared_ptr<const engine::Model> model,
                        probe::ResultDirectory& directory, const ExecutionOptions& options,
                        const std::vector<Change>& changes);

}  // namespace weir::run
