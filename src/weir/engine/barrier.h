// Where the threads of a crew wait for each other.
#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace weir::engine {

// All threads wait here for each other. Spins first, since an epoch's work is short and equal;
// but not where a thread that spins keeps another from its processor.
class Barrier {
 public:
  explicit Barrier(std::uint32_t threads)
      : threads_(threads), spins_(threads <= std::thread::hardware_concurrency() ? 1'000 : 0) {}
  void arrive_and_wait();
  // Only while no thread waits.
  void forget_arrivals() { arrived_.store(0, std::memory_order_relaxed); }

 private:
  const std::uint32_t threads_;
  const int spins_;
  std::atomic<std::uint32_t> arrived_{0};
  std::atomic<std::uint32_t> round_{0};
};

}  // namespace weir::engine
