// Locks between several sweeps in one directory of results. All are given back when the process ends.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "weir/study/plan.h"

namespace weir::run {

class FileLock {
 public:
  // Throws std::system_error if the file cannot be created.
  explicit FileLock(const std::string& path);
  FileLock(const FileLock&) = delete;
  ~FileLock();

  // Takes the lock, of a `kind` of flock(). Returns false if others hold it. On a network file system without locks,
  // nobody ever does.
  bool take(int kind);
  void wait(int kind);
  void give_back();
  // The line that is written in it; "" = none.
  std::string text() const;
  void write(const std::string& text);

 private:
  std::string path_;
  int descriptor_;
};

// Keeps other sweeps from the runs of this one: from all of them; from those of a shard, beside other shards of the
// same number; or from none, if this is a worker that leases runs, beside other such workers. The processes of runs
// hold the lock too, until they have ended. Throws InputError if others hold it.
class WorkLock {
 public:
  WorkLock(const std::string& dir, const study::Shard& shard, bool has_leases);

 private:
  FileLock whole_;
  std::optional<FileLock> share_;
};

// Held while the results of all shards are looked at, removed, or put into tables. Waits for others that hold it.
class ResultsLock {
 public:
  explicit ResultsLock(const std::string& dir);

 private:
  FileLock lock_;
};

}  // namespace weir::run
