#include "weir/capture/event_pipe.h"

#include <algorithm>
#include <utility>

namespace weir::capture {

EventPipe::EventPipe(Visit visit) : visit_(std::move(visit)) {
  batch_.reserve(kBatch);
  free_.resize(kBatches - 1);
  for (Batch& batch : free_) batch.reserve(kBatch);
  thread_ = std::thread([this] { work(); });
}

EventPipe::~EventPipe() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
    waiting_ = {};
  }
  changed_.notify_all();
  thread_.join();
}

void EventPipe::add(net::TraceEvents events) {
  for (const net::TraceEvent& event : events) {
    batch_.push_back(event);
    if (batch_.size() >= kBatch) hand_over();
  }
}

void EventPipe::finish() {
  if (!batch_.empty()) hand_over();
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_all();
  thread_.join();
  check();
}

void EventPipe::hand_over() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return !free_.empty() || error_; });
  check();
  waiting_.push(std::exchange(batch_, std::move(free_.back())));
  free_.pop_back();
  lock.unlock();
  changed_.notify_all();
}

void EventPipe::check() {
  if (error_) std::rethrow_exception(error_);
}

void EventPipe::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return !waiting_.empty() || ends_; });
    if (waiting_.empty() || error_) return;
    Batch batch = std::move(waiting_.front());
    waiting_.pop();
    lock.unlock();
    std::exception_ptr error;
    try {
      visit_(batch);
    } catch (...) {
      error = std::current_exception();
    }
    batch.clear();
    lock.lock();
    error_ = error;
    free_.push_back(std::move(batch));
    changed_.notify_all();
  }
}

}  // namespace weir::capture
