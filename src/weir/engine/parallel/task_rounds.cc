#include "weir/engine/parallel/task_rounds.h"

#include <algorithm>
#include <thread>

namespace weir::engine {
namespace {

// How often a thread looks whether it may go on before it sleeps, and how often the leader looks whether followers have
// taken their tasks before it takes those itself.
constexpr int kSpins = 1'000;
constexpr int kSpinsForTakers = 64;

// Tells the processor that this thread is only waiting.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

// Threads spin only if there are processors for all of them: else one that spins would keep another from its processor.
TaskRounds::TaskRounds(std::uint32_t threads, std::uint32_t tasks)
    : threads_(threads), spins_(threads <= std::thread::hardware_concurrency() ? kSpins : 0), tasks_(tasks) {}

std::uint32_t TaskRounds::begin() {
  done_.store(0, std::memory_order_relaxed);
  const std::uint32_t round = round_.load(std::memory_order_relaxed) + 1;
  round_.store(round, std::memory_order_release);
  round_.notify_all();
  return round;
}

// Takes a task if nobody has. All tasks of a round that has ended have been taken, so a thread that comes too late
// takes none.
bool TaskRounds::take(std::uint32_t task, std::uint32_t round) {
  std::atomic<std::uint32_t>& taken = tasks_[task].round;
  std::uint32_t before = round - 1;
  return taken.load(std::memory_order_relaxed) == before &&
         taken.compare_exchange_strong(before, round, std::memory_order_relaxed);
}

void TaskRounds::end() {
  if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == tasks_.size()) done_.notify_one();
}

void TaskRounds::wait_for_takers(std::uint32_t round) const {
  const auto is_taken = [&](const Task& task) { return task.round.load(std::memory_order_relaxed) == round; };
  for (int spin = 0; spin < std::min(spins_, kSpinsForTakers); ++spin) {
    if (asleep_.load(std::memory_order_relaxed) > 0 || std::all_of(tasks_.begin(), tasks_.end(), is_taken)) return;
    relax();
  }
}

void TaskRounds::wait_for_end() const {
  const auto all = static_cast<std::uint32_t>(tasks_.size());
  for (int spin = 0; spin < spins_; ++spin) {
    if (done_.load(std::memory_order_acquire) == all) return;
    relax();
  }
  for (std::uint32_t done; (done = done_.load(std::memory_order_acquire)) != all;)
    done_.wait(done, std::memory_order_acquire);
}

bool TaskRounds::wait_for_round(std::uint32_t& round) {
  const std::uint32_t before = round;
  for (int spin = 0; spin < spins_ && round == before; ++spin) {
    round = round_.load(std::memory_order_acquire);
    if (round == before) relax();
  }
  if (round == before) {
    asleep_.fetch_add(1, std::memory_order_relaxed);
    round_.wait(before, std::memory_order_acquire);
    asleep_.fetch_sub(1, std::memory_order_relaxed);
    round = round_.load(std::memory_order_acquire);
  }
  return !stopped_;
}

void TaskRounds::stop() {
  stopped_ = true;
  begin();
}

}  // namespace weir::engine
