// Clocks, and events by which one thread wakes another.
#pragma once

#include <sys/eventfd.h>

#include <cstdint>
#include <ctime>

#include "hosts/path/descriptor.h"

namespace weir::hosts {

// ns
inline std::int64_t read_clock(clockid_t clock = CLOCK_MONOTONIC) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
}

inline void signal_event(const Descriptor& event) { ::eventfd_write(event.get(), 1); }

inline void clear_event(const Descriptor& event) {
  eventfd_t count = 0;
  ::eventfd_read(event.get(), &count);
}

}  // namespace weir::hosts
