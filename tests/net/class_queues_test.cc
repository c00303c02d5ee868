#include "weir/net/port/class_queues.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace weir::net {
namespace {

Descriptor packet(unsigned c, std::uint16_t wire) {
  Descriptor p;
  p.traffic_class = data_class(c);
  p.wire = wire;
  return p;
}

// Serves until nothing may start; the classes in order.
std::string order(ClassQueues& q, const ClassRules& rules, ClassSet paused = 0, int most = 1'000) {
  std::string out;
  for (PacketRing* from = nullptr; most-- > 0 && (from = q.select(rules, paused)) != nullptr; q.pop(*from))
    out += static_cast<char>('0' + static_cast<int>(from->front().traffic_class) - 1);
  return out;
}

TEST(ClassQueues, ServeControlThenPriorityThenData) {
  const ClassRules rules;
  ClassQueues q;
  EXPECT_EQ(q.select(rules, 0), nullptr);
  q.push(packet(0, 100));
  EXPECT_EQ(q.select(rules, 0), &q.waiting[1]);
  EXPECT_EQ(q.select(rules, 1), nullptr);
  Descriptor ack = packet(0, 60);
  ack.traffic_class = TrafficClass::priority;
  q.push(ack);
  EXPECT_EQ(q.select(rules, 0), &q.waiting[0]);
  EXPECT_EQ(q.select(rules, 1), &q.waiting[0]);
  EXPECT_EQ(q.ahead_of(data_class(0)), 160u);
  Descriptor frame;
  frame.kind = PacketKind::pause;
  q.push(frame);
  EXPECT_EQ(q.select(rules, 1), &q.control);
  EXPECT_EQ(q.ahead_of(data_class(0)), 160u);
}

TEST(ClassQueues, FifoKeepsTheOrderOfArrival) {
  const ClassRules rules{.scheduling = Scheduling::fifo, .classes = 3};
  for (const ClassSet paused : {ClassSet{0}, ClassSet{2}}) {
    ClassQueues q;
    for (const unsigned c : {2u, 0u, 1u, 1u, 2u, 0u}) q.push(packet(c, 100));
    EXPECT_EQ(order(q, rules, paused), paused == 0 ? "201120" : "2020");
  }
}

TEST(ClassQueues, PriorityServesTheSmallestNumberThatMayStart) {
  const ClassRules rules{.scheduling = Scheduling::priority, .classes = 3};
  ClassQueues q;
  for (const unsigned c : {2u, 1u, 0u, 1u}) q.push(packet(c, 100));
  EXPECT_EQ(order(q, rules, 2), "02");
  EXPECT_EQ(order(q, rules), "11");
}

// Quanta of 1 and 3 packets: shares 1 to 3.
TEST(ClassQueues, DrrSharesByQuanta) {
  const ClassRules rules{.scheduling = Scheduling::drr, .classes = 2, .quantum = {1'000, 3'000}};
  ClassQueues q;
  for (int i = 0; i < 8; ++i)
    for (const unsigned c : {0u, 1u}) q.push(packet(c, 1'000));
  EXPECT_EQ(order(q, rules), "0111011101100000");
}

// Packets of class 0 have 700 bytes, those of class 1 have 300, both quanta are 500. Deficits by visit:
// 0: 500, no. 1: 500, one packet, 200 left. 0: 1000, one packet, 300 left. 1: 700, two, 100 left. 0: 800, one, 100
// left. 1: 600, two, 0 left. 0: 600, no. 1: 500, one, 200 left. 0: 1100, one, 400 left.
TEST(ClassQueues, DrrOfPacketsOfDifferentSizes) {
  const ClassRules rules{.scheduling = Scheduling::drr, .classes = 2, .quantum = {500, 500}};
  ClassQueues q;
  for (int i = 0; i < 8; ++i) {
    q.push(packet(0, 700));
    q.push(packet(1, 300));
  }
  EXPECT_EQ(order(q, rules, 0, 9), "101101110");
}

// A packet longer than the quantum waits for as many rounds as it needs, alone or not.
TEST(ClassQueues, DrrServesPacketsLongerThanAQuantum) {
  const ClassRules rules{.scheduling = Scheduling::drr, .classes = 2, .quantum = {100, 100}};
  ClassQueues q;
  q.push(packet(0, 1'000));
  q.push(packet(1, 300));
  q.push(packet(1, 300));
  EXPECT_EQ(order(q, rules), "110");
}

// A class that runs empty keeps no deficit, and waits for its next turn.
TEST(ClassQueues, DrrForgetsTheDeficitOfAnEmptyClass) {
  const ClassRules rules{.scheduling = Scheduling::drr, .classes = 2, .quantum = {1'000, 1'000}};
  ClassQueues q;
  q.push(packet(0, 100));
  q.push(packet(1, 1'000));
  EXPECT_EQ(order(q, rules, 0, 1), "0");
  q.push(packet(0, 1'000));
  q.push(packet(0, 1'000));
  EXPECT_EQ(order(q, rules), "100");
}

}  // namespace
}  // namespace weir::net
