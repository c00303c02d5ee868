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

  // Calls work(thread, task), which must not throw, for each task, on any of the threads, and returns when all tasks
  // have been done. The calling thread is the leader, number 0. Tasks see what the leader wrote before the call, and
  // the leader sees afterwards what they wrote.
  template <class Work>
  void lead(Work&& work) {
    const std::uint32_t round = begin();
    take_own(0, round, work);
    wait_for_takers(round);
    take_any(0, round, work);
    wait_for_end();
  }
  // The same, but the leader does all tasks; the followers are not told.
  template <class Work>
  void lead_alone(Work&& work) const {
    for (std::uint32_t task = 0; task < tasks_.size(); ++task) work(0, task);
  }
  // Called by followers, as threads 1, 2, ...: takes part in rounds until stop().
  template <class Work>
  void follow(std::uint32_t thread, Work&& work) {
    for (std::uint32_t round = 0; wait_for_round(round);) {
      take_own(thread, round, work);
      take_any(thread, round, work);
    }
  }
  // Called between rounds: makes follow() return.
  void stop();
  // Called between rounds, in the child of a fork(2), which has no followers.
  void forget_followers() { asleep_.store(0, std::memory_order_relaxed); }

 private:
  struct alignas(64) Task {
    std::atomic<std::uint32_t> round{0};  // the last round in which it was taken
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
  // Counts a task that has been done.
  void end();
  // Gives followers that are awake the time to take their tasks.
  void wait_for_takers(std::uint32_t round) const;
  void wait_for_end() const;
  // Waits until there is a later round than `round`, which becomes its number. Returns false if rounds have stopped.
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
