#include "weir/engine/barrier.h"

namespace weir::engine {

namespace {

// Tells the processor that this thread is only waiting.
inline void relax() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("yield");
#endif
}

}  // namespace

void Barrier::arrive_and_wait() {
  const std::uint32_t round = round_.load(std::memory_order_acquire);
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == threads_) {
    arrived_.store(0, std::memory_order_relaxed);
    round_.store(round + 1, std::memory_order_release);
    round_.notify_all();
    return;
  }
  for (int spin = 0; spin < spins_; ++spin) {
    if (round_.load(std::memory_order_acquire) != round) return;
    relax();
  }
  round_.wait(round, std::memory_order_acquire);
}

}  // namespace weir::engine
