// The links of a partition: packets on their way, and the ports that they leave by.
//
// A packet enters by send() at a host's port and leaves by Receivers::receive() at another host, or by
// PartitionState::drop() where it is dropped or lost; in between, switches put it on their ports (switching.h). Links
// whose far end belongs to another partition are cut: what has begun to leave by them is handed over at the end of an
// epoch.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/net/port/class_queues.h"
#include "weir/net/port/departure_effects.h"
#include "weir/net/port/port.h"
#include "weir/net/port/wire.h"
#include "weir/net/trace.h"
#include "weir/sim/partition_part.h"

namespace weir::net {

template <class P>
class Links : public sim::PartitionPart<Links, P> {
 public:
  // Of one of `partitions`.
  explicit Links(std::uint16_t partitions);

  // Events: the first packet of a link has reached the far end; a queued port has ended a transmission.
  // Nearly every event; a call of it costs 2.6 % of all instructions (the demo).
  [[gnu::always_inline]] void on_arrival(std::uint32_t port, Time now);
  [[gnu::noinline]] void on_departure(std::uint32_t port, Time now);

  // Puts a packet on the queue of a host's port.
  void send(std::uint32_t port, const Packet& packet, Time now);
  // Puts a packet on a FIFO port's queue, a Descriptor or the Packet that a host has just made; on that of a queued
  // port.
  template <class AnyPacket>
  Descriptor& enqueue(Port& p, std::uint32_t port, const AnyPacket& packet, Time now);
  [[gnu::noinline]] void send_queued(Port& p, std::uint32_t port, const Descriptor& packet, Time now);
  // Queued port: begins the next transmission, if anything may be sent.
  [[gnu::noinline]] void start_next(Port& p, std::uint32_t port, Time now);

  // Brings a port's counters up to date with all departures up to `now`; one whose discipline is known.
  void settle(Port& p, Time now);
  template <class Discipline>
  void settle_as(Port& p, Time now);
  // Until when the port at the other end of a link may be settled.
  Time settled_by_owner(Time now) const;
  // The pending arrival of a port of which nothing was on the wire.
  void schedule_first_arrival(Port& p, std::uint32_t port);
  // What the port did to the packet when it departed, made up for now that it is known.
  void apply_departure(Port& p, std::uint32_t port, Descriptor& packet);
  // A packet has come by a link to a host; one that is lost, or a pause or resume frame, to any node.
  void deliver_to_host(std::uint32_t port, std::uint32_t h, Descriptor& packet, Time now);
  [[gnu::noinline]] void deliver_slow(std::uint32_t port, const Descriptor& packet, Time now);

  // Another partition touches the port; its packets are taken over from there, and stand here until they arrive.
  bool is_inbound(std::uint32_t port) const { return !alone_ && inbound_[port] != 0; }
  PacketRing& inbound(std::uint32_t port) { return wires_[inbound_[port] - 1]; }
  const PacketRing& inbound(std::uint32_t port) const { return wires_[inbound_[port] - 1]; }
  // Calls out(box_of(port), port, packet) for each packet that has begun to leave by a cut link, its time of arrival in
  // `departs`, and takes it off its port; its record is still its own. All events before `end` have been taken; where
  // nodes take turns, as many as the scheduler says.
  template <class BoxOf, class Out>
  void hand_over(Time end, BoxOf&& box_of, Out&& out);
  // After that: when the next packet begins to leave by a cut link if nothing happens before; Time::max(): none will.
  Time next_to_leave_partition() const;
  // A packet that another partition has handed over.
  void take_over(std::uint32_t port, const Packet& packet);
  // Between epochs: what it has taken over. Ports and switches are the network's.
  template <class A>
  void archive(A& a) {
    for (PacketRing& wire : wires_) wire.archive(a);
  }
  // Calls visit(port, packet) for each packet that has been put on a port of this partition, or taken over by it, and
  // has not reached the port's far end.
  template <class Visit>
  void for_each_packet(Visit&& visit) const;
  // The same for each that waits at a port of this partition, pause and resume frames excepted, the first class first.
  template <class Visit>
  void for_each_waiting(std::uint32_t port, Visit&& visit) const;

  // tracing-inl.h
  // Tells the tracer what happens to a packet, or by it, at this port, where `queued` bytes wait afterwards; nothing if
  // there is none.
  void trace(EventKind kind, std::uint32_t port, const Descriptor& packet, Time time, std::uint32_t queued);
  // The same, of a packet that has arrived by the link of this port, and is neither lost nor a pause or resume frame.
  void trace_arrival(std::uint32_t port, const Descriptor& packet, Time now);
  // The same, of the packet before the port's cursor, whose transmission has begun.
  void trace_left(const Port& p, const Descriptor& packet);

 private:
  using Base = sim::PartitionPart<Links, P>;
  using Base::counters;
  using Base::intake;
  using Base::model;
  using Base::network;
  using Base::nics;
  using Base::packets;
  using Base::pausing;
  using Base::prefetcher;
  using Base::receivers;
  using Base::scheduler;
  using Base::shared;
  using Base::switching;
  using Base::tracer;

  // A packet as it is on the wire; pause and resume frames are among them.
  void trace_on_wire(EventKind kind, std::uint32_t port, const Descriptor& packet, Time time, std::uint32_t queued);
  void trace_sent(const Port& p, std::uint32_t port, const Descriptor& packet, bool marked, std::uint32_t queued);
  std::uint64_t on_wire(const HopTelemetry& hop) const;

  [[gnu::noinline]] void on_inbound_arrival(std::uint32_t port, Time now);
  void deliver(std::uint32_t port, std::uint32_t node, std::uint32_t ingress, Descriptor& packet, Time now);
  template <class Discipline>
  Descriptor& take_first(Port& p, std::uint32_t port, Time now);
  [[gnu::noinline]] Descriptor* arrive_priority(Port& p, std::uint32_t port, Time now);
  void count_arrival(std::uint32_t port, const Descriptor& packet, Time now);
  template <class BoxOf, class Out>
  void hand_over_side(int side, Time end, BoxOf& box_of, Out& out);
  // Notes the queue that a packet finds at a queued port, where its record will be.
  [[gnu::cold]] void note_found_queue(const Descriptor& packet, std::uint32_t queue);
  // The next record of a packet, from what its port does when it departs.
  HopTelemetry told(const HopTelemetry& stamped, const Telemetry& telemetry) const;
  [[gnu::noinline]] void apply_rare_effects(Port& p, std::uint32_t port, Descriptor& packet);
  [[gnu::cold]] void lose(Port& p, std::uint32_t port, Descriptor& packet);

  const ClassRules class_rules_;
  const bool alone_;  // there is one partition
  const IntFormat int_format_;
  const bool exact_telemetry_;
  const bool tells_found_queue_;
  const bool tells_as_stamped_;  // exactly, and the queue that packets leave behind
  // Of this partition, towards others; by the scheduler's side of their owners.
  std::array<std::vector<std::uint32_t>, 2> cut_ports_;
  std::array<Time, 2> handed_over_;     // by side: what has begun to leave before
  ZeroedArray<std::uint32_t> inbound_;  // by port: 1 + index into wires_, or 0; empty if alone
  std::vector<PacketRing> wires_;       // taken over, not yet arrived
};

}  // namespace weir::net
