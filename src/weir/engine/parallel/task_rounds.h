// How the threads of a run share the work of an epoch.
#pragma once

#include <atomic>
#include <cstdint>
#include <vector>

namespace weir::engine {

// Rounds of the same tasks. One thread leads; the others follow, take part in each round, and wait in between.
//
// Every thread has tasks of its own, whose state is in its caches. But a task belongs to whoever takes it first, so the
// round does not wait for a follower that has not come: on a busy machine it may get no processor for milliseconds,
// which is many epochs. Whoever waits spins first, since an epoch's work is short and equal, and then sleeps.
class TaskRounds {
 public:
  TaskRounds(std::uint32_t threads, std::uint32_t tasks);

  // Calls work(thread, task), which does not throw, for each task, on whichever thread; when this returns all have been
  // done. The leader, who calls it, is thread 0. What it wrote before is seen by all of them, and what they write by
  // it.
  template <class Work>
  void lead(Work&& work) {
    const std::uint32_t round = begin();
    take_own(0, round, work);
    wait_for_takers(round);
    take_any(0, round, work);
    wait_for_end();
  }
  // The same, but the leader does all of them; the others are not told.
  template <class Work>
  void lead_alone(Work&& work) const {
    for (std::uint32_t task = 0; task < tasks_.size(); ++task) work(0, task);
  }
  // As thread 1, 2, ...: takes part in rounds until stop().
  template <class Work>
  void follow(std::uint32_t thread, Work&& work) {
    for (std::uint32_t round = 0; wait_for_round(round);) {
      take_own(thread, round, work);
      take_any(thread, round, work);
    }
  }
  // Between rounds.
  void stop();
  // Between rounds, in a process that has forked: the followers are not there any more.
  void forget_followers() { asleep_.store(0, std::memory_order_relaxed); }

 private:
  struct alignas(64) Task {
    std::atomic<std::uint32_t> round{0};  // the last one in which it was taken
  };

  template <class Work>
  void take_own(std::uint32_t thread, std::uint32_t round, Work&& work) {
    for (std::uint32_t task = thread; task < tasks_.size(); task += threads_)
      if (take(task, round)) work(thread, task), end();
  }
  template <class Work>
  void take_any(std::uint32_t thread, std::uint32_t round, Work&& work) {
    for (std::uint32_t task = 0; task < tasks_.size(); ++task)
      if (take(task, round)) work(thread, task), end();
  }

  std::uint32_t begin();
  bool take(std::uint32_t task, std::uint32_t round);
  // A task has been done.
  void end();
  // Followers that are awake are given the time to come.
  void wait_for_takers(std::uint32_t round) const;
  void wait_for_end() const;
  // Until there is another round than this one, which becomes it. False if there is none any more.
  bool wait_for_round(std::uint32_t& round);

  const std::uint32_t threads_;
  const int spins_;
  std::vector<Task> tasks_;
  std::atomic<bool> stopped_{false};
  alignas(64) std::atomic<std::uint32_t> round_{0};
  std::atomic<std::uint32_t> asleep_{0};  // followers
  alignas(64) std::atomic<std::uint32_t> done_{0};
};

}  // namespace weir::engine
