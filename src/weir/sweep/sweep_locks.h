// Several sweeps in one directory of results. All locks are given back when the process ends.
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

  // `kind` is one of flock(). False if others hold it; some network file systems have no locks, and nobody does.
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

// Holds the runs of one sweep against others: all of them, or those of a shard, beside shards of as many, or those that
// it will claim, beside others that claim. The runs hold it too, until they have ended. Throws InputError if others
// hold them.
class WorkLock {
 public:
  WorkLock(const std::string& dir, const study::Shard& shard, bool claims);

 private:
  FileLock whole_;
  std::optional<FileLock> share_;
};

// Held where the results of all shards are looked at, removed, or put into tables; waits for others that do.
class ResultsLock {
 public:
  explicit ResultsLock(const std::string& dir);

 private:
  FileLock lock_;
};

}  // namespace weir::run
