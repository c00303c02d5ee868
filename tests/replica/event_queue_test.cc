// The event queue beside a sorted list, with the slots of both replicas.
#include "weir/replica/event_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>

namespace weir::replica {
namespace {

struct Taken {
  std::int64_t time = 0;
  std::uint32_t index = 0;
  friend bool operator==(const Taken&, const Taken&) = default;
};

void PrintTo(const Taken& t, std::ostream* out) { *out << t.time << " #" << t.index; }

// Both get the same events, numbered in the order of scheduling.
template <class Queue>
class Pair {
 public:
  void schedule(std::int64_t time) {
    queue_.schedule(time, {.kind = 1, .index = next_, .data = next_ + 1});
    list_.emplace(time, next_++);  // behind those of the same time
  }
  // What the queue takes, which has to be what the list has first; false if neither has anything before `end`.
  bool take(std::int64_t end) {
    std::optional<Taken> expected;
    if (!list_.empty() && list_.begin()->first < end) {
      expected = {list_.begin()->first, list_.begin()->second};
      list_.erase(list_.begin());
    }
    std::optional<Taken> taken;
    if (Event event; queue_.take(end, event)) {
      taken = {queue_.now(), event.index};
      EXPECT_EQ(event.data, event.index + 1);
    }
    EXPECT_EQ(taken, expected);
    EXPECT_EQ(queue_.empty(), list_.empty());
    return taken.has_value();
  }
  std::int64_t now() const { return queue_.now(); }
  std::size_t size() const { return list_.size(); }

 private:
  Queue queue_;
  std::multimap<std::int64_t, std::uint32_t> list_;
  std::uint32_t next_ = 0;
};

template <class Queue>
class EventQueueTest : public testing::Test {
 protected:
  Pair<Queue> pair_;
};

using Ns3Queue = EventQueue<0, 1u << 13>;
using UetQueue = EventQueue<7, 1u << 17>;
using Queues = testing::Types<Ns3Queue, UetQueue, EventQueue<0, 64>, EventQueue<7, 64>, EventQueue<3, 128>>;
TYPED_TEST_SUITE(EventQueueTest, Queues);

TYPED_TEST(EventQueueTest, IsEmptyAtFirst) {
  EXPECT_FALSE(this->pair_.take(1'000));
  EXPECT_EQ(this->pair_.now(), 0);
}

TYPED_TEST(EventQueueTest, KeepsTheOrderOfSchedulingAtOneTime) {
  for (const std::int64_t time : {5, 5, 0, 5, 0, 1'000'000'000, 5, 1'000'000'000}) this->pair_.schedule(time);
  while (this->pair_.take(1'000'000'001)) {
  }
}

TYPED_TEST(EventQueueTest, SortsWithinASlot) {
  for (const std::int64_t time : {1'127, 1'026, 1'100, 1'026, 1'127, 1'024, 1'099}) this->pair_.schedule(time);
  while (this->pair_.take(2'000)) {
  }
}

// An event may schedule others in the slot that is under way: before, with and behind those that are there.
TYPED_TEST(EventQueueTest, TakesMoreIntoThePresentSlot) {
  for (const std::int64_t time : {1'030, 1'060, 1'090}) this->pair_.schedule(time);
  EXPECT_TRUE(this->pair_.take(2'000));
  for (const std::int64_t time : {1'060, 1'030, 1'040, 1'150, 1'090, 1'059}) this->pair_.schedule(time);
  while (this->pair_.take(2'000)) {
  }
}

// What lies as far ahead as the lists reach, or just beyond, comes out in order with what is scheduled later at its
// time from near by.
TYPED_TEST(EventQueueTest, MovesWhatIsFarIntoItsList) {
  for (const unsigned bits : {6u, 7u, 10u, 13u, 24u})
    for (const std::int64_t ahead : {-129, -128, -1, 0, 1, 127, 128}) {
      const std::int64_t time = this->pair_.now() + (std::int64_t{1} << bits) + ahead;
      if (time < this->pair_.now()) continue;
      this->pair_.schedule(time);
      this->pair_.schedule(this->pair_.now() + 1);
      EXPECT_TRUE(this->pair_.take(time + 1'000));
      this->pair_.schedule(std::max(time, this->pair_.now()));
    }
  while (this->pair_.take(INT64_MAX)) {
  }
}

TYPED_TEST(EventQueueTest, TakesNothingFromItsEndOn) {
  this->pair_.schedule(1'040);
  EXPECT_FALSE(this->pair_.take(1'024));
  EXPECT_FALSE(this->pair_.take(1'030));  // within the slot, for wide ones
  this->pair_.schedule(1'030);
  EXPECT_FALSE(this->pair_.take(1'030));
  EXPECT_TRUE(this->pair_.take(1'031));
  EXPECT_FALSE(this->pair_.take(1'040));
  EXPECT_TRUE(this->pair_.take(1'041));
}

// Gaps are of every order of magnitude, and events come in bursts, as they do in a run.
TYPED_TEST(EventQueueTest, GivesARandomProgramInOrder) {
  std::mt19937_64 random(7);
  const auto below = [&](std::uint64_t n) { return static_cast<std::int64_t>(random() % n); };
  std::int64_t earliest = 0;
  for (int step = 0; step < 20'000; ++step) {
    for (std::int64_t n = this->pair_.size() < 300 ? below(4) : 0; n > 0; --n)
      this->pair_.schedule(earliest + below(std::uint64_t{1} << below(27)));
    const std::int64_t end = earliest + below(std::uint64_t{1} << below(20));
    bool is_more = true;
    for (std::int64_t n = below(4); n > 0 && is_more; --n) is_more = this->pair_.take(end);
    earliest = is_more ? std::max(earliest, this->pair_.now()) : end;
  }
  while (this->pair_.take(INT64_MAX)) {
  }
  EXPECT_EQ(this->pair_.size(), 0u);
}

}  // namespace
}  // namespace weir::replica
