// The wires and switches of a partition: packets on their way, queues, shared buffers, flow control.
//
// A packet enters by send() at a host's port and leaves by Receivers::receive() at another host, or by
// PartitionState::drop() where it is dropped or lost. Links whose far end belongs to another partition are cut: what
// has begun to leave by them is handed over at the end of an epoch.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/net/model/routing.h"
#include "weir/net/model/topology.h"
#include "weir/net/port/class_queues.h"
#include "weir/net/port/departure_effects.h"
#include "weir/net/port/port.h"
#include "weir/net/port/priority_port.h"
#include "weir/net/switch/switch_buffer.h"
#include "weir/net/switch/switch_state.h"
#include "weir/net/switch/watchdog.h"
#include "weir/net/trace.h"
#include "weir/sim/partition_part.h"

namespace weir::net {

// A host of a partition.
struct OwnHost {
  std::uint32_t number;
  std::uint32_t port;  // its NIC's
};

template <class P>
class Fabric : public sim::PartitionPart<Fabric, P> {
 public:
  // Builds the fabric of one of `partitions`.
  explicit Fabric(std::uint16_t partitions);

  // Event (wires-inl.h): the first packet of a link has reached the far end. Nearly every event is one; that it is
  // inlined saves 2.6 % of all instructions (the demo).
  [[gnu::always_inline]] void on_arrival(std::uint32_t port, Time now);
  // Event (switching-inl.h): a queued port has ended a transmission.
  [[gnu::noinline]] void on_departure(std::uint32_t port, Time now);
  // Event (switching-inl.h): packets have begun to leave a switch that pauses some ingress.
  [[gnu::noinline]] void on_departures(std::uint32_t s, Time now);

  // Puts a packet on the queue of a host's port.
  void send(std::uint32_t port, const Packet& packet, Time now);
  // A host's NIC tells the switch at the other end to pause all data classes that can be paused, or to resume them.
  [[gnu::noinline]] void pause_switch(std::uint32_t port, bool paused, Time now);
  // A host's NIC has no room for a packet that has come by its link.
  [[gnu::noinline]] void drop_at_host(std::uint32_t port, const Descriptor& packet, Time now);
  // Brings a port's counters up to date with all departures up to `now`.
  void settle(Port& p, Time now);
  // Guesses, for prefetching, by which port this link's first packet leaves the next node; of a host, the port by which
  // it answers.
  std::uint32_t guess_next_port(std::uint32_t port) const;
  // Whether another partition owns the port and hands its packets over.
  bool is_inbound(std::uint32_t port) const { return !alone_ && inbound_[port] != 0; }

  // Where nodes take turns (turns-inl.h): the hosts of this partition, by node.
  std::span<const OwnHost> own_hosts() const { return own_hosts_; }
  // Whether this node, by its number in the partition, may take its turn at once.
  bool takes_turn(std::uint32_t node) const;
  // Takes the turn of such a node: all that happens there from `begun` on, before `until`. Something arrives by the
  // links of these ports. If there are none, the node is a host that wakes.
  [[gnu::noinline]] void take_turn(std::uint32_t node, std::span<const std::uint32_t> links, Time begun, Time until);

  // Between epochs, before all else at `now` (pausing-inl.h). The link of this port has gone down.
  [[gnu::noinline]] void take_down(std::uint32_t port, Time now);
  // No packet begins to leave by this port before `until`.
  [[gnu::noinline]] void stop_sending(std::uint32_t port, Time until, Time now);
  // The PFC watchdog of this partition's switches looks at their ports. Only if the model has one.
  [[gnu::noinline]] void watch(Time now);
  // Routes packets by this from now on; it must outlive its use.
  void route_by(const Routing& routing) { routing_ = &routing; }

  // Calls out(port, packet) for each packet that has begun to leave before `end` by a cut link, its time of arrival in
  // `departs`, and takes it off its port.
  template <class Out>
  void hand_over(Time end, Out&& out);
  // After hand_over(): when the next packet begins to leave by a cut link if nothing happens before; Time::max() = none
  // will.
  Time next_to_leave_partition() const;
  // Takes a packet that another partition has handed over.
  void take_over(std::uint32_t port, const Packet& packet);
  // Archives, between epochs, the packets that it has taken over. Ports and switches are the network's.
  template <class A>
  void archive(A& a) {
    for (PacketRing& wire : wires_) wire.archive(a);
  }
  // Calls visit(port, packet) for each packet that has been put on a port of this partition, or taken over by it, and
  // has not reached the port's far end.
  template <class Visit>
  void for_each_packet(Visit&& visit) const;
  // Calls visit(port, packet) for each packet that waits at a port of this partition, pause and resume frames excepted,
  // the first class first.
  template <class Visit>
  void for_each_waiting(std::uint32_t port, Visit&& visit) const;

 private:
  using Base = sim::PartitionPart<Fabric, P>;
  using Base::counters;
  using Base::intake;
  using Base::model;
  using Base::network;
  using Base::nics;
  using Base::packets;
  using Base::receivers;
  using Base::scheduler;
  using Base::senders;
  using Base::shared;
  using Base::tracer;

  // Tells the tracer what happens to a packet, or because of it, at this port, where `queued` bytes wait afterwards.
  // Does nothing if there is no tracer.
  void trace(EventKind kind, std::uint32_t port, const Descriptor& packet, Time time, std::uint32_t queued);
  // Tells the tracer that the transmission of the packet before the port's cursor has begun.
  void trace_left(const Port& p, const Descriptor& packet);
  // Tells the tracer of a packet, or a pause or resume frame, as it is on the wire.
  void trace_on_wire(EventKind kind, std::uint32_t port, const Descriptor& packet, Time time, std::uint32_t queued);
  void trace_sent(const Port& p, std::uint32_t port, const Descriptor& packet, bool marked, std::uint32_t queued);
  std::uint64_t on_wire(const HopTelemetry& hop) const;

  // wires-inl.h
  void apply_departure(Port& p, std::uint32_t port, Descriptor& packet);
  [[gnu::cold]] void lose(Port& p, std::uint32_t port, Descriptor& packet);
  Time settled_by_owner(Time now) const;
  void prefetch_following(std::uint32_t peer, const PacketRing& ring) const;
  Descriptor& take_first(Port& p, std::uint32_t port, Time now);
  [[gnu::noinline]] Descriptor* arrive_priority(Port& p, std::uint32_t port, Time now);
  Descriptor& take_priority(Port& p, std::uint32_t port, Time now);
  [[gnu::noinline]] void send_queued(Port& p, std::uint32_t port, const Descriptor& packet, Time now);
  [[gnu::noinline]] void send_priority(Port& p, std::uint32_t port, const Descriptor& packet, std::uint32_t ingress,
                                       Time now);
  template <class AnyPacket>
  Descriptor& enqueue(Port& p, std::uint32_t port, const AnyPacket& packet, Time now);
  void settle_plain(Port& p, Time now);
  void settle_switch(Port& p, std::uint32_t s, Time now);
  void settle_priority(Port& p, std::uint32_t s, Time now);
  void count_arrival(std::uint32_t port, const Descriptor& packet, Time now);
  void deliver(std::uint32_t port, std::uint32_t node, std::uint32_t ingress, Descriptor& packet, Time now);
  [[gnu::noinline]] void deliver_slow(std::uint32_t port, const Descriptor& packet, Time now);
  [[gnu::noinline]] void reschedule_first_arrival(Port& p, std::uint32_t port);
  void schedule_first_arrival(Port& p, std::uint32_t port);

  // Prefetch distance, in packets of a link's queue: the state of their flows comes from memory while those before them
  // arrive.
  static constexpr std::uint32_t kAhead = 6;
  // If there are many flows: brings near what a packet will touch at this host of the partition.
  [[gnu::noinline]] void prefetch_at_host(std::uint32_t h, const Descriptor& packet) const;
  void prefetch_far_end(const Port& out, const Descriptor& packet) const;

  // switching-inl.h
  void forward(std::uint32_t s, std::uint32_t ingress, Descriptor& packet, Time now);
  void forward_fifo(std::uint32_t s, std::uint32_t ingress, std::uint32_t port, Descriptor& packet, Time now);
  std::uint32_t route(std::uint32_t s, const Descriptor& packet, Time now);
  [[gnu::always_inline]] void forward_priority(std::uint32_t s, std::uint32_t ingress, std::uint32_t port,
                                               Descriptor& packet, Time now);
  [[gnu::noinline]] void forward_priority_slow(std::uint32_t s, std::uint32_t ingress, std::uint32_t port,
                                               Descriptor& packet, Time now);
  [[gnu::noinline]] void forward_exactly(std::uint32_t s, std::uint32_t ingress, std::uint32_t port, Descriptor& packet,
                                         Time now);
  [[gnu::noinline]] std::uint32_t choose(std::uint32_t s, const Descriptor& packet, Time now);
  [[gnu::noinline]] bool admit(std::uint32_t s, std::uint32_t ingress, Port& out, Descriptor& packet, Time now);
  [[gnu::noinline]] bool trim(std::uint32_t s, const Port& out, Descriptor& packet, Time now);
  std::uint32_t queued_for(const Port& p, TrafficClass c, bool alone) const;
  void release(std::uint32_t s, const Descriptor& packet, Time now);
  [[gnu::noinline]] void after_accept(std::uint32_t s, Port& out, const Descriptor& placed, Time now);
  [[gnu::noinline]] void schedule_departures(std::uint32_t s);
  [[gnu::noinline]] void expect_departure(std::uint32_t s, Time at);
  [[gnu::noinline]] void start_next(Port& p, std::uint32_t port, Time now);

  // turns-inl.h
  // A packet that arrives at a switch during its turn.
  struct BatchedPacket {
    std::uint64_t key;  // time since the turn began << kIngressBits | ingress
    Descriptor* packet;
  };
  static constexpr int kIngressBits = 16;
  static constexpr std::uint64_t kIngressMask = (std::uint64_t{1} << kIngressBits) - 1;
  static Time time_of(const BatchedPacket& c, Time begun) {
    return {begun.ps + static_cast<std::int64_t>(c.key >> kIngressBits)};
  }
  static std::uint32_t ingress_of(const BatchedPacket& c) { return static_cast<std::uint32_t>(c.key & kIngressMask); }
  struct OwnSwitch {
    std::uint32_t number;
    std::int64_t most_in_turn;  // bytes that can arrive during a turn, at most
  };
  static constexpr std::size_t kFewToSort = 128;  // more packets of a port are sorted by std::sort
  static constexpr std::size_t kWorthBooks = 3;   // for fewer packets at a port, its books are not copied
  // What has arrived in a turn, for the counters.
  struct Tally {
    std::uint64_t events = 0;
    std::uint64_t packets = 0;
    std::uint64_t data = 0;
  };
  void prepare_turns();
  // No class is paused there, and no pause or resume frame waits: port_books.h serves it.
  static bool is_unpaused(const Port& p) { return p.paused == 0 && p.pending_control == 0; }
  [[gnu::noinline]] void take_turn_of_host(const OwnHost& own, bool some_arrive, Time until);
  void wake_until(std::uint32_t h, Time until);
  template <class Wire>
  void serve_host(std::uint32_t h, std::uint32_t port, Wire wire, Time until);
  template <class Take>
  [[gnu::always_inline]] void with_wire(std::uint32_t port, Take&& take);
  template <class Wire>
  void drain_link(std::uint32_t s, std::uint32_t port, std::uint32_t ingress, Wire wire, Time begun, Time until,
                  Tally& tally);
  template <class Wire>
  void finish_link(const Wire& wire, std::uint32_t port, Time next);
  [[gnu::always_inline]] void collect_arrival(std::uint32_t s, std::uint32_t port, std::uint32_t ingress,
                                              Descriptor& packet, Time begun, Time at, Tally& tally);
  std::uint32_t egress_index(std::uint32_t s, const Descriptor& packet, Time now);
  void count(const Tally& tally);
  void forward_batch(std::uint32_t s, std::uint32_t port, std::vector<BatchedPacket>& coming, Time begun, Time until);
  [[gnu::noinline]] void forward_batch_sorted(std::uint32_t s, std::uint32_t port, std::vector<BatchedPacket>& coming,
                                              Time begun, Time until);
  void forward_batch_singly(std::uint32_t s, std::uint32_t port, std::span<const BatchedPacket> coming, Time begun,
                            Time until);
  static void insert(const BatchedPacket* first, BatchedPacket* end, BatchedPacket c);
  static void sort_few(std::span<BatchedPacket> coming);
  template <class Books, bool kShared>
  [[gnu::noinline]] void forward_batch_in_registers(std::uint32_t s, std::uint32_t port,
                                                    std::span<const BatchedPacket> coming, Time begun, Time until);
  std::span<const BatchedPacket> sorted_by_arrival(std::vector<BatchedPacket>& coming, BatchedPacket* few) const;
  void prefetch_coming(std::uint32_t port) const;

  // pausing-inl.h
  [[gnu::noinline]] void send_control(std::uint32_t port, PacketKind kind, TrafficClass of, Time now);
  [[gnu::noinline]] void set_paused(std::uint32_t port, TrafficClass of, bool paused, Time now);
  [[gnu::noinline]] void restart(Port& p, std::uint32_t port, Time now);
  PauseWatch* watch_of(const Port& p);
  [[gnu::cold]] void begin_storm(std::uint32_t port, TrafficClass c, Time now);
  [[gnu::cold]] void drop_in_storm(std::uint32_t port, const Descriptor& packet, Time now);
  void trace_paused(std::uint32_t port, TrafficClass of, bool paused, Time now);

  const ClassRules class_rules_;
  const Routing* routing_;
  const bool alone_;  // there is one partition
  const IntFormat int_format_;
  const bool exact_telemetry_;
  std::vector<std::uint32_t> cut_ports_;  // of this partition, towards others
  ZeroedArray<std::uint32_t> inbound_;    // by port: 1 + index into wires_, or 0; empty if alone
  std::vector<PacketRing> wires_;         // taken over, not yet arrived
  std::vector<OwnHost> own_hosts_;        // where nodes take turns: the hosts of this partition, in order ...
  bool hosts_take_turns_ = false;         // ... and whether they take them at once
  std::vector<OwnSwitch> own_switches_;   // its switches that may take their turns at once, in order
  ZeroedArray<std::uint16_t> local_;      // Port::local, by port, without the rest of the port
  std::vector<std::vector<BatchedPacket>> by_egress_;  // during a turn, by the index of the port that they leave by
  std::vector<std::uint64_t> egresses_with_packets_;   // a bit for each of those: some are coming
  std::uint8_t share_shift_ = 0;   // a key of BatchedPacket shifted by it: which of at most 64 equal parts of a turn
  std::uint8_t ingress_bits_ = 0;  // bits of the largest ingress
  bool keys_are_short_ = false;    // a time within a turn and an ingress fit into 31 bits
  bool frames_come_ = false;       // during a turn: a pause or resume frame has arrived
  bool departing_ = false;         // inside on_departures: ports not yet reached have not departed
};

}  // namespace weir::net
