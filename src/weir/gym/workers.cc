#include "weir/gym/workers.h"

#include <algorithm>

namespace weir::gym {

Workers::Workers(unsigned threads) {
  const unsigned wanted = threads > 0 ? threads : std::max(1u, std::thread::hardware_concurrency());
  for (unsigned i = 1; i < wanted; ++i) threads_.emplace_back([this] { serve(); });
}

Workers::~Workers() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  begin_.notify_all();
  for (std::thread& t : threads_) t.join();
}

void Workers::take_all() {
  for (std::size_t i = next_.fetch_add(1); i < count_; i = next_.fetch_add(1)) (*work_)(i);
}

void Workers::run(std::size_t n, const std::function<void(std::size_t)>& work) {
  if (threads_.empty() || n == 1) {
    for (std::size_t i = 0; i < n; ++i) work(i);
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    work_ = &work;
    count_ = n;
    next_ = 0;
    busy_ = static_cast<unsigned>(threads_.size());
    ++round_;
  }
  begin_.notify_all();
  take_all();
  std::unique_lock lock(mutex_);
  end_.wait(lock, [this] { return busy_ == 0; });
}

void Workers::serve() {
  std::uint64_t seen = 0;
  std::unique_lock lock(mutex_);
  for (;;) {
    begin_.wait(lock, [&] { return stop_ || round_ != seen; });
    if (stop_) return;
    seen = round_;
    lock.unlock();
    take_all();
    lock.lock();
    if (--busy_ == 0) end_.notify_one();
  }
}

}  // namespace weir::gym
