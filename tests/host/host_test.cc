// The queues of a NIC scheduler, and the slots of flows.
#include "weir/host/host.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

namespace weir::host {
namespace {

using namespace literals;

TEST(TimedQueue, GivesTheEarliestThenTheSmallestSlot) {
  TimedQueue q;
  EXPECT_TRUE(q.empty());
  EXPECT_EQ(q.first(), Time::max());
  std::mt19937_64 random(1);
  std::vector<TimedSlot> expected;
  for (std::uint32_t slot = 0; slot < 500; ++slot) {
    const TimedSlot entry{{static_cast<std::int64_t>(random() % 40)}, slot, slot * 3};
    expected.push_back(entry);
  }
  std::vector<TimedSlot> shuffled = expected;
  for (std::size_t i = shuffled.size(); i > 1; --i) std::swap(shuffled[i - 1], shuffled[random() % i]);
  for (const auto& entry : shuffled) q.push(entry);
  std::stable_sort(expected.begin(), expected.end(), [](const auto& a, const auto& b) { return a.time < b.time; });
  for (const auto& e : expected) {
    ASSERT_EQ(q.first(), e.time);
    ASSERT_EQ(q.top().slot, e.slot);
    ASSERT_EQ(q.top().generation, e.generation);
    q.pop();
  }
  EXPECT_TRUE(q.empty());
}

TEST(SlotQueue, IsFirstInFirstOutWhileItGrows) {
  SlotQueue q;
  EXPECT_TRUE(q.empty());
  std::uint32_t in = 0;
  std::uint32_t out = 0;
  for (int round = 0; round < 100; ++round) {
    for (int i = 0; i < 5; ++i, ++in) q.push({in, in + 7});
    for (int i = 0; i < 3; ++i, ++out) {
      const auto entry = q.pop();
      ASSERT_EQ(entry.slot, out);
      ASSERT_EQ(entry.generation, out + 7);
    }
  }
  for (; !q.empty(); ++out) ASSERT_EQ(q.pop().slot, out);
  EXPECT_EQ(out, in);
}

TEST(Host, ReusesSlotsUnderANewGeneration) {
  Host host;
  Flow a;
  Flow b;
  const std::uint32_t first = host.take_slot();
  host.flows[first] = &a;
  const std::uint32_t generation = host.generations[first];
  const std::uint32_t second = host.take_slot();
  host.flows[second] = &b;
  EXPECT_NE(first, second);
  EXPECT_EQ(host.find(first, generation), &a);
  EXPECT_EQ(host.find(first, generation + 1), nullptr);
  EXPECT_EQ(host.find(99, 0), nullptr);

  host.free_slot(first);
  EXPECT_EQ(host.find(first, generation), nullptr);
  EXPECT_EQ(host.find(first, generation + 1), nullptr);  // the new generation has no flow yet
  EXPECT_EQ(host.find(second, host.generations[second]), &b);
  EXPECT_EQ(host.take_slot(), first);
  host.flows[first] = &b;
  EXPECT_EQ(host.find(first, generation), nullptr) << "feedback for the old flow reaches the new one";
  EXPECT_EQ(host.find(first, generation + 1), &b);
}

TEST(Host, KnowsItsNextStart) {
  Host host;
  EXPECT_EQ(host.first_start(), Time::max());
  for (const Time start : {3_us, 5_us}) {
    traffic::Flow f;
    f.start = start;
    host.starts.push_back(f);
  }
  EXPECT_EQ(host.first_start(), 3_us);
  ++host.next_start;
  EXPECT_EQ(host.first_start(), 5_us);
  ++host.next_start;
  EXPECT_EQ(host.first_start(), Time::max());
}

TEST(Flow, MaySendWhileItsWindowIsOpen) {
  Flow f;
  f.facts.size = 3'000_B;
  f.send_limit = 3'000;
  f.control.window = 1'500_B;
  EXPECT_TRUE(f.sendable());
  f.snd_nxt = 1'000;
  EXPECT_TRUE(f.sendable());  // the window is not full, so a whole packet may go
  f.snd_nxt = 2'000;
  EXPECT_FALSE(f.sendable());
  f.snd_una = 1'000;
  EXPECT_TRUE(f.sendable());
  f.snd_nxt = 3'000;
  f.snd_una = 2'999;
  EXPECT_FALSE(f.sendable());  // all has been sent
  f.resend = true;
  f.not_in_flight = 1;
  EXPECT_TRUE(f.sendable());  // but some of it is lost
  f.control.window = {};
  f.snd_nxt = f.snd_una;
  f.not_in_flight = 0;
  EXPECT_FALSE(f.sendable());
}

TEST(Flow, KeepsItsAlgorithmBehindIt) {
  static_assert(sizeof(Flow) % 64 == 0 && alignof(Flow) == 64);
  Flow f;
  EXPECT_EQ(static_cast<std::byte*>(f.state()) - reinterpret_cast<std::byte*>(&f), std::ptrdiff_t{sizeof(Flow)});
}

TEST(FlowRecord, TellsWhatIsKnown) {
  Flow f;
  f.id = 42;
  f.dst = 3;
  f.facts.size = 700_B;
  f.facts.start = 5_us;
  f.retransmitted = 2;
  f.profile = 1;
  f.tag = 6;
  const FlowRecord r = record_of(9, f, 8_us);
  EXPECT_EQ(r.id, 42u);
  EXPECT_EQ(r.src, 9u);
  EXPECT_EQ(r.dst, 3u);
  EXPECT_EQ(r.size, 700_B);
  EXPECT_EQ(r.start, 5_us);
  EXPECT_EQ(r.finish, 8_us);
  EXPECT_EQ(r.retransmitted, 2u);
  EXPECT_EQ(r.profile, 1);
  EXPECT_EQ(r.tag, 6);
}

}  // namespace
}  // namespace weir::host
