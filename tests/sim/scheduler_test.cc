// The timing wheels against the binary heap: the same calls, the same events.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <random>

#include "weir/base/random.h"
#include "weir/sim/heap_scheduler.h"
#include "weir/sim/node_scheduler.h"
#include "weir/sim/wheel_scheduler.h"

namespace weir::sim {
namespace {

constexpr Entity kEntities = 96;

// Both schedulers, driven side by side.
class Pair {
 public:
  explicit Pair(const SchedulerHints& hints) : wheel_(kEntities, hints), heap_(kEntities, hints) {}

  void schedule(Entity e, Time t) {
    wheel_.schedule(e, t);
    heap_.schedule(e, t);
  }
  void add(Entity e, Time t) {
    wheel_.add(e, t);
    heap_.add(e, t);
  }
  void cancel(Entity e) {
    wheel_.cancel(e);
    heap_.cancel(e);
  }
  // The next event of both, or kNone if they agree that there is none; a failure if they do not agree.
  Event next(Time end) {
    EXPECT_LE(wheel_.earliest(), heap_.earliest());
    Event wheel{{}, kNone};
    Event heap{{}, kNone};
    const bool some = wheel_.next(end, wheel);
    EXPECT_EQ(some, heap_.next(end, heap));
    EXPECT_EQ(wheel.time.ps, heap.time.ps);
    EXPECT_EQ(wheel.entity, heap.entity);
    return heap;
  }
  bool empty() const {
    EXPECT_EQ(wheel_.empty(), heap_.empty());
    return heap_.empty();
  }
  void skip_to(Time t) {
    wheel_.skip_to(t);
    heap_.skip_to(t);
  }
  Entity upcoming(std::uint32_t ahead) const { return wheel_.upcoming(ahead); }
  void look_ahead() { wheel_.look_ahead(); }

 private:
  WheelScheduler wheel_;
  HeapScheduler heap_;
};

struct Kind {
  const char* name;
  SchedulerHints hints;
  std::int64_t near;  // distances of events, in picoseconds
  std::int64_t far;
};
std::ostream& operator<<(std::ostream& out, const Kind& k) { return out << k.name; }

// Slots from the narrowest (8 ps) to the widest, horizons that fit the ring and ones that do not.
constexpr Kind kKinds[] = {
    {"Usual", {1e9, {2'000'000}}, 2'000'000, 8'000'000'000},
    {"NobodyLooksAhead", {1e9, {2'000'000}, CacheFit{1}}, 2'000'000, 8'000'000'000},
    {"Sparse", {1e12, {2'000'000}, CacheFit{~std::uint32_t{0}}, true}, 2'000'000, 8'000'000'000},
    {"ManyLinks", {1e12, {2'000'000}}, 2'000'000, 4'000'000'000},
    {"NarrowestSlots", {1e15, {1}}, 10'000, 10'000'000'000},
    {"WidestSlots", {1, {1'000'000'000'000}}, 200'000'000'000, 400'000'000'000'000},
    {"WidestSlotsByHorizon", {1e12, {1'000'000'000'000}}, 200'000'000'000, 400'000'000'000'000},
    {"HorizonFarTooShort", {1e10, {1}}, 3'000'000, 1'000'000'000},
    {"SlotsFarTooWide", {1e3, {1'000}}, 1'000, 1'000'000'000},
};

class RandomProgram : public testing::TestWithParam<std::tuple<Kind, std::uint64_t>> {
 protected:
  std::uint64_t below(std::uint64_t n) { return random_() % n; }
  Entity entity() { return static_cast<Entity>(below(kEntities)); }

  // From "now" to far away; the scale changes from phase to phase.
  std::int64_t distance() {
    const Kind& kind = std::get<0>(GetParam());
    switch (below(16)) {
      case 0: return 0;
      case 1: return static_cast<std::int64_t>(below(8));
      case 2: return below(8) == 0 ? static_cast<std::int64_t>(below(static_cast<std::uint64_t>(kind.far))) : scale_;
      default: return static_cast<std::int64_t>(below(static_cast<std::uint64_t>(scale_) + 1));
    }
  }
  void change_scale() {
    const Kind& kind = std::get<0>(GetParam());
    scale_ = std::max<std::int64_t>(1, kind.near >> below(20));
    if (below(6) == 0) scale_ = kind.near * static_cast<std::int64_t>(1 + below(50));
  }

  std::mt19937_64 random_{std::get<1>(GetParam())};
  std::int64_t scale_ = 1;
};

TEST_P(RandomProgram, GivesTheSameEvents) {
  Pair pair(std::get<0>(GetParam()).hints);
  Time now;
  std::size_t taken = 0;
  for (int phase = 0; phase < 60; ++phase) {
    change_scale();
    for (int step = 0; step < 40; ++step) {
      for (std::uint64_t n = below(12); n > 0; --n) pair.schedule(entity(), now + Time{distance()});
      for (std::uint64_t n = below(3); n > 0; --n) pair.cancel(entity());
      // Some events up to a bound that lies anywhere, as often as not in the middle of a slot.
      const Time end = now + Time{distance()};
      for (std::uint64_t left = below(8) == 0 ? below(6) : 1'000; left > 0; --left) {
        const Event event = pair.next(end);
        ASSERT_FALSE(HasFailure());
        if (event.entity == kNone) {
          now = end;  // the caller has promised nothing before it
          break;
        }
        ASSERT_LE(now, event.time);
        ++taken;
        now = event.time;
        const Entity soon = pair.upcoming(static_cast<std::uint32_t>(below(8)));
        ASSERT_TRUE(soon == kNone || soon < kEntities);
        if (below(2) == 0) pair.look_ahead();
        // What handlers do: schedule the same entity again, others at this very instant, move and cancel.
        if (below(2) == 0) pair.add(event.entity, now + Time{distance()});
        if (below(4) == 0) pair.schedule(entity(), now);
        if (below(4) == 0) pair.schedule(entity(), now + Time{distance()});
        if (below(8) == 0) pair.cancel(entity());
        if (taken % 64 == 0) break;
      }
    }
  }
  EXPECT_GT(taken, 3'000u);
  // And what is left.
  const Time last{now.ps + 2 * std::get<0>(GetParam()).far};
  while (pair.next(last).entity != kNone) ASSERT_FALSE(HasFailure());
  // Empty, both may be sent far ahead, and go on from there.
  ASSERT_TRUE(pair.empty());
  const Time later{1'000'000 * kPicosecondsPerSecond};
  pair.skip_to(later);
  for (Entity e = 0; e < kEntities; ++e) pair.schedule(e, later + Time{distance()});
  for (Entity e = 0; e < kEntities; ++e) ASSERT_NE(pair.next(Time::max()).entity, kNone);
  EXPECT_TRUE(pair.empty());
}

INSTANTIATE_TEST_SUITE_P(Programs, RandomProgram,
                         testing::Combine(testing::ValuesIn(kKinds), testing::Range<std::uint64_t>(1, 9)),
                         [](const auto& test) {
                           return std::string(std::get<0>(test.param).name) + std::to_string(std::get<1>(test.param));
                         });

template <class S>
class Each : public testing::Test {
 protected:
  std::vector<Event> take_all(Time end) {
    std::vector<Event> out;
    for (Event e; scheduler_.next(end, e);) out.push_back(e);
    return out;
  }
  static std::vector<Event> events(std::initializer_list<std::pair<std::int64_t, Entity>> list) {
    std::vector<Event> out;
    for (const auto& [time, entity] : list) out.push_back({{time}, entity});
    return out;
  }

  S scheduler_{16, SchedulerHints{}};
};
using Schedulers = testing::Types<NodeScheduler, WheelScheduler, HeapScheduler>;
TYPED_TEST_SUITE(Each, Schedulers);

TYPED_TEST(Each, StartsEmpty) {
  EXPECT_TRUE(this->take_all({1'000'000'000}).empty());
  EXPECT_EQ(this->scheduler_.upcoming(0), kNone);
}

TYPED_TEST(Each, OrdersByTimeThenEntity) {
  for (const auto& [entity, time] : {std::pair{3u, 500}, {1u, 700}, {2u, 500}, {9u, 0}, {7u, 499}, {0u, 700}})
    this->scheduler_.schedule(entity, {time});
  EXPECT_EQ(this->take_all({1'000}), this->events({{0, 9}, {499, 7}, {500, 2}, {500, 3}, {700, 0}, {700, 1}}));
}

TYPED_TEST(Each, TellsBeforeWhenNothingIsDue) {
  EXPECT_EQ(this->scheduler_.earliest(), Time::max());
  constexpr std::int64_t kDue = 3'000'000'000;
  this->scheduler_.schedule(4, {2 * kDue});
  this->scheduler_.schedule(5, {kDue});
  // the bound rises to the event while time comes near it
  int bounds = 0;
  for (Time bound = this->scheduler_.earliest(); bound < Time{kDue - 5'000'000}; bound = this->scheduler_.earliest()) {
    ASSERT_LT(++bounds, 5) << bound.ps;
    EXPECT_TRUE(this->take_all(bound + Time{1}).empty());
  }
  EXPECT_LE(this->scheduler_.earliest().ps, kDue);
  EXPECT_EQ(this->take_all({kDue + 1}), this->events({{kDue, 5}}));
  this->scheduler_.cancel(4);
  EXPECT_TRUE(this->take_all({3 * kDue}).empty());
  EXPECT_EQ(this->scheduler_.earliest(), Time::max());
}

TYPED_TEST(Each, EndIsExclusive) {
  this->scheduler_.schedule(1, {100});
  this->scheduler_.schedule(2, {101});
  EXPECT_TRUE(this->take_all({100}).empty());
  EXPECT_EQ(this->take_all({101}), this->events({{100, 1}}));
  this->scheduler_.schedule(3, {101});  // into a slot that has been looked at
  EXPECT_EQ(this->take_all({102}), this->events({{101, 2}, {101, 3}}));
}

TYPED_TEST(Each, AnEntityHasOneEvent) {
  this->scheduler_.schedule(1, {100});
  this->scheduler_.schedule(1, {300});  // later
  this->scheduler_.schedule(2, {300});
  this->scheduler_.schedule(2, {100});  // earlier
  this->scheduler_.schedule(3, {200});
  this->scheduler_.schedule(3, {200});  // the same
  EXPECT_EQ(this->take_all({1'000}), this->events({{100, 2}, {200, 3}, {300, 1}}));
}

TYPED_TEST(Each, Cancels) {
  for (Entity e = 0; e < 4; ++e) this->scheduler_.schedule(e, {100});
  this->scheduler_.cancel(0);
  this->scheduler_.cancel(3);
  this->scheduler_.cancel(3);  // again, and one that never was
  this->scheduler_.cancel(9);
  EXPECT_EQ(this->take_all({1'000}), this->events({{100, 1}, {100, 2}}));
  this->scheduler_.schedule(3, {1'000});
  EXPECT_EQ(this->take_all({2'000}), this->events({{1'000, 3}}));
}

// While events of one instant are taken, more may come for it, whatever their numbers.
TYPED_TEST(Each, TakesWhatIsScheduledForThePresent) {
  this->scheduler_.schedule(5, {100});
  this->scheduler_.schedule(6, {100});
  Event e;
  ASSERT_TRUE(this->scheduler_.next({200}, e));
  EXPECT_EQ(e.entity, 5u);
  this->scheduler_.schedule(2, {100});  // smaller than the one just taken
  this->scheduler_.schedule(5, {100});
  this->scheduler_.schedule(7, {100});
  EXPECT_EQ(this->take_all({200}), this->events({{100, 2}, {100, 5}, {100, 6}, {100, 7}}));
}

TYPED_TEST(Each, MovesWithinAnOpenSlot) {
  for (Entity e = 0; e < 6; ++e) this->scheduler_.schedule(e, {100 + e});
  Event e;
  ASSERT_TRUE(this->scheduler_.next({1'000}, e));
  this->scheduler_.schedule(1, {104});
  this->scheduler_.schedule(4, {100});
  this->scheduler_.schedule(1, {101});  // and back
  this->scheduler_.cancel(3);
  this->scheduler_.cancel(5);
  this->scheduler_.schedule(5, {105});
  EXPECT_EQ(this->take_all({1'000}), this->events({{100, 4}, {101, 1}, {102, 2}, {105, 5}}));
}

// Events that wait in every level come out in order.
TYPED_TEST(Each, ReachesFarAhead) {
  Entity e = 0;
  std::vector<Event> expected;
  for (std::int64_t t = 1; e < 14; t *= 8, ++e) {
    this->scheduler_.schedule(e, {t});
    expected.push_back({{t}, e});
  }
  EXPECT_EQ(this->take_all({expected.back().time.ps + 1}), expected);
  EXPECT_TRUE(this->take_all({expected.back().time.ps + 1'000}).empty());
}

// Nodes that schedule events of their own whenever they like, and one event of each other node no sooner than a turn
// ahead, or with sides two turns if it is on the same side. What happens at a node depends on what has happened there
// alone, so whatever a scheduler's order of nodes is, the events of each are the same.
class Nodes : public testing::TestWithParam<std::uint64_t> {
 protected:
  static constexpr std::uint32_t kNodes = 7;
  static constexpr Time kTurn{1'000};
  // Of these, entity e is of node e % kNodes, but for the last two, which never have an event.
  static constexpr std::uint32_t kOwn = 10 * kNodes;
  // Behind them, for each node and each other one, what only the second schedules at the first.
  static Entity told(std::uint32_t node, std::uint32_t by) { return kOwn + node * kNodes + by; }
  static constexpr std::uint32_t kEntities = kOwn + kNodes * kNodes + 2;

  static std::uint32_t node_of(Entity e) { return e < kOwn ? e % kNodes : (e - kOwn) / kNodes; }

  static bool side_of(std::uint32_t node) { return node % 3 == 1; }

  template <class S>
  std::vector<std::vector<Event>> run(bool has_sides) const {
    SchedulerHints hints;
    for (std::uint32_t node = 0; has_sides && node < kNodes; ++node) hints.sides.push_back(side_of(node));
    for (Entity e = 0; e < kEntities; ++e) hints.node_of.push_back(e + 2 < kEntities ? node_of(e) : kNone);
    hints.turn = kTurn;
    S scheduler(kEntities, hints);
    std::vector<std::vector<Event>> out(kNodes);
    std::vector<std::mt19937_64> random;
    for (std::uint32_t node = 0; node < kNodes; ++node) random.emplace_back(GetParam() * kNodes + node);
    std::vector<Time> told_last(kEntities);
    const auto below = [&](std::uint32_t node, std::int64_t n) {
      return static_cast<std::int64_t>(random[node]() % n);
    };
    for (Entity e = 0; e < kOwn; ++e) scheduler.add(e, {below(node_of(e), 5'000)});
    Time end;
    for (int epoch = 0; epoch < 60; ++epoch) {
      end = end + Time{1 + static_cast<std::int64_t>(mix32(static_cast<std::uint32_t>(epoch)) % 3'000)};
      for (Event event; scheduler.next(end, event);) {
        const std::uint32_t node = node_of(event.entity);
        const Time now = event.time;
        out[node].push_back(event);
        const auto own = [&] { return static_cast<Entity>(node + kNodes * below(node, kOwn / kNodes)); };
        if (event.entity < kOwn) scheduler.add(event.entity, now + Time{below(node, 900)});
        if (below(node, 4) == 0) scheduler.schedule(own(), now);
        if (below(node, 4) == 0) scheduler.schedule(own(), now + Time{below(node, 4'000)});
        if (below(node, 16) == 0) scheduler.cancel(own());
        const auto other = static_cast<std::uint32_t>(below(node, kNodes));
        const Entity e = told(other, node);
        const Time least = has_sides && side_of(other) == side_of(node) ? kTurn + kTurn : kTurn;
        if (other == node || told_last[e] > now - least) continue;  // it may not have been taken yet
        told_last[e] = now + least + Time{below(node, 3) * below(node, 2'000)};
        scheduler.schedule(e, told_last[e]);
      }
    }
    return out;
  }
};

TEST_P(Nodes, TakeTheSameEventsWhetherTheyTakeTurnsOrNot) {
  for (const bool has_sides : {false, true}) {
    const auto by_node = run<NodeScheduler>(has_sides);
    const auto by_time = run<HeapScheduler>(has_sides);
    for (std::uint32_t node = 0; node < kNodes; ++node) {
      EXPECT_GT(by_time[node].size(), 500u);
      EXPECT_EQ(by_node[node], by_time[node]) << "node " << node << (has_sides ? ", two sides" : "");
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, Nodes, testing::Range<std::uint64_t>(1, 9));

TEST(NodeScheduler, TakesAllOfANodeBeforeTheNext) {
  NodeScheduler scheduler(4, {.node_of = {1, 0, 1, 0}, .turn = Time{100}});
  for (const auto& [entity, time] : {std::pair{0u, 10}, {1u, 90}, {2u, 5}, {3u, 120}})
    scheduler.schedule(entity, {time});
  std::vector<Event> taken;
  for (Event event; scheduler.next({150}, event);) taken.push_back(event);
  EXPECT_EQ(taken, (std::vector<Event>{{{90}, 1}, {{5}, 2}, {{10}, 0}, {{120}, 3}}));
  EXPECT_EQ(scheduler.neighbours_taken_before(), Time{150});
}

// With nodes on two sides, turns take twice as long but for the first and the last one, and no side gets farther ahead
// of the other than an event may matter there.
TEST(NodeScheduler, TakesSidesByTurns) {
  NodeScheduler scheduler(2, {.node_of = {0, 1}, .turn = Time{100}, .sides = {true, false}});
  EXPECT_EQ(scheduler.longest_turn(), Time{200});
  struct Turn {
    std::uint32_t node;
    Time begun;
    Time until;
    Time other;  // the other node has gone on to here
    bool operator==(const Turn&) const = default;
  };
  struct Turns {
    void operator()(Entity, Horizon) const {}
    bool takes(std::uint32_t) const { return true; }
    void take(Entity) const {}
    void end(std::uint32_t node, Time begun, Time until) const {
      out.push_back({node, begun, until, scheduler.neighbours_taken_before()});
      scheduler.schedule(node, until);
    }
    NodeScheduler& scheduler;
    std::vector<Turn>& out;
  };
  std::vector<Turn> taken;
  for (const Entity node : {0u, 1u}) scheduler.schedule(node, {0});
  Event event;
  EXPECT_FALSE(scheduler.next({500}, event, Turns{scheduler, taken}));
  EXPECT_EQ(taken, (std::vector<Turn>{{1, {0}, {100}, {0}},
                                      {0, {0}, {200}, {100}},
                                      {1, {100}, {300}, {200}},
                                      {0, {200}, {400}, {300}},
                                      {1, {300}, {500}, {400}},
                                      {0, {400}, {500}, {500}}}));
}

// As several of them do that go over the sides together.
TEST(NodeScheduler, EndsWithEachPassIfToldTo) {
  NodeScheduler scheduler(2, {.node_of = {0, 1}, .turn = Time{100}, .sides = {true, false}});
  scheduler.take_passes_singly(true);
  EXPECT_TRUE(scheduler.is_far(0));
  EXPECT_FALSE(scheduler.is_far(1));
  scheduler.schedule(0, {450});
  std::vector<std::pair<Time, Time>> reached;  // by the near side and the far one
  Event event;
  while (!scheduler.is_at({500})) {
    ASSERT_LT(reached.size(), 10u);
    while (scheduler.next({500}, event)) EXPECT_EQ(event, (Event{{450}, 0}));
    reached.emplace_back(scheduler.taken_before(0), scheduler.taken_before(1));
    if (reached.size() == 3) scheduler.pass_over({350});
  }
  EXPECT_EQ(reached,
            (std::vector<std::pair<Time, Time>>{
                {{100}, {0}}, {{100}, {200}}, {{300}, {200}}, {{450}, {350}}, {{450}, {500}}, {{500}, {500}}}));
}

TEST(NodeScheduler, KeepsSidesTogetherIfToldTo) {
  NodeScheduler scheduler(2, {.node_of = {0, 1}, .turn = Time{100}, .sides = {true, false}});
  scheduler.disable_sides();
  std::vector<Event> taken;
  for (const Entity e : {0u, 1u}) scheduler.schedule(e, {60 * e});
  for (Event event; scheduler.next({350}, event);) {
    taken.push_back(event);
    scheduler.schedule(event.entity, event.time + Time{120});
  }
  EXPECT_EQ(taken, (std::vector<Event>{{{60}, 1}, {{0}, 0}, {{180}, 1}, {{120}, 0}, {{300}, 1}, {{240}, 0}}));
}

// Some nodes' events are taken at once: those of the pass, and what they schedule is of a later one.
TEST(NodeScheduler, GivesWholeTurns) {
  NodeScheduler scheduler(4, {.node_of = {1, 0, 1, 0}, .turn = Time{100}});
  struct Turns {
    void operator()(Entity, Horizon) const {}
    bool takes(std::uint32_t node) const { return node == 1; }
    void take(Entity e) const { taken.push_back(e); }
    void end(std::uint32_t node, Time begun, Time until) const {
      EXPECT_EQ(node, 1u);
      spans.push_back({begun, until});
      for (const Entity e : taken) scheduler.schedule(e, until + Time{e});
      count += taken.size();
      taken.clear();
    }
    NodeScheduler& scheduler;
    std::vector<Entity>& taken;
    std::vector<std::pair<Time, Time>>& spans;
    std::size_t& count;
  };
  std::vector<Entity> taken;
  std::vector<std::pair<Time, Time>> spans;
  std::size_t count = 0;
  const Turns turns{scheduler, taken, spans, count};
  for (const auto& [entity, time] : {std::pair{0u, 110}, {1u, 20}, {2u, 115}, {3u, 130}})
    scheduler.schedule(entity, {time});
  std::vector<Event> events;
  for (Event event; scheduler.next({250}, event, turns);) events.push_back(event);
  EXPECT_EQ(events, (std::vector<Event>{{{20}, 1}, {{130}, 3}}));
  EXPECT_EQ(spans, (std::vector<std::pair<Time, Time>>{{{20}, {120}}, {{120}, {220}}, {{220}, {250}}}));
  EXPECT_EQ(count, 6u);
  scheduler.schedule(1, {260});
  scheduler.cancel(0);
  events.clear();
  for (Event event; scheduler.next({300}, event, turns);) events.push_back(event);
  EXPECT_EQ(events, (std::vector<Event>{{{260}, 1}}));
  EXPECT_EQ(count, 7u);
}

// A cancelled event of long ago does not matter to what comes 20 s later.
TEST(NodeScheduler, ForgetsCancelledEventsWhenItSkips) {
  NodeScheduler scheduler(4, {.node_of = {1, 0, 1, kNone}, .turn = Time{100}});
  scheduler.schedule(0, {0});
  scheduler.cancel(0);
  ASSERT_TRUE(scheduler.empty());
  const Time later{20 * kPicosecondsPerSecond};
  scheduler.skip_to(later);
  scheduler.schedule(2, later + Time{30});
  EXPECT_FALSE(scheduler.empty());
  Event event;
  ASSERT_TRUE(scheduler.next(later + Time{100}, event));
  EXPECT_EQ(event, (Event{later + Time{30}, 2}));
  EXPECT_FALSE(scheduler.next(later + Time{100}, event));
  EXPECT_TRUE(scheduler.empty());
}

// The same with two sides: both go on from where the scheduler has skipped to.
TEST(NodeScheduler, SkipsOnBothSides) {
  NodeScheduler scheduler(2, {.node_of = {0, 1}, .turn = Time{100}, .sides = {true, false}});
  const auto take_until = [&](std::int64_t end) {
    std::vector<Event> taken;
    for (Event event; scheduler.next({end}, event);) taken.push_back(event);
    return taken;
  };
  for (const Entity e : {0u, 1u}) scheduler.schedule(e, {350});
  scheduler.cancel(0);
  EXPECT_EQ(take_until(400), (std::vector<Event>{{{350}, 1}}));
  for (const Entity e : {0u, 1u}) {
    scheduler.schedule(e, {450});
    scheduler.cancel(e);
  }
  ASSERT_TRUE(scheduler.empty());
  scheduler.skip_to({10'000});
  EXPECT_EQ(scheduler.neighbours_taken_before(), Time{10'000});
  scheduler.schedule(0, {10'010});
  scheduler.schedule(1, {10'150});
  EXPECT_EQ(take_until(10'090), (std::vector<Event>{{{10'010}, 0}}));
  scheduler.schedule(0, {10'120});
  EXPECT_EQ(take_until(10'300), (std::vector<Event>{{{10'150}, 1}, {{10'120}, 0}}));
  EXPECT_TRUE(scheduler.empty());
}

// A part of a network may have nodes of one side only.
TEST(NodeScheduler, GoesOnWithOneSideAlone) {
  for (const bool side : {false, true}) {
    NodeScheduler scheduler(2, {.node_of = {0, 1}, .turn = Time{100}, .sides = {side, side}});
    for (const Entity e : {0u, 1u}) scheduler.schedule(e, {60 * e});
    std::vector<std::vector<Time>> taken(2);
    for (const std::int64_t end : {500, 900})
      for (Event event; scheduler.next({end}, event);) {
        taken[event.entity].push_back(event.time);
        scheduler.schedule(event.entity, event.time + Time{230});
      }
    EXPECT_EQ(taken[0], (std::vector<Time>{{0}, {230}, {460}, {690}}));
    EXPECT_EQ(taken[1], (std::vector<Time>{{60}, {290}, {520}, {750}}));
  }
}

// Passes without events are left out, and what is moved while they are is found.
TEST(NodeScheduler, FindsFewEventsFarApart) {
  NodeScheduler scheduler(200, {.turn = Time{10}});
  std::vector<Event> expected;
  for (Entity e = 0; e < 200; e += 40) expected.push_back({{std::int64_t{1'000'000'000} * (e + 1)}, e});
  for (const Event& event : expected) scheduler.schedule(event.entity, event.time);
  scheduler.schedule(199, {500});
  scheduler.cancel(199);
  std::vector<Event> taken;
  for (Time end; taken.size() < expected.size();)
    for (Event event; scheduler.next(end = end + Time{700'000'000}, event);) taken.push_back(event);
  EXPECT_EQ(taken, expected);
}

}  // namespace
}  // namespace weir::sim
