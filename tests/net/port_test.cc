// Ports by hand: departures, queues at departure, pauses and control frames. At 100 Gb/s a byte lasts 80 ps.
#include "weir/net/port/port.h"
#include "weir/net/port/departure_effects.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace weir::net {
namespace {

using namespace literals;

Port port_of(Rate rate) {
  Port p;
  p.rate = rate;
  const std::int64_t bits_ps = 8 * kPicosecondsPerSecond;
  if (bits_ps % rate.bits_per_second == 0) p.ps_per_byte = static_cast<std::uint32_t>(bits_ps / rate.bits_per_second);
  return p;
}

Descriptor packet(std::uint16_t wire, PacketKind kind = PacketKind::data, TrafficClass c = TrafficClass::data) {
  Descriptor p;
  p.wire = wire;
  p.kind = kind;
  p.traffic_class = c;
  return p;
}

// What the engine does when a packet arrives: departures come first.
const Descriptor& put(Port& p, std::uint16_t wire, Time now, TrafficClass c = TrafficClass::data) {
  Fifo::drain(p, now, [](const Descriptor&) {});
  return Fifo::accept(p, packet(wire, PacketKind::data, c), now);
}

std::vector<std::int64_t> departures(const Port& p) {
  std::vector<std::int64_t> out;
  for (std::uint32_t at = p.ring.head; at != p.ring.tail; ++at) out.push_back(p.ring[at].departs.ps);
  return out;
}

constexpr std::int64_t kNever = kNotScheduled.ps;
using List = std::vector<std::int64_t>;

TEST(Port, PacketsLeaveOneAfterAnother) {
  Port p = port_of(100_Gbps);
  p.delay = 1_us;
  EXPECT_EQ(put(p, 1'000, {5'000}).departs.ps, 5'000);
  EXPECT_EQ(put(p, 500, {6'000}).departs.ps, 85'000);
  EXPECT_EQ(put(p, 1'500, {6'000}).departs.ps, 125'000);
  EXPECT_EQ(p.free_at.ps, 245'000);
  EXPECT_EQ(p.waiting(), 2u);
  EXPECT_EQ(p.arrival(p.ring.front()).ps, 5'000 + 80'000 + 1'000'000);
  // After an idle gap a packet leaves when it comes; at the very end of a transmission as well.
  EXPECT_EQ(put(p, 100, {245'000}).departs.ps, 245'000);
  EXPECT_EQ(put(p, 100, {300'000}).departs.ps, 300'000);
}

TEST(Port, TimesThatDoNotDivideAreRoundedUpPerPacket) {
  Port p = port_of(33_Gbps);
  EXPECT_EQ(p.ps_per_byte, 0u);
  put(p, 1'000, {});
  EXPECT_EQ(put(p, 1, {}).departs.ps, 242'425);  // 8,000,000 / 33 = 242,424.2
  EXPECT_EQ(p.free_at.ps, 242'425 + 243);        // 8,000 / 33 = 242.4
}

// Each packet records what it leaves behind: not itself, and nothing that comes at the same instant or later.
TEST(Port, QueueAtDeparture) {
  Port p = port_of(100_Gbps);
  put(p, 1'000, {0});
  put(p, 500, {10'000});
  put(p, 300, {20'000});
  put(p, 200, {80'000});   // when the second packet leaves
  put(p, 100, {115'000});  // before the third one leaves at 120,000
  std::vector<std::uint16_t> left;
  Fifo::drain(p, {200'000}, [&](const Descriptor& departed) { left.push_back(departed.wire); });
  EXPECT_EQ(left, (std::vector<std::uint16_t>{300, 200, 100}));  // earlier ones left while others came
  List queues;
  for (std::uint32_t at = p.ring.head; at != p.ring.tail; ++at) queues.push_back(p.ring[at].queue);
  EXPECT_EQ(queues, (List{0, 300, 300, 100, 0}));
  EXPECT_EQ(p.queued, 0u);
  EXPECT_EQ(p.ring.cursor, p.ring.tail);
}

TEST(Port, DrainIncludesThePresentInstantOnly) {
  Port p = port_of(100_Gbps);
  put(p, 1'000, {0});
  Fifo::accept(p, packet(1'000), {0});
  Fifo::drain(p, {79'999}, [](const Descriptor&) {});
  EXPECT_EQ(p.waiting(), 1u);
  EXPECT_EQ(p.queued, 1'000u);
  Fifo::drain(p, {80'000}, [](const Descriptor&) {});
  EXPECT_EQ(p.waiting(), 0u);
}

TEST(Port, AnIdlePortStartsAtOnce) {
  Port p = port_of(100_Gbps);
  EXPECT_TRUE(Fifo::starts_at_once(p, packet(1), {0}));
  EXPECT_EQ(Fifo::start(p, packet(1'000), 0, {7'000}).departs.ps, 7'000);
  EXPECT_EQ(p.ring.front().queue, 0u);
  EXPECT_EQ(p.queued, 0u);
  EXPECT_EQ(p.waiting(), 0u);
  EXPECT_FALSE(Fifo::starts_at_once(p, packet(1), {86'999}));
  EXPECT_TRUE(Fifo::starts_at_once(p, packet(1), {87'000}));
  put(p, 1'000, {50'000});
  Fifo::drain(p, {60'000}, [](const Descriptor&) {});
  EXPECT_FALSE(Fifo::starts_at_once(p, packet(1), {60'000}));
  Fifo::drain(p, {87'000}, [](const Descriptor&) {});
  EXPECT_FALSE(Fifo::starts_at_once(p, packet(1), {100'000}));
  p.paused = true;
  EXPECT_FALSE(Fifo::starts_at_once(p, packet(1), {200'000}));
}

class PausedPort : public testing::Test {
 protected:
  // One packet leaves from 0 to 80,000; two of 1000 and 500 bytes wait.
  PausedPort() {
    put(port_, 1'000, {0});
    put(port_, 1'000, {10'000});
    put(port_, 500, {10'000});
  }
  void pause(Time now) { turn(true, now); }
  void resume(Time now) { turn(false, now); }
  void turn(bool paused, Time now) {
    Fifo::drain(port_, now, [](const Descriptor&) {});
    port_.paused = paused;
    retime(port_, now);
  }
  // Whether pause and resume frames go before the data that waits.
  void control(Time now) {
    Fifo::drain(port_, now, [](const Descriptor&) {});
    insert_control(port_, packet(64, PacketKind::pause), now);
  }

  Port port_ = port_of(100_Gbps);
};

TEST_F(PausedPort, WhatIsLeavingLeaves) {
  pause({50'000});
  EXPECT_EQ(departures(port_), (List{0, kNever, kNever}));
  EXPECT_EQ(put(port_, 700, {60'000}).departs, kNotScheduled);
  Fifo::drain(port_, {900'000}, [](const Descriptor&) { FAIL() << "a packet left a paused port"; });
  EXPECT_EQ(port_.queued, 2'200u);
}

TEST_F(PausedPort, APacketThatStartsAtTheInstantOfThePauseHasStarted) {
  pause({80'000});
  EXPECT_EQ(departures(port_), (List{0, 80'000, kNever}));
}

TEST_F(PausedPort, GoesOnAtOnceWhenIdle) {
  pause({50'000});
  put(port_, 700, {60'000});
  resume({300'000});
  EXPECT_EQ(departures(port_), (List{0, 300'000, 380'000, 420'000}));
  EXPECT_EQ(port_.free_at.ps, 476'000);
}

TEST_F(PausedPort, FinishesItsPacketFirstWhenResumedSoon) {
  pause({50'000});
  resume({60'000});
  EXPECT_EQ(departures(port_), (List{0, 80'000, 160'000}));
  EXPECT_EQ(port_.free_at.ps, 200'000);
}

TEST_F(PausedPort, RepeatedPausesShiftOnlyWhatWaits) {
  pause({50'000});
  resume({100'000});  // second packet leaves until 180,000
  pause({100'001});
  EXPECT_EQ(departures(port_), (List{0, 100'000, kNever}));
  resume({150'000});
  EXPECT_EQ(departures(port_), (List{0, 100'000, 180'000}));
}

TEST(Port, APauseHoldsOnlyTheDataClass) {
  Port p = port_of(100_Gbps);
  p.paused = true;
  EXPECT_EQ(put(p, 100, {1'000}, TrafficClass::priority).departs.ps, 1'000);
  EXPECT_EQ(put(p, 100, {2'000}, TrafficClass::priority).departs.ps, 9'000);
  EXPECT_EQ(put(p, 100, {2'000}).departs, kNotScheduled);
}

TEST_F(PausedPort, ControlFramesGoAheadOfData) {
  control({30'000});
  EXPECT_EQ(departures(port_), (List{0, 80'000, 85'120, 165'120}));  // 64 bytes last 5,120 ps
  control({40'000});                                                 // but after the one before
  EXPECT_EQ(departures(port_), (List{0, 80'000, 85'120, 90'240, 170'240}));
  EXPECT_EQ(port_.free_at.ps, 210'240);
  EXPECT_EQ(port_.pending_control, 2u);
  EXPECT_EQ(port_.queued, 1'500u);
  int departed = 0;
  Fifo::drain(port_, {85'120}, [&](const Descriptor&) { ++departed; });
  EXPECT_EQ(departed, 0);  // control frames hold no buffer
  EXPECT_EQ(port_.pending_control, 0u);
  EXPECT_EQ(port_.waiting(), 2u);
  EXPECT_TRUE(port_.ring[port_.ring.head + 1].is_control());
}

TEST_F(PausedPort, ControlFramesLeaveAPausedPort) {
  pause({50'000});
  control({60'000});
  EXPECT_EQ(departures(port_), (List{0, 80'000, kNever, kNever}));
  control({500'000});
  EXPECT_EQ(departures(port_), (List{0, 80'000, 500'000, kNever, kNever}));
  resume({502'000});
  EXPECT_EQ(departures(port_), (List{0, 80'000, 500'000, 505'120, 585'120}));
}

TEST(Port, ControlFrameOnAnIdlePort) {
  Port p = port_of(100_Gbps);
  insert_control(p, packet(64, PacketKind::resume), {3'000});
  EXPECT_EQ(departures(p), (List{3'000}));
  EXPECT_EQ(put(p, 1'000, {4'000}).departs.ps, 8'120);
}

// A cut port's packets go to the other partition when they start; the wire is busy all the same.
TEST_F(PausedPort, WhatWasHandedOverIsStillLeaving) {
  port_.ring.pop();
  port_.not_before = {80'000};
  control({30'000});
  EXPECT_EQ(departures(port_), (List{80'000, 85'120, 165'120}));
  pause({40'000});
  resume({50'000});
  EXPECT_EQ(departures(port_), (List{80'000, 85'120, 165'120}));
}

class Marking : public testing::Test {
 protected:
  Marking() {
    port_.ecn_min = 1'000;
    port_.ecn_max = 5'000;
    port_.ecn_probability = 0.5;
  }
  double share(std::uint32_t queue) const {
    constexpr std::uint64_t kDraws = 20'000;
    int marked = 0;
    for (std::uint64_t i = 0; i < kDraws; ++i) marked += marks(port_, queue, random_, i);
    return static_cast<double>(marked) / kDraws;
  }
  Port port_;
  RandomStream random_{3, 7, Purpose::ecn_mark};
};

TEST_F(Marking, IsLinearBetweenTheThresholds) {
  // Five standard errors of at most sqrt(0.25 / 20000) each.
  EXPECT_NEAR(share(1'400), 0.05, 0.0177);
  EXPECT_NEAR(share(3'000), 0.25, 0.0177);
  EXPECT_NEAR(share(5'000), 0.5, 0.0177);
  EXPECT_EQ(share(5'001), 1);
  EXPECT_LT(share(1'001), 0.001);
}

TEST_F(Marking, IsTheDrawOfThePacketsNumber) {
  for (std::uint64_t i = 0; i < 1'000; ++i)
    ASSERT_EQ(marks(port_, 2'000, random_, i), random_.uniform(i) < 0.5 * 0.25) << i;
}

TEST_F(Marking, OneThresholdMarksEverythingAbove) {
  port_.ecn_max = 1'000;
  EXPECT_EQ(share(1'001), 1);
}

TEST_F(Marking, NeverWithoutThresholds) {
  const Port plain;
  EXPECT_EQ(plain.ecn_min, ~0u);  // the engine asks only above it
}

TEST(PacketRing, KeepsItsOrderWhileItGrowsAndWraps) {
  PacketRing ring;
  EXPECT_TRUE(ring.empty());
  ring.head = ring.tail = ~0u - 5;  // positions wrap at 2^32
  std::int64_t in = 0;
  std::int64_t out = 0;
  for (int round = 0; round < 50; ++round) {
    for (int i = 0; i < 7; ++i) ring.push().departs.ps = in++;
    for (int i = 0; i < 4; ++i, ring.pop()) ASSERT_EQ(ring.front().departs.ps, out++);
  }
  EXPECT_EQ(ring.size(), 150u);
  for (std::uint32_t at = ring.head; at != ring.tail; ++at) ASSERT_EQ(ring[at].departs.ps, out++);
  EXPECT_EQ(out, in);

  PacketRing moved(std::move(ring));
  EXPECT_EQ(moved.size(), 150u);
  EXPECT_EQ(moved.front().departs.ps, 200);
  EXPECT_TRUE(ring.empty());  // NOLINT: usable after a move
  ring.push().departs.ps = 1;
  EXPECT_EQ(ring.front().departs.ps, 1);
}

TEST(PacketRing, HoldsWhatWasExpectedInItsFirstBlock) {
  PacketRing ring;
  ring.expect(33);
  for (int i = 0; i < 3; ++i) ring.push().departs.ps = i;
  const Descriptor* const first = &ring[0];
  for (int i = 3; i < 64; ++i) ring.push().departs.ps = i;
  EXPECT_EQ(&ring[0], first);  // 64 places, the next power of two
  for (std::int64_t i = 0; i < 64; ++i) EXPECT_EQ(ring[static_cast<std::uint32_t>(i)].departs.ps, i);
  ring.expect(1'000);  // too late
  ring.push().departs.ps = 64;
  EXPECT_EQ(ring.front().departs.ps, 0);
  EXPECT_EQ(ring[64].departs.ps, 64);
}

TEST(PacketRing, BeginsAgainAtItsFirstPlace) {
  PacketRing ring;
  for (int i = 0; i < 5; ++i) ring.push();
  const Descriptor* const first = &ring[0];
  while (!ring.empty()) ring.pop();
  ring.rewind_if_empty();
  EXPECT_EQ(&ring.push(), first);
  EXPECT_EQ(ring.size(), 1u);
}

// Part of every digest, and of every path.
TEST(Packet, EntropyOfAFlow) {
  EXPECT_EQ(flow_entropy(0, 1, 10'000, 100), mix32(mix32(mix32(0) ^ 1) ^ (10'000u | 100u << 16)));
  EXPECT_EQ(flow_entropy(3, 17, 10'001, 100), 0x23fbd3eeu);
  EXPECT_NE(flow_entropy(1, 2, 3, 4), flow_entropy(2, 1, 3, 4));
  EXPECT_NE(flow_entropy(1, 2, 3, 4), flow_entropy(1, 2, 4, 3));
}

TEST(Packet, FitsItsBudget) {
  static_assert(sizeof(Descriptor) == 32 && alignof(Descriptor) == 32);
  static_assert(sizeof(Packet) == 64);
  static_assert(sizeof(Port) <= 256);
}

// What is asked of kinds, whatever their order: one row for each kind.
TEST(Packet, KindsAndWhatHoldsForThem) {
  struct Row {
    PacketKind kind;
    bool is_control, ends_with_link, to_receiver, is_data, is_acknowledgement;
  };
  using Kind = PacketKind;
  std::set<unsigned> numbers;
  for (const Row& row : {Row{Kind::data, false, false, true, true, false},
                         {Kind::trimmed, false, false, true, true, false},
                         {Kind::probe, false, false, true, false, false},
                         {Kind::ack, false, false, false, false, true},
                         {Kind::nack, false, false, false, false, true},
                         {Kind::cnp, false, false, false, false, false},
                         {Kind::or_ack, false, false, false, false, false},
                         {Kind::echo, false, false, false, false, false},
                         {Kind::lost, false, true, true, false, false},
                         {Kind::pause, true, true, true, false, false},
                         {Kind::resume, true, true, true, false, false},
                         {Kind::credit, false, false, false, false, false}}) {
    const Descriptor d = packet(64, row.kind);
    EXPECT_EQ(d.is_control(), row.is_control);
    EXPECT_EQ(d.ends_with_link(), row.ends_with_link);
    if (!row.ends_with_link) {
      EXPECT_EQ(d.to_receiver(), row.to_receiver);
    }
    EXPECT_EQ(d.is_data(), row.is_data);
    EXPECT_EQ(d.is_acknowledgement(), row.is_acknowledgement);
    EXPECT_TRUE(numbers.insert(static_cast<unsigned>(row.kind) & 15).second) << "two kinds have one number";
  }
}

// No flag shares a bit with another one, nor with the path policy.
TEST(Packet, EachFlagHasABitOfItsOwn) {
  unsigned seen = kPathPolicy;
  for (const unsigned flag : {kMarked, kMarkable, kRetransmission, kAskAck, kLast, kEchoMarked, kEchoCnp, kSack}) {
    EXPECT_EQ(seen & flag, 0u);
    seen |= flag;
  }
  for (const PathPolicy policy :
       {PathPolicy::hash, PathPolicy::adaptive, PathPolicy::round_robin, PathPolicy::flowlets, PathPolicy::conga}) {
    Descriptor d = packet(64);
    d.flags = static_cast<std::uint16_t>(0xffffu & ~kPathPolicy) | flags_of(policy);
    EXPECT_EQ(d.path_policy(), policy);
    EXPECT_EQ(d.is_routed_by_hash(), policy == PathPolicy::hash);
  }
}

}  // namespace
}  // namespace weir::net
