// One thread that serves all sockets and timers of all hosts.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <unordered_map>

#include "tests/hosts/vm/load/netns.h"

namespace weir::hosts::load {

// CLOCK_MONOTONIC, ns.
std::int64_t now_ns();

class Loop {
 public:
  Loop();

  // `act` is called with the events of epoll(7) whenever one of `events` is there.
  void watch(int fd, std::uint32_t events, std::function<void(std::uint32_t)> act);
  void change(int fd, std::uint32_t events) const;
  void forget(int fd);

  // Calls `act` once, at that time or soon after.
  void at(std::int64_t time, std::function<void()> act);

  // Serves until `done` or that time.
  void run(const std::function<bool()>& done, std::int64_t until);

 private:
  void wait(std::int64_t until);

  Descriptor epoll_;
  std::unordered_map<int, std::function<void(std::uint32_t)>> acts_;
  std::multimap<std::int64_t, std::function<void()>> timers_;
};

}  // namespace weir::hosts::load
