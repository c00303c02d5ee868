// A process of its own that lets packets pass when the data path no longer does.
//
// It has the kernel's queue in its hands too (the same socket), so that nothing is lost when it steps in: what waits
// leaves, what comes passes, and the queue ends. Were the socket only closed, the kernel would throw away what waits.
//
//   the path ends           at once: it lets packets pass, carries out what puts the host back, and ends
//   the path stands still   after `hang_after`: it lets packets pass; the path may go on and take the queue again;
//                           after `kill_after` more it is ended, for whoever looks after services to start it anew
//
// Time in which the watchdog itself did not run (a machine that was suspended) does not count as the path's. The path
// looks after the watchdog in turn, and holds nothing without one. If both end in the same instant, the rules' bypass
// lets packets pass, and those that waited are sent again by TCP.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "hosts/path/descriptor.h"
#include "hosts/queue/programs.h"

namespace weir::hosts {

// What both processes see.
struct Shared {
  enum : std::uint32_t {
    running,   // the path has the queue
    seized,    // the watchdog is letting packets pass
    passed,    // it has: the path may take the queue again
    detached,  // there is nothing left to watch
  };
  std::atomic<std::uint32_t> state{running};
  std::atomic<std::uint32_t> last_id{0};     // of a packet that came lately
  std::atomic<std::uint64_t> path_turns{0};  // counts as long as the path lives
  std::atomic<std::uint64_t> watchdog_turns{0};
  std::atomic<std::uint64_t> seizures{0};
  std::atomic<std::uint32_t> made_tables{0};  // tables of iptables that the path has made (Rules::tell_tables)
};

struct WatchdogSettings {
  std::uint16_t queue = 0;
  std::int64_t hang_after = 250'000'000;    // ns
  std::int64_t kill_after = 3'000'000'000;  // ns; 0: never
  std::vector<Command> put_back;            // in this order
};

class Watchdog {
 public:
  // How long either of the two may sleep, ns.
  static constexpr std::int64_t kTurn = 50'000'000;

  // `queue_socket` must stay open. Throws std::system_error.
  Watchdog(WatchdogSettings settings, int queue_socket);
  // Waits for the process to end, if that has been told to (`detached`); else ends it.
  ~Watchdog();

  Shared& shared() { return *shared_; }
  pid_t process() const { return process_; }
  // A heartbeat of the path, to be called at least once in kTurn. False if there is no watchdog that watches: it has
  // been started anew then, or that is tried at the next call.
  bool turn(std::int64_t now);

 private:
  void start();
  void reap();

  WatchdogSettings settings_;
  int queue_socket_;
  Shared* shared_;
  std::vector<std::vector<std::string>> texts_;
  pid_t process_ = -1;
  Descriptor process_handle_;
  std::uint64_t seen_turns_ = 0;
  std::int64_t quiet_ = 0;  // ns without a sign of it
  std::int64_t last_turn_ = 0;
};

}  // namespace weir::hosts
