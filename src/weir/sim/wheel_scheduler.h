// A hierarchy of timing wheels whose finest slots are opened and sorted as a whole, a few at once.
//
// Level 0 has slots narrow enough to hold a handful of events when all links are busy, and
// enough of them to cover the longest link, so that nearly every event is linked into its slot
// once and taken from it once. Events farther ahead wait in coarser levels. Entities are linked
// into slots through an array of their own: nothing is ever allocated, and an event can be
// moved or cancelled in constant time.
//
// A slot of level k+1 is half of level k's ring. When time enters half h, the events of half
// h + 1 come down one level; what lies in the ring but past half h + 1 was inserted there
// directly.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/base/prefetch.h"
#include "weir/sim/scheduler.h"

namespace weir::sim {

class WheelScheduler {
 public:
  WheelScheduler(std::uint32_t entities, SchedulerHints hints) : nodes_(entities) {
    const double picoseconds_per_event = 1e12 / std::max(hints.events_per_second, 1.0);
    int shift = std::clamp(
        static_cast<int>(std::bit_width(static_cast<std::uint64_t>(kEventsPerSlot * picoseconds_per_event))) - 1, 3,
        kMaxShift);
    // The ring covers the horizon twice, so that an event is rarely inserted above level 0.
    int bits = 10;
    while ((std::int64_t{1} << (bits - 1 + shift)) < hints.horizon.ps && bits < kMaxBits) ++bits;
    while ((std::int64_t{1} << (bits - 1 + shift)) < hints.horizon.ps && shift < kMaxShift) ++shift;
    for (auto& level : levels_) {
      level.shift = std::min(shift, 62);  // beyond that the level below holds all of time
      level.half_shift = bits - 1;
      level.mask = (std::size_t{1} << bits) - 1;
      level.slots.assign(level.mask + 1, kNone);
      level.occupied.assign((level.mask + 1) / 64, 0);
      level.move_to(0);
      shift += bits - 1;
      bits = kUpperBits;
    }
    ready_.resize(64);
  }

  void schedule(Entity e, Time t) {
    if (nodes_[e].time != kIdle) unlink(e);
    nodes_[e].time = t.ps;
    insert(e);
    ++pending_;
  }

  void cancel(Entity e) {
    if (nodes_[e].time == kIdle) return;
    unlink(e);
  }

  bool next(Time end, Event& out) {
    for (;;) {
      if (ready_end_ - ready_at_ < kFewReady) extend(end);
      while (ready_at_ != ready_end_) {
        const std::uint64_t key = ready_[ready_at_];
        const Time t{open_start_ + static_cast<std::int64_t>(key >> 32)};
        const auto e = static_cast<Entity>(key);
        Node& n = nodes_[e];
        if (n.time != t.ps || n.where != kReady) [[unlikely]] {  // moved or cancelled meanwhile
          ++ready_at_;
          continue;
        }
        if (t >= end) return false;
        ++ready_at_;
        n.time = kIdle;
        --pending_;
        out = {t, e};
        return true;
      }
      if (pending_ == 0 || !open_next(end)) return false;
    }
  }

  bool empty() const { return pending_ == 0; }

  void skip_to(Time t) {
    assert(pending_ == 0);
    open_ = false;
    ready_at_ = ready_end_ = 0;
    for (auto& level : levels_) level.move_to(t.ps >> level.shift);
  }

  template <class Visit>
  void for_each_pending(Visit&& visit) const {
    for (Entity e = 0; e < nodes_.size(); ++e)
      if (nodes_[e].time != kIdle) visit(Event{{nodes_[e].time}, e});
  }

  // Brings near what is known of an event that will be among the upcoming ones soon: another at each call.
  void look_ahead() {
    if (scout_ != kNone) scout_ = nodes_[scout_].next;
    if (scout_ == kNone) {
      const Level& level = levels_[0];
      const std::int64_t slot =
          first_occupied(level, std::max(scouted_ + 1, level.now + kScoutFrom), level.now + kReach);
      if (slot < 0) return;
      scouted_ = slot;
      scout_ = level.slots[level.index(slot)];
    }
    prefetch_line(&nodes_[scout_]);
  }

  Entity upcoming(std::uint32_t ahead) const {
    const std::size_t at = ready_at_ + ahead;
    return at < ready_end_ ? static_cast<Entity>(ready_[at]) : kNone;
  }

 private:
  static constexpr std::int64_t kIdle = -1;
  static constexpr std::uint32_t kReady = ~std::uint32_t{0};
  static constexpr int kMaxBits = 15;
  static constexpr int kUpperBits = 11;
  static constexpr double kEventsPerSlot = 3;  // when all links are busy
  // Slots are opened ahead of time, so that upcoming() has something to say: when fewer events
  // than kFewReady are ready, until kManyReady are, but no farther than kReach slots.
  static constexpr std::size_t kFewReady = 16;
  static constexpr std::size_t kManyReady = 32;
  static constexpr std::int64_t kReach = 64;
  static constexpr std::int64_t kScoutFrom = 3;   // slots after the open ones, which may be opened before it gets there
  static constexpr std::size_t kConsumed = 4096;  // events taken before the ready ones move to the front
  static constexpr std::int64_t kMaxSpan = std::int64_t{1} << 31;  // of the open slots, in picoseconds
  // Slots opened together span less than the 32 bits of an offset.
  static constexpr int kMaxShift = 22;
  static_assert(kMaxSpan + (std::int64_t{1} << kMaxShift) <= std::int64_t{1} << 32);

  // where: kReady, or the previous node in the slot's list, or kFirst + level for its first.
  static constexpr std::uint32_t kFirst = 0xfffffff0u;
  struct Node {
    std::int64_t time = kIdle;
    std::uint32_t where = 0;
    std::uint32_t next = kNone;
  };

  struct Level {
    int shift = 0;         // log2 of a slot's width in picoseconds
    int half_shift = 0;    // log2 of the slots in half a ring
    std::size_t mask = 0;  // slots - 1
    std::int64_t now = 0;  // the slot that time is in, not reduced modulo the ring
    std::int64_t end = 0;  // first slot past the ring: now + slots
    LargePageVector<std::uint32_t> slots;
    std::vector<std::uint64_t> occupied;

    std::size_t index(std::int64_t slot) const { return static_cast<std::size_t>(slot) & mask; }
    std::int64_t half_of(std::int64_t slot) const { return slot >> half_shift; }
    void move_to(std::int64_t slot) {
      now = slot;
      end = slot + static_cast<std::int64_t>(mask) + 1;
    }
  };

  void insert(Entity e) {
    const std::int64_t t = nodes_[e].time;
    const std::int64_t slot0 = t >> levels_[0].shift;
    if (slot0 < levels_[0].end) [[likely]] {
      if (open_ && slot0 <= levels_[0].now)
        insert_ready(e);
      else
        link(e, 0, slot0);
      return;
    }
    for (std::uint32_t k = 1;; ++k) {
      const std::int64_t slot = t >> levels_[k].shift;
      if (slot < levels_[k].end || k + 1 == kLevels) {
        link(e, k, slot);
        return;
      }
    }
  }

  void insert_ready(Entity e) {
    assert(nodes_[e].time >= open_start_);
    nodes_[e].where = kReady;
    add_ready(static_cast<std::uint64_t>(nodes_[e].time - open_start_) << 32 | e);
  }

  // Inserts into the sorted, unconsumed part of the open slot.
  void add_ready(std::uint64_t key) {
    if (ready_end_ == ready_.size()) [[unlikely]]
      grow();
    std::size_t at = ready_end_++;
    for (; at > ready_at_ && ready_[at - 1] > key; --at) ready_[at] = ready_[at - 1];
    ready_[at] = key;
  }

  void link(Entity e, std::uint32_t k, std::int64_t slot) {
    Level& level = levels_[k];
    const std::size_t i = level.index(slot);
    const std::uint32_t first = level.slots[i];
    nodes_[e].where = kFirst + k;
    nodes_[e].next = first;
    if (first == kNone)
      level.occupied[i / 64] |= std::uint64_t{1} << (i % 64);
    else
      nodes_[first].where = e;
    level.slots[i] = e;
  }

  void unlink(Entity e) {
    Node& n = nodes_[e];
    --pending_;
    if (n.where != kReady) {
      if (n.where >= kFirst) {
        Level& level = levels_[n.where - kFirst];
        const std::size_t i = level.index(n.time >> level.shift);
        level.slots[i] = n.next;
        if (n.next == kNone) level.occupied[i / 64] &= ~(std::uint64_t{1} << (i % 64));
      } else {
        nodes_[n.where].next = n.next;
      }
      if (n.next != kNone) nodes_[n.next].where = n.where;
    }
    n.time = kIdle;
  }

  // Opens the next occupied slots that begin before `end`; false if there are none.
  bool open_next(Time end) {
    Level& level = levels_[0];
    std::int64_t from = level.now + (open_ ? 1 : 0);
    const std::int64_t end_slot = (end.ps - 1) >> level.shift;  // the last slot that matters
    if (open_ && end_slot <= level.now) return false;           // what comes next may lie in the open slots
    open_ = false;
    for (;;) {
      const std::int64_t half_end = (level.half_of(level.now) + 1) << level.half_shift;
      const std::int64_t limit = std::min(half_end, end_slot + 1);
      const std::int64_t slot = first_occupied(level, from, limit);
      if (slot >= 0) {
        open_ = true;
        open_start_ = slot << level.shift;
        ready_at_ = ready_end_ = 0;
        open(level, slot);
        return true;
      }
      if (half_end > end_slot) {
        level.move_to(std::max(level.now, end_slot));  // never past `end`: what comes next may lie there
        return false;
      }
      level.move_to(half_end);
      from = half_end;
      descend(0);
    }
  }

  // Opens a few of the slots after the open ones, so that upcoming() sees what comes next.
  void extend(Time end) {
    if (!open_) return;
    Level& level = levels_[0];
    const std::int64_t half_end = (level.half_of(level.now) + 1) << level.half_shift;
    const std::int64_t start = open_start_ >> level.shift;
    // Within this half, before `end`, near by, and where 32 bits hold the offset from the start.
    const std::int64_t limit =
        std::min({half_end, ((end.ps - 1) >> level.shift) + 1, level.now + kReach, start + (kMaxSpan >> level.shift)});
    std::int64_t slot = first_occupied(level, level.now + 1, limit);
    if (slot < 0) return;
    if (ready_at_ > kConsumed) {
      std::copy(ready_.begin() + static_cast<std::ptrdiff_t>(ready_at_),
                ready_.begin() + static_cast<std::ptrdiff_t>(ready_end_), ready_.begin());
      ready_end_ -= ready_at_;
      ready_at_ = 0;
    }
    while (slot >= 0) {
      open(level, slot);
      slot = ready_end_ - ready_at_ < kManyReady ? first_occupied(level, slot + 1, limit) : -1;
    }
  }

  // Level k has just entered a new half: fetch the one after it from level k + 1.
  void descend(std::uint32_t k) {
    if (k + 1 == kLevels) return;
    Level& upper = levels_[k + 1];
    const std::int64_t half = levels_[k].half_of(levels_[k].now);
    if (half > upper.now) {
      const bool entered = upper.half_of(half) != upper.half_of(upper.now);
      upper.move_to(half);
      if (entered) descend(k + 1);
    }
    const std::size_t i = upper.index(half + 1);
    std::uint32_t e = upper.slots[i];
    upper.slots[i] = kNone;
    upper.occupied[i / 64] &= ~(std::uint64_t{1} << (i % 64));
    while (e != kNone) {
      const std::uint32_t following = nodes_[e].next;
      link(e, k, nodes_[e].time >> levels_[k].shift);
      e = following;
    }
  }

  static std::int64_t first_occupied(const Level& level, std::int64_t from, std::int64_t to) {
    while (from < to) {
      const std::size_t i = level.index(from);
      const std::uint64_t word = level.occupied[i / 64] >> (i % 64);
      if (word != 0) {
        const std::int64_t slot = from + std::countr_zero(word);
        return slot < to ? slot : -1;
      }
      from += 64 - static_cast<std::int64_t>(i % 64);
    }
    return -1;
  }

  [[gnu::cold]] void grow() { ready_.resize(2 * ready_.size()); }

  // Appends a slot's events, sorted, to the ready ones, which are all earlier.
  void open(Level& level, std::int64_t slot) {
    level.move_to(slot);
    const std::size_t i = level.index(slot);
    const std::size_t first = ready_end_;
    for (std::uint32_t e = level.slots[i]; e != kNone; e = nodes_[e].next) {
      nodes_[e].where = kReady;
      if (ready_end_ == ready_.size()) [[unlikely]]
        grow();
      ready_[ready_end_++] = static_cast<std::uint64_t>(nodes_[e].time - open_start_) << 32 | e;
    }
    level.slots[i] = kNone;
    level.occupied[i / 64] &= ~(std::uint64_t{1} << (i % 64));
    sort(ready_.data() + first, ready_.data() + ready_end_);
  }

  static void sort(std::uint64_t* first, std::uint64_t* last) {
    if (last - first > 24) [[unlikely]]
      return sort_many(first, last);
    for (std::uint64_t* i = first + 1; i < last; ++i) {
      const std::uint64_t key = *i;
      std::uint64_t* j = i;
      for (; j > first && j[-1] > key; --j) *j = j[-1];
      *j = key;
    }
  }

  [[gnu::cold]] static void sort_many(std::uint64_t* first, std::uint64_t* last) { std::sort(first, last); }

  static constexpr std::uint32_t kLevels = 5;
  LargePageVector<Node> nodes_;
  std::array<Level, kLevels> levels_;
  std::vector<std::uint64_t> ready_;  // the open slot's events, sorted: offset into the slot << 32 | entity
  std::size_t ready_at_ = 0;          // the next one
  std::size_t ready_end_ = 0;
  std::int64_t open_start_ = 0;
  bool open_ = false;
  std::int64_t scouted_ = 0;     // look_ahead(): the slot it is in
  std::uint32_t scout_ = kNone;  // ... and the event, which may have moved meanwhile: a hint
  std::uint64_t pending_ = 0;
};

static_assert(Scheduler<WheelScheduler>);

}  // namespace weir::sim
