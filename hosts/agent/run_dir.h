// The folder of a running agent, /run/weir-host: the lock that lets only one agent run, its control socket, what
// has to be put back after a crash, and what was known of clocks.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "hosts/path/descriptor.h"

namespace weir::hosts {

class RunDir {
 public:
  // Nothing is made yet.
  explicit RunDir(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  std::string socket() const { return path_ + "/control"; }
  std::string restore() const { return path_ + "/restore.json"; }
  std::string clocks() const { return path_ + "/clocks.json"; }
  std::string log() const { return path_ + "/log"; }

  // Makes the folder where it is not there. Throws InputError where it cannot be made, belongs to another user, or
  // others may write into it.
  void make() const;
  // Takes the lock until this process ends; false: another process has it. The folder must exist. A lock is not
  // inherited by children.
  bool lock();
  // Gives the lock up and removes what is ours, but for what is still to be put back and what the next agent wants to
  // know of clocks; the folder as well, where it is empty then.
  void leave();
  // The process that has the lock; nothing if none has, or this one.
  std::optional<pid_t> holder() const;

 private:
  std::string path_;
  Descriptor lock_;
};

}  // namespace weir::hosts
