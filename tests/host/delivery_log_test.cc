#include "weir/host/delivery_log.h"

#include <gtest/gtest.h>

#include <random>
#include <vector>

namespace weir::host {
namespace {

using namespace literals;

constexpr Bytes kPacket{1'000};

DeliveryLog log_of_a_flow() {
  DeliveryLog log;
  log.start(kPacket);
  return log;
}

// Three packets a microsecond apart, acknowledged after 10 us, at a rate of one in 2 us:
//   packet   sent   acknowledged   delivered since it was sent   in
//   0        0      10             1,000                         10
//   1        1      12             2,000                         12: none was delivered when it was sent
//   2        2      14             3,000                         14
// The fourth is sent with the first acknowledgement, when 1,000 B had been delivered, and acknowledged at 20: 3,000 B
// more, in 10 us.
TEST(DeliveryLog, ByHand) {
  auto log = log_of_a_flow();
  log.on_send(0, 0, false, 0_us);
  log.on_send(1'000, 0, false, 1_us);
  log.on_send(2'000, 0, false, 2_us);
  const auto first = log.on_ack(1'000, 0, 0_us, 10_us);
  EXPECT_EQ(first.delivered, 1'000_B);
  EXPECT_EQ(first.span, 10_us);
  EXPECT_FALSE(first.app_limited);
  log.on_send(3'000, 1'000, false, 10_us);
  EXPECT_EQ(log.on_ack(1'000, 1'000, 1_us, 12_us).span, 12_us);
  const auto third = log.on_ack(1'000, 2'000, 2_us, 14_us);
  EXPECT_EQ(third.delivered, 3'000_B);
  EXPECT_EQ(third.span, 14_us);
  const auto fourth = log.on_ack(1'000, 3'000, 10_us, 20_us);
  EXPECT_EQ(fourth.delivered, 3'000_B);
  EXPECT_EQ(fourth.span, 10_us);
}

// Acknowledgements that were held up come in a burst. The packet at 9,000 is sent at 19 us, and the last one delivered
// by then was the first, sent at 0: what came since took as long to send, though it was acknowledged within 12 us.
TEST(DeliveryLog, DataDoesNotArriveFasterThanItIsSent) {
  auto log = log_of_a_flow();
  for (std::int64_t i = 0; i < 9; ++i) log.on_send(i * 1'000, 0, false, i * 2_us);
  log.on_ack(1'000, 0, 0_us, 18_us);
  log.on_send(9'000, 1'000, false, 19_us);
  for (std::int64_t i = 1; i < 9; ++i) log.on_ack(1'000, i * 1'000, i * 2_us, 30_us);
  const auto sample = log.on_ack(1'000, 9'000, 19_us, 30_us);
  EXPECT_EQ(sample.delivered, 9'000_B);
  EXPECT_EQ(sample.span, 19_us);
}

TEST(DeliveryLog, NothingCountsFromBeforeAnIdleTime) {
  auto log = log_of_a_flow();
  log.on_send(0, 0, false, 0_us);
  log.on_ack(1'000, 0, 0_us, 10_us);
  log.on_send(1'000, 1'000, false, 500_us);
  const auto sample = log.on_ack(1'000, 1'000, 500_us, 510_us);
  EXPECT_EQ(sample.delivered, 1'000_B);
  EXPECT_EQ(sample.span, 10_us);
}

// An acknowledgement of the first transmission says nothing once the packet has been sent again; nor does a duplicate.
TEST(DeliveryLog, SentAgain) {
  auto log = log_of_a_flow();
  log.on_send(0, 0, false, 0_us);
  log.on_send(1'000, 0, false, 1_us);
  log.on_send(0, 0, true, 50_us);
  log.on_send(1'000, 0, true, 51_us);
  EXPECT_EQ(log.on_ack(0, 0, 0_us, 52_us).span, 0_us);
  EXPECT_EQ(log.on_ack(1'000, 0, 0_us, 53_us).span, 0_us);
  const auto sample = log.on_ack(1'000, 1'000, 51_us, 61_us);
  EXPECT_EQ(sample.delivered, 2'000_B);
  EXPECT_EQ(sample.span, 61_us);  // none had been delivered since the start
}

// The sender has sent all it has while 2,000 B are on their way: what it sends until these are delivered, and what it
// sends with the last of them, tells of the sender.
TEST(DeliveryLog, LimitedByTheApplication) {
  auto log = log_of_a_flow();
  log.on_send(0, 0, false, 0_us);
  log.on_send(1'000, 0, false, 1_us);
  log.limit(2'000);
  log.on_send(2'000, 0, false, 2_us);
  EXPECT_FALSE(log.on_ack(1'000, 0, 0_us, 10_us).app_limited);
  EXPECT_FALSE(log.on_ack(1'000, 1'000, 1_us, 11_us).app_limited);
  log.on_send(3'000, 2'000, false, 11_us);
  EXPECT_TRUE(log.on_ack(1'000, 2'000, 2_us, 12_us).app_limited);
  log.on_send(4'000, 3'000, false, 12_us);
  EXPECT_TRUE(log.on_ack(1'000, 3'000, 11_us, 21_us).app_limited);
  EXPECT_FALSE(log.on_ack(1'000, 4'000, 12_us, 22_us).app_limited);
}

// A new flow in the same slot knows nothing of the previous one.
TEST(DeliveryLog, StartsAnew) {
  auto log = log_of_a_flow();
  log.on_send(0, 0, false, 0_us);
  log.limit(1'000);
  log.on_ack(1'000, 0, 0_us, 10_us);
  log.start(500_B);
  log.on_send(0, 0, false, 100_us);
  log.on_send(500, 0, false, 101_us);
  log.on_ack(500, 0, 100_us, 110_us);
  const auto sample = log.on_ack(500, 500, 101_us, 111_us);
  EXPECT_EQ(sample.delivered, 1'000_B);
  EXPECT_EQ(sample.span, 11_us);
  EXPECT_FALSE(sample.app_limited);
}

// However many packets are in flight, each finds its own note. A flow whose window swings, against notes kept for all.
TEST(DeliveryLog, KeepsANoteOfEveryPacketInFlight) {
  struct Note {
    Time sent;
    std::int64_t delivered;
    Time delivered_at;
    Time first_sent;
  };
  auto log = log_of_a_flow();
  std::mt19937_64 random(11);
  std::vector<Note> notes;
  std::int64_t una = 0;
  Time now = 1_us;
  Time delivered_at;
  Time first_sent;
  for (int turn = 0; turn < 2'000; ++turn) {
    for (auto n = random() % (turn % 100 == 0 ? 400 : 9); n > 0; --n) {
      now += Time{static_cast<std::int64_t>(1 + random() % 1'000)};
      const auto seq = static_cast<std::int64_t>(notes.size()) * 1'000;
      if (seq == una) first_sent = delivered_at = now;
      notes.push_back({now, una, delivered_at, first_sent});
      log.on_send(seq, una, false, now);
    }
    for (auto n = random() % 9; n > 0 && una < static_cast<std::int64_t>(notes.size()) * 1'000; --n) {
      now += Time{static_cast<std::int64_t>(1 + random() % 1'000)};
      const Note& note = notes[static_cast<std::size_t>(una / 1'000)];
      const auto sample = log.on_ack(1'000, una, note.sent, now);
      una += 1'000;
      delivered_at = now;
      first_sent = note.sent;
      ASSERT_EQ(sample.delivered.count, una - note.delivered);
      ASSERT_EQ(sample.span, std::max(now - note.delivered_at, note.sent - note.first_sent));
    }
  }
  EXPECT_GT(notes.size(), 8'000u);
}

}  // namespace
}  // namespace weir::host
