// What has to be put back on this host if the agent ends without doing so: restore.json in the folder of the running
// agent. A step is on disk before the change is made, and all are removed when the data path has put everything back.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "hosts/path/undo.h"

namespace weir::hosts {

class RestoreLog {
 public:
  // Runs a command, and returns whether it succeeded.
  using Run = std::function<bool(const std::vector<std::string>& command)>;
  // The number that an interface of this name has now; 0: there is none.
  using IfIndex = std::function<unsigned(const std::string& name)>;

  // Reads what a crash has left. Throws std::runtime_error for a file that is none of ours.
  explicit RestoreLog(std::string file);

  bool empty() const { return steps_.empty(); }
  const std::vector<Undo>& steps() const { return steps_; }

  // Throws std::runtime_error where the file cannot be written; then the change must not be made. The commands are
  // those of undo.h alone.
  void add(const Undo& step);
  // All is as it was: the file goes away.
  void clear();
  // Carries out all steps, last one first, and forgets them. Returns what was put back; steps whose command fails count
  // as those whose change was never made, and those of an interface that is not the same are left out.
  std::vector<std::string> apply(const Run& run, const IfIndex& ifindex);
  // With run_program(), what stands for a command, and the interfaces of this host.
  std::vector<std::string> apply();

 private:
  void write() const;

  std::string file_;
  std::vector<Undo> steps_;
};

}  // namespace weir::hosts
