// The runs of a study, each in a process of its own (run_process.h), side by side.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "weir/study/plan.h"

namespace weir::run {

struct SweepOptions {
  std::string dir;
  int jobs = 1;                     // threads at work: a run with two counts twice
  std::uint64_t memory = 0;         // bytes, of all runs under way by their estimates
  bool fresh = false;               // what another scenario or version left is run again
  study::Shard shard;               // which share of the work this is; the whole = alone in the directory
  std::vector<std::size_t> runs;    // of the plan, to be done now
  std::function<bool()> cancelled;  // asked several times a second: the runs under way are given up when it says so
  // Told what weir validate would warn of in the scenarios of the runs that are to be done, before any of them begins.
  std::function<void(const study::Notice&)> warn;
};

// How far it is.
struct SweepPace {
  std::size_t total = 0;
  std::size_t done = 0;  // those that were there before are counted
  std::size_t failed = 0;
  std::size_t running = 0;
  double work = 0;  // share of the work that was left at the start
};

struct SweepOutcome {
  std::size_t done = 0;                         // now
  std::size_t kept = 0;                         // done before
  std::map<std::size_t, std::string> failures;  // runs of the plan that have failed now, and why
  bool cancelled = false;                       // it ended early for that
  std::string obstacle;                         // why else it ended early: a full disk, no process to be had
};

// Checks everything before anything runs; throws InputError. The process that calls this has no other threads, for it
// forks, and gets SIGCHLD back as it was. `look` is called when a run ends and several times a second.
SweepOutcome run_all(const study::Plan& plan, const SweepOptions& options,
                     const std::function<void(const SweepPace&)>& look);

}  // namespace weir::run
