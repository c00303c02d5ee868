// Packets that receiving hosts have made and not yet given to their NICs: the delays of [host].
//
// A receiver's acknowledgement, NACK or OR-ACK is due `receive_delay` and a drawn time after the packet that it
// answers, and not before the host's earlier ones; a CNP that is a packet of its own is due after `cnp_delay`. Without
// delays packets go to the NIC at once, and this part is empty.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/net/link/packet.h"
#include "weir/net/port/port.h"
#include "weir/sim/partition_part.h"

namespace weir::host {

template <class P>
class ReceiveDelays : public sim::PartitionPart<ReceiveDelays, P> {
 public:
  template <class Model>
  explicit ReceiveDelays(const Model& m) : queues_(m.host.delays() ? m.topology.hosts : 0) {}

  // Whether acknowledgements tell how long they have waited here (Sack::host_delay).
  bool tell_delay() const { return !queues_.empty(); }
  // Sends a packet that host h has made at `now`: at once, or after the host's delay.
  void send(std::uint32_t h, const net::Packet& packet, Time now) {
    send_by(nics().port_of_answer(h, packet, now), h, packet, now);
  }
  // The same by a given port of the host, for packets that do not answer one that has just come.
  void send_by(std::uint32_t port, std::uint32_t h, const net::Packet& packet, Time now) {
    if (queues_.empty()) [[likely]]
      links().send(port, packet, now);
    else
      delay(port, h, packet, now);
  }
  // The time stamp that host h puts on a packet that arrives at `now`.
  Time stamp(std::uint32_t h, Time now);
  // The event of host h: what is due goes to the NIC.
  void on_due(std::uint32_t h, Time now);

  // `visit` as in net/link/packet_visit.h, with the port by which the waiting packet will leave.
  template <class Visit>
  void for_each_packet(Visit&& visit) const;

  template <class A>
  void archive(A& a) {
    a.each(queues_, [&](DelayQueue& queue) {
      queue.answers.archive(a);
      queue.cnps.archive(a);
      a.value(queue.drawn);
    });
  }

 private:
  using Base = sim::PartitionPart<ReceiveDelays, P>;
  using Base::links;
  using Base::model;
  using Base::network;
  using Base::nics;
  using Base::packets;
  using Base::scheduler;
  using Base::shared;

  // The packets that wait at one host. Their `departs` is when they are due, and both rings are in that order.
  struct DelayQueue {
    net::PacketRing answers;
    net::PacketRing cnps;
    std::uint64_t drawn = 0;
  };

  [[gnu::noinline]] void delay(std::uint32_t port, std::uint32_t h, const net::Packet& packet, Time now);
  Time draw(std::uint32_t h, Time mean);
  void schedule(std::uint32_t h);

  std::vector<DelayQueue> queues_;  // by host; empty without delays
};

}  // namespace weir::host
