// The pending events of a replica, in the order of a simulator that has one list of them: by time, and at one time in
// the order in which they were scheduled.
#pragma once

#include <array>
#include <bit>
#include <cassert>
#include <cstdint>
#include <functional>
#include <queue>
#include <vector>

namespace weir::replica {

struct Event {
  std::uint32_t kind = 0;
  std::uint32_t index = 0;
  std::uint32_t data = 0;
};

// Times are whole numbers of a unit that the user chooses, from 0 up. A slot is 2^kSlotBits units wide. Each of the
// nearest kSlots slots (a power of two) has a list of its events in order of scheduling, and that of the present slot
// is sorted by time; where a slot is one unit wide, nothing needs sorting. Events of later slots wait in a heap. They
// move to their list as soon as the present comes near enough, before anything else can be put there.
template <unsigned kSlotBits, std::uint32_t kSlots>
class EventQueue {
 public:
  EventQueue() : lists_(kSlots) {}

  std::int64_t now() const { return now_; }  // the time of the last event
  bool empty() const { return near_ == 0 && far_.empty(); }

  // The time is not before now(), nor before an `end` for which take() has found nothing.
  void schedule(std::int64_t time, const Event& event);
  // Takes the next event if it is due before `end`.
  bool take(std::int64_t end, Event& event);

 private:
  static_assert(std::has_single_bit(kSlots) && kSlots >= 64);
  static constexpr std::uint32_t kWords = kSlots / 64;
  static constexpr std::uint32_t kNone = ~std::uint32_t{0};

  struct Node {
    Event event;
    std::uint32_t after = 0;  // the beginning of its slot
    std::uint32_t next = kNone;
  };
  struct List {
    std::uint32_t first = kNone;
    std::uint32_t last = kNone;
  };
  struct Far {
    std::int64_t time = 0;
    std::uint64_t order = 0;
    Event event;
    friend bool operator>(const Far& a, const Far& b) { return a.time != b.time ? a.time > b.time : a.order > b.order; }
  };

  static std::int64_t slot_of(std::int64_t time) { return time >> kSlotBits; }
  static std::int64_t begin_of(std::int64_t slot) { return slot << kSlotBits; }
  static std::uint32_t place_of(std::int64_t slot) { return static_cast<std::uint32_t>(slot) % kSlots; }

  void put(std::int64_t slot, std::int64_t time, const Event& event);
  void append(List& list, std::uint32_t id);
  void insert(List& list, std::uint32_t id);
  void enter(std::int64_t slot);
  std::int64_t next_slot() const;

  std::int64_t now_ = 0;
  std::int64_t slot_ = 0;   // the present one
  std::uint64_t near_ = 0;  // events in lists
  std::uint64_t order_ = 0;
  std::vector<List> lists_;
  std::array<std::uint64_t, kWords> used_{};  // a bit for each list
  std::vector<Node> nodes_;
  std::uint32_t free_ = kNone;
  std::priority_queue<Far, std::vector<Far>, std::greater<>> far_;
};

template <unsigned kSlotBits, std::uint32_t kSlots>
void EventQueue<kSlotBits, kSlots>::schedule(std::int64_t time, const Event& event) {
  const std::int64_t slot = slot_of(time);
  assert(time >= now_ && slot >= slot_);
  if (slot - slot_ < kSlots)
    put(slot, time, event);
  else
    far_.push({time, order_++, event});
}

template <unsigned kSlotBits, std::uint32_t kSlots>
bool EventQueue<kSlotBits, kSlots>::take(std::int64_t end, Event& event) {
  if (empty()) return false;
  const std::int64_t slot = near_ > 0 ? next_slot() : slot_of(far_.top().time);
  if (begin_of(slot) >= end) return false;
  if (slot != slot_) enter(slot);
  const std::uint32_t place = place_of(slot);
  List& list = lists_[place];
  const std::uint32_t id = list.first;
  Node& node = nodes_[id];
  const std::int64_t time = begin_of(slot) + node.after;
  if (time >= end) return false;
  now_ = time;
  event = node.event;
  list.first = node.next;
  if (list.first == kNone) {
    list.last = kNone;
    used_[place / 64] &= ~(std::uint64_t{1} << place % 64);
  }
  node.next = free_;
  free_ = id;
  --near_;
  return true;
}

// Into the list of its slot, one of the nearest kSlots.
template <unsigned kSlotBits, std::uint32_t kSlots>
void EventQueue<kSlotBits, kSlots>::put(std::int64_t slot, std::int64_t time, const Event& event) {
  std::uint32_t id = free_;
  if (id == kNone) {
    id = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_ = nodes_[id].next;
  }
  nodes_[id] = {event, static_cast<std::uint32_t>(time - begin_of(slot)), kNone};
  const std::uint32_t place = place_of(slot);
  if (kSlotBits > 0 && slot == slot_)
    insert(lists_[place], id);
  else
    append(lists_[place], id);
  used_[place / 64] |= std::uint64_t{1} << place % 64;
  ++near_;
}

template <unsigned kSlotBits, std::uint32_t kSlots>
void EventQueue<kSlotBits, kSlots>::append(List& list, std::uint32_t id) {
  if (list.first == kNone)
    list.first = id;
  else
    nodes_[list.last].next = id;
  list.last = id;
}

// Into a sorted list, behind those of the same time.
template <unsigned kSlotBits, std::uint32_t kSlots>
void EventQueue<kSlotBits, kSlots>::insert(List& list, std::uint32_t id) {
  const std::uint32_t after = nodes_[id].after;
  if (list.first == kNone || nodes_[list.last].after <= after) {
    append(list, id);
    return;
  }
  std::uint32_t* place = &list.first;
  while (nodes_[*place].after <= after) place = &nodes_[*place].next;
  nodes_[id].next = *place;
  *place = id;
}

// Makes a slot the present one.
template <unsigned kSlotBits, std::uint32_t kSlots>
void EventQueue<kSlotBits, kSlots>::enter(std::int64_t slot) {
  slot_ = slot;
  for (; !far_.empty() && slot_of(far_.top().time) - slot_ < kSlots; far_.pop())
    put(slot_of(far_.top().time), far_.top().time, far_.top().event);
  if (kSlotBits == 0) return;
  List& list = lists_[place_of(slot)];
  List sorted;
  for (std::uint32_t id = list.first; id != kNone;) {
    const std::uint32_t next = nodes_[id].next;
    nodes_[id].next = kNone;
    insert(sorted, id);
    id = next;
  }
  list = sorted;
}

// The first slot that has events, from the present one on; there is one.
template <unsigned kSlotBits, std::uint32_t kSlots>
std::int64_t EventQueue<kSlotBits, kSlots>::next_slot() const {
  const std::uint32_t at = place_of(slot_);
  std::uint32_t word = at / 64;
  std::uint64_t bits = used_[word] & ~std::uint64_t{0} << at % 64;
  while (bits == 0) {
    word = (word + 1) % kWords;
    bits = used_[word];
  }
  const std::uint32_t place = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
  return slot_ + (place + kSlots - at) % kSlots;
}

}  // namespace weir::replica
