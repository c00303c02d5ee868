// The threads that advance the partitions of a run.
#pragma once

#include <cstdint>
#include <functional>
#include <thread>
#include <vector>

#include "weir/engine/parallel/task_rounds.h"

namespace weir::engine {

// Threads that do rounds of the same tasks. The one that calls run() is the first of them; the others are started here,
// and wait between rounds.
class WorkerThreads {
 public:
  // work(thread, task), which must not throw, does a task of a round.
  using Work = std::function<void(std::uint32_t thread, std::uint32_t task)>;
  WorkerThreads(std::uint32_t threads, std::uint32_t tasks, Work work);
  ~WorkerThreads();
  WorkerThreads(const WorkerThreads&) = delete;
  WorkerThreads& operator=(const WorkerThreads&) = delete;

  std::uint32_t count() const { return threads_; }
  // Do a round of all tasks, by all threads or by this one alone (TaskRounds).
  void run() { rounds_.lead(work_); }
  void run_alone() { rounds_.lead_alone(work_); }
  // Starts threads anew, in the child of a fork(2) that came between rounds.
  void after_fork();

 private:
  void start();

  const std::uint32_t threads_;
  const Work work_;
  TaskRounds rounds_;
  std::vector<std::thread> started_;
};

}  // namespace weir::engine
