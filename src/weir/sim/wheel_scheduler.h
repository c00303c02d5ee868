// A hierarchy of timing wheels whose finest slot is opened and sorted as a whole.
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

#include "weir/sim/scheduler.h"

namespace weir::sim {

class WheelScheduler {
 public:
  WheelScheduler(std::uint32_t entities, SchedulerHints hints) : nodes_(entities) {
    const double picoseconds_per_event = 1e12 / std::max(hints.events_per_second, 1.0);
    int shift = std::clamp(static_cast<int>(std::bit_width(static_cast<std::uint64_t>(
                               kEventsPerSlot * picoseconds_per_event))) - 1, 3, 24);
    // The ring covers the horizon twice, so that an event is rarely inserted above level 0.
    int bits = 10;
    while ((std::int64_t{1} << (bits - 1 + shift)) < hints.horizon.ps && bits < kMaxBits) ++bits;
    while ((std::int64_t{1} << (bits - 1 + shift)) < hints.horizon.ps && shift < 24) ++shift;
    for (auto& level : levels_) {
      level.shift = shift;
      level.slots.assign(std::size_t{1} << bits, kNone);
      level.occupied.assign(level.slots.size() / 64, 0);
      shift += bits - 1;
      bits = kUpperBits;
    }
    ready_.reserve(1024);
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
      while (ready_at_ < ready_.size()) {
        const std::uint64_t key = ready_[ready_at_];
        const Time t{open_start_ + static_cast<std::int64_t>(key >> 32)};
        const auto e = static_cast<Entity>(key);
        if (nodes_[e].time != t.ps || nodes_[e].where != kReady) {  // moved or cancelled meanwhile
          ++ready_at_;
          continue;
        }
        if (t >= end) return false;
        ++ready_at_;
        nodes_[e].time = kIdle;
        --pending_;
        out = {t, e};
        return true;
      }
      if (pending_ == 0 || !open_next(end)) return false;
    }
  }

  Entity upcoming(std::uint32_t ahead) const {
    const std::size_t at = ready_at_ + ahead;
    return at < ready_.size() ? static_cast<Entity>(ready_[at]) : kNone;
  }

 private:
  static constexpr std::int64_t kIdle = -1;
  static constexpr std::uint32_t kReady = ~std::uint32_t{0};
  static constexpr int kMaxBits = 15;
  static constexpr int kUpperBits = 11;
  static constexpr double kEventsPerSlot = 6;

  // where: kReady, or the previous node in the slot's list, or kFirst + level for its first.
  static constexpr std::uint32_t kFirst = 0xfffffff0u;
  struct Node {
    std::int64_t time = kIdle;
    std::uint32_t where = 0;
    std::uint32_t next = kNone;
  };

  struct Level {
    int shift = 0;
    std::int64_t now = 0;  // the slot that time is in, not reduced modulo the ring
    std::vector<std::uint32_t> slots;
    std::vector<std::uint64_t> occupied;

    std::size_t index(std::int64_t slot) const { return static_cast<std::size_t>(slot) & (slots.size() - 1); }
    std::int64_t half() const { return static_cast<std::int64_t>(slots.size() / 2); }
  };

  void insert(Entity e) {
    const std::int64_t t = nodes_[e].time;
    const std::int64_t slot0 = t >> levels_[0].shift;
    if (open_ && slot0 <= levels_[0].now) {
      insert_ready(e);
      return;
    }
    for (std::uint32_t k = 0; k < kLevels; ++k) {
      Level& level = levels_[k];
      const std::int64_t slot = t >> level.shift;
      if (slot < level.now + static_cast<std::int64_t>(level.slots.size()) || k + 1 == kLevels) {
        link(e, k, slot);
        return;
      }
    }
  }

  void insert_ready(Entity e) {
    assert(nodes_[e].time >= open_start_);
    nodes_[e].where = kReady;
    const std::uint64_t key = (static_cast<std::uint64_t>(nodes_[e].time - open_start_) << 32) | e;
    const auto from = ready_.begin() + static_cast<std::ptrdiff_t>(ready_at_);
    ready_.insert(std::upper_bound(from, ready_.end(), key), key);
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

  // Opens the next occupied slot that begins before `end`; false if there is none.
  bool open_next(Time end) {
    Level& level = levels_[0];
    std::int64_t from = level.now + (open_ ? 1 : 0);
    const std::int64_t end_slot = (end.ps - 1) >> level.shift;  // the last slot that matters
    open_ = false;
    for (;;) {
      const std::int64_t half_end = (level.now / level.half() + 1) * level.half();
      const std::int64_t slot = first_occupied(level, from, std::min(half_end, end_slot + 1));
      if (slot >= 0) {
        open(slot);
        return true;
      }
      if (half_end > end_slot) {
        level.now = std::max(level.now, end_slot);  // never past `end`: what comes next may lie there
        return false;
      }
      level.now = half_end;
      from = half_end;
      descend(0);
    }
  }

  // Level k has just entered a new half: fetch the one after it from level k + 1.
  void descend(std::uint32_t k) {
    if (k + 1 == kLevels) return;
    Level& upper = levels_[k + 1];
    const std::int64_t half = levels_[k].now / levels_[k].half();
    if (half > upper.now) {
      const bool entered = half / upper.half() != upper.now / upper.half();
      upper.now = half;
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

  void open(std::int64_t slot) {
    Level& level = levels_[0];
    const std::size_t i = level.index(slot);
    level.now = slot;
    open_ = true;
    open_start_ = slot << level.shift;
    ready_.clear();
    ready_at_ = 0;
    for (std::uint32_t e = level.slots[i]; e != kNone; e = nodes_[e].next) {
      nodes_[e].where = kReady;
      ready_.push_back((static_cast<std::uint64_t>(nodes_[e].time - open_start_) << 32) | e);
    }
    level.slots[i] = kNone;
    level.occupied[i / 64] &= ~(std::uint64_t{1} << (i % 64));
    sort_ready();
  }

  void sort_ready() {
    if (ready_.size() > 24) {
      std::sort(ready_.begin(), ready_.end());
      return;
    }
    for (std::size_t i = 1; i < ready_.size(); ++i) {
      const std::uint64_t key = ready_[i];
      std::size_t j = i;
      for (; j > 0 && ready_[j - 1] > key; --j) ready_[j] = ready_[j - 1];
      ready_[j] = key;
    }
  }

  static constexpr std::uint32_t kLevels = 5;
  std::vector<Node> nodes_;
  std::array<Level, kLevels> levels_;
  std::vector<std::uint64_t> ready_;  // the open slot's events: offset into the slot << 32 | entity
  std::size_t ready_at_ = 0;
  std::int64_t open_start_ = 0;
  bool open_ = false;
  std::uint64_t pending_ = 0;
};

static_assert(Scheduler<WheelScheduler>);

}  // namespace weir::sim
