// What a loss costs a flow, by hand.
#include <gtest/gtest.h>

#include <set>

#include "tests/engine/scenario.h"

namespace weir::engine {
namespace {

using namespace literals;

// No window, no pacing.
// Losses by hand: a star with links of 100 Gb/s and 1 us. A full packet of 1048 bytes lasts 83,840 ps and reaches the
// switch 1,083,840 ps after it was sent; host 0 sends one every 838,400 ps. The buffer holds one waiting packet.
class HandMadeLoss : public testing::Test {
 protected:
  HandMadeLoss() {
    scenario_.topology = build(net::Star{8});
    scenario_.profiles = {unlimited(), profile("fixed-window", {{"window", "1 GB"}, {"rate", "10 Gbps"}})};
    scenario_.buffer.mode = net::BufferMode::lossy;
    scenario_.buffer.size = {2'000};
    scenario_.transport.min_rto = 1_ms;
  }
  static constexpr Time kStart = 10_us;
  static constexpr Time kGap{838'400};
  static constexpr Time kToSwitch{1'083'840};
  static constexpr Time kAckLink{1'004'800};  // 60 bytes
  static constexpr Time kAlone = 2 * kToSwitch + 2 * kAckLink;

  // At `now` the switch's port to this host is busy and one packet waits: what comes then is dropped.
  void block(std::uint32_t host, Time now) {
    scenario_.add_flow(6, host, 1'000_B, now - kToSwitch - Time{900});
    scenario_.add_flow(7, host, 1'000_B, now - kToSwitch - Time{800});
  }
  // How long the flow from host 0 to host 1 takes.
  Time completion(Bytes size) {
    scenario_.add_flow(0, 1, size, kStart, 1);
    const Outcome out = run(scenario_);
    counters_ = out.counters;
    for (const auto& f : out.flows)
      if (f.src == 0) return f.finish - f.start;
    return Time::max();
  }

  Scenario scenario_;
  Counters counters_;
};

class HandMadeLossIrn : public HandMadeLoss {
 protected:
  HandMadeLossIrn() {
    for (auto& p : scenario_.profiles) p.recovery.kind = host::RecoveryKind::irn;
  }
};

class HandMadeLossSack : public HandMadeLoss {
 protected:
  HandMadeLossSack() {
    for (auto& p : scenario_.profiles) p.recovery.kind = host::RecoveryKind::sack;
  }
};

TEST_F(HandMadeLoss, OfNothing) {
  EXPECT_EQ(completion(3'000_B).ps, (2 * kGap + kAlone).ps);
  EXPECT_EQ(counters_.dropped, 0u);
}

TEST_F(HandMadeLoss, OfTheOnlyPacket) {
  block(1, kStart + kToSwitch);
  EXPECT_EQ(completion(1'000_B).ps, (1_ms + kAlone).ps);
  EXPECT_EQ(counters_.dropped, 1u);
  EXPECT_EQ(counters_.timeouts, 1u);
  EXPECT_EQ(counters_.retransmitted, 1u);
}

// The timer runs from the last acknowledgement of something new.
TEST_F(HandMadeLoss, OfTheLastPacket) {
  block(1, kStart + 2 * kGap + kToSwitch);
  EXPECT_EQ(completion(3'000_B).ps, (kGap + kAlone + 1_ms + kAlone).ps);
  EXPECT_EQ(counters_.dropped, 1u);
  EXPECT_EQ(counters_.nacks, 0u);
  EXPECT_EQ(counters_.timeouts, 1u);
  EXPECT_EQ(counters_.retransmitted, 1u);
}

TEST_F(HandMadeLoss, OfTheOnlyAcknowledgement) {
  block(0, kStart + 2 * kToSwitch + kAckLink);
  EXPECT_EQ(completion(1'000_B).ps, (1_ms + kAlone).ps);
  EXPECT_EQ(counters_.dropped, 1u);
  EXPECT_EQ(counters_.timeouts, 1u);
  EXPECT_EQ(counters_.retransmitted, 1u);
}

TEST_F(HandMadeLoss, OfAnAcknowledgementBeforeAnother) {
  block(0, kStart + 2 * kToSwitch + kAckLink);
  EXPECT_EQ(completion(3'000_B).ps, (2 * kGap + kAlone).ps);
  EXPECT_EQ(counters_.dropped, 1u);
  EXPECT_EQ(counters_.timeouts, 0u);
  EXPECT_EQ(counters_.retransmitted, 0u);
}

// The second packet comes out of order; its NACK makes the sender go back at once.
TEST_F(HandMadeLoss, OfTheFirstPacket) {
  block(1, kStart + kToSwitch);
  EXPECT_EQ(completion(2'000_B).ps, (kGap + kAlone + kGap + kAlone).ps);
  EXPECT_EQ(counters_.dropped, 1u);
  EXPECT_EQ(counters_.nacks, 1u);
  EXPECT_EQ(counters_.timeouts, 0u);
  EXPECT_EQ(counters_.retransmitted, 2u);
}

TEST_F(HandMadeLoss, OfTheFirstPacketAndItsNack) {
  block(1, kStart + kToSwitch);
  block(0, kStart + kGap + 2 * kToSwitch + kAckLink);
  EXPECT_EQ(completion(2'000_B).ps, (1_ms + kGap + kAlone).ps);
  EXPECT_EQ(counters_.dropped, 2u);
  EXPECT_EQ(counters_.nacks, 1u);
  EXPECT_EQ(counters_.timeouts, 1u);
  EXPECT_EQ(counters_.retransmitted, 2u);
}

// Each timeout without progress doubles the next.
TEST_F(HandMadeLoss, OfOnePacketThreeTimes) {
  for (const Time sent : {Time{}, 1_ms, 3_ms}) block(1, kStart + sent + kToSwitch);
  EXPECT_EQ(completion(1'000_B).ps, (7_ms + kAlone).ps);
  EXPECT_EQ(counters_.dropped, 3u);
  EXPECT_EQ(counters_.timeouts, 3u);
}

// A gap is reported once; again only after nack_interval. Meanwhile six packets have been sent, and the seventh, which
// is the first again, keeps its distance.
TEST_F(HandMadeLoss, IsReportedOnce) {
  block(1, kStart + kToSwitch);
  EXPECT_EQ(completion(10'000_B).ps, (6 * kGap + 9 * kGap + kAlone).ps);
  EXPECT_EQ(counters_.nacks, 1u);
  EXPECT_EQ(counters_.retransmitted, 6u);
}

TEST_F(HandMadeLossIrn, OfTheOnlyPacket) {
  block(1, kStart + kToSwitch);
  EXPECT_EQ(completion(1'000_B).ps, (100_us + kAlone).ps);  // RTO_low
  EXPECT_EQ(counters_.timeouts, 1u);
}

// RTO_high with more than three packets in flight; none of the timeouts doubles the next.
TEST_F(HandMadeLossIrn, OfAllPackets) {
  for (int n = 0; n < 5; ++n) block(1, kStart + n * kGap + kToSwitch);
  // after 320 us all five are sent again, kGap apart
  EXPECT_EQ(completion(5'000_B).ps, (320_us + 4 * kGap + kAlone).ps);
  EXPECT_EQ(counters_.dropped, 5u);
  EXPECT_EQ(counters_.timeouts, 1u);
  EXPECT_EQ(counters_.retransmitted, 5u);
}

TEST_F(HandMadeLossIrn, OfOnePacketThreeTimes) {
  for (const Time sent : {Time{}, 100_us, 200_us}) block(1, kStart + sent + kToSwitch);
  EXPECT_EQ(completion(1'000_B).ps, (300_us + kAlone).ps);
  EXPECT_EQ(counters_.timeouts, 3u);
}

// Only what is missing is sent again, as soon as something behind it is acknowledged.
TEST_F(HandMadeLossIrn, OfTheFirstPacket) {
  block(1, kStart + kToSwitch);
  EXPECT_EQ(completion(2'000_B).ps, (kGap + kAlone + kAlone).ps);
  EXPECT_EQ(counters_.dropped, 1u);
  EXPECT_EQ(counters_.nacks, 0u);
  EXPECT_EQ(counters_.timeouts, 0u);
  EXPECT_EQ(counters_.retransmitted, 1u);
}

// What is sent again takes the next packet's turn: six have left when the loss is known.
TEST_F(HandMadeLossIrn, InALongFlow) {
  block(1, kStart + kToSwitch);
  EXPECT_EQ(completion(10'000_B).ps, (10 * kGap + kAlone).ps);
  EXPECT_EQ(counters_.retransmitted, 1u);
}

// It tells of two packets: the first, whose acknowledgement is lost, too, and the one that comes through.
TEST_F(HandMadeLossIrn, OfAnAcknowledgementBehindAGap) {
  block(1, kStart + kToSwitch);
  block(0, kStart + kGap + 2 * kToSwitch + kAckLink);
  EXPECT_EQ(completion(3'000_B).ps, (2 * kGap + kAlone + kAlone).ps);
  EXPECT_EQ(counters_.dropped, 2u);
  EXPECT_EQ(counters_.retransmitted, 1u) << "the second packet was known to have arrived";
}

TEST_F(HandMadeLossIrn, LimitsWhatIsSentBeyondAGap) {
  for (auto& p : scenario_.profiles) p.recovery.window = 1e-9;  // one packet
  EXPECT_EQ(completion(3'000_B).ps, (3 * kAlone).ps);
}

// Three packets behind the first one tell that it is lost.
TEST_F(HandMadeLossSack, OfTheFirstPacket) {
  block(1, kStart + kToSwitch);
  EXPECT_EQ(completion(5'000_B).ps, (3 * kGap + kAlone + kAlone).ps);
  EXPECT_EQ(counters_.timeouts, 0u);
  EXPECT_EQ(counters_.retransmitted, 1u);
}

// There are not three behind it. Its timeout runs from the acknowledgement of the first packet; that of the third,
// which only tells that something is missing, does not put it off (RFC 6298, section 5.3).
TEST_F(HandMadeLossSack, OfTheSecondLastPacket) {
  block(1, kStart + kGap + kToSwitch);
  EXPECT_EQ(completion(3'000_B).ps, (kAlone + 1_ms + kAlone).ps);
  EXPECT_EQ(counters_.timeouts, 1u);
  EXPECT_EQ(counters_.retransmitted, 1u);
}

TEST_F(HandMadeLossSack, WithAReorderingWindow) {
  for (auto& p : scenario_.profiles) p.recovery.reordering = kGap;
  block(1, kStart + kToSwitch);
  EXPECT_EQ(completion(5'000_B).ps, (2 * kGap + kAlone + kAlone).ps);  // known when the third is acknowledged
  EXPECT_EQ(counters_.retransmitted, 1u);
}

// Linux's recovery, with timers that run out exactly: what acknowledges one packet of two would be late.
class HandMadeLossLinux : public HandMadeLossSack {
 protected:
  HandMadeLossLinux() {
    scenario_.transport.min_rto = 200_ms;
    scenario_.transport.timer_slack = 8_ms;
    scenario_.transport.rack = scenario_.transport.tail_probe = true;
    scenario_.profiles.push_back(profile("fixed-window", {{"window", "2 KB"}, {"rate", "10 Gbps"}}));
    scenario_.profiles.back().recovery.kind = host::RecoveryKind::sack;
    for (auto& p : scenario_.profiles) {
      p.ack_every = 2'000_B;
      p.delayed_acks = true;
    }
  }
};

TEST_F(HandMadeLossLinux, OfNothing) {
  EXPECT_EQ(completion(3'000_B).ps, (2 * kGap + kAlone).ps);
  EXPECT_EQ(counters_.retransmitted, 0u);
}

// Two packets are out: the probe comes two round trips and the slack after the second.
TEST_F(HandMadeLossLinux, OfTheLastPacketOfTwo) {
  block(1, kStart + kGap + kToSwitch);
  EXPECT_EQ(completion(2'000_B).ps, (kGap + 2 * kAlone + 8_ms + kAlone).ps);
  EXPECT_EQ(counters_.dropped, 1u);
  EXPECT_EQ(counters_.timeouts, 0u);
  EXPECT_EQ(counters_.retransmitted, 1u);
}

// One packet is out: its acknowledgement could be late. The timeout, a round trip and min_rto, is earlier than two of
// them.
TEST_F(HandMadeLossLinux, OfTheOnlyPacket) {
  block(1, kStart + kToSwitch);
  EXPECT_EQ(completion(1'000_B).ps, (kAlone + 200_ms + kAlone).ps);
  EXPECT_EQ(counters_.timeouts, 0u);
  EXPECT_EQ(counters_.retransmitted, 1u);
}

// The first two are acknowledged, and one is out.
TEST_F(HandMadeLossLinux, OfTheLastPacketOfThree) {
  block(1, kStart + 2 * kGap + kToSwitch);
  EXPECT_EQ(completion(3'000_B).ps, (kGap + kAlone + kAlone + 200_ms + kAlone).ps);
  EXPECT_EQ(counters_.retransmitted, 1u);
}

// A second loss of it takes a timeout after the probe. The first packet goes again too: nobody has acknowledged it.
TEST_F(HandMadeLossLinux, OfTheProbe) {
  block(1, kStart + kGap + kToSwitch);
  block(1, kStart + kGap + 2 * kAlone + 8_ms + kToSwitch);
  EXPECT_EQ(completion(2'000_B).ps, (kGap + 2 * kAlone + 8_ms + kAlone + 200_ms + kGap + kAlone).ps);
  EXPECT_EQ(counters_.timeouts, 1u);
  EXPECT_EQ(counters_.dropped, 2u);
}

// Timers run out at a tick, after whole ticks that the rest of the running one comes on top of.
TEST_F(HandMadeLossLinux, WithTicks) {
  scenario_.transport.timer_tick = 4_ms;
  block(1, kStart + kGap + kToSwitch);
  std::set<std::int64_t> different;
  for (scenario_.seed = 1; scenario_.seed <= 8; ++scenario_.seed) {
    scenario_.flows.resize(2);
    const Time took = completion(2'000_B);
    EXPECT_GT(took, 12_ms);
    EXPECT_LT(took, 16_ms + 4 * kAlone);
    different.insert(took.ps);
  }
  EXPECT_GT(different.size(), 4u);
}

// A packet that was sent a quarter of the round trip before one that has arrived is lost: three behind it are not
// needed.
TEST_F(HandMadeLossLinux, OfTheFirstPacketOfFive) {
  block(1, kStart + kToSwitch);
  EXPECT_EQ(completion(5'000_B).ps, (2 * kGap + kAlone + kAlone).ps);
  EXPECT_EQ(counters_.timeouts, 0u);
  EXPECT_EQ(counters_.retransmitted, 1u);
}

// Nothing comes that would tell of the second packet: it is waited for as long as RACK says.
TEST_F(HandMadeLossLinux, OfTheSecondLastPacket) {
  scenario_.transport.timer_slack = {};
  block(1, kStart + kGap + kToSwitch);
  EXPECT_EQ(completion(3'000_B).ps, (kGap + kAlone + kAlone / 4 + Time{1} + kAlone).ps);
  EXPECT_EQ(counters_.timeouts, 0u);
  EXPECT_EQ(counters_.retransmitted, 1u);
}

// The window is full and all of it lost: the third packet is the probe, and what comes back of it tells of the others.
TEST_F(HandMadeLossLinux, OfAWindow) {
  for (int n = 0; n < 2; ++n) block(1, kStart + n * kGap + kToSwitch);
  scenario_.add_flow(0, 1, 6'000_B, kStart, 2);
  const Outcome out = run(scenario_);
  EXPECT_EQ(out.counters.dropped, 2u);
  EXPECT_EQ(out.counters.timeouts, 0u);
  EXPECT_EQ(out.counters.retransmitted, 2u);
  EXPECT_GT(out.flows.back().finish, 8_ms);
  EXPECT_LT(out.flows.back().finish, 8_ms + 60_us);
}

TEST_F(HandMadeLossLinux, BeforeAnythingIsMeasured) {
  scenario_.transport.tail_probe = false;
  scenario_.transport.first_rto = 1_s;
  block(1, kStart + kToSwitch);
  EXPECT_EQ(completion(1'000_B).ps, (1_s + kAlone).ps);
  EXPECT_EQ(counters_.timeouts, 1u);
}

}  // namespace
}  // namespace weir::engine
