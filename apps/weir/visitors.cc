#include "weir/visitors.h"

#include <sys/socket.h>

namespace weir::app {

Visitors::Visitors() : watch_([this] { watch(); }) {}

Visitors::~Visitors() {
  {
    const std::lock_guard lock(mutex_);
    ends_ = true;
  }
  changed_.notify_one();
  watch_.join();
}

void Visitors::enter(const void* connection, int socket) {
  {
    const std::lock_guard lock(mutex_);
    if (strangers_.size() >= kMostStrangers) turn_out_first();
    strangers_.push_back({connection, socket, Clock::now()});
  }
  changed_.notify_one();
}

void Visitors::leave(const void* connection) {
  const std::lock_guard lock(mutex_);
  strangers_.remove_if([&](const Stranger& s) { return s.connection == connection; });
}

// The server notices, and closes the socket.
void Visitors::turn_out_first() {
  ::shutdown(strangers_.front().socket, SHUT_RDWR);
  strangers_.pop_front();
}

void Visitors::watch() {
  std::unique_lock lock(mutex_);
  while (!ends_) {
    if (strangers_.empty()) {
      changed_.wait(lock);
      continue;
    }
    const Clock::time_point end = strangers_.front().since + kPatience;
    if (Clock::now() >= end)
      turn_out_first();
    else
      changed_.wait_until(lock, end);
  }
}

}  // namespace weir::app
