// Deadlocks of priority flow control.
//
// An egress port that is paused in a class waits for the ingress at its far end, and that ingress waits for the packets
// that came in by it and stand in egress queues of its switch. A set of paused ports is deadlocked if, for each port of
// the set, the ingress at its far end could not be resumed even if all packets left that switch except those that wait
// in ports of the set: then no port of the set can ever be resumed, and these packets stay for good. The search finds
// the largest such set: it takes all paused ports, and strikes out those whose ingress could be resumed until none is
// left to be struck out. Each port that remains waits for another one that remains; hence there is a cycle. Ports to
// which a pause or resume frame is on its way are struck out, too, so that no passing state is taken for a deadlock.
//
// Coffman's conditions for pauses: Hu et al., "Deadlocks in Datacenter Networks: Why Do They Form, and How to Avoid
// Them", HotNets 2016.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "weir/engine/model/model.h"
#include "weir/engine/model/network.h"
#include "weir/engine/stall.h"
#include "weir/net/link/packet_visit.h"

namespace weir::engine {

struct Deadlock {
  std::vector<BlockedPort> ports;  // of the largest set, by port and class; empty = there is no deadlock
  std::vector<BlockedPort> cycle;  // one of its cycles, from its smallest port on
  Time since;                      // when the last port of the cycle was paused
};

// Searches the paused ports of a run. Its lists are kept from one look() to the next, so that calls that find nothing
// allocate nothing in the long run.
class DeadlockSearch {
 public:
  // Both must outlive this.
  DeadlockSearch(const Model& model, const Network& network) : model_(model), network_(network) {}

  // Finds the deadlock, between epochs. `each_packet` calls its argument for each packet that has been put on a port
  // and has not reached the port's far end; it is called only if some paused port has not been struck out without it.
  Deadlock look(const std::function<void(const net::PacketVisit&)>& each_packet);

 private:
  // Bytes of one class that came in by an ingress.
  struct Held {
    std::uint32_t ingress = 0;
    std::int64_t bytes = 0;
  };
  struct Member {
    BlockedPort port;
    std::uint32_t at = 0;       // the switch that has paused it
    std::uint32_t ingress = 0;  // the ingress of that switch at the port's far end
    std::uint32_t first = 0;    // bytes that wait in it, by ingress of its own switch: held_[first] to held_[end - 1]
    std::uint32_t end = 0;
    bool struck = false;
  };

  void take_paused();
  void take_waiting(Member& m);
  static void add_to(std::vector<Held>& list, std::size_t first, std::uint32_t ingress, std::int64_t bytes);
  void strike_resumable();
  bool is_empty() const;
  const Member* find(std::uint32_t port, unsigned data_class) const;  // null if it has been struck
  bool may_resume(const Member& m);
  const Member& next(const Member& m) const;
  std::vector<BlockedPort> cycle(Time& since) const;

  const Model& model_;
  const Network& network_;
  std::vector<Member> members_;  // by port and class
  std::vector<Held> held_;
  std::vector<Held> kept_;  // of one switch and class
};

}  // namespace weir::engine
