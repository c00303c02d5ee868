// The thread of the path in user space: waits for packets, OR-ACKs and times, and does what they ask for.
//
// In each turn packets that have come take their places, then OR-ACKs are looked at, and only then packets leave; data
// that has arrived is answered last.
#pragma once

#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <future>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "hosts/path/data_path.h"
#include "hosts/path/descriptor.h"
#include "hosts/queue/nfqueue.h"
#include "hosts/queue/or_ack_socket.h"
#include "hosts/queue/queue_path.h"
#include "hosts/queue/receiving.h"
#include "hosts/queue/sending.h"
#include "hosts/queue/tap.h"
#include "hosts/queue/watchdog.h"

namespace weir::hosts {

class QueueLoop {
 public:
  // Takes the queue and opens all sockets. Throws Unavailable, std::system_error.
  QueueLoop(const PathSettings& settings, const QueueOptions& options);
  // Ends it if that has not been done.
  ~QueueLoop();

  // Begins: with a watchdog, if packets are to be held, that carries out `put_back` if need be.
  void start(const std::vector<Command>& put_back);
  // What the watchdog is to know besides, once it has begun; null without one.
  Shared* shared() { return watchdog_ ? &watchdog_->shared() : nullptr; }
  // Lets all packets go, ends the queue, the watchdog and the thread.
  void stop();
  // From now on nothing is held.
  void hold_nothing();

  // For all of these the thread may be at work.
  void beat(std::int64_t now) { beat_.store(now); }
  void set_peer(const Peer& peer);
  void remove_peer(const Address& address);
  Counters counters();
  std::vector<FlowView> flows();
  std::string trouble();
  void trace(bool on);
  // Decisions since the last call.
  std::vector<Decision> take_decisions();
  int decisions_descriptor() const { return decisions_ready_.get(); }

 private:
  struct Interface {
    std::string name;
    unsigned ifindex = 0;
    std::uint32_t packet_bytes = 1'460;  // of data in a packet of the network, at most
    std::vector<Tap> in;
    std::optional<Tap> out;
    bool ready = false;
  };

  // Does `work` in the thread and waits for it. `work` must not refer to what the caller may leave.
  template <class T>
  T call(std::function<T()> work);
  void run();
  void settle();
  void turn();
  // What can be read: true if packets or OR-ACKs have come, or it is time for packets to leave.
  bool wait();
  void do_tasks();
  void resume();
  void read_packets(std::int64_t now);
  void read_or_acks();
  void hear(std::span<const std::uint8_t> payload, const Address& from, const Address& to);
  void release();
  void read_taps();
  void answer(const Segment& segment, std::int64_t received);
  void look_after(std::int64_t now);
  void open_taps(std::size_t index);
  void watch_peers();
  enum class Source : std::uint8_t { timer, wake, packets, or_acks, tap };
  void wait_for(int descriptor, Source source, std::size_t index = 0);
  void set_timer();
  void hand_over_decisions();

  PathSettings settings_;
  QueueOptions options_;
  ShownClock clock_;
  Sending sending_;
  Receiving receiving_;
  std::vector<Peer> peers_;
  std::vector<Interface> interfaces_;
  std::vector<OrAckSocket> or_acks_;
  std::optional<NfQueue> queue_;
  std::optional<Watchdog> watchdog_;
  Descriptor events_;
  Descriptor timer_;
  Descriptor wake_;
  std::int64_t timer_at_ = 0;
  std::int64_t looked_after_ = 0;
  std::vector<std::uint32_t> leaving_;
  Counters heard_;  // OR-ACKs in and out
  std::string trouble_;
  bool holds_nothing_ = false;

  std::atomic<std::int64_t> beat_{std::numeric_limits<std::int64_t>::min()};  // there was none
  std::atomic<bool> stopping_{false};
  std::mutex tasks_lock_;
  std::deque<std::function<void()>> tasks_;
  std::vector<Decision> decisions_;  // of this turn
  std::mutex decisions_lock_;
  std::vector<Decision> decisions_out_;
  std::atomic<std::uint64_t> decisions_lost_{0};
  Descriptor decisions_ready_;
  std::thread thread_;
};

}  // namespace weir::hosts
