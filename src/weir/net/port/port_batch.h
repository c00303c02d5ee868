// The rings and books of a port, apart from the port, while a node takes its turn.
//
// As far as a compiler knows, what is written to a packet may change the port, so that it reads the port anew for each
// packet that is put on it or taken off its link. These copies it can keep in registers or on the stack. They are for
// ports of which nothing is paused and on which no pause or resume frame waits; who has changed them stores them in the
// port.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>

#include "weir/base/prefetch.h"
#include "weir/net/port/port.h"
#include "weir/net/port/priority_port.h"

namespace weir::net {

// So many places ahead of the one that is used are asked for.
inline constexpr std::uint32_t kPlacesAhead = 8;
// As a packet arrives at a host, the body of the one that is so many behind the next one is asked for.
inline constexpr std::int32_t kSoon = 2;

// So many places of a ring from this one on.
inline void prefetch_places(const PacketRing& ring, std::uint32_t first, std::uint32_t places) {
  for (std::uint32_t i = 0; i < places; i += 2) prefetch_line(ring.address(first + i));
}

// The first ones that have packets, but no more than so many.
inline void prefetch_first(const PacketRing& ring, std::uint32_t places) {
  prefetch_places(ring, ring.head, std::min(ring.size(), places));
}

// The packet that is kSoon behind the first one of a ring. If there are not so many, it is the last one, or if the ring
// is empty, the one that has just been taken off.
inline const Descriptor& soon_in(const PacketRing::View& ring) {
  const auto behind = static_cast<std::int32_t>(ring.tail - ring.head) - 1;
  return ring[ring.head + static_cast<std::uint32_t>(std::min(behind, kSoon))];
}

// How long packets take on a port's link.
class LinkPace {
 public:
  explicit LinkPace(const Port& p) : port_(&p), ps_per_byte_(p.ps_per_byte) {}
  Time serialisation(std::uint32_t wire) const {
    if (ps_per_byte_ != 0) [[likely]]
      return {static_cast<std::int64_t>(wire) * ps_per_byte_};
    return port_->serialisation(wire);
  }

 private:
  const Port* port_;
  std::uint32_t ps_per_byte_;
};

// A FIFO port on which packets are put. on_depart(const Descriptor&) is called for each that begins to leave after it
// has been counted as waiting, in order.
class FifoBatch {
 public:
  explicit FifoBatch(const Port& p) : pace_(p) { open(p); }
  void open(const Port& p) {
    ring_ = p.ring.view();
    queued_ = p.queued;
    free_at_ = p.free_at;
  }
  // Nothing else comes before `until`. What leaves before has left.
  template <class OnDepart>
  void close(Port& p, Time until, OnDepart&& on_depart) {
    drain({until.ps - 1}, on_depart);
    p.ring.move_to(ring_);
    p.queued = queued_;
    p.free_at = free_at_;
  }

  // No less than what waits.
  std::uint32_t queued() const { return queued_; }
  std::uint32_t queued_with(const Descriptor&) const { return queued_; }
  std::uint32_t on_ring() const { return ring_.tail - ring_.head; }
  bool is_full_for(const Descriptor&) const { return ring_.is_full(); }

  // Before put(), at the same time. In PriorityBatch it does nothing, for close() does all.
  template <class OnDepart>
  void drain(Time now, OnDepart&& on_depart) {
    while (ring_.cursor != ring_.tail) {
      Descriptor& packet = ring_[ring_.cursor];
      if (packet.departs > now) return;
      ++ring_.cursor;
      queued_ -= packet.wire;
      packet.queue = queued_;
      on_depart(packet);
    }
  }
  // Where the books are not full: starts the packet, or has it wait. True if it counts as waiting.
  bool put(const Descriptor& packet, std::uint32_t ingress, Time now) {
    const bool waits = free_at_ > now;
    const std::uint32_t wire = packet.wire;
    const Time departs = waits ? free_at_ : now;
    Descriptor& place = ring_[ring_.tail++];
    prefetch_line(&ring_[ring_.tail + kPlacesAhead - 1]);
    place = packet;
    place.departs = departs;
    place.ingress = static_cast<std::uint16_t>(ingress);
    free_at_ = departs + pace_.serialisation(wire);
    if (waits) {
      queued_ += wire;
    } else {
      place.queue = 0;
      ring_.cursor = ring_.tail;
    }
    return waits;
  }

 private:
  LinkPace pace_;
  PacketRing::View ring_;
  std::uint32_t queued_;
  Time free_at_;
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

// When packets have come to a port since its books were opened, and how much had come by then.
//
// A processor cannot foresee how many packets come while one is being sent. So that is found by counting, not by
// branches.
class Arrivals {
 public:
  static constexpr std::uint32_t kMost = 128;

  Arrivals() { at_[0] = std::numeric_limits<std::int64_t>::min(); }
  // `before`: what has come already.
  void open(ClassBytes before) {
    count_ = 0;
    sums_[0] = before;
  }
  std::uint32_t count() const { return count_; }
  // With what had come before.
  ClassBytes sum() const { return sums_[count_]; }
  // In the order of time.
  void add(Time at, ClassBytes packet) {
    ClassBytes sum = sums_[count_];
    sum += packet;
    ++count_;
    at_[count_] = at.ps;
    sums_[count_] = sum;
  }

  // Before the following are asked.
  void close() {
    for (std::uint32_t i = 1; i <= kAtATime; ++i) at_[count_ + i] = Time::max().ps;
  }
  // When the packet with this number, counted from 0, has come. A negative number stands for a packet that had come
  // before, long ago. If no packet has the number, the time is Time::max().
  Time at(std::int32_t number) const { return {at_[std::max(number + 1, 0)]}; }
  // How many packets have come before t. The caller knows that it is at least `least`.
  std::uint32_t before(Time t, std::uint32_t least) const {
    const std::int64_t* const next = at_ + least + 1;
    std::uint32_t n = least;
    for (std::uint32_t i = 0; i < kAtATime; ++i) n += next[i] < t.ps;
    while (at_[n + 1] < t.ps) ++n;
    return n;
  }
  // The bytes of the first n packets, with what had come before.
  ClassBytes sum_of(std::uint32_t n) const { return sums_[n]; }

 private:
  static constexpr std::uint32_t kAtATime = 3;  // seldom do more come while one is being sent

  std::uint32_t count_ = 0;
  std::int64_t at_[1 + kMost + kAtATime];  // in ps; the first one stands for all before
  ClassBytes sums_[1 + kMost];
};

// The same of a priority port, where each packet counts as waiting at first. Which one leaves next depends on what
// comes until then, so all departures are worked out when the books are closed.
class PriorityBatch {
 public:
  explicit PriorityBatch(const Port& p) : pace_(p) { open(p); }
  void open(const Port& p) {
    ring_[0] = p.ring.view();
    ring_[1] = p.urgent.view();
    free_at_ = p.free_at;
    order_ = p.order;
    order_is_partial_ = p.order_is_partial;
    arrivals_.open({p.queued, p.urgent_queued});
    waits_ = p.waiting() + (p.urgent.tail - p.urgent.cursor);
  }
  template <class OnDepart>
  void close(Port& p, Time until, OnDepart&& on_depart) {
    const ClassBytes waiting = compute_departures(until, on_depart);
    p.ring.move_to(ring_[0]);
    p.urgent.move_to(ring_[1]);
    p.urgent_queued = waiting.urgent();
    p.queued = waiting.all();
    p.free_at = free_at_;
    p.order = order_;
    p.order_is_partial = order_is_partial_;
  }

  // No less than the bytes of the packet's class that wait, and than those of both.
  std::uint32_t queued_with(const Descriptor& packet) const {
    const ClassBytes sum = arrivals_.sum();
    return choose_if(is_urgent(packet), sum.urgent(), sum.all() - sum.urgent());
  }
  std::uint32_t queued() const { return arrivals_.sum().all(); }
  std::uint32_t on_ring() const { return ring_[0].tail - ring_[0].head; }
  bool is_full_for(const Descriptor& packet) const {
    return ring_[is_urgent(packet)].is_full() || arrivals_.count() == Arrivals::kMost;
  }

  template <class OnDepart>
  void drain(Time, OnDepart&&) const {}
  // Only if is_full_for() is false.
  bool put(const Descriptor& packet, std::uint32_t ingress, Time now) {
    const bool urgent = is_urgent(packet);
    PacketRing::View& ring = ring_[urgent];
    Descriptor& place = ring[ring.tail++];
    prefetch_line(&ring[ring.tail + kPlacesAhead - 1]);
    arrivals_.add(now, ClassBytes::of_packet(packet.wire, urgent));
    place = packet;
    place.ingress = static_cast<std::uint16_t>(ingress);
    return true;
  }

 private:
  // All departures before `until`, as by drain_priority(). Returns what waits then. All packets have bytes, so that
  // these tell whether any packets wait.
  template <class OnDepart>
  ClassBytes compute_departures(Time until, OnDepart&& on_depart) {
    arrivals_.close();
    Descriptor none;  // is read where a ring has no places
    Descriptor* const data_places = ring_[0].room != 0 ? ring_[0].places : &none;
    Descriptor* const urgent_places = ring_[1].room != 0 ? ring_[1].places : &none;
    const std::uint32_t data_mask = ring_[0].room != 0 ? ring_[0].mask : 0;
    const std::uint32_t urgent_mask = ring_[1].room != 0 ? ring_[1].mask : 0;
    std::uint32_t data_at = ring_[0].cursor;
    std::uint32_t urgent_at = ring_[1].cursor;
    Time free_at = free_at_;
    DepartureOrder order = order_;
    ClassBytes gone{0, 0};
    std::uint32_t come = 0;
    // Packets that have departed, minus those that waited when the books were opened.
    for (auto departed = -static_cast<std::int32_t>(waits_);;) {
      // If nothing waits, the link is idle until the next one comes.
      const Time departs = std::max(free_at, arrivals_.at(departed));
      if (departs >= until) break;
      ++departed;
      come = std::max(arrivals_.before(departs, come), static_cast<std::uint32_t>(std::max(departed, 0)));
      ClassBytes waiting = arrivals_.sum_of(come);
      waiting -= gone;
      const bool urgent = waiting.urgent() != 0;
      Descriptor& packet =
          choose_object_if(urgent, urgent_places[urgent_at & urgent_mask], data_places[data_at & data_mask]);
      const std::uint32_t wire = packet.wire;
      const ClassBytes leaving = ClassBytes::of_packet(wire, urgent);
      free_at = departs + pace_.serialisation(wire);
      data_at += !urgent;
      urgent_at += urgent;
      gone += leaving;
      waiting -= leaving;
      packet.departs = departs;
      packet.queue = choose_if(urgent, waiting.urgent(), waiting.all());
      if (order_is_partial_ || !order.push(urgent)) [[unlikely]]
        order_is_partial_ = true;
      on_depart(packet);
    }
    ring_[0].cursor = data_at;
    ring_[1].cursor = urgent_at;
    free_at_ = free_at;
    order_ = order;
    ClassBytes out = arrivals_.sum();
    out -= gone;
    return out;
  }

  LinkPace pace_;
  PacketRing::View ring_[2];  // [is it of the first class]
  Time free_at_;
  DepartureOrder order_;
  bool order_is_partial_;
  std::uint32_t waits_;  // how many packets, as the books were opened
  Arrivals arrivals_;    // with these
};

// The packets on the link of a FIFO port, in the order of their arrivals.
class FifoLinkReader {
 public:
  static constexpr bool kHasLeft = false;  // what happens to a packet as it leaves the port is settled when it arrives
  explicit FifoLinkReader(Port& p) : port_(&p), pace_(p), delay_(p.delay), ring_(p.ring.view()) {}
  void store() const { port_->ring.head = ring_.head; }

  // The one that arrives next, which may still be waiting; null if there is none.
  Descriptor* first() const { return ring_.head != ring_.tail ? &ring_[ring_.head] : nullptr; }
  Time arrival(const Descriptor& packet) const { return packet.departs + pace_.serialisation(packet.wire) + delay_; }
  // Takes it off. It stays in its place until its owner puts another on the ring. Returns soon_in() of its ring.
  const Descriptor& take() {
    prefetch_line(&ring_[ring_.head + kPlacesAhead]);
    ++ring_.head;
    return soon_in(ring_);
  }

 private:
  Port* port_;
  LinkPace pace_;
  Time delay_;
  PacketRing::View ring_;
};

// The same of a priority port of which all departures are noted in their order.
class PriorityWire {
 public:
  static constexpr bool kHasLeft = false;
  explicit PriorityWire(Port& p)
      : port_(&p), pace_(p), delay_(p.delay), ring_{p.ring.view(), p.urgent.view()}, order_(p.order) {}
  void store() const {
    port_->ring.head = ring_[0].head;
    port_->urgent.head = ring_[1].head;
    port_->order = order_;
  }

  Descriptor* first() const {
    if (order_.empty()) return nullptr;
    const PacketRing::View& ring = ring_[order_.urgent_is_first()];
    return &ring[ring.head];
  }
  Time arrival(const Descriptor& packet) const { return packet.departs + pace_.serialisation(packet.wire) + delay_; }
  const Descriptor& take() {
    PacketRing::View& ring = ring_[order_.urgent_is_first()];
    prefetch_line(&ring[ring.head + kPlacesAhead]);
    order_.pop();
    ++ring.head;
    return soon_in(ring);
  }

 private:
  Port* port_;
  LinkPace pace_;
  Time delay_;
  PacketRing::View ring_[2];
  DepartureOrder order_;
};

// The same of any port of these kinds, without copies: while something is paused, or where the departures are not noted
// in their order.
class LiveLinkReader {
 public:
  static constexpr bool kHasLeft = false;
  explicit LiveLinkReader(Port& p) : port_(&p) {}
  void store() const {}

  // The resume frame that lets a held packet go schedules its arrival.
  Descriptor* first() const {
    PacketRing* ring = port_->kind == PortKind::priority ? next_on_wire(*port_) : &port_->ring;
    return ring == nullptr || ring->empty() || ring->front().departs == kNotScheduled ? nullptr : &ring->front();
  }
  Time arrival(const Descriptor& packet) const { return port_->arrival(packet); }
  const Descriptor& take() { return take_off_wire(*port_); }

 private:
  Port* port_;
};

// What another partition has handed over.
class InboundLinkReader {
 public:
  static constexpr bool kHasLeft = true;
  explicit InboundLinkReader(PacketRing& ring) : ring_(&ring) {}
  void store() const {}

  Descriptor* first() const { return ring_->empty() ? nullptr : &ring_->front(); }
  Time arrival(const Descriptor& packet) const { return packet.departs; }
  const Descriptor& take() {
    const Descriptor& packet = ring_->front();
    ring_->pop();
    return packet;
  }

 private:
  PacketRing* ring_;
};

}  // namespace weir::net
