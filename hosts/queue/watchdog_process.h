// What the watchdog's process does. It is a fork of one with threads, so that no memory is asked for and no lock taken:
// nothing but system calls.
#pragma once

#include <cstdint>

#include "hosts/queue/watchdog.h"

namespace weir::hosts {

struct WatchdogPlan {
  Shared* shared = nullptr;
  int path = -1;   // a pidfd of the process that is watched
  int queue = -1;  // the queue's socket
  std::uint16_t number = 0;
  std::int64_t hang_after = 0;
  std::int64_t kill_after = 0;
  char* const* const* put_back = nullptr;  // ends with nullptr; each a file and its arguments
};

[[noreturn]] void watch(const WatchdogPlan& plan);

}  // namespace weir::hosts
