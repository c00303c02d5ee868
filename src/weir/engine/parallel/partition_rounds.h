// The threads of a rank, and how they advance its partitions: in rounds, each of which advances every partition by an
// epoch or a pass.
#pragma once

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "weir/engine/parallel/exchange.h"
#include "weir/engine/parallel/phase_log.h"
#include "weir/engine/parallel/thread_trials.h"
#include "weir/engine/parallel/worker_threads.h"

namespace weir::engine {

class PartitionRounds {
 public:
  // Partitions are those of the share, counted from its first; advance(i) advances one, and throws nothing.
  PartitionRounds(std::uint32_t threads, const Share& share, std::function<void(std::uint32_t)> advance)
      : first_(share.first),
        partitions_(share.count()),
        threads_(threads, partitions_, [this, advance = std::move(advance)](std::uint32_t thread, std::uint32_t i) {
          timed(thread, i, [&] { advance(i); });
        }) {}

  // The share of all events that one thread has taken alone.
  double share_alone() const { return threads_.count() == 1 ? 1 : trials_.share_alone(); }
  void after_fork() { threads_.after_fork(); }
  // From now on, notes how long each partition takes; the log must outlive this.
  void log_to(PhaseLog& log) {
    log_ = &log;
    taken_.resize(partitions_);
  }

  // Called between rounds, when partitions have been loaded: how many events they had taken before.
  void count_from(std::uint64_t events) { events_before_ = events; }
  // Does one round, by all threads or by one of them alone, as is quicker. events() tells how many events partitions
  // have taken so far.
  template <class Events>
  void run(Events&& events) {
    const bool tries = threads_.count() > 1;
    const std::int64_t begin = tries ? passing_ns() : 0;
    if (tries && trials_.alone())
      threads_.run_alone();
    else
      threads_.run();
    const std::uint64_t until_now = events();
    nothing_happened_ = until_now == events_before_;
    if (tries) trials_.add(until_now - events_before_, passing_ns() - begin);
    events_before_ = until_now;
    log_taken();
  }
  // Whether the last round took no event.
  bool nothing_happened() const { return nothing_happened_; }
  // Does a round of the only partition, on the calling thread.
  template <class Advance>
  void run_here(Advance&& advance) {
    timed(0, 0, advance);
    log_taken();
  }

 private:
  // Calls it(), and notes how long that takes if there is a log.
  template <class Do>
  void timed(std::uint32_t thread, std::uint32_t i, Do&& it) {
    if (log_ == nullptr) return it();
    const std::int64_t begin = passing_ns();
    it();
    taken_[i] = {Phase::partition, thread, first_ + i, begin, passing_ns()};
  }
  void log_taken() {
    for (const PhaseTime& work : taken_) log_->add(work);
  }

  const std::uint32_t first_;
  const std::uint32_t partitions_;
  PhaseLog* log_ = nullptr;          // null: phases are not timed
  std::vector<PhaseTime> taken_;     // by partition, for the log
  std::uint64_t events_before_ = 0;  // events up to the end of the last round
  bool nothing_happened_ = false;    // in the last round
  ThreadTrials trials_;
  WorkerThreads threads_;
};

}  // namespace weir::engine
