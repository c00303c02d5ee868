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
//
// The events of open slots are ready: they stand in one array, sorted. One that is moved or cancelled leaves its place
// there, which is stale then. Whether an event is ready follows from its time alone.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <limits>
#include <utility>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/base/prefetch.h"
#include "weir/base/small_sort.h"
#include "weir/sim/scheduler.h"
#include "weir/sim/wheel_level.h"

namespace weir::sim {

class WheelScheduler {
 public:
  static constexpr bool kOrdersWithinNode = false;

  WheelScheduler(std::uint32_t entities, const SchedulerHints& hints)
      : nodes_(entities, hints.sparse),
        few_(hints.caches.lookahead() == 0 ? 0 : kFewReady),
        many_(hints.caches.lookahead() == 0 ? kFewAtOnce : kManyReady) {
    assert(hints.caches.lookahead() <= kMostAhead);
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
      shift += bits - 1;
      bits = kUpperBits;
    }
    move_to(1);
    make_room(64);
  }

  // Gives e, which has no event, one at t.
  void add(Entity e, Time t) {
    assert(nodes_[e].due == kIdle);
    insert(e, t.ps + 1);
  }

  void schedule(Entity e, Time t) {
    if (nodes_[e].due != kIdle) unlink(e);
    insert(e, t.ps + 1);
  }

  void cancel(Entity e) {
    if (nodes_[e].due == kIdle) return;
    unlink(e);
    nodes_[e].due = kIdle;
  }

  // Calls on_ready(entity, Horizon::this_node) for events that will be among the next ones.
  template <class OnReady>
  bool next(Time end, Event& out, OnReady&& on_ready) {
    for (;;) {
      if (at_ >= few_at_) [[unlikely]]
        if (!refill(end, on_ready)) return false;
      const std::uint64_t key = *at_;
      const std::int64_t due = open_start_ + static_cast<std::int64_t>(key >> 32);
      if (due > end.ps) [[unlikely]]
        return false;
      ++at_;
      const auto e = static_cast<Entity>(key);
      Node& n = nodes_[e];
      if (n.due != due) [[unlikely]] {
        --stale_;
        continue;
      }
      n.due = kIdle;
      out = {{due - 1}, e};
      return true;
    }
  }
  bool next(Time end, Event& out) {
    return next(end, out, [](Entity, Horizon) {});
  }

  bool empty() const { return end_ - at_ == stale_ && none_waits(); }

  Time earliest() const {
    if (at_ != end_) return {open_start_ + static_cast<std::int64_t>(*at_ >> 32) - 1};  // those in slots come later
    Time out = Time::max();
    for (const Level& level : levels_) {
      const std::int64_t from = &level == &levels_[0] ? opened_ : level.now;
      const std::int64_t slot = level.first_occupied(from, from + static_cast<std::int64_t>(level.mask) + 1);
      if (slot >= 0) out = std::min(out, Time{(slot << level.shift) - 1});
    }
    return out;
  }

  void skip_to(Time t) {
    assert(empty());
    at_ = end_ = few_at_ = first_place();
    stale_ = 0;
    move_to(t.ps + 1);
  }

  template <class Visit>
  void for_each_pending(Visit&& visit) const {
    for (Entity e = 0; e < nodes_.size(); ++e)
      if (nodes_[e].due != kIdle) visit(Event{{nodes_[e].due - 1}, e});
  }

  // Brings near what is known of an event that will be among the upcoming ones soon: another at each call.
  void look_ahead() {
    if (scout_ != kNone) scout_ = nodes_[scout_].next;
    if (scout_ == kNone) {
      const std::int64_t slot =
          levels_[0].first_occupied(std::max(scouted_ + 1, opened_ + kScoutFrom), opened_ + kReach);
      if (slot < 0) return;
      scouted_ = slot;
      scout_ = levels_[0].slots[levels_[0].index(slot)];
    }
    prefetch_line(&nodes_[scout_]);
  }

  // Of those after the last one, which may be any at all.
  Entity upcoming(std::uint32_t ahead) const {
    assert(ahead <= kMostAhead);
    return static_cast<Entity>(at_[ahead]);
  }

 private:
  static constexpr std::int64_t kIdle = 0;
  static constexpr int kMaxBits = 15;
  static constexpr int kUpperBits = 11;
  static constexpr double kEventsPerSlot = 12;  // when all links are busy
  // Slots are opened ahead of time, so that upcoming() has something to say: when no more events
  // than kFewReady are ready, until kManyReady are, but no farther than kReach slots. Where nobody asks, when none is
  // ready, until kFewAtOnce are.
  static constexpr std::ptrdiff_t kFewReady = 16;
  static constexpr std::ptrdiff_t kManyReady = 32;
  static constexpr std::ptrdiff_t kFewAtOnce = 8;
  static constexpr std::uint32_t kMostAhead = 15;  // upcoming() reads so many places past the last one
  static constexpr std::int64_t kReach = 16;
  static constexpr std::int64_t kScoutFrom = 2;  // slots after the open ones, which may be opened before it gets there
  static constexpr std::ptrdiff_t kConsumed = 512;  // events taken before the ready ones move to the front
  static constexpr std::ptrdiff_t kFewToSort = 24;  // events of a slot
  static constexpr std::int64_t kMaxSpan = std::int64_t{1} << 31;  // of the open slots, in picoseconds
  // Slots opened together span less than the 32 bits of an offset.
  static constexpr int kMaxShift = 22;
  static_assert(kMaxSpan + (std::int64_t{1} << kMaxShift) <= std::int64_t{1} << 32);

  // Zeros mean that the entity is idle. where: the previous node in the slot's list, or kFirst + level for its first.
  static constexpr std::uint32_t kFirst = 0xfffffff0u;
  struct Node {
    std::int64_t due;  // time + 1
    std::uint32_t where;
    std::uint32_t next;
  };

  using Level = WheelLevel;

  void move_to(std::int64_t due) {
    opened_ = due >> levels_[0].shift;
    half_end_ = (levels_[0].half_of(opened_) + 1) << levels_[0].half_shift;
    for (auto& level : levels_) level.now = due >> level.shift;
  }

  void insert(Entity e, std::int64_t due) {
    Level& level = levels_[0];
    const std::int64_t slot = due >> level.shift;
    if (static_cast<std::uint64_t>(slot - opened_) <= level.mask) [[likely]] {
      nodes_[e].due = due;
      link(e, 0, slot);
    } else {
      insert_slow(e, due);
    }
  }

  // Into an open slot, or above level 0.
  [[gnu::noinline]] void insert_slow(Entity e, std::int64_t due) {
    nodes_[e].due = due;
    if (due >> levels_[0].shift < opened_) {
      assert(due >= open_start_);
      if (end_ == room_end_) [[unlikely]]
        grow();
      insert_by_halves(at_, end_++, key_of(e));
      return;
    }
    for (std::uint32_t k = 1;; ++k) {
      const Level& level = levels_[k];
      const std::int64_t slot = due >> level.shift;
      if (slot <= level.now + static_cast<std::int64_t>(level.mask) || k + 1 == kLevels) {
        link(e, k, slot);
        return;
      }
    }
  }

  void link(Entity e, std::uint32_t k, std::int64_t slot) {
    Level& level = levels_[k];
    const std::size_t i = level.index(slot);
    const std::uint32_t first = level.slots[i];
    level.slots[i] = e;
    nodes_[e].where = kFirst + k;
    nodes_[e].next = first;
    if (first == kNone)
      level.occupied[i / 64] |= std::uint64_t{1} << (i % 64);
    else
      nodes_[first].where = e;
  }

  // Its time stays as it was.
  [[gnu::noinline]] void unlink(Entity e) {
    const Node& n = nodes_[e];
    if (n.due >> levels_[0].shift < opened_) {
      ++stale_;
      return;
    }
    if (n.where >= kFirst) {
      Level& level = levels_[n.where - kFirst];
      const std::size_t i = level.index(n.due >> level.shift);
      if (n.next == kNone)
        level.clear(i);
      else
        level.slots[i] = n.next;
    } else {
      nodes_[n.where].next = n.next;
    }
    if (n.next != kNone) nodes_[n.next].where = n.where;
  }

  // Opens slots, so that there is an event, or so that upcoming() sees what comes next. False if no event is ready.
  template <class OnReady>
  [[gnu::noinline]] bool refill(Time end, OnReady& on_ready) {
    if (at_ == end_ && !find_next(end)) {
      few_at_ = end_;
      return false;
    }
    if (at_ - first_place() > kConsumed) {
      end_ = std::copy(at_, end_, first_place());
      at_ = first_place();
    }
    // Within this half, before `end`, near by, and where 32 bits hold the offset from the start.
    const Level& level = levels_[0];
    const std::int64_t limit = std::min({half_end_, (end.ps >> level.shift) + 1, opened_ + kReach,
                                         (open_start_ >> level.shift) + (kMaxSpan >> level.shift)});
    while (end_ - at_ < many_) {
      const std::int64_t slot = level.first_occupied(opened_, limit);
      if (slot < 0) {
        few_at_ = end_;
        return true;
      }
      open(slot, on_ready);
    }
    few_at_ = end_ - few_;
    return true;
  }

  // While nothing is ready: makes the next slot that has events, and begins before `end`, the first one to be opened.
  // False if there is none.
  bool find_next(Time end) {
    Level& level = levels_[0];
    at_ = end_ = first_place();
    const std::int64_t last = end.ps >> level.shift;  // the last slot that matters
    if (last < opened_) return false;                 // what comes next may lie in the open slots
    for (;;) {
      const std::int64_t slot = level.first_occupied(opened_, std::min(half_end_, last + 1));
      if (slot >= 0) {
        opened_ = slot;
        open_start_ = slot << level.shift;
        return true;
      }
      if (half_end_ > last) {
        opened_ = std::max(opened_, last);  // never past `end`: what comes next may lie there
        return false;
      }
      if (none_waits()) return false;
      opened_ = half_end_;
      half_end_ += std::int64_t{1} << level.half_shift;
      descend(0, level.half_of(opened_));
    }
  }

  // Level k has just entered this half: fetch the one after it from level k + 1.
  void descend(std::uint32_t k, std::int64_t half) {
    if (k + 1 == kLevels) return;
    Level& upper = levels_[k + 1];
    if (half > upper.now) {
      const bool entered = upper.half_of(half) != upper.half_of(upper.now);
      upper.now = half;
      if (entered) descend(k + 1, upper.half_of(half));
    }
    const std::size_t i = upper.index(half + 1);
    std::uint32_t e = upper.slots[i];
    upper.clear(i);
    while (e != kNone) {
      const std::uint32_t following = nodes_[e].next;
      link(e, k, nodes_[e].due >> levels_[k].shift);
      e = following;
    }
  }

  // No slot has an event.
  bool none_waits() const {
    return std::all_of(levels_.begin(), levels_.end(), [](const Level& level) { return level.is_empty(); });
  }

  // Appends a slot's events, sorted, to the ready ones, which are all earlier.
  template <class OnReady>
  void open(std::int64_t slot, OnReady& on_ready) {
    Level& level = levels_[0];
    opened_ = slot + 1;
    const std::size_t i = level.index(slot);
    if (room_end_ - end_ < kFewToSort) [[unlikely]]
      grow();
    std::uint64_t* const few_end = end_ + kFewToSort;
    std::uint64_t* end = end_;
    Entity e = level.slots[i];
    do {
      on_ready(e, Horizon::this_node);
      insert_behind_lowest(end++, key_of(e));  // before the first place there is a zero
      e = nodes_[e].next;
    } while (e != kNone && end != few_end);
    end_ = end;
    level.clear(i);
    if (e != kNone) [[unlikely]]
      open_many(e, on_ready);
  }

  // The rest of a slot of which kFewToSort have been opened.
  template <class OnReady>
  [[gnu::cold]] void open_many(Entity e, OnReady& on_ready) {
    const std::ptrdiff_t first = end_ - kFewToSort - first_place();
    for (; e != kNone; e = nodes_[e].next) {
      on_ready(e, Horizon::this_node);
      if (end_ == room_end_) grow();
      *end_++ = key_of(e);
    }
    sort_by_digits(first_place() + first, end_, scratch_);
  }

  std::uint64_t key_of(Entity e) const { return static_cast<std::uint64_t>(nodes_[e].due - open_start_) << 32 | e; }

  std::uint64_t* first_place() { return ready_.data() + 1; }
  [[gnu::cold]] void grow() { make_room(2 * static_cast<std::size_t>(room_end_ - first_place())); }
  void make_room(std::size_t places) {
    const std::ptrdiff_t at = at_ == nullptr ? 0 : at_ - first_place();
    const std::ptrdiff_t end = at_ == nullptr ? 0 : end_ - first_place();
    const std::ptrdiff_t few = at_ == nullptr ? 0 : few_at_ - first_place();
    ready_.resize(1 + places + kMostAhead + 1, ~std::uint64_t{0});
    ready_[0] = 0;
    at_ = first_place() + at;
    end_ = first_place() + end;
    few_at_ = first_place() + few;
    room_end_ = first_place() + places;
  }

  static constexpr std::uint32_t kLevels = 5;
  std::uint64_t* at_ = nullptr;      // the next ready event
  std::uint64_t* few_at_ = nullptr;  // from here on few are left
  std::uint64_t* end_ = nullptr;
  std::uint64_t* room_end_ = nullptr;
  std::int64_t open_start_ = 0;  // of the offsets
  std::int64_t opened_ = 0;      // the first slot of level 0 that is not open
  std::ptrdiff_t stale_ = 0;     // among the ready ones: moved or cancelled meanwhile
  ZeroedArray<Node> nodes_;
  std::array<Level, kLevels> levels_;
  std::int64_t half_end_ = 0;           // the first slot past the half of level 0 that time is in
  std::vector<std::uint64_t> ready_;    // sorted: offset << 32 | entity
  std::vector<std::uint64_t> scratch_;  // of sort_by_digits()
  const std::ptrdiff_t few_;
  const std::ptrdiff_t many_;
  std::int64_t scouted_ = 0;     // look_ahead(): the slot it is in
  std::uint32_t scout_ = kNone;  // ... and the event, which may have moved meanwhile: a hint
};

static_assert(Scheduler<WheelScheduler>);

}  // namespace weir::sim
