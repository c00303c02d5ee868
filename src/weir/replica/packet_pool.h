// A replica's packets, and the queues that they wait in.
#pragma once

#include <cstdint>
#include <vector>

namespace weir::replica {

// No packet, or no other thing that has a number.
inline constexpr std::uint32_t kNone = ~std::uint32_t{0};

// Packets of the pool, linked.
struct PacketQueue {
  std::uint32_t first = kNone;
  std::uint32_t last = kNone;
  bool empty() const { return first == kNone; }
};

// A packet is known by its number as long as it is in use, and is in one queue at most. It has a member `next`, and a
// member `previous` if queues are also taken from behind; both belong to the pool.
template <class Packet>
class PacketPool {
  static constexpr bool kBothWays = requires(Packet p) { p.previous; };

 public:
  Packet& operator[](std::uint32_t id) { return packets_[id]; }
  const Packet& operator[](std::uint32_t id) const { return packets_[id]; }

  // Its content is that of its last use, or the defaults.
  std::uint32_t take() {
    if (free_.empty()) {
      packets_.emplace_back();
      return static_cast<std::uint32_t>(packets_.size() - 1);
    }
    const std::uint32_t id = free_.back();
    free_.pop_back();
    return id;
  }
  void give(std::uint32_t id) { free_.push_back(id); }

  void push(PacketQueue& queue, std::uint32_t id) {
    packets_[id].next = kNone;
    if constexpr (kBothWays) packets_[id].previous = queue.last;
    if (queue.empty())
      queue.first = id;
    else
      packets_[queue.last].next = id;
    queue.last = id;
  }
  // The queue is not empty.
  std::uint32_t pop(PacketQueue& queue) {
    const std::uint32_t id = queue.first;
    queue.first = packets_[id].next;
    if constexpr (kBothWays) {
      if (queue.empty())
        queue.last = kNone;
      else
        packets_[queue.first].previous = kNone;
    }
    return id;
  }
  // The queue is not empty.
  std::uint32_t pop_last(PacketQueue& queue) requires kBothWays {
    const std::uint32_t id = queue.last;
    queue.last = packets_[id].previous;
    if (queue.last == kNone)
      queue.first = kNone;
    else
      packets_[queue.last].next = kNone;
    return id;
  }

 private:
  std::vector<Packet> packets_;
  std::vector<std::uint32_t> free_;
};

}  // namespace weir::replica
