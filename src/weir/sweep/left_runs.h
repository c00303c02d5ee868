// What runs of sweeps leave in DIR/runs when they are killed, and how the next process takes it up.
//
// A process does its run in a folder of its own, RUN.partial-TOKEN, in which `run` is the result; this gets its name
// when it is whole. The next one to do the run, which holds its lease or the sweep's lock, renames what it finds first:
// a process that was only slow then cannot give it the result's name any more. It copies the files of the last
// checkpoint, since the slow one may still hold them open, and goes on from there.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weir/probe/results.h"
#include "weir/run/execute.h"

namespace weir::run {

// The folder of a process beside the result `target`.
std::string partial_name(const std::string& target, const std::string& token);
// The result in such a folder.
std::string result_in(const std::string& partial);
// 16 hexadecimal digits that no other process has.
std::string new_token();
// Whether a folder in DIR/runs is the folder of a process.
bool is_left(std::string_view name);
// The name of the run of such a folder.
std::string run_of_left(std::string_view name);

// Whether there is a checkpoint in such a folder.
bool has_checkpoint(const std::string& partial);

// The names of runs in DIR/runs of which something is left, each once, in order.
std::vector<std::string> left_runs(const std::string& dir);
// Removes all that is left of this result.
void remove_left(const std::string& target);

// A run that has gone on from a checkpoint that was left.
struct Resumed {
  std::unique_ptr<probe::ResultDirectory> directory;
  Outcome outcome;
};
// Goes on from the last checkpoint that is left of `target`, in the folder `partial`. Returns null if there is none, or
// if it is of another build of Weir or of another scenario; what is left is removed then. Throws what resume() does.
std::unique_ptr<Resumed> resume_left(const std::string& target, const std::string& partial,
                                     const scenario::Scenario& wanted, const ExecutionOptions& options);

}  // namespace weir::run
