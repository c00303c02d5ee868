// Waits for descriptors, timers and signals, and calls whoever waits for them; one thread.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "hosts/path/descriptor.h"

namespace weir::hosts {

class EventLoop {
 public:
  using Ready = std::function<void(std::uint32_t events)>;  // of epoll

  EventLoop();

  // The descriptor stays the caller's, who forgets it before closing it. A function may forget its own descriptor.
  void watch(int fd, std::uint32_t events, Ready ready);
  void change(int fd, std::uint32_t events);
  void forget(int fd);

  // Every so many ns until the loop is destroyed. What is late is called once, not several times.
  void every(std::int64_t interval, std::function<void()> work);
  // These signals no longer interrupt the process, but are told here, until the loop is destroyed.
  void signals(const std::vector<int>& numbers, std::function<void(int)> work);

  // Until stop() is called by one of the functions.
  void run();
  void stop() { running_ = false; }
  // Calls what is ready now, or waits so long for it.
  void once(int timeout_ms);

 private:
  Descriptor epoll_;
  std::map<int, std::shared_ptr<Ready>> ready_;
  std::vector<Descriptor> own_;  // of timers and signals
  bool running_ = false;
};

// A timer that is set again and again.
class Alarm {
 public:
  Alarm(EventLoop& loop, std::function<void()> work);
  Alarm(const Alarm&) = delete;
  Alarm& operator=(const Alarm&) = delete;
  ~Alarm();

  // Once, at a time of CLOCK_MONOTONIC in ns, instead of what was set before. A time that has passed is now.
  void at(std::int64_t time);

 private:
  EventLoop& loop_;
  Descriptor fd_;
  std::function<void()> work_;
};

// CLOCK_MONOTONIC, ns.
std::int64_t monotonic_now();
// Of the epoch of 1970, ns.
std::int64_t unix_now();

}  // namespace weir::hosts
