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

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <cstring>

#include "weir/net/link/link_faults.h"
#include "weir/net/packet.h"

namespace weir::net {

// All bits, or none: for a choice that depends on the classes of packets, or on how many wait, and that no branch could
// foresee.
constexpr std::uint32_t bits_if(bool condition) { return 0 - static_cast<std::uint32_t>(condition); }
constexpr std::uint32_t choose_if(bool condition, std::uint32_t a, std::uint32_t b) {
  return b ^ ((a ^ b) & bits_if(condition));
}
// The same of two objects.
template <class T>
T& choose_object_if(bool condition, T& a, T& b) {
  const auto at_a = reinterpret_cast<std::uintptr_t>(&a);
  const auto at_b = reinterpret_cast<std::uintptr_t>(&b);
  // NOLINTNEXTLINE(performance-no-int-to-ptr)
  return *reinterpret_cast<T*>(at_b + (at_a - at_b) * static_cast<std::uintptr_t>(condition));
}

// A growing ring of descriptors of packets; positions are absolute and wrap at 2^32. It never shrinks and
// never allocates once it has seen its largest content.
class PacketRing {
 public:
  PacketRing() = default;
  PacketRing(PacketRing&& o) noexcept : data_(o.data_), mask_(o.mask_), head(o.head), tail(o.tail), cursor(o.cursor) {
    o.data_ = nullptr;
    o.mask_ = kFew;
    o.head = o.tail = o.cursor = 0;
  }
  PacketRing& operator=(PacketRing&&) = delete;
  ~PacketRing() { release(); }

  bool empty() const { return head == tail; }
  std::uint32_t size() const { return tail - head; }
  Descriptor& operator[](std::uint32_t at) { return data_[at & mask_]; }
  const Descriptor& operator[](std::uint32_t at) const { return data_[at & mask_]; }
  Descriptor& front() { return data_[head & mask_]; }
  const Descriptor& front() const { return data_[head & mask_]; }

  // If it is empty, begins again at the first place, which is likely to be in a cache still.
  void rewind_if_empty() {
    const std::uint32_t kept = bits_if(!empty());
    head &= kept;
    tail &= kept;
    cursor &= kept;
  }
  // The same, with one packet.
  Descriptor& push_first() {
    assert(empty());
    if (data_ == nullptr) [[unlikely]]
      grow();
    head = 0;
    tail = 1;
    return *data_;
  }
  // Room for one more packet at the tail of a ring that is not empty.
  Descriptor& push_behind() {
    assert(!empty());
    if (size() > mask_) [[unlikely]]
      grow();
    return data_[tail++ & mask_];
  }

  // How many packets there will probably be, while there are none yet.
  void expect(std::uint32_t packets) {
    if (data_ == nullptr) mask_ = std::max(kFew, std::bit_ceil(packets) / 2 - 1);
  }

  // Room for one more packet at the tail.
  Descriptor& push() {
    if (data_ == nullptr || size() > mask_) grow();
    return data_[tail++ & mask_];
  }
  void pop() { ++head; }

  // The places of a ring and its positions, apart from it.
  struct View {
    Descriptor* places;
    std::uint32_t mask;
    std::uint32_t room;  // how many places; none at first
    std::uint32_t head;
    std::uint32_t tail;
    std::uint32_t cursor;

    Descriptor& operator[](std::uint32_t at) const { return places[at & mask]; }
    bool is_full() const { return tail - head == room; }
  };
  View view() const { return {data_, mask_, data_ == nullptr ? 0 : mask_ + 1, head, tail, cursor}; }
  // The positions of a view; the places are those that the ring had.
  void move_to(const View& v) {
    assert(v.places == data_);
    head = v.head;
    tail = v.tail;
    cursor = v.cursor;
  }

  // Places begin at the first one when it is loaded; `mark` is a position that moves with them.
  template <class A>
  void archive(A& a, std::uint32_t* mark = nullptr) {
    const auto n = static_cast<std::uint32_t>(a.length(size(), std::uint32_t{1} << 31));
    std::uint32_t ahead = mark != nullptr ? *mark - head : 0;
    a.value(ahead);
    if constexpr (A::kLoads) {
      head = tail = 0;
      for (std::uint32_t i = 0; i < n; ++i) a.value(push());
      if (mark != nullptr) *mark = ahead;
    } else {
      for (std::uint32_t at = head; at != tail; ++at) a.value((*this)[at]);
    }
  }
  // Where the packet at this position is or would be, for prefetching only: a ring that never held
  // a packet has no places, so this is the sum of two numbers, not of a pointer.
  const void* address(std::uint32_t at) const {  // NOLINTNEXTLINE(performance-no-int-to-ptr)
    return reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(data_) + (at & mask_) * sizeof(Descriptor));
  }
  // The same for the place of the next packet to come.
  const void* next_place() const { return address(tail & bits_if(!empty())); }

 private:
  static constexpr std::uint32_t kFew = 3;
  [[gnu::cold]] void grow();
  void release();

  Descriptor* data_ = nullptr;
  std::uint32_t mask_ = kFew;  // places - 1; at first that of half the places to come

 public:
  std::uint32_t head = 0;
  std::uint32_t tail = 0;
  std::uint32_t cursor = 0;  // of a port's ring: the first packet that has not begun to leave
};
static_assert(sizeof(PacketRing) == 24);

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

struct alignas(64) Port {
  // -- the line that every packet touches
  PacketRing ring;
  std::uint32_t queued = 0;         // bytes accepted that have not begun to leave
  std::uint32_t owner = 0;          // node
  Time free_at;                     // when the last packet with a known departure has left
  Time delay;                       // propagation
  std::uint32_t ps_per_byte = 0;    // 0: not a whole number, divide by rate
  std::uint32_t peer = 0;           // node at the far end
  std::uint16_t index_at_peer = 0;  // this link's index among the peer switch's ports
  bool loses = false;               // it has `faults`
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

  // Priority port: a packet has begun to leave.
  void note_departure(bool is_urgent) {
    if (order_is_partial || !order.push(is_urgent)) [[unlikely]]
      order_is_partial = true;
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

// Settles all departures up to and including `now`. on_depart(const Descriptor&) is called for
// each packet that began to leave, in order, and on_control(const Descriptor&) for each pause and resume frame.
struct Ignore {
  void operator()(const Descriptor&) const {}
};
template <class OnDepart, class OnControl = Ignore>
inline void drain(Port& p, Time now, OnDepart&& on_depart, OnControl&& on_control = {}) {
  while (p.ring.cursor != p.ring.tail) {
    Descriptor& packet = p.ring[p.ring.cursor];
    if (packet.departs > now) return;
    ++p.ring.cursor;
    if (packet.is_control()) {
      --p.pending_control;
      packet.queue = p.queued;
      on_control(packet);
      continue;
    }
    p.queued -= packet.wire;
    packet.queue = p.queued;
    on_depart(packet);
  }
}

// Copies a packet to its place. That of a host has just been written.
inline void copy_to(Descriptor& place, const Descriptor& packet) { place = packet; }
inline void copy_to(Descriptor& place, const Packet& packet) { copy_fields(place, packet); }

// Accepts a packet at the tail of a FIFO port; the caller has drained the port up to `now`.
template <class AnyPacket>
inline Descriptor& accept(Port& p, const AnyPacket& packet, Time now) {
  if (p.ring.empty()) p.ring.cursor = 0;
  Descriptor& place = p.ring.empty() ? p.ring.push_first() : p.ring.push_behind();
  copy_to(place, packet);
  p.queued += packet.wire;
  if (p.paused && packet.traffic_class == TrafficClass::data) {
    place.departs = kNotScheduled;
  } else {
    place.departs = now > p.free_at ? now : p.free_at;
    p.free_at = place.departs + p.serialisation(packet.wire);
  }
  return place;
}

// Can a packet start at `now` without waiting, on a FIFO port? If so nothing is queued.
inline bool idle(const Port& p, Time now) { return p.free_at <= now && p.ring.cursor == p.ring.tail && !p.paused; }

// Starts a packet on an idle port at once: it is never queued.
inline Descriptor& start(Port& p, const Descriptor& packet, Time now) {
  Descriptor& place = p.ring.empty() ? p.ring.push_first() : p.ring.push_behind();
  place = packet;
  place.departs = now;
  place.queue = 0;
  p.ring.cursor = p.ring.tail;
  p.free_at = now + p.serialisation(packet.wire);
  return place;
}

// Gives the waiting packets of a FIFO port new departures, from the end of the transmission in
// progress: after a pause, a resume or the insertion of a control frame.
void retime(Port& p, Time now);

// Puts a pause or resume frame in front of all waiting data of a FIFO port.
void insert_control(Port& p, const Descriptor& frame, Time now);

}  // namespace weir::net
