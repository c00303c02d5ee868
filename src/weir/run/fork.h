// What if: a run that goes on from the state of another one, with some of its scenario changed from then on.
//
// Up to the fork the result is that of the first scenario, to the byte; behind it the second one holds. What may change
// is what can change in a network that is in use: when the run stops, marking, limits of shared buffers, links that go
// down or up or lose packets later, hosts that stall later, and of an algorithm its quantities (times, rates, bytes,
// numbers), not its counts and choices, which are part of the state of its flows.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "weir/probe/results.h"
#include "weir/run/checkpoint.h"
#include "weir/run/execute.h"
#include "weir/scenario/scenario.h"

namespace weir::run {

// The instant of the fork of the result in `folder`; nothing if it was not forked. Throws InputError if fork.toml does
// not tell.
std::optional<Time> fork_time(const std::string& folder);

struct Fork {
  scenario::Scenario before;
  scenario::Scenario after;
  std::string before_toml;  // both scenarios in full
  std::string after_toml;
  Time at;
  // A checkpoint of the first run that is not later than the fork, if there is one, and the folder with its files. The
  // first run is otherwise done again from its start.
  std::optional<Checkpoint> from;
  std::string folder;
};

// Reads the run in `folder`, a result or what a run with a checkpoint has left, to be forked at `at`; `overrides` are
// the changes. Throws InputError that names the key and the reason if one cannot be made while the network runs.
Fork read_fork(const std::string& folder, Time at, const std::vector<std::string>& overrides);

// Runs up to the fork and goes on from there; `directory` is empty. `model` is that of the second scenario. Returns
// nothing if the run was cancelled before the fork. Throws InputError if the first run ends before the fork, or its
// faults up to the fork are others.
std::optional<Outcome> fork(Fork& f, std::shared_ptr<const engine::Model> model, probe::ResultDirectory& directory,
                            const ExecutionOptions& options);

}  // namespace weir::run
