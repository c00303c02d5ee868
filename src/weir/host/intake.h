// Packets that wait at the NICs of slow hosts until the hosts take them: the model of [[host.slow]].
//
// The NIC of such a host is a queue. While the host is slow, it takes the packets in it one after the other at its
// rate; at other times it takes them at once. In lossless mode the NIC pauses its switch while much waits, as switches
// pause their neighbours. Packets that find no room are dropped: those of classes that PFC pauses and all others have
// the same room each, so that neither takes that of the other. Receivers see a packet when it is taken, and do not know
// that it has waited. Without slow hosts this part is empty.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "weir/host/params.h"
#include "weir/net/link/packet.h"
#include "weir/net/port/port.h"
#include "weir/sim/partition_part.h"

namespace weir::host {

template <class P>
class Intake : public sim::PartitionPart<Intake, P> {
 public:
  template <class Model>
  explicit Intake(const Model& m) : queues_(m.faults.slow.empty() ? 0 : m.topology.hosts) {
    for (const auto& [h, spans] : m.faults.slow) queues_[h].spans = spans;
  }

  // Whether host h is slow at any time.
  bool is_slow(std::uint32_t h) const { return !queues_.empty() && !queues_[h].spans.empty(); }
  // Takes in a packet that has come to host h, which is slow at some time, by this port of the host.
  [[gnu::noinline]] void arrive(std::uint32_t h, std::uint32_t port, net::Descriptor& packet, Time now);
  // The event of host h: it takes the packets that are due.
  void on_due(std::uint32_t h, Time now);
  // The switch of host h has forgotten any pause.
  void forget_pause(std::uint32_t h) {
    if (!queues_.empty()) queues_[h].paused = false;
  }

  bool holds_any() const {
    return std::any_of(queues_.begin(), queues_.end(), [](const Queue& q) { return !q.packets.empty(); });
  }
  // `visit` as in net/link/packet_visit.h, with the port towards the host.
  template <class Visit>
  void for_each_packet(Visit&& visit) const;

  // Archives the queues; which hosts are slow, and when, is in the model.
  template <class A>
  void archive(A& a) {
    for (Queue& queue : queues_) {
      queue.packets.archive(a);
      for (std::int64_t& bytes : queue.bytes) a.value(bytes);
      a.value(queue.paused);
    }
  }

 private:
  using Base = sim::PartitionPart<Intake, P>;
  using Base::model;
  using Base::nics;
  using Base::packets;
  using Base::pausing;
  using Base::receivers;
  using Base::scheduler;
  using Base::shared;

  void pause_switches(std::uint32_t h, bool paused, Time now);
  // Whether PFC pauses packets of this class.
  bool is_paused(net::TrafficClass c) const {
    return model().is_lossless() && (model().pfc_classes() & net::class_bit(c)) != 0;
  }

  // The queue at one host's NIC. The `departs` of a packet is when the host has taken it.
  struct Queue {
    net::PacketRing packets;
    std::array<std::int64_t, 2> bytes{};  // of packets that are never paused, and of the others
    bool paused = false;                  // the host's switches have been told to pause
    std::span<const SlowSpan> spans;      // in order; none: the host is never slow
  };

  std::vector<Queue> queues_;  // by host; empty if none is slow
};

}  // namespace weir::host
