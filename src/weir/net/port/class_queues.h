// The waiting packets of a queued port, and which of them goes next.
//
// Pause and resume frames go first, then the priority class, then the data classes by the scheduling
// of the network. Deficit round robin (Shreedhar and Varghese, ToN 1996): a class that is visited gets
// its quantum on top of what it has left, and is served while its first packet is not longer than that;
// a class that runs empty keeps nothing. Classes are visited in order of their numbers.
#pragma once

#include <cstdint>

#include "weir/net/link/packet.h"
#include "weir/net/port/port.h"

namespace weir::net {

// fifo: in order of arrival; priority: the class with the smallest number that has a packet; drr: in turn.
enum class Scheduling : std::uint8_t { fifo, priority, drr };

// The same for all ports of a run.
struct ClassRules {
  Scheduling scheduling = Scheduling::fifo;
  unsigned classes = 1;                      // data classes
  std::uint32_t quantum[kDataClasses] = {};  // bytes; drr: more than 0
};

struct ClassQueues {
  PacketRing control;
  PacketRing waiting[kTrafficClasses];
  std::uint32_t bytes[kTrafficClasses] = {};  // waiting
  bool busy = false;

  bool has(unsigned data_class) const { return !waiting[1 + data_class].empty(); }

  void push(const Descriptor& packet) {
    if (packet.is_control()) {
      control.push() = packet;
      return;
    }
    const auto c = static_cast<std::size_t>(packet.traffic_class);
    Descriptor& place = waiting[c].push();
    place = packet;
    place.departs = {arrivals_++};  // not known yet; meanwhile its place in the order of arrival
    bytes[c] += packet.wire;
  }

  template <class A>
  void archive(A& a) {
    control.archive(a);
    for (PacketRing& ring : waiting) ring.archive(a);
    a.value(bytes);
    a.value(busy);
    a.value(arrivals_);
    a.value(deficit_);
    a.value(visited_);
    a.value(granted_);
  }

  // What a packet of this class finds before it: its own class, and the one that goes ahead of all.
  std::uint32_t ahead_of(TrafficClass c) const {
    return c == TrafficClass::priority ? bytes[0] : bytes[0] + bytes[static_cast<std::size_t>(c)];
  }

  // The queue whose first packet may start, or null; pop() has to follow.
  PacketRing* select(const ClassRules& rules, ClassSet paused) {
    if (!control.empty()) return &control;
    if (!waiting[0].empty()) return &waiting[0];
    ClassSet ready = 0;
    for (unsigned c = 0; c < rules.classes; ++c)
      if (has(c)) ready = static_cast<ClassSet>(ready | 1u << c);
    ready = static_cast<ClassSet>(ready & ~paused);
    if (ready == 0) return nullptr;
    switch (rules.scheduling) {
      case Scheduling::fifo: return &waiting[1 + oldest(rules, ready)];
      case Scheduling::priority: return &waiting[1 + static_cast<unsigned>(__builtin_ctz(ready))];
      case Scheduling::drr: return &waiting[1 + visit(rules, ready)];
    }
    return nullptr;
  }

  // Removes the packet that select() chose.
  void pop(PacketRing& from) {
    const Descriptor& packet = from.front();
    if (!packet.is_control()) {
      const auto c = static_cast<unsigned>(packet.traffic_class);
      bytes[c] -= packet.wire;
      if (c == 1 + visited_ && bytes[c] == 0) deficit_[visited_] = 0;
    }
    from.pop();
  }

 private:
  unsigned oldest(const ClassRules& rules, ClassSet ready) const {
    unsigned first = kDataClasses;
    for (unsigned c = 0; c < rules.classes; ++c)
      if ((ready >> c & 1) != 0 &&
          (first == kDataClasses || waiting[1 + c].front().departs < waiting[1 + first].front().departs))
        first = c;
    return first;
  }

  // Ends since every round adds a quantum to the deficit of a class with a packet.
  unsigned visit(const ClassRules& rules, ClassSet ready) {
    for (;; granted_ = false, visited_ = (visited_ + 1) % rules.classes) {
      if ((ready >> visited_ & 1) == 0) continue;
      if (!granted_) deficit_[visited_] += rules.quantum[visited_];
      granted_ = true;
      const std::uint32_t wire = waiting[1 + visited_].front().wire;
      if (wire > deficit_[visited_]) continue;
      deficit_[visited_] -= wire;
      return visited_;
    }
  }

  std::int64_t arrivals_ = 0;
  std::uint32_t deficit_[kDataClasses] = {};
  unsigned visited_ = 0;  // the class that is visited ...
  bool granted_ = false;  // ... and whether it has got its quantum
};

}  // namespace weir::net
