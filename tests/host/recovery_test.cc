// The two ends of selective recovery: what the receiver has, and what the sender makes of it.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "weir/host/reassembly.h"
#include "weir/host/scoreboard.h"

namespace weir::host {
namespace {

using namespace literals;

constexpr std::int64_t kPayload = 1'000;

RecoveryParams irn() { return {.kind = RecoveryKind::irn}; }
RecoveryParams sack() { return {.kind = RecoveryKind::sack}; }

// Ten packets and a half, of which the first `sent` have left, a microsecond apart.
Scoreboard board_of(const RecoveryParams& params, std::int64_t sent) {
  Scoreboard b;
  b.start(params, 10'500, kPayload, 10'500);
  for (std::int64_t n = 0; n < sent; ++n) b.on_send(n * kPayload, n * 1_us);
  return b;
}
Sack trigger(std::int64_t packet) { return {.trigger = packet}; }

TEST(Scoreboard, TakesWhatComesInOrder) {
  Scoreboard b = board_of(irn(), 4);
  const auto news = b.on_ack(2'000, trigger(1), 0_us);
  EXPECT_EQ(news.delivered, 2'000);
  EXPECT_EQ(news.lost, 0);
  EXPECT_EQ(b.delivered_bytes(), 0);
}

TEST(Scoreboard, IrnTakesOnePacketBehindAGapForALoss) {
  Scoreboard b = board_of(irn(), 5);
  const auto news = b.on_ack(1'000, trigger(3), 0_us);  // 1 and 2 are missing
  EXPECT_EQ(news.delivered, 2'000);
  EXPECT_EQ(news.lost, 2'000);
  EXPECT_EQ(b.delivered_bytes(), 1'000);
  EXPECT_EQ(b.first_lost(), 1'000);
  b.on_send(1'000, 9_us);
  EXPECT_EQ(b.first_lost(), 2'000);
  EXPECT_EQ(b.lost_bytes(), 1'000);
  b.on_send(2'000, 10_us);
  EXPECT_EQ(b.lost_bytes(), 0);
  EXPECT_EQ(b.on_ack(1'000, trigger(4), 0_us).lost, 0) << "packets sent again are not lost for the same reason";
}

TEST(Scoreboard, TcpWaitsForThreePacketsBehind) {
  Scoreboard b = board_of(sack(), 8);
  EXPECT_EQ(b.on_ack(1'000, trigger(2), 0_us).lost, 0);
  EXPECT_EQ(b.on_ack(1'000, trigger(3), 0_us).lost, 0);
  EXPECT_EQ(b.on_ack(1'000, trigger(4), 0_us).lost, 1'000);
  EXPECT_EQ(b.first_lost(), 1'000);
  EXPECT_EQ(b.on_ack(1'000, trigger(7), 0_us).lost, 0) << "behind 5 and 6 there is only one";
}

// Ten packets a microsecond apart, with round trips of 20 us: RACK waits for 5 us.
class Rack : public testing::Test {
 protected:
  Rack() {
    board_.start(sack(), 10'500, kPayload, 10'500, true);
    for (std::int64_t n = 0; n < 10; ++n) board_.on_send(n * kPayload, n * 1_us);
  }
  // Packet n has arrived, and all before `una`.
  Scoreboard::Findings acknowledge(std::int64_t una, std::int64_t n, Time late = {}) {
    return board_.on_ack(una * kPayload, trigger(n), n * 1_us, n * 1_us + 20_us + late);
  }
  Scoreboard board_;
};

TEST_F(Rack, ReorderingWithinTheWindowIsNoLoss) {
  EXPECT_EQ(acknowledge(1, 0).lost, 0);
  EXPECT_EQ(acknowledge(1, 2).lost, 0);
  EXPECT_EQ(board_.waits_until(), 1_us + 20_us + 5_us + Time{1});
  EXPECT_EQ(acknowledge(3, 1, 2_us).lost, 0);
  EXPECT_EQ(board_.waits_until(), Time::max());
  EXPECT_FALSE(board_.misses_any());
}

TEST_F(Rack, WaitsNoLonger) {
  acknowledge(1, 0);
  acknowledge(1, 2);
  EXPECT_EQ(board_.judge(1_us + 20_us + 5_us).lost, 0);
  EXPECT_EQ(board_.judge(board_.waits_until()).lost, kPayload);
  EXPECT_EQ(board_.first_lost(), kPayload);
  EXPECT_EQ(board_.waits_until(), Time::max());
}

TEST_F(Rack, ThreeBehindAreEnoughWithoutReordering) {
  acknowledge(1, 0);
  EXPECT_EQ(acknowledge(1, 2).lost, 0);
  EXPECT_EQ(acknowledge(1, 3).lost, 0);
  EXPECT_EQ(acknowledge(1, 4).lost, kPayload);
}

TEST_F(Rack, ThreeBehindAreNotEnoughWithReordering) {
  acknowledge(1, 0);
  acknowledge(1, 2);
  acknowledge(3, 1, 2_us);
  EXPECT_EQ(acknowledge(3, 4, 2_us).lost, 0);
  EXPECT_EQ(acknowledge(3, 5).lost, 0);
  EXPECT_EQ(acknowledge(3, 6).lost, 0);
  EXPECT_EQ(acknowledge(3, 9).lost, kPayload) << "it was sent 6 us before";
}

TEST_F(Rack, FindsASecondLossOfAPacket) {
  acknowledge(1, 0);
  EXPECT_EQ(acknowledge(1, 8).lost, 2 * kPayload) << "1 and 2";
  board_.on_send(kPayload, 30_us);
  board_.on_send(2 * kPayload, 31_us);
  EXPECT_EQ(board_.on_ack(kPayload, trigger(2), 31_us, 51_us).lost, 6 * kPayload) << "3 to 7 and 9";
  EXPECT_EQ(board_.judge(56_us).lost, kPayload) << "1 again";
}

TEST_F(Rack, TheLastOneNotKnownToHaveArrived) {
  acknowledge(1, 0);
  EXPECT_EQ(board_.last_sent(), 9 * kPayload);
  acknowledge(1, 9);
  EXPECT_EQ(board_.last_sent(), 8 * kPayload);
}

TEST(Scoreboard, ALostPacketThatArrivesAfterAllIsNotSentAgain) {
  Scoreboard b = board_of(irn(), 3);
  b.on_ack(0, trigger(1), 0_us);
  EXPECT_EQ(b.lost_bytes(), 1'000);
  const auto news = b.on_ack(2'000, trigger(0), 0_us);
  EXPECT_EQ(news.delivered, 1'000);
  EXPECT_EQ(b.lost_bytes(), 0);
  EXPECT_EQ(b.delivered_bytes(), 0);
}

TEST(Scoreboard, TheBitsMakeUpForLostAcknowledgements) {
  Scoreboard b = board_of(sack(), 6);
  // the acknowledgements of 2 and 3 were lost; that of 4 has their bits
  const auto news = b.on_ack(1'000, {.trigger = 4, .arrived = 0b1110, .ahead = -3}, 0_us);
  EXPECT_EQ(news.delivered, 1'000 + 3'000);
  EXPECT_EQ(news.lost, 1'000);
}

TEST(Scoreboard, ATimeoutLosesAllThatHasNotArrived) {
  Scoreboard b = board_of(sack(), 6);
  b.on_ack(1'000, trigger(3), 0_us);
  EXPECT_EQ(b.lose_all(), 4'000);
  EXPECT_EQ(b.first_lost(), 1'000);
  b.on_send(1'000, 20_us);
  EXPECT_EQ(b.first_lost(), 2'000);
}

TEST(Scoreboard, TheLastPacketCountsWhatItHolds) {
  Scoreboard b = board_of(irn(), 11);
  const auto news = b.on_ack(9'000, trigger(10), 0_us);
  EXPECT_EQ(news.delivered, 9'500);
  EXPECT_EQ(news.lost, 1'000);
  EXPECT_EQ(b.on_ack(10'500, trigger(9), 0_us).delivered, 1'000);
}

TEST(Scoreboard, WithAReorderingWindowTimeCounts) {
  RecoveryParams p = sack();
  p.reordering = 3_us;
  Scoreboard b = board_of(p, 8);
  EXPECT_EQ(b.on_ack(1'000, trigger(4), 0_us).lost, 0) << "1 was sent 3 us before 4";
  EXPECT_EQ(b.on_ack(1'000, trigger(5), 0_us).lost, 1'000);
  b.on_send(1'000, 10_us);
  EXPECT_EQ(b.on_ack(1'000, trigger(7), 0_us).lost, 2'000) << "2 and 3 were, too";
  // 2 and 3 again, then one that is new: 1 was lost again, and that is found, too
  b.on_send(2'000, 11_us);
  b.on_send(3'000, 12_us);
  b.on_send(8'000, 14_us);
  EXPECT_EQ(b.on_ack(1'000, trigger(8), 14_us).lost, 1'000 + 1'000) << "6 never arrived";
}

// What was sent again, but need not have been, arrives as it was first sent: that tells nothing of what was sent since.
TEST(Scoreboard, TheFirstOneArrivesAfterAll) {
  RecoveryParams p = sack();
  p.reordering = 3_us;
  Scoreboard b = board_of(p, 8);
  EXPECT_EQ(b.on_ack(1'000, trigger(5), 5_us).lost, 1'000);
  b.on_send(1'000, 30_us);
  EXPECT_EQ(b.on_ack(2'000, trigger(1), 1_us).lost, 0);
}

TEST(Scoreboard, LossesOfOneWindowAreOneEpisode) {
  Scoreboard b = board_of(irn(), 4);
  auto news = b.on_ack(1'000, trigger(2), 2_us);
  EXPECT_TRUE(b.begins_episode(news));
  b.on_send(4'000, 5_us);
  b.on_send(5'000, 6_us);
  b.on_send(6'000, 7_us);
  news = b.on_ack(1'000, trigger(4), 5_us);
  EXPECT_EQ(news.first_lost, 3'000);
  EXPECT_FALSE(b.begins_episode(news)) << "3 had been sent when 1 was found lost";
  news = b.on_ack(1'000, trigger(6), 7_us);
  EXPECT_TRUE(b.begins_episode(news)) << "5 had not, and 1 has still not been sent again";
}

// What a scoreboard has to find, in the plainest form: whatever an acknowledgement tells of is looked at.
class PlainBoard {
 public:
  explicit PlainBoard(const RecoveryParams& p) : p_(p) {}

  void on_send(std::int64_t n, Time now) {
    const bool again = !packets_.try_emplace(n).second;
    packets_[n] = {now, again, State::in_flight};
  }
  // All packets below `una` have arrived.
  void on_ack(std::int64_t una, const Sack& sack, Time sent) {
    latest_ = std::max(latest_, sent);
    for (std::int64_t n = 0; n < una; ++n) arrive(n);
    arrive(sack.trigger);
    for (int i = 0; i < 64; ++i)
      if ((sack.arrived >> i & 1) != 0) arrive(sack.first() + i);
    una_ = std::max(una_, una);
    frontier_ = std::max(frontier_, una_);
    if (p_.reordering > Time{}) {
      for (auto& [n, packet] : packets_)
        if (latest_ - packet.sent > p_.reordering) lose(packet);
      return;
    }
    while (count(State::delivered, frontier_ + 1) >= p_.threshold()) lose(packets_.at(frontier_++));
  }

  std::int64_t delivered() const { return count(State::delivered, 0); }
  std::int64_t delivered_behind() const { return count(State::delivered, una_); }
  std::int64_t lost() const { return count(State::lost, 0); }
  std::int64_t first_lost() const {
    return std::find_if(packets_.begin(), packets_.end(), [](const auto& p) { return p.second.state == State::lost; })
        ->first;
  }

 private:
  enum class State { in_flight, delivered, lost };
  struct Packet {
    Time sent;
    bool again = false;
    State state = State::in_flight;
  };

  void arrive(std::int64_t n) {
    Packet& packet = packets_.at(n);
    if (packet.state != State::delivered && !packet.again) latest_ = std::max(latest_, packet.sent);
    packet.state = State::delivered;
  }
  void lose(Packet& packet) {
    if (packet.state == State::in_flight) packet.state = State::lost;
  }
  std::int64_t count(State state, std::int64_t from) const {
    return std::count_if(packets_.lower_bound(from), packets_.end(),
                         [&](const auto& p) { return p.second.state == state; });
  }

  RecoveryParams p_;
  std::map<std::int64_t, Packet> packets_;
  std::int64_t una_ = 0;
  std::int64_t frontier_ = 0;
  Time latest_{-1};
};

// Packets and acknowledgements overtake each other, come twice or not at all, so that windows of 64 packets go on and
// back by less and by more than 64.
TEST(Scoreboard, WhatHasBeenToldBeforeChangesNothing) {
  constexpr std::int64_t kPackets = 400;
  struct Answer {
    std::int64_t una = 0;
    Sack sack;
    Time sent;
  };
  std::array<int, 4> jumps{};  // back by 64 and more, by less; on by less, by 64 and more
  for (unsigned seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    RecoveryParams p = seed % 3 == 0 ? irn() : sack();
    if (seed % 3 == 2) p.reordering = 100_us;
    Scoreboard board;
    PlainBoard plain(p);
    Reassembly have;
    board.start(p, kPackets * kPayload, kPayload, kPackets * kPayload);
    have.start(kPayload);
    std::int64_t next = 0;
    std::int64_t delivered = 0;
    std::int64_t lost = 0;
    std::int64_t told = 0;
    std::vector<std::pair<std::int64_t, Time>> on_the_way;
    std::vector<Answer> answers;
    const auto pick = [&](auto& from) {  // most are taken in turn, some from anywhere, which then come twice
      const bool in_turn = random() % 8 != 0;
      const std::size_t at = in_turn ? 0 : random() % from.size();
      const auto out = from[at];
      if (in_turn || random() % 2 == 0) from.erase(from.begin() + static_cast<std::ptrdiff_t>(at));
      return out;
    };
    for (std::int64_t step = 0; step < 4 * kPackets; ++step) {
      const Time now = step * 1_us;
      if (next < kPackets || board.lost_bytes() > 0) {
        const std::int64_t n = board.lost_bytes() > 0 && random() % 2 == 0 ? board.first_lost() / kPayload : next;
        if (n < kPackets) {
          if (n == next) ++next;
          board.on_send(n * kPayload, now);
          plain.on_send(n, now);
          if (random() % 4 != 0) on_the_way.emplace_back(n, now);
        }
      }
      if (on_the_way.size() > seed * 2 || (next == kPackets && !on_the_way.empty())) {
        const auto [n, sent] = pick(on_the_way);
        have.take(n * kPayload, kPayload);
        answers.push_back({have.expected() / kPayload, have.sack(n * kPayload), sent});
        if (random() % 4 == 0) answers.pop_back();
      }
      if (answers.size() <= seed % 7 * 20 && (step < 3 * kPackets || answers.empty())) continue;
      const Answer answer = pick(answers);
      const auto found = board.on_ack(answer.una * kPayload, answer.sack, answer.sent);
      plain.on_ack(answer.una, answer.sack, answer.sent);
      const std::int64_t jump = answer.sack.first() - std::exchange(told, answer.sack.first());
      ++jumps[jump < 0 ? jump > -64 : 2 + (jump >= 64)];
      delivered += found.delivered;
      ASSERT_EQ(delivered, plain.delivered() * kPayload) << "seed " << seed << ", step " << step;
      ASSERT_EQ(board.delivered_bytes(), plain.delivered_behind() * kPayload) << "seed " << seed << ", step " << step;
      ASSERT_EQ(board.lost_bytes(), plain.lost() * kPayload) << "seed " << seed << ", step " << step;
      if (plain.lost() > 0) {
        ASSERT_EQ(board.first_lost(), plain.first_lost() * kPayload) << "seed " << seed << ", step " << step;
      }
      lost += found.lost;
    }
    EXPECT_GT(lost, 0) << "seed " << seed;
  }
  for (const int times : jumps) EXPECT_GT(times, 100);
}

TEST(Reassembly, KeepsWhatComesOutOfOrder) {
  Reassembly r;
  r.start(kPayload);
  EXPECT_TRUE(r.take(0, kPayload));
  EXPECT_EQ(r.expected(), 1'000);
  EXPECT_TRUE(r.take(2'000, kPayload));
  EXPECT_FALSE(r.take(2'000, kPayload));
  EXPECT_EQ(r.expected(), 1'000);
  const Sack s = r.sack(2'000);
  EXPECT_EQ(s.trigger, 2);
  EXPECT_EQ(s.first(), 1);
  EXPECT_EQ(s.arrived, 0b10u);
  EXPECT_TRUE(r.take(3'000, 400));
  EXPECT_TRUE(r.take(1'000, kPayload));
  EXPECT_EQ(r.expected(), 3'400) << "the last packet is short";
  EXPECT_FALSE(r.take(0, kPayload));
}

TEST(Reassembly, TellsOfThe64PacketsUpToALateOne) {
  Reassembly r;
  r.start(kPayload);
  for (std::int64_t n = 1; n <= 200; ++n)
    if (n % 3 != 0) r.take(n * kPayload, kPayload);
  const Sack s = r.sack(200 * kPayload);
  EXPECT_EQ(s.first(), 137);
  for (int i = 0; i < 64; ++i) EXPECT_EQ((s.arrived >> i & 1) != 0, (137 + i) % 3 != 0) << i;
}

// Packets, acknowledgements and packets sent again are lost at random; all arrives in the end, and both ends agree.
TEST(Recovery, DeliversAllWhateverIsLost) {
  for (unsigned seed = 0; seed < 200; ++seed) {
    std::mt19937 random(seed);
    RecoveryParams p = seed % 2 == 0 ? irn() : sack();
    if (seed % 4 == 3) p.reordering = 2_us;
    const std::int64_t size = 1 + static_cast<std::int64_t>(random() % 300'000);
    Scoreboard board;
    Reassembly have;
    board.start(p, size, kPayload, size);
    have.start(kPayload);
    std::int64_t una = 0;
    std::int64_t next = 0;
    std::int64_t delivered = 0;
    Time now;
    for (int step = 0; una < size; ++step) {
      ASSERT_LT(step, 100'000) << "seed " << seed;
      now += 1_us;
      std::int64_t seq = next;
      if (board.lost_bytes() > 0) {
        seq = board.first_lost();
      } else if (next >= size) {
        board.lose_all();
        continue;
      }
      board.on_send(seq, now);
      const std::int64_t payload = std::min(kPayload, size - seq);
      if (seq == next) next += payload;
      if (random() % 4 == 0) continue;
      have.take(seq, payload);
      const Sack s = have.sack(seq);
      if (random() % 4 == 0) continue;
      const auto news = board.on_ack(have.expected(), s, now);
      una = have.expected();
      delivered += news.delivered;
      ASSERT_GE(next - una, board.delivered_bytes() + board.lost_bytes()) << "seed " << seed;
    }
    EXPECT_EQ(delivered, size) << "seed " << seed;
    EXPECT_EQ(board.delivered_bytes() + board.lost_bytes(), 0) << "seed " << seed;
  }
}

}  // namespace
}  // namespace weir::host
