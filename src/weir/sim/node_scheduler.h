// A scheduler that takes the events of one node after the other.
//
// What happens at a node matters to another one no sooner than a packet takes by the shortest link. Within so short a
// time the order of events matters within a node only: this scheduler makes passes over the nodes, and in a pass takes
// all events of one node, then all of the next. What a node touches, its ports and the packets that reach it, stays in
// the nearest cache meanwhile, and a node has so few pending events that a sorted array does for them.
//
// Where the nodes have two sides, and links only from one side to the other, as in trees and Clos networks, passes go
// over the sides by turns, and each leads from one link's time behind the other side to one link's time ahead of it. So
// a turn is twice as long as where a pass goes over all nodes.
//
//   one side  ...-- 1 --|-- 3 --|-- 5 --...
//   the other ...|-- 2 --|-- 4 --|...
//
// The due times of all entities stand in one array, those of a node side by side. An event for a later pass is noted
// there, with a bit in a set of those that wait; when its pass comes, all that wait at its node are looked through. So
// nothing is moved between slots of time, and what is idle costs a bit.
//
// Several schedulers, each with a part of the network, can go over the sides together: where they take passes singly,
// all have the same passes, and between these tell each other what comes next.
#pragma once

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstddef>
#include <limits>
#include <vector>

#include "weir/base/large_pages.h"
#include "weir/base/small_sort.h"
#include "weir/sim/scheduler.h"

namespace weir::sim {

// What sim/scheduler.h says of order holds for the entities of one node. During a pass over its side an event before
// the pass's end may be scheduled, moved or cancelled only for the node of the event that was taken last.
class NodeScheduler {
 public:
  static constexpr bool kOrdersWithinNode = true;

  NodeScheduler(std::uint32_t entities, const SchedulerHints& hints)
      : announces_(!hints.caches.ports_in_l2), span_(hints.turn.ps), places_(entities, hints.sparse) {
    const bool is_one = hints.node_of.empty();
    std::uint32_t nodes = is_one ? 1 : 0;
    for (Entity e = 0; e < entities && !is_one; ++e)
      if (hints.node_of[e] != kNone) nodes = std::max(nodes, hints.node_of[e] + 1);
    if (!hints.sides.empty()) far_side_ = (nodes + 63) / 64 * 64;
    sides_ = far_side_ == 0 ? 1 : 2;
    const auto node_of = [&](Entity e) -> std::uint32_t {
      if (is_one) return 0;
      const std::uint32_t number = hints.node_of[e];
      return number != kNone && sides_ == 2 && hints.sides[number] ? far_side_ + number : number;
    };
    nodes += far_side_;
    first_slot_of_node_.assign(nodes + std::size_t{1}, 0);
    for (Entity e = 0; e < entities; ++e)
      if (node_of(e) != kNone) ++first_slot_of_node_[node_of(e) + std::size_t{1}];
    std::size_t most = 0;
    for (std::uint32_t node = 0; node < nodes; ++node) {
      most = std::max<std::size_t>(most, first_slot_of_node_[node + std::size_t{1}]);
      first_slot_of_node_[node + std::size_t{1}] += first_slot_of_node_[node];
    }
    assert(most <= kSlotMask && span_ > 0 && span_ <= std::int64_t{1} << 42);
    std::vector<std::uint32_t> next(first_slot_of_node_.begin(), first_slot_of_node_.end() - 1);
    entities_.resize(first_slot_of_node_.back());
    for (Entity e = 0; e < entities; ++e) {  // those of a node in the order of their numbers
      if (node_of(e) == kNone) continue;
      places_[e] = {next[node_of(e)]++, node_of(e)};
      entities_[places_[e].slot] = e;
    }
    due_.assign(entities_.size(), kNever);
    earliest_.assign(nodes, kNever);
    waiting_.assign(entities_.size() / 64 + 1, 0);
    busy_.assign(nodes / 64 + 1, 0);
    found_.resize(most);
    ready_.resize(1 + 4 * most + 16);
    at_ = end_ = first_place();
  }
  NodeScheduler(NodeScheduler&&) = delete;

  // Gives e, which has no event, one at t.
  void add(Entity e, Time t) {
    assert(due_[places_[e].slot] == kNever);
    schedule(e, t);
  }

  void schedule(Entity e, Time t) {
    const Place place = places_[e];
    assert(entities_[place.slot] == e);
    due_[place.slot] = t.ps;
    if (t.ps < until_ && place.node == node_)
      insert(place, t.ps);
    else
      note(place, t.ps);
  }

  void cancel(Entity e) { due_[places_[e].slot] = kNever; }

  // How long a node's turn is at most, unless the sides are kept together.
  Time longest_turn() const { return {far_side_ != 0 ? 2 * span_ : span_}; }
  // Before the first event. An event may matter to nodes of the same side as soon as to those of the other; passes go
  // over all nodes.
  void disable_sides() { sides_ = 1; }
  int sides() const { return sides_; }
  // Between passes: whether next() ends with each pass, instead of where all have reached its `end` (is_at()). It does
  // not pass over time in which nothing happens by itself then, for others may have something that matters here.
  void take_passes_singly(bool singly) { singly_ = singly; }
  // Between passes: whether all nodes have reached this instant.
  bool is_at(Time end) const { return std::min(done_until_[0], done_until_[sides_ - 1]) >= end.ps; }

  // Calls on_ready(entity, Horizon::this_node) for the events of a node as their turn comes. In large networks also
  // with Horizon::next_node for those of the node that comes next, and on_ready.comes(node, by), if there is such a
  // function, for each of the nodes whose numbers are up to kNodesAhead higher, if their turns come in this pass.
  template <class OnReady>
  bool next(Time end, Event& out, OnReady&& on_ready) {
    for (;;) {
      if (at_ == end_) [[unlikely]] {
        if (!open_next(end.ps, on_ready)) return false;
      }
      const std::uint64_t key = *at_++;
      const std::uint32_t slot = slots_ + static_cast<std::uint32_t>(key & kSlotMask);
      const std::int64_t due = begun_ + static_cast<std::int64_t>(key >> kSlotBits);
      if (due_[slot] != due) [[unlikely]]
        continue;  // moved or cancelled
      due_[slot] = kNever;
      out = {{due}, entities_[slot]};
      return true;
    }
  }
  bool next(Time end, Event& out) {
    return next(end, out, [](Entity, Horizon) {});
  }

  // All events before this have been taken of the nodes to which the open one has links.
  Time neighbours_taken_before() const { return {done_until_[sides_ - 1 - side_]}; }
  // Between passes: all events before this have been taken of the nodes of this side.
  Time taken_before(int side) const { return {done_until_[sides_ == 2 ? side : 0]}; }
  bool is_far(Entity e) const { return far_side_ != 0 && places_[e].node >= far_side_; }

  // Only between passes.
  bool empty() const {
    return first_in(busy_, 0, earliest_.size(), [this](std::size_t node) {
             return first_in(waiting_, first_slot_of_node_[node], first_slot_of_node_[node + 1],
                             [this](std::size_t slot) { return due_[slot] != kNever; }) !=
                    first_slot_of_node_[node + 1];
           }) == earliest_.size();
  }

  // Only between passes.
  Time earliest() const { return {std::min(earliest_event_[0], earliest_event_[sides_ - 1])}; }

  // Only between passes: nothing happens before t, at any node.
  void pass_over(Time t) {
    for (std::int64_t& reached : done_until_) reached = std::max(reached, t.ps);
  }

  void skip_to(Time t) {
    assert(empty());
    first_in(busy_, 0, earliest_.size(), [this](std::size_t node) {
      earliest_[node] = kNever;  // that of an event which was cancelled
      return false;
    });
    std::fill(busy_.begin(), busy_.end(), 0);
    for (const int side : {0, 1}) {
      done_until_[side] = t.ps;
      earliest_event_[side] = kNever;
    }
  }

  template <class Visit>
  void for_each_pending(Visit&& visit) const {
    for (std::size_t slot = 0; slot < due_.size(); ++slot)
      if (due_[slot] != kNever) visit(Event{{due_[slot]}, entities_[slot]});
  }

  void look_ahead() {}
  Entity upcoming(std::uint32_t) const { return kNone; }

 private:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t kClosed = std::numeric_limits<std::int64_t>::min();
  static constexpr int kSlotBits = 20;
  static constexpr std::uint64_t kSlotMask = (std::uint64_t{1} << kSlotBits) - 1;
  static constexpr std::size_t kFewToSort = 24;

  struct Place {
    std::uint32_t slot;  // in due_
    std::uint32_t node;
  };

  std::uint64_t* first_place() { return ready_.data() + 1; }
  // Of a node, as SchedulerHints has it.
  std::uint32_t number_of(std::uint32_t node) const { return node >= far_side_ ? node - far_side_ : node; }

  // For the node that is open.
  void insert(Place place, std::int64_t due) {
    assert(due >= begun_);
    if (end_ == ready_.data() + ready_.size()) [[unlikely]]
      make_room();
    const std::uint64_t key = key_of(due, place.slot - slots_);
    insert_sorted(at_, end_++, key);
  }

  [[gnu::noinline]] void make_room() {
    const std::ptrdiff_t n = end_ - at_;
    std::copy(at_, end_, first_place());
    if (4 * static_cast<std::size_t>(n) > ready_.size()) ready_.resize(2 * ready_.size());
    at_ = first_place();
    end_ = at_ + n;
  }

  // An event beyond the present pass, or between passes.
  void note(Place place, std::int64_t due) {
    waiting_[place.slot / 64] |= std::uint64_t{1} << (place.slot % 64);
    if (due >= earliest_[place.node]) return;
    earliest_[place.node] = due;
    busy_[place.node / 64] |= std::uint64_t{1} << (place.node % 64);
    const bool is_far = sides_ == 2 && place.node >= far_side_;
    assert(due >= (until_ == kClosed || is_far != (side_ == 1) ? done_until_[is_far] : until_));
    std::int64_t& soonest = earliest_event_[is_far];
    soonest = std::min(soonest, due);
  }

  // The first member of a set from `from` on, before `to`, for which `is` holds, or `to`.
  template <class Is>
  static std::size_t first_in(const std::vector<std::uint64_t>& set, std::size_t from, std::size_t to, Is&& is) {
    while (from < to) {
      for (std::uint64_t word = set[from / 64] >> (from % 64) << (from % 64); word != 0; word &= word - 1) {
        const std::size_t member = from / 64 * 64 + static_cast<std::size_t>(std::countr_zero(word));
        if (member >= to) return to;
        if (is(member)) return member;
      }
      from = (from / 64 + 1) * 64;
    }
    return to;
  }

  // Opens the next node that has an event before `end`. False if there is none: the pass has ended.
  template <class OnReady>
  [[gnu::noinline]] bool open_next(std::int64_t end, OnReady& on_ready) {
    for (;;) {
      if (until_ == kClosed && !begin_pass(end)) return false;
      while (next_node_ < pass_end_) {
        node_ = static_cast<std::uint32_t>(next_node_);
        find_following(next_node_ + 1);
        if (announces_) announce_far(on_ready);
        const bool has_some = open(on_ready);
        if (announces_ && next_node_ < pass_end_) announce(on_ready);
        if (has_some) return true;
      }
      done_until_[side_] = until_;
      until_ = kClosed;
      if (singly_) return false;
    }
  }

  // Of the side that is behind. Time in which nothing happens on either side is passed over, unless others might have
  // something that does. False if both have reached the end.
  bool begin_pass(std::int64_t end) {
    if (!singly_) pass_over({std::min({end, earliest_event_[0], earliest_event_[sides_ - 1]})});
    side_ = sides_ == 2 && done_until_[1] < done_until_[0] ? 1 : 0;
    begun_ = done_until_[side_];
    if (end <= begun_) return false;
    until_ = std::min(end, done_until_[sides_ - 1 - side_] + span_);
    earliest_event_[side_] = kNever;
    pass_end_ = sides_ == 2 && side_ == 0 ? far_side_ : earliest_.size();
    find_following(side_ == 0 ? 0 : far_side_);
    return true;
  }

  // The next node with an event in this pass; what those that are passed over have later is noted.
  void find_following(std::size_t from) {
    next_node_ = first_in(busy_, from, pass_end_, [this](std::size_t node) {
      if (earliest_[node] < until_) return true;
      earliest_event_[side_] = std::min(earliest_event_[side_], earliest_[node]);
      return false;
    });
  }

  template <class OnReady>
  void announce(OnReady& on_ready) const {
    const std::size_t end = first_slot_of_node_[next_node_ + 1];
    first_in(waiting_, first_slot_of_node_[next_node_], end, [&](std::size_t slot) {
      if (due_[slot] < until_) on_ready(entities_[slot], Horizon::next_node);
      return false;
    });
  }

  // Those of the next few nodes whose turns come in this pass.
  template <class OnReady>
  void announce_far(OnReady& on_ready) const {
    if constexpr (requires { on_ready.comes(node_, node_); })
      for (std::uint32_t by = 1; by <= kNodesAhead && node_ + by < pass_end_; ++by)
        if (earliest_[node_ + by] < until_) on_ready.comes(number_of(node_) + by, by);
  }

  // Finds and sorts the node's events of this pass. False if there are none.
  template <class OnReady>
  bool open(OnReady& on_ready) {
    slots_ = first_slot_of_node_[node_];
    at_ = end_ = first_place();
    if constexpr (requires { on_ready.takes(node_); }) {
      if (on_ready.takes(number_of(node_))) {
        std::size_t n = 0;
        take_due([&](std::size_t slot, std::int64_t) {
          due_[slot] = kNever;
          on_ready.take(entities_[slot]);
          ++n;
        });
        if (n != 0) on_ready.end(number_of(node_), {begun_}, {until_});
        assert(at_ == end_);
        return false;
      }
    }
    std::uint64_t* const found = found_.data();
    std::size_t n = 0;
    take_due([&](std::size_t slot, std::int64_t due) {
      on_ready(entities_[slot], Horizon::this_node);
      found[n++] = key_of(due, static_cast<std::uint32_t>(slot) - slots_);
    });
    end_ = at_ + n;
    std::copy(found, found + n, at_);
    if (n <= kFewToSort)
      sort_by_insertion(at_, end_);
    else
      std::sort(at_, end_);
    return n != 0;
  }

  // Calls take(slot, due) for each event of the open node in this pass; they are no longer noted.
  template <class Take>
  void take_due(Take&& take) {
    std::int64_t later = kNever;
    first_in(waiting_, slots_, first_slot_of_node_[node_ + std::size_t{1}], [&](std::size_t slot) {
      const std::int64_t due = due_[slot];
      if (due >= until_ && due != kNever) {
        later = std::min(later, due);
        return false;
      }
      waiting_[slot / 64] &= ~(std::uint64_t{1} << (slot % 64));
      if (due != kNever) take(slot, due);  // else it was cancelled
      return false;
    });
    earliest_[node_] = later;
    if (later == kNever) busy_[node_ / 64] &= ~(std::uint64_t{1} << (node_ % 64));
    earliest_event_[side_] = std::min(earliest_event_[side_], later);
  }

  std::uint64_t key_of(std::int64_t due, std::uint32_t slot_of_node) const {
    assert(due >= begun_ && due - begun_ < std::int64_t{1} << (64 - kSlotBits));
    return static_cast<std::uint64_t>(due - begun_) << kSlotBits | slot_of_node;
  }

  std::uint64_t* at_ = nullptr;  // the next event of the open node
  std::uint64_t* end_ = nullptr;
  std::int64_t until_ = kClosed;  // the end of the pass; kClosed between passes
  std::uint32_t slots_ = 0;       // the first slot of the open node
  std::uint32_t node_ = 0;        // the open one
  std::size_t next_node_ = 0;     // the next one with an event in this pass
  std::size_t pass_end_ = 0;      // the pass goes over nodes before this one
  const bool announces_;
  int side_ = 0;                // that of the pass; 0 if passes go over all nodes
  int sides_ = 1;               // how many passes go over by turns
  bool singly_ = false;         // next() ends with each pass
  std::uint32_t far_side_ = 0;  // nodes of the second side have numbers from here on; 0: there is one side
  const std::int64_t span_;     // what happens at a node matters to others no sooner
  std::int64_t begun_ = 0;      // of the pass
  // Between passes, of each side: all events before have been taken; no event is earlier.
  std::int64_t done_until_[2] = {0, 0};
  std::int64_t earliest_event_[2] = {kNever, kNever};
  ZeroedArray<Place> places_;                      // by entity
  std::vector<std::int64_t> due_;                  // by slot
  std::vector<Entity> entities_;                   // by slot
  std::vector<std::int64_t> earliest_;             // by node: lower bound of its waiting events; kNever = none
  std::vector<std::uint64_t> waiting_;             // a bit for each slot: it may have an event beyond what is ready
  std::vector<std::uint64_t> busy_;                // a bit for each node: its earliest_ is not kNever
  std::vector<std::uint32_t> first_slot_of_node_;  // the first slot, by node
  std::vector<std::uint64_t> found_;               // of open()
  std::vector<std::uint64_t> ready_;               // sorted: time since begun_ << kSlotBits | slot of the node
};

static_assert(Scheduler<NodeScheduler>);

}  // namespace weir::sim
