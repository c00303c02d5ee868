#include "weir/replica/event_ring.h"

#include <bit>
#include <cassert>

namespace weir::replica {

void EventRing::schedule(std::int64_t time, Event event) {
  assert(time >= now_);
  if (time - now_ < kSlots)
    append(time, event);
  else
    far_.push({time, order_++, event});
}

bool EventRing::take(std::int64_t end, Event& event) {
  if (empty()) return false;
  const std::int64_t time = near_ > 0 ? next_near() : far_.top().time;
  if (time >= end) return false;
  if (time != now_) {
    now_ = time;
    for (; !far_.empty() && far_.top().time - now_ < kSlots; far_.pop()) append(far_.top().time, far_.top().event);
  }
  const auto at = static_cast<std::uint32_t>(time) % kSlots;
  Slot& slot = slots_[at];
  const std::uint32_t id = slot.first;
  event = nodes_[id].event;
  slot.first = nodes_[id].next;
  if (slot.first == kNone) {
    slot.last = kNone;
    used_[at / 64] &= ~(std::uint64_t{1} << at % 64);
  }
  nodes_[id].next = free_;
  free_ = id;
  --near_;
  return true;
}

void EventRing::append(std::int64_t time, const Event& event) {
  std::uint32_t id = free_;
  if (id == kNone) {
    id = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_ = nodes_[id].next;
  }
  nodes_[id] = {event, kNone};
  const auto at = static_cast<std::uint32_t>(time) % kSlots;
  Slot& slot = slots_[at];
  if (slot.first == kNone) {
    slot.first = id;
    used_[at / 64] |= std::uint64_t{1} << at % 64;
  } else {
    nodes_[slot.last].next = id;
  }
  slot.last = id;
  ++near_;
}

// The time of the first slot in use; there is one.
std::int64_t EventRing::next_near() const {
  const auto at = static_cast<std::uint32_t>(now_) % kSlots;
  std::uint32_t word = at / 64;
  std::uint64_t bits = used_[word] & ~std::uint64_t{0} << at % 64;
  while (bits == 0) {
    word = (word + 1) % kWords;
    bits = used_[word];
  }
  const std::uint32_t slot = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
  return now_ + (slot + kSlots - at) % kSlots;
}

}  // namespace weir::replica
