// The rings and books of a port, apart from the port, while a node takes its turn.
//
// As far as a compiler knows, what is written to a packet may change the port, so that it reads the port anew for each
// packet that is put on it or taken off its link. These copies it can keep in registers. They are for ports of which
// nothing is paused and on which no pause or resume frame waits; who has changed them stores them in the port.
#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/base/prefetch.h"
#include "weir/net/port.h"
#include "weir/net/ranked_port.h"

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
// has been counted as waiting.
class FifoBooks {
 public:
  explicit FifoBooks(const Port& p) : pace_(p), ring_(p.ring.view()), queued_(p.queued), free_at_(p.free_at) {}

  void store(Port& p) const {
    p.ring.move_to(ring_);
    p.queued = queued_;
    p.free_at = free_at_;
  }

  std::uint32_t queued() const { return queued_; }
  std::uint32_t on_ring() const { return ring_.tail - ring_.head; }
  std::uint32_t queued_with(const Descriptor&) const { return queued_; }
  bool is_full_for(const Descriptor&) const { return ring_.is_full(); }

  // As drain().
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

  // After drain(now), on a ring that is not full: starts the packet, or has it wait. True if it counts as waiting.
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

// The same of a ranked port, where each packet counts as waiting at first.
class RankedBooks {
 public:
  explicit RankedBooks(const Port& p)
      : pace_(p),
        ring_{p.ring.view(), p.urgent.view()},
        queued_{p.queued - p.urgent_queued, p.urgent_queued},
        free_at_(p.free_at),
        order_(p.order),
        order_is_partial_(p.order_is_partial) {}

  void store(Port& p) const {
    p.ring.move_to(ring_[0]);
    p.urgent.move_to(ring_[1]);
    p.queued = queued_[0] + queued_[1];
    p.urgent_queued = queued_[1];
    p.free_at = free_at_;
    p.order = order_;
    p.order_is_partial = order_is_partial_;
  }

  // Bytes of the packet's class that wait, and of all.
  std::uint32_t queued_with(const Descriptor& packet) const { return queued_[is_urgent(packet)]; }
  std::uint32_t queued() const { return queued_[0] + queued_[1]; }
  std::uint32_t on_ring() const { return ring_[0].tail - ring_[0].head; }
  bool is_full_for(const Descriptor& packet) const { return ring_[is_urgent(packet)].is_full(); }

  // As drain_ranked().
  template <class OnDepart>
  void drain(Time now, OnDepart&& on_depart) {
    while (free_at_ <= now) {
      const bool urgent = ring_[1].cursor != ring_[1].tail;
      PacketRing::View& ring = ring_[urgent];
      if (ring.cursor == ring.tail) return;
      Descriptor& packet = ring[ring.cursor++];
      prefetch_line(&ring[ring.cursor]);  // that of the next one to leave
      if (order_is_partial_ || !order_.push(urgent)) [[unlikely]]
        order_is_partial_ = true;
      const std::uint32_t wire = packet.wire;
      queued_[urgent] -= wire;
      packet.departs = free_at_;
      packet.queue = queued_[1] + (queued_[0] & bits_if(!urgent));
      free_at_ = free_at_ + pace_.serialisation(wire);
      on_depart(packet);
    }
  }

  // After drain(now), on a ring that is not full. What may start at once is started by the next drain(), and counts as
  // waiting until then.
  bool put(const Descriptor& packet, std::uint32_t ingress, Time now) {
    const bool urgent = is_urgent(packet);
    PacketRing::View& ring = ring_[urgent];
    queued_[urgent] += packet.wire;
    Descriptor& place = ring[ring.tail++];
    prefetch_line(&ring[ring.tail + kPlacesAhead - 1]);
    place = packet;
    place.ingress = static_cast<std::uint16_t>(ingress);
    if (free_at_ < now) free_at_ = now;
    return true;
  }

 private:
  LinkPace pace_;
  PacketRing::View ring_[2];  // [is it of the first class]
  std::uint32_t queued_[2];
  Time free_at_;
  DepartureOrder order_;
  bool order_is_partial_;
};

// The packets on the link of a FIFO port, in the order of their arrivals.
class FifoWire {
 public:
  static constexpr bool kHasLeft = false;  // what happens to a packet as it leaves the port is settled when it arrives
  explicit FifoWire(Port& p) : port_(&p), pace_(p), delay_(p.delay), ring_(p.ring.view()) {}
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

// The same of a ranked port of which all departures are noted in their order.
class RankedWire {
 public:
  static constexpr bool kHasLeft = false;
  explicit RankedWire(Port& p)
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
class LiveWire {
 public:
  static constexpr bool kHasLeft = false;
  explicit LiveWire(Port& p) : port_(&p) {}
  void store() const {}

  // The resume frame that lets a held packet go schedules its arrival.
  Descriptor* first() const {
    PacketRing* ring = port_->kind == PortKind::ranked ? next_on_wire(*port_) : &port_->ring;
    return ring == nullptr || ring->empty() || ring->front().departs == kHeld ? nullptr : &ring->front();
  }
  Time arrival(const Descriptor& packet) const { return port_->arrival(packet); }
  const Descriptor& take() { return take_off_wire(*port_); }

 private:
  Port* port_;
};

// What another partition has handed over.
class InboundWire {
 public:
  static constexpr bool kHasLeft = true;
  explicit InboundWire(PacketRing& ring) : ring_(&ring) {}
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
