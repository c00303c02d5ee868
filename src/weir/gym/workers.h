// Workers: threads that share out the environments of a vector among themselves, again and again.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace weir::gym {

class Workers {
 public:
  // The calling thread of run() is one of them. 0 = one for each processor.
  explicit Workers(unsigned threads);
  Workers(const Workers&) = delete;
  ~Workers();

  unsigned threads() const { return static_cast<unsigned>(threads_.size()) + 1; }
  // Calls work(0) to work(n - 1), each once, on any of the threads, and returns when all have returned. They must not
  // throw.
  void run(std::size_t n, const std::function<void(std::size_t)>& work);

 private:
  void serve();
  void take_all();

  std::vector<std::thread> threads_;
  std::mutex mutex_;
  std::condition_variable begin_;
  std::condition_variable end_;
  std::uint64_t round_ = 0;
  unsigned busy_ = 0;
  bool stop_ = false;
  const std::function<void(std::size_t)>* work_ = nullptr;
  std::size_t count_ = 0;
  std::atomic<std::size_t> next_{0};
};

}  // namespace weir::gym
