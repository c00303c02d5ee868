// Hands the events of a run to a thread of its own, which looks at them while the run goes on.
//
//   EventPipe pipe([&](std::span<const net::TraceEvent> events) { ... });  // on that thread, in order
//   ... pipe.add(events)
//   pipe.finish();                                                         // all have been looked at
//
// At most kBatches * kBatch events wait, which take 0.8 MB.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <queue>
#include <span>
#include <thread>
#include <vector>

#include "weir/net/trace.h"

namespace weir::capture {

class EventPipe {
 public:
  using Visit = std::function<void(std::span<const net::TraceEvent>)>;

  explicit EventPipe(Visit visit);
  // Events that wait are dropped.
  ~EventPipe();
  EventPipe(const EventPipe&) = delete;
  EventPipe& operator=(const EventPipe&) = delete;

  // Copies the events, and waits while too many of them have not been looked at. Throws what `visit` has thrown, and
  // after that nothing is looked at any more.
  void add(net::TraceEvents events);
  // The last call. Throws likewise.
  void finish();

 private:
  using Batch = std::vector<net::TraceEvent>;
  static constexpr std::size_t kBatch = 1024;
  static constexpr std::size_t kBatches = 4;

  void work();
  void hand_over();
  void check();

  Visit visit_;
  Batch batch_;  // what the run adds to

  std::mutex mutex_;
  std::condition_variable changed_;
  std::queue<Batch> waiting_;
  std::vector<Batch> free_;
  bool ends_ = false;
  std::exception_ptr error_;
  std::thread thread_;  // the last of all, since it begins at once
};

}  // namespace weir::capture
