// Pending events in the order of uet-htsim's list: by time in picoseconds, and at one time in the order in which they
// were scheduled.
//
// Time is cut into slots. The nearest ones have a list each; what is due later waits in a heap, and moves to its list
// as soon as the present comes near enough, which is before anything else can be put there. The list of the present
// slot is sorted.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace weir::replica::uet {

struct Event {
  std::uint32_t kind = 0;
  std::uint32_t index = 0;
  std::uint32_t data = 0;
};

class Events {
 public:
  Events() : lists_(kSlots) {}

  std::int64_t now() const { return now_; }  // the time of the last event
  bool empty() const { return near_ == 0 && far_.empty() && at_ == present_.size(); }

  // time >= now()
  void schedule(std::int64_t time, Event event);
  // Takes the next event if it is due before `end`.
  bool take(std::int64_t end, Event& event);

 private:
  static constexpr unsigned kSlotBits = 7;  // a slot is 128 ps
  static constexpr std::uint32_t kSlots = 1u << 17;
  static constexpr std::uint32_t kWords = kSlots / 64;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Due {
    std::int64_t time = 0;
    Event event;
  };
  struct Node {
    Due due;
    std::uint32_t next = kNone;
  };
  struct List {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  struct Far {
    Due due;
    std::uint64_t order = 0;
    friend bool operator>(const Far& a, const Far& b) {
      return a.due.time != b.due.time ? a.due.time > b.due.time : a.order > b.order;
    }
  };

  static std::int64_t slot_of(std::int64_t time) { return time >> kSlotBits; }
  void append(const Due& due);
  void enter(std::int64_t slot);
  std::int64_t next_slot() const;

  std::int64_t now_ = 0;
  std::int64_t slot_ = 0;     // the present one
  std::vector<Due> present_;  // its events, sorted; those before at_ have happened
  std::size_t at_ = 0;
  std::uint64_t near_ = 0;  // events in lists
  std::uint64_t order_ = 0;
  std::vector<List> lists_;
  std::array<std::uint64_t, kWords> used_{};  // a bit for each list
  std::vector<Node> nodes_;
  std::uint32_t free_ = kNone;
  std::priority_queue<Far, std::vector<Far>, std::greater<>> far_;
};

}  // namespace weir::replica::uet
