// Questions of the threads of a server to the one that simulates, which answers between epochs.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <utility>

#include "weir/page_server.h"

namespace weir::app {

// What is left to do of an answer, on the thread that asked.
using Rest = std::function<PageAnswer()>;

struct Letter {
  PageRequest request;
  std::promise<Rest> answer;
};

class Mailbox {
 public:
  // On any thread: waits for the answer. After close() there is none but `closed`.
  PageAnswer ask(const PageRequest& request, const PageAnswer& closed) {
    std::future<Rest> answer;
    {
      const std::lock_guard lock(mutex_);
      if (closed_) return closed;
      answer = letters_.emplace_back(Letter{request, {}}).answer.get_future();
      has_letters_ = true;
    }
    changed_.notify_one();
    const Rest rest = answer.get();
    return rest ? rest() : closed;
  }

  // The thread that simulates: the next one; nothing if there is none after `wait`. Without waiting it looks at a flag.
  std::optional<Letter> next(std::chrono::milliseconds wait) {
    if (wait.count() == 0 && !has_letters_) return std::nullopt;
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, wait, [this] { return !letters_.empty(); });
    std::optional<Letter> out;
    if (!letters_.empty()) {
      out.emplace(std::move(letters_.front()));
      letters_.pop_front();
    }
    has_letters_ = !letters_.empty();
    return out;
  }

  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    for (Letter& letter : letters_) letter.answer.set_value({});
    letters_.clear();
    has_letters_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Letter> letters_;
  std::atomic<bool> has_letters_{false};
  bool closed_ = false;
};

}  // namespace weir::app
