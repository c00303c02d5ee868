// An egress port and its link: a ring of packets that are waiting, leaving or on the wire.
//
// In a FIFO port the departure of a packet is known when it is accepted, so there is no
// dequeue event: the ring keeps packets with their departure times from acceptance until they
// arrive at the far end, and only the arrival of its first packet is a pending event. What
// depends on the instant of departure (queue length for ECN and INT, release of the shared
// buffer) is settled lazily by `drain`, which moves a cursor over the packets that have begun
// to leave. At one instant, departures come before arrivals; nothing that arrives at t counts
// as queued behind a packet that departs at t.
//
//   head               cursor                 tail
//    | on the wire, leaving | waiting            |
//
// A priority port (one class goes ahead of the other, one event per packet) has a second ring like this one for the
// first class (priority_port.h). A queued port (several classes, two events per packet) keeps waiting packets in
// ClassQueues of its own (class_queues.h) and puts them into the ring when they start to leave.
#pragma once

#include <bit>
#include <cstdint>

#include "weir/net/link/link_faults.h"
#include "weir/net/link/packet.h"
#include "weir/net/port/packet_ring.h"

namespace weir::net {

enum class PortKind : std::uint8_t { fifo, queued, priority };

// The classes of a priority port's packets on the wire, in the order of their departures: a queue of bits, of which the
// lowest is the next to arrive (1 = the class that goes ahead), ended by a 1. It holds kMost; then only the first are
// noted.
class DepartureOrder {
 public:
  // Nothing is noted; no more than one packet is. Else, is the first, or the second, of the first class?
  bool empty() const { return bits_ == 1; }
  bool has_one_at_most() const { return bits_ < 4; }
  bool urgent_is_first() const { return (bits_ & 1) != 0; }
  bool urgent_is_second() const { return (bits_ & 2) != 0; }
  void pop() { bits_ = empty() ? 1 : bits_ >> 1; }
  // Another has begun to leave. False if there is no room to note it.
  bool push(bool urgent) {
    const int noted = static_cast<int>(std::bit_width(bits_)) - 1;
    if (noted == kMost) [[unlikely]]
      return false;
    bits_ += (std::uint64_t{1} + urgent) << noted;
    return true;
  }
  void clear() { bits_ = 1; }

 private:
  static constexpr int kMost = 63;
  std::uint64_t bits_ = 1;
};

// Bytes of both classes, and those of the first class among them; no more than 4 GB. They are one number, since they
// are always added and subtracted together.
class ClassBytes {
 public:
  ClassBytes() = default;
  ClassBytes(std::uint32_t all, std::uint32_t urgent) : both_(std::uint64_t{urgent} << 32 | all) {}
  static ClassBytes of_packet(std::uint32_t wire, bool urgent) { return {wire, wire & bits_if(urgent)}; }
  std::uint32_t all() const { return static_cast<std::uint32_t>(both_); }
  std::uint32_t urgent() const { return static_cast<std::uint32_t>(both_ >> 32); }
  ClassBytes& operator+=(ClassBytes b) {
    both_ += b.both_;
    return *this;
  }
  // `b` is a part of this.
  ClassBytes& operator-=(ClassBytes b) {
    both_ -= b.both_;
    return *this;
  }

 private:
  std::uint64_t both_;
};

// Port::effects, of few ports: it has `faults`; path policies are told what leaves it.
inline constexpr std::uint8_t kLoses = 1;
inline constexpr std::uint8_t kTells = 2;

struct alignas(64) Port {
  static constexpr bool kIsUnpaused = false;  // of views: fifo_port.h

  // -- the line that every packet touches
  PacketRing ring;
  std::uint32_t queued = 0;         // bytes accepted that have not begun to leave
  std::uint32_t owner = 0;          // node
  Time free_at;                     // when the last packet with a known departure has left
  Time delay;                       // propagation
  std::uint32_t ps_per_byte = 0;    // 0: not a whole number, divide by rate
  std::uint32_t peer = 0;           // node at the far end
  std::uint16_t index_at_peer = 0;  // this link's index among the peer switch's ports
  std::uint8_t effects = 0;         // what else a departure has: kLoses, kTells (departure_effects.h)
  PortKind kind = PortKind::fifo;
  ClassSet paused = 0;            // data classes that may not start; a FIFO port has only the first
  bool at_switch = false;         // owner is a switch
  bool cut = false;               // the far end belongs to another partition
  bool order_is_partial = false;  // priority port: not all on the wire are in `order`

  // -- the line that most packets touch when they arrive
  std::uint64_t tx_bytes = 0;  // of packets that have reached the far end (or left the partition)
  std::uint64_t tx_packets = 0;
  std::uint32_t expected_egress = 0;          // of its first packet at the far end: for prefetching only
  std::uint32_t rate_mbps = 0;                // as telemetry reports it
  std::uint32_t ecn_min = ~std::uint32_t{0};  // mark above; ~0 = never
  std::uint32_t urgent_queued = 0;            // priority port: bytes of `queued` that are of the first class ...
  PacketRing urgent;                          // ... which has this ring, pause and resume frames included
  DepartureOrder order;                       // priority port

  // -- the rest
  Rate rate;
  double ecn_probability = 0;  // at ecn_max
  std::uint32_t ecn_max = ~std::uint32_t{0};
  std::uint32_t marks = 0;
  const LinkFaults* faults = nullptr;  // null: it loses nothing
  std::uint32_t pending_control = 0;   // pause and resume frames waiting at the cursor
  std::uint32_t queues = 0;            // queued port: index of its ClassQueues
  std::uint32_t lost = 0;              // on its link
  std::uint32_t pauses = 0;            // pause frames received
  std::uint16_t local = 0;             // index among the owner's ports
  Time paused_since;
  Time paused_total;
  // What waits does not start before this: the end of transmission of the last packet handed over to
  // another partition, or of a stall of the host.
  Time not_before;

  Time serialisation(std::uint32_t bytes) const {
    if (ps_per_byte != 0) return {static_cast<std::int64_t>(bytes) * ps_per_byte};
    return transmission_time(Bytes{bytes}, rate);
  }
  Time arrival(const Descriptor& p) const { return p.departs + serialisation(p.wire) + delay; }
  std::uint32_t waiting() const { return ring.tail - ring.cursor; }
  // Priority port: the ring of the first class, or the other, found without a branch.
  PacketRing& ring_of(bool is_urgent) { return choose_object_if(is_urgent, urgent, ring); }
  const PacketRing& ring_of(bool is_urgent) const { return const_cast<Port*>(this)->ring_of(is_urgent); }

  // What changes of it.
  template <class A>
  void archive(A& a) {
    ring.archive(a, &ring.cursor);
    if (kind == PortKind::priority) {
      urgent.archive(a, &urgent.cursor);
      a.value(urgent_queued);
      if constexpr (A::kLoads) {
        order.clear();
        order_is_partial = true;
      }
    }
    for (auto* figure : {&queued, &pending_control, &marks, &lost, &pauses, &expected_egress}) a.value(*figure);
    for (auto* figure : {&tx_bytes, &tx_packets}) a.value(*figure);
    for (auto* time : {&free_at, &paused_since, &paused_total, &not_before}) a.value(*time);
    a.value(paused);
  }

  // Priority port: a packet waits that has come at `now`.
  void note_waiting(ClassBytes packet, Time now) {
    queued += packet.all();
    urgent_queued += packet.urgent();
    if (free_at < now) free_at = now;
  }

  // From `now` on a class, which was not so before, may not start or may start again.
  void note_paused(TrafficClass c, bool is_paused, Time now) {
    if (is_paused) {
      ++pauses;
      if (paused == 0) paused_since = now;
      paused = static_cast<ClassSet>(paused | class_bit(c));
    } else {
      paused = static_cast<ClassSet>(paused & ~class_bit(c));
      if (paused == 0) paused_total += now - paused_since;
    }
  }
};
static_assert(sizeof(Port) <= 256);

// Gives what waits at a FIFO port or at a priority port new departures, from the end of the transmission in progress:
// after a pause, a resume or the insertion of a control frame.
void retime(Port& p, Time now);

// Puts a pause or resume frame in front of all that waits at such a port.
void insert_control(Port& p, const Descriptor& frame, Time now);

// Of a priority port: notes the classes of the first packets on the wire, in the order of their departures.
void note_order(Port& p);

}  // namespace weir::net
