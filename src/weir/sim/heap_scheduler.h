// A heap over all entities with their positions, each place with four below it: the plain scheduler that the
// production one is tested against. Four lie on one or two cache lines, so that a large heap has half the misses of a
// binary one.
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "weir/sim/scheduler.h"

namespace weir::sim {

class HeapScheduler {
 public:
  static constexpr bool kOrdersWithinNode = false;

  HeapScheduler(std::uint32_t entities, const SchedulerHints&) : position_(entities, kNone) {}

  void schedule(Entity e, Time t) {
    if (position_[e] == kNone) {
      position_[e] = static_cast<std::uint32_t>(heap_.size());
      heap_.push_back({t, e});
      up(position_[e]);
    } else {
      heap_[position_[e]].time = t;
      up(position_[e]);
      down(position_[e]);
    }
  }

  void add(Entity e, Time t) { schedule(e, t); }

  void cancel(Entity e) {
    const auto at = position_[e];
    if (at == kNone) return;
    position_[e] = kNone;
    const Event last = heap_.back();
    heap_.pop_back();
    if (at == heap_.size()) return;
    heap_[at] = last;
    position_[last.entity] = at;
    up(at);
    down(position_[last.entity]);
  }

  bool next(Time end, Event& out) {
    if (heap_.empty() || heap_.front().time >= end) return false;
    out = heap_.front();
    cancel(out.entity);
    return true;
  }

  template <class OnReady>
  bool next(Time end, Event& out, OnReady&&) {
    return next(end, out);
  }

  bool empty() const { return heap_.empty(); }
  // When the earliest event is due; Time::max() if there is none.
  Time earliest() const { return heap_.empty() ? Time::max() : heap_.front().time; }
  void skip_to(Time) {}
  template <class Visit>
  void for_each_pending(Visit&& visit) const {
    for (const Event& event : heap_) visit(event);
  }
  void look_ahead() {}
  Entity upcoming(std::uint32_t) const { return kNone; }

 private:
  void place(std::uint32_t at, const Event& e) {
    heap_[at] = e;
    position_[e.entity] = at;
  }

  static constexpr std::uint32_t kBelow = 4;

  void up(std::uint32_t at) {
    const Event e = heap_[at];
    while (at > 0 && e < heap_[(at - 1) / kBelow]) {
      place(at, heap_[(at - 1) / kBelow]);
      at = (at - 1) / kBelow;
    }
    place(at, e);
  }

  void down(std::uint32_t at) {
    const Event e = heap_[at];
    const auto n = static_cast<std::uint32_t>(heap_.size());
    for (std::uint64_t first = std::uint64_t{kBelow} * at + 1; first < n; first = std::uint64_t{kBelow} * at + 1) {
      auto least = static_cast<std::uint32_t>(first);
      const auto end = static_cast<std::uint32_t>(std::min<std::uint64_t>(first + kBelow, n));
      for (std::uint32_t below = least + 1; below < end; ++below)
        if (heap_[below] < heap_[least]) least = below;
      if (!(heap_[least] < e)) break;
      place(at, heap_[least]);
      at = least;
    }
    place(at, e);
  }

  std::vector<Event> heap_;
  std::vector<std::uint32_t> position_;  // of each entity in the heap
};

static_assert(Scheduler<HeapScheduler>);

}  // namespace weir::sim
