// Packets that receiving hosts have made and not yet given to their NICs: what [host] says of delays.
//
// A receiver's acknowledgement, NACK or OR-ACK is due `receive_delay` and a drawn time after the packet that it
// answers, and not before the host's earlier ones; a CNP that is a packet of its own is due after `cnp_delay`. Without
// delays packets go to the NIC at once, and this room is empty.
#pragma once

#include <cstdint>
#include <vector>

#include "weir/net/packet.h"
#include "weir/net/port/port.h"
#include "weir/sim/room.h"

namespace weir::host {

template <class P>
class Answers : public sim::Room<Answers, P> {
 public:
  template <class Model>
  explicit Answers(const Model& m) : desks_(m.host.delays() ? m.topology.hosts : 0) {}

  // Whether acknowledgements tell how long they have waited here (Sack::held).
  bool tell_delay() const { return !desks_.empty(); }
  // Host h has made this packet at `now`.
  void give(std::uint32_t h, const net::Packet& packet, Time now) {
    if (desks_.empty()) [[likely]]
      fabric().send(network().hosts[h].nic(), packet, now);
    else
      keep(h, packet, now);
  }
  // The time stamp of a packet that arrives at host h.
  Time stamp(std::uint32_t h, Time now);
  // The event of host h: what is due goes to the NIC.
  void on_due(std::uint32_t h, Time now);

  // `visit` as in net/link/packet_visit.h, with the port of the host that the packet waits in.
  template <class Visit>
  void for_each_packet(Visit&& visit) const;

  template <class A>
  void archive(A& a) {
    a.each(desks_, [&](DelayQueue& desk) {
      desk.answers.archive(a);
      desk.cnps.archive(a);
      a.value(desk.drawn);
    });
  }

 private:
  using Base = sim::Room<Answers, P>;
  using Base::fabric;
  using Base::model;
  using Base::network;
  using Base::packets;
  using Base::scheduler;
  using Base::shared;

  // `departs` of its packets is when they are due. Both rings are in that order.
  struct DelayQueue {
    net::PacketRing answers;
    net::PacketRing cnps;
    std::uint64_t drawn = 0;
  };

  [[gnu::noinline]] void keep(std::uint32_t h, const net::Packet& packet, Time now);
  Time draw(std::uint32_t h, Time mean);
  void schedule(std::uint32_t h);

  std::vector<DelayQueue> desks_;  // by host; empty without delays
};

}  // namespace weir::host
