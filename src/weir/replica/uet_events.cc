#include "weir/replica/uet_events.h"

#include <algorithm>
#include <bit>
#include <cassert>

namespace weir::replica::uet {

void Events::schedule(std::int64_t time, Event event) {
  assert(time >= now_);
  const std::int64_t ahead = slot_of(time) - slot_;
  if (ahead >= kSlots) {
    far_.push({{time, event}, order_++});
  } else if (ahead > 0) {
    append({time, event});
  } else {
    const auto place = std::upper_bound(present_.begin() + static_cast<std::ptrdiff_t>(at_), present_.end(), time,
                                        [](std::int64_t t, const Due& due) { return t < due.time; });
    present_.insert(place, {time, event});
  }
}

bool Events::take(std::int64_t end, Event& event) {
  if (at_ == present_.size()) {
    if (near_ == 0 && far_.empty()) return false;
    const std::int64_t slot = near_ > 0 ? next_slot() : slot_of(far_.top().due.time);
    if (slot << kSlotBits >= end) return false;
    enter(slot);
  }
  const Due& due = present_[at_];
  if (due.time >= end) return false;
  now_ = due.time;
  event = due.event;
  ++at_;
  return true;
}

// Makes a slot the present one. Its list is in the order of scheduling, which sorting by time keeps.
void Events::enter(std::int64_t slot) {
  slot_ = slot;
  present_.clear();
  at_ = 0;
  for (; !far_.empty() && slot_of(far_.top().due.time) - slot_ < kSlots; far_.pop()) append(far_.top().due);
  const auto at = static_cast<std::uint32_t>(slot) % kSlots;
  for (std::uint32_t id = lists_[at].first; id != kNone;) {
    Node& node = nodes_[id];
    auto place = present_.end();
    while (place != present_.begin() && std::prev(place)->time > node.due.time) --place;
    present_.insert(place, node.due);
    const std::uint32_t next = node.next;
    node.next = free_;
    free_ = id;
    id = next;
    --near_;
  }
  lists_[at] = {};
  used_[at / 64] &= ~(std::uint64_t{1} << at % 64);
}

void Events::append(const Due& due) {
  std::uint32_t id = free_;
  if (id == kNone) {
    id = static_cast<std::uint32_t>(nodes_.size());
    nodes_.emplace_back();
  } else {
    free_ = nodes_[id].next;
  }
  nodes_[id] = {due, kNone};
  const auto at = static_cast<std::uint32_t>(slot_of(due.time)) % kSlots;
  List& list = lists_[at];
  if (list.first == kNone) {
    list.first = id;
    used_[at / 64] |= std::uint64_t{1} << at % 64;
  } else {
    nodes_[list.last].next = id;
  }
  list.last = id;
  ++near_;
}

// The first slot with a list; there is one.
std::int64_t Events::next_slot() const {
  const auto at = static_cast<std::uint32_t>(slot_) % kSlots;
  std::uint32_t word = at / 64;
  std::uint64_t bits = used_[word] & ~std::uint64_t{0} << at % 64;
  while (bits == 0) {
    word = (word + 1) % kWords;
    bits = used_[word];
  }
  const std::uint32_t slot = word * 64 + static_cast<std::uint32_t>(std::countr_zero(bits));
  return slot_ + (slot + kSlots - at) % kSlots;
}

}  // namespace weir::replica::uet
