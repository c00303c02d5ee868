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
#include "weir/net/port/fifo_port.h"
#include "weir/net/port/port.h"
#include "weir/net/port/priority_port.h"
#include "weir/sim/caches.h"

namespace weir::net {

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
  explicit FifoBatch(const Port& p) : view_(p) { open(p); }
  void open(const Port& p) {
    view_.ring = p.ring.view();
    view_.queued = p.queued;
    view_.free_at = p.free_at;
  }
  // Nothing else comes before `until`. What leaves before has left.
  template <class OnDepart>
  void close(Port& p, Time until, OnDepart&& on_depart) {
    drain({until.ps - 1}, on_depart);
    p.ring.move_to(view_.ring);
    p.queued = view_.queued;
    p.free_at = view_.free_at;
  }

  // No less than what waits.
  std::uint32_t queued() const { return view_.queued; }
  std::uint32_t queued_with(const Descriptor&) const { return view_.queued; }
  std::uint32_t on_ring() const { return view_.ring.tail - view_.ring.head; }
  bool is_full_for(const Descriptor&) const { return view_.ring.is_full(); }

  // Before put(), at the same time. In PriorityBatch it does nothing, for close() does all.
  template <class OnDepart>
  void drain(Time now, OnDepart&& on_depart) {
    Fifo::drain(view_, now, on_depart);
  }
  // Where the books are not full: starts the packet, or has it wait. True if it counts as waiting.
  bool put(const Descriptor& packet, std::uint32_t ingress, Time now) {
    prefetch_line(&view_.ring[view_.ring.tail + sim::kPlacesAhead]);
    if (Fifo::starts_at_once(view_, packet, now)) {
      Fifo::start(view_, packet, static_cast<std::uint16_t>(ingress), now);
      return false;
    }
    Fifo::accept(view_, packet, now).ingress = static_cast<std::uint16_t>(ingress);
    return true;
  }

 private:
  struct View : LinkPace {
    static constexpr bool kIsUnpaused = true;
    explicit View(const Port& p) : LinkPace(p) {}
    PacketRing::View ring;
    std::uint32_t queued;
    Time free_at;
  };
  View view_;
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
  explicit PriorityBatch(const Port& p) : transmitter_(p) { open(p); }
  void open(const Port& p) {
    ring_[0] = p.ring.view();
    ring_[1] = p.urgent.view();
    transmitter_.free_at = p.free_at;
    transmitter_.order = p.order;
    transmitter_.order_is_partial = p.order_is_partial;
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
    p.free_at = transmitter_.free_at;
    p.order = transmitter_.order;
    p.order_is_partial = transmitter_.order_is_partial;
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
    const PacketRing::View& ring = ring_[is_urgent(packet)];
    prefetch_line(&ring[ring.tail + sim::kPlacesAhead]);
    Priority::accept(*this, packet, static_cast<std::uint16_t>(ingress), now);
    return true;
  }

 private:
  friend struct Priority;
  struct Transmitter : LinkPace {
    explicit Transmitter(const Port& p) : LinkPace(p) {}
    Time free_at;
    DepartureOrder order;
    bool order_is_partial;
  };

  // Of the view that put() has.
  PacketRing::View& ring_of(bool urgent) { return ring_[urgent]; }
  void note_waiting(ClassBytes packet, Time now) { arrivals_.add(now, packet); }

  // All departures before `until`, as by Priority::drain(). Returns what waits then. All packets have bytes, so that
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
    Transmitter transmitter = transmitter_;
    ClassBytes gone{0, 0};
    std::uint32_t come = 0;
    // Packets that have departed, minus those that waited when the books were opened.
    for (auto departed = -static_cast<std::int32_t>(waits_);;) {
      // If nothing waits, the link is idle until the next one comes.
      const Time departs = std::max(transmitter.free_at, arrivals_.at(departed));
      if (departs >= until) break;
      ++departed;
      come = std::max(arrivals_.before(departs, come), static_cast<std::uint32_t>(std::max(departed, 0)));
      ClassBytes waiting = arrivals_.sum_of(come);
      waiting -= gone;
      const bool urgent = waiting.urgent() != 0;
      Descriptor& packet =
          choose_object_if(urgent, urgent_places[urgent_at & urgent_mask], data_places[data_at & data_mask]);
      const ClassBytes leaving = ClassBytes::of_packet(packet.wire, urgent);
      data_at += !urgent;
      urgent_at += urgent;
      gone += leaving;
      waiting -= leaving;
      Priority::begin_transmission(transmitter, packet, urgent, departs);
      packet.queue = Priority::queue_behind(urgent, waiting);
      on_depart(packet);
    }
    ring_[0].cursor = data_at;
    ring_[1].cursor = urgent_at;
    transmitter_ = transmitter;
    ClassBytes out = arrivals_.sum();
    out -= gone;
    return out;
  }

  PacketRing::View ring_[2];  // [is it of the first class]
  Transmitter transmitter_;
  std::uint32_t waits_;  // how many packets, as the books were opened
  Arrivals arrivals_;    // with these
};

}  // namespace weir::net
