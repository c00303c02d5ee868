#include "hosts/queue/receiving.h"

#include <gtest/gtest.h>

namespace weir::hosts {
namespace {

constexpr std::int64_t kUs = 1'000;
constexpr std::int64_t kMs = 1'000'000;

Segment segment(std::uint16_t port, std::uint32_t length = 1'448) {
  return {.flow = {{.bytes = {10, 77, 1, 2}}, {.bytes = {10, 77, 2, 2}}, port, 5'000}, .length = length};
}

// How many of `count` packets, so far apart, are answered.
int answered(Receiving& receiving, int count, std::int64_t apart, std::uint32_t length = 1'448) {
  int out = 0;
  for (int i = 0; i != count; ++i) out += receiving.answers(segment(1, length), kMs + i * apart) ? 1 : 0;
  return out;
}

TEST(Receiving, TheFirstPacketAfterASilenceIsAnswered) {
  Receiving receiving({.burst_gap = 100 * kUs});
  EXPECT_EQ(answered(receiving, 10, 100 * kUs), 10);
  Receiving denser({.burst_gap = 100 * kUs});
  EXPECT_EQ(answered(denser, 10, 99 * kUs), 1);
}

TEST(Receiving, OneOfSoManyBytesOrPackets) {
  Receiving bytes({.packets = 0, .bytes = 64'000});
  EXPECT_EQ(answered(bytes, 100, 1 * kUs, 6'400), 1 + 9) << "the first one, then each tenth";
  Receiving packets({.packets = 4, .bytes = 0});
  EXPECT_EQ(answered(packets, 101, 1 * kUs), 1 + 25);
  Receiving all({.packets = 1, .bytes = 0});
  EXPECT_EQ(answered(all, 100, 1 * kUs), 100);
  Receiving none({.packets = 0, .bytes = 0});
  EXPECT_EQ(answered(none, 100, 1 * kUs), 1);
}

TEST(Receiving, TheLastPacketOfAFlowIsAnswered) {
  Receiving receiving({});
  EXPECT_TRUE(receiving.answers(segment(1), kMs));
  EXPECT_FALSE(receiving.answers(segment(1), kMs));
  Segment last = segment(1);
  last.ends = true;
  EXPECT_TRUE(receiving.answers(last, kMs));
}

TEST(Receiving, PacketsThatWereGatheredCountAsManyAsTheyWere) {
  Receiving receiving({});
  EXPECT_TRUE(receiving.answers(segment(1), kMs));
  Segment gathered = segment(1, 5 * 1'448);
  gathered.packets = 5;
  EXPECT_FALSE(receiving.answers(gathered, kMs));
  EXPECT_TRUE(receiving.answers(gathered, kMs));
}

TEST(Receiving, FlowsAreCountedApart) {
  Receiving receiving({});
  EXPECT_TRUE(receiving.answers(segment(1), kMs));
  EXPECT_TRUE(receiving.answers(segment(2), kMs));
  EXPECT_FALSE(receiving.answers(segment(1), kMs + 1));
  EXPECT_EQ(receiving.packets(), 3u);
  EXPECT_EQ(receiving.bytes(), 3u * 1'448);
}

TEST(Receiving, TheRateOfTheHostIsBounded) {
  Receiving receiving({.packets = 1, .per_second = 1'000});
  EXPECT_EQ(answered(receiving, 2'000, 1 * kUs), 100 + 1) << "a reserve of a tenth of a second, and 2 ms";
  EXPECT_EQ(receiving.limited(), 1'899u);
  int more = 0;
  for (int i = 0; i != 10'000; ++i) more += receiving.answers(segment(1), 3 * kMs + i * 100 * kUs) ? 1 : 0;
  EXPECT_NEAR(more, 1'000, 2);
}

TEST(Receiving, ClocksThatGoBackDoNoHarm) {
  Receiving receiving({.packets = 1, .per_second = 10});
  int all = 0;
  for (int i = 0; i != 1'000; ++i) all += receiving.answers(segment(1), kMs * (1'000 - i)) ? 1 : 0;
  EXPECT_EQ(all, 1);
}

TEST(Receiving, WithoutRoomFlowsAreNotAnswered) {
  Receiving receiving({}, 1);
  EXPECT_TRUE(receiving.answers(segment(1), kMs));
  EXPECT_FALSE(receiving.answers(segment(2), kMs));
  receiving.sweep(kMs + Receiving::kIdle + 1);
  EXPECT_TRUE(receiving.answers(segment(2), kMs + Receiving::kIdle + 1));
}

}  // namespace
}  // namespace weir::hosts
