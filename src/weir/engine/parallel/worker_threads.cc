#include "weir/engine/parallel/worker_threads.h"

#include <memory>
#include <utility>

namespace weir::engine {

WorkerThreads::WorkerThreads(std::uint32_t threads, std::uint32_t tasks, Work work)
    : threads_(threads), work_(std::move(work)), rounds_(threads, tasks) {
  start();
}

WorkerThreads::~WorkerThreads() {
  rounds_.stop();
  for (std::thread& thread : started_) thread.join();
}

void WorkerThreads::after_fork() {
  // The parent's threads do not exist here: they can be neither joined nor detached.
  for (std::thread& thread : started_) std::construct_at(&thread);
  started_.clear();
  rounds_.forget_followers();
  start();
}

void WorkerThreads::start() {
  for (std::uint32_t thread = 1; thread < threads_; ++thread)
    started_.emplace_back([this, thread] { rounds_.follow(thread, work_); });
}

}  // namespace weir::engine
