// The connections of a server on this machine, to which any of its users may connect.
//
// Whoever has not shown the token is a stranger, and has not long for it: then the connection is closed, and so is that
// of the stranger who came first when there are too many. So those who know the token always find room.
#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <list>
#include <mutex>
#include <thread>

namespace weir::app {

class Visitors {
 public:
  static constexpr std::size_t kMostStrangers = 16;
  static constexpr std::chrono::milliseconds kPatience{1'500};

  Visitors();
  ~Visitors();
  Visitors(const Visitors&) = delete;

  // On any thread. A connection is known by its address; its socket stays open until it leaves.
  void enter(const void* connection, int socket);
  void leave(const void* connection);
  // From then on it is no stranger's.
  void show_token(const void* connection) { leave(connection); }

 private:
  using Clock = std::chrono::steady_clock;
  struct Stranger {
    const void* connection;
    int socket;
    Clock::time_point since;
  };

  void watch();
  // With the lock held.
  void turn_out_first();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::list<Stranger> strangers_;  // in the order in which they came
  bool ends_ = false;
  std::thread watch_;
};

}  // namespace weir::app
