// The data path in user space, for kernels without the fair-queue scheduler: packets of TCP to peers wait in a queue of
// the kernel's (NFQUEUE) for a verdict, and keep their owner, so that TCP small queues see them (with a TUN device they
// would not). See sending.h for what holds them, receiving.h and tap.h for what is answered, watchdog.h for what
// happens when this process no longer does its work.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "hosts/path/data_path.h"

namespace weir::hosts {

struct QueueOptions {
  // The number of the kernel's queue. One process of a network namespace can have it.
  std::uint16_t queue = kOrAckPort;
  std::int64_t hang_after = 250'000'000;    // ns, WatchdogSettings
  std::int64_t kill_after = 3'000'000'000;  // ns
  bool realtime = true;                     // before other processes (SCHED_FIFO), where that is allowed
  std::function<void()> each_turn;          // for tests: called by the path's own thread
};

// Throws Unavailable. attach_queue(settings) has the options as they are here.
std::unique_ptr<DataPath> attach_queue(const PathSettings& settings, const QueueOptions& options);

}  // namespace weir::hosts
