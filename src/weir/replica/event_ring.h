// Pending events in the order of ns-3's scheduler: by whole nanoseconds, and at one nanosecond in the order in which
// they were scheduled.
//
// The nearest kSlots nanoseconds have a queue each; what is due later waits in a heap, and moves to its queue as soon
// as the present comes near enough, which is before anything else can be put there.
#pragma once

#include <array>
#include <cstdint>
#include <queue>
#include <vector>

namespace weir::replica {

struct Event {
  std::uint32_t kind = 0;
  std::uint32_t index = 0;
  std::uint32_t data = 0;
};

class EventRing {
 public:
  EventRing() : slots_(kSlots) {}

  std::int64_t now() const { return now_; }  // ns; the time of the last event
  bool empty() const { return near_ == 0 && far_.empty(); }

  // time >= now()
  void schedule(std::int64_t time, Event event);
  // Takes the next event if it is due before `end`.
  bool take(std::int64_t end, Event& event);

 private:
  static constexpr std::uint32_t kSlots = 8192;
  static constexpr std::uint32_t kWords = kSlots / 64;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Node {
    Event event;
    std::uint32_t next = kNone;
  };
  struct Slot {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  struct Far {
    std::int64_t time = 0;
    std::uint64_t order = 0;
    Event event;
    friend bool operator>(const Far& a, const Far& b) { return a.time != b.time ? a.time > b.time : a.order > b.order; }
  };

  void append(std::int64_t time, const Event& event);
  std::int64_t next_near() const;

  std::int64_t now_ = 0;
  std::uint64_t near_ = 0;  // events in slots
  std::uint64_t order_ = 0;
  std::vector<Slot> slots_;
  std::array<std::uint64_t, kWords> used_{};  // a bit for each slot
  std::vector<Node> nodes_;
  std::uint32_t free_ = kNone;
  std::priority_queue<Far, std::vector<Far>, std::greater<>> far_;
};

}  // namespace weir::replica
