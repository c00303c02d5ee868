// What arrives by a link, packet by packet, while the node at its end takes its turn.
//
// As in port_batch.h, copies of a port's rings are read and stored at the end.
#pragma once

#include <algorithm>
#include <cstdint>

#include "weir/base/prefetch.h"
#include "weir/net/port/port_batch.h"
#include "weir/net/port/wire.h"
#include "weir/sim/caches.h"

namespace weir::net {

// The packet that is kRecordsAhead behind the first one of a ring. If there are not so many, it is the last one, or if
// the ring is empty, the one that has just been taken off.
inline const Descriptor& soon_in(const PacketRing::View& ring) {
  const auto behind = static_cast<std::int32_t>(ring.tail - ring.head) - 1;
  return ring[ring.head + static_cast<std::uint32_t>(std::min(behind, sim::kRecordsAhead))];
}

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
    prefetch_line(&ring_[ring_.head + sim::kPlacesAhead]);
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
class PriorityLinkReader {
 public:
  static constexpr bool kHasLeft = false;
  explicit PriorityLinkReader(Port& p)
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
    prefetch_line(&ring[ring.head + sim::kPlacesAhead]);
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
    PacketRing* ring = port_->kind == PortKind::priority ? Priority::next_on_wire(*port_) : &port_->ring;
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
  Descriptor& take() {
    Descriptor& packet = ring_->front();
    ring_->pop();
    return packet;
  }

 private:
  PacketRing* ring_;
};

}  // namespace weir::net
