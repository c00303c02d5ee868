// The pending-event set.
//
// Every entity of the simulation (a link, a host, ...) has at most one pending event, so an
// event is just (time, entity), and the order of events is total and depends on the scenario
// alone: earlier time first, then smaller entity number. A scheduler is a compile-time policy
// of the engine: NodeScheduler takes the events of an epoch node by node, which is quickest where the network allows
// it, WheelScheduler takes those of all nodes in one order, and HeapScheduler does the same as the plain oracle.
#pragma once

#include <concepts>
#include <cstdint>
#include <vector>

#include "weir/base/units.h"
#include "weir/sim/caches.h"

namespace weir::sim {

using Entity = std::uint32_t;

inline constexpr Entity kNone = ~Entity{0};

struct Event {
  Time time;
  Entity entity = 0;
  friend constexpr auto operator<=>(const Event&, const Event&) = default;
};

// What the network lets a scheduler expect.
struct SchedulerHints {
  double events_per_second = 1e9;      // of simulated time, when all links are busy
  Time horizon{1'000'000};             // most events are scheduled at most this far ahead
  CacheFit caches{~std::uint32_t{0}};  // upcoming() is asked for no more than caches.lookahead(), at most 15
  bool sparse = false;                 // few of the entities will ever have an event
  // For a scheduler that goes by node: the node of each entity, or kNone if it will never have an event; nodes are
  // counted from 0. If it is empty, all entities are of one node.
  std::vector<std::uint32_t> node_of;
  // For the same: an event at one node matters to another no sooner than this; above 0.
  Time turn{std::int64_t{1} << 40};
  // For the same, by node: on which of two sides it is, so that an event matters to nodes of the same side no sooner
  // than twice that. Empty if there are no such sides.
  std::vector<bool> sides;
};

// When an entity is due of which a scheduler tells in advance: among the next events, or after those.
enum class Horizon : bool { this_node, next_node };

template <class S>
concept Scheduler = requires(S s, const S cs, Entity e, Time t, Event& out, std::uint32_t entities, SchedulerHints h) {
  S(entities, h);
  // Gives e an event at t; moves the one it has, if any. t is not before the last event taken (S::kOrdersWithinNode: of
  // the same node), nor before an `end` up to which next() has found nothing more.
  s.schedule(e, t);
  // The same for an entity that has none.
  s.add(e, t);
  s.cancel(e);
  // Takes the earliest event before `end` (S::kOrdersWithinNode: of a node that has one, all of which are taken then).
  // May call its last argument with entities that are due some events later, and with Horizon: another hint. If
  // S::kOrdersWithinNode and the argument has them: takes(node) says whether all events of a node, counted as in
  // SchedulerHints, are taken at once; take(entity) is called for each of those, and end(node, begun, until) behind
  // them, after which next() goes on with other nodes. The events are of [begun, until), and from end() none of the
  // node's may be scheduled before `until`.
  { s.next(t, out) } -> std::same_as<bool>;
  {
    s.next(t, out, [](Entity, Horizon) {})
    } -> std::same_as<bool>;
  { cs.empty() } -> std::same_as<bool>;
  // No event is due before; Time::max() if there is none. (S::kOrdersWithinNode: only between passes.) It is a bound,
  // which cancelled events and coarse slots keep low: it rises to the earliest event as that comes near.
  { cs.earliest() } -> std::same_as<Time>;
  // Only while empty: nothing will be scheduled before t.
  s.skip_to(t);
  // Calls its argument with each pending event, in any order.
  cs.for_each_pending([](const Event&) {});
  // Brings near what is known of later events, to the scheduler.
  s.look_ahead();
  // The entity that is due some events later, or any other, or kNone: a hint for prefetching, nothing more.
  { cs.upcoming(1u) } -> std::same_as<Entity>;
  // Are events ordered within each node only?
  { S::kOrdersWithinNode } -> std::convertible_to<bool>;
};

}  // namespace weir::sim
