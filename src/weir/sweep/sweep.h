// The runs of a study, each in a process of its own (run_process.h), side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "weir/study/plan.h"

namespace weir::run {

// How workers that share a directory take runs (sweep_leases.h).
struct LeaseRules {
  double lease_s = 60;  // a worker that has shown no sign of life for so long is dead
  std::string since;  // a run that failed after this file was written is not tried again; "" = after this worker began
};

struct SweepOptions {
  std::string dir;
  int jobs = 1;                        // threads at work: a run with two counts twice
  std::uint64_t memory = 0;            // bytes, of all runs under way by their estimates
  bool fresh = false;                  // runs that another scenario or version has left are done again
  study::Shard shard = {};             // which share of the work this is; the whole = alone in the directory
  std::vector<std::size_t> runs = {};  // of the plan, to be done now
  // Asked several times a second. When it returns true, the runs under way are given up.
  std::function<bool()> cancelled = {};
  // Told what weir validate would warn of in the scenarios of the runs that are to be done, before any of them begins.
  std::function<void(const study::Notice&)> warn = {};
  std::optional<LeaseRules> leases = {};  // this is one of several workers, each of which takes what is free
  double checkpoint_s = 0;                // runs keep a checkpoint so often, of the time they take; 0 = none

  bool is_shared() const { return shard.n > 1 || leases; }
};

// How far a sweep is.
struct SweepProgress {
  std::size_t total = 0;
  std::size_t done = 0;  // those that were there before are counted
  std::size_t failed = 0;
  std::size_t running = 0;
  double work = 0;  // share of the work that was left at the start
};

struct SweepOutcome {
  std::size_t done = 0;                         // now
  std::size_t resumed = 0;                      // of these: from checkpoints that were left
  std::size_t kept = 0;                         // done before, or meanwhile by other workers
  std::size_t elsewhere = 0;                    // left to other workers, which are at work on them
  std::map<std::size_t, std::string> failures;  // runs of the plan that have failed now, here or elsewhere, and why
  bool cancelled = false;                       // it ended early because it was cancelled
  std::string obstacle;                         // why else it ended early: a full disk, no process to be had
};

// Checks everything before anything runs; throws InputError. The process that calls this has no other threads, for it
// forks, and gets SIGCHLD back as it was. A worker that takes leases ends when each run is done, has failed, or is in
// the hands of another one that shows signs of life; the last one to end sees all of them. `look` is called when a run
// ends and several times a second.
SweepOutcome run_all(const study::Plan& plan, const SweepOptions& options,
                     const std::function<void(const SweepProgress&)>& look);

}  // namespace weir::run
