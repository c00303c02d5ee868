// Priority ports by hand: what a packet of the first class does to those of the second. At 100 Gb/s a byte lasts 80 ps.
#include "weir/net/port/priority_port.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "weir/base/archive.h"
#include "weir/net/port/wire.h"

namespace weir::net {
namespace {

constexpr auto kFirst = TrafficClass::priority;
constexpr auto kSecond = TrafficClass::data;
using Left = std::vector<std::pair<std::int64_t, std::uint32_t>>;  // departures, and what waited behind

class PriorityPort : public testing::Test {
 protected:
  PriorityPort() {
    p_.kind = PortKind::priority;
    p_.rate = Rate{100'000'000'000};
    p_.ps_per_byte = 80;
  }

  static Descriptor packet(std::uint16_t wire, TrafficClass c, PacketKind kind = PacketKind::data) {
    Descriptor out;
    out.wire = wire;
    out.traffic_class = c;
    out.kind = kind;
    return out;
  }
  void settle(std::int64_t now) {
    Priority::drain(p_, {now}, [](const Descriptor&) {});
  }
  // What the engine does when a packet arrives: departures come first.
  void put(std::uint16_t wire, TrafficClass c, std::int64_t now) {
    settle(now);
    Priority::accept(p_, packet(wire, c), 0, {now});
    settle(now);
  }
  Left on_wire() const {
    Left out;
    for_each_on_wire(p_, [&](const Descriptor& packet) { out.emplace_back(packet.departs.ps, packet.queue); });
    return out;
  }

  Port p_;
};

// The packet in transmission is not interrupted; the two that wait leave later by the time of the one that came.
TEST_F(PriorityPort, TheFirstClassDelaysWhatHasNotBegunToLeave) {
  put(1'000, kSecond, 0);
  put(1'000, kSecond, 0);
  put(1'000, kSecond, 0);
  put(100, kFirst, 50'000);
  settle(1'000'000);
  EXPECT_EQ(on_wire(), (Left{{0, 0}, {80'000, 0}, {88'000, 1'000}, {168'000, 0}}));
  EXPECT_EQ(p_.queued, 0u);
}

// What comes when a transmission ends comes after that departure.
TEST_F(PriorityPort, DeparturesComeFirst) {
  put(1'000, kSecond, 0);
  put(1'000, kSecond, 0);
  put(100, kFirst, 80'000);
  put(200, kFirst, 80'000);
  settle(1'000'000);
  EXPECT_EQ(on_wire(), (Left{{0, 0}, {80'000, 0}, {160'000, 200}, {168'000, 0}}));
}

TEST_F(PriorityPort, APauseHoldsTheSecondClassOnly) {
  put(1'000, kSecond, 0);
  put(500, kSecond, 0);
  p_.paused = 1;
  put(100, kFirst, 200'000);
  EXPECT_EQ(Priority::next_to_leave(p_), nullptr);
  settle(300'000);
  EXPECT_EQ(on_wire(), (Left{{0, 0}, {200'000, 0}}));
  EXPECT_EQ(p_.queued, 500u);
  p_.paused = 0;
  p_.free_at = {300'000};
  settle(300'000);
  EXPECT_EQ(on_wire(), (Left{{0, 0}, {200'000, 0}, {300'000, 0}}));
}

TEST_F(PriorityPort, PauseFramesGoAheadOfBoth) {
  put(1'000, kSecond, 0);
  put(1'000, kSecond, 0);
  put(100, kFirst, 1'000);
  insert_control(p_, packet(64, kSecond, PacketKind::pause), {2'000});
  insert_control(p_, packet(64, kSecond, PacketKind::resume), {3'000});
  EXPECT_EQ(p_.pending_control, 2u);
  settle(1'000'000);
  EXPECT_EQ(p_.pending_control, 0u);
  std::vector<PacketKind> kinds;
  for_each_on_wire(p_, [&](const Descriptor& packet) { kinds.push_back(packet.kind); });
  EXPECT_EQ(kinds,
            (std::vector{PacketKind::data, PacketKind::pause, PacketKind::resume, PacketKind::data, PacketKind::data}));
  EXPECT_EQ(p_.free_at.ps, 80 * (1'000 + 64 + 64 + 100 + 1'000));
}

TEST_F(PriorityPort, WhatIsOnTheWireArrivesInTheOrderOfDepartures) {
  for (const auto& [wire, c] : {std::pair<std::uint16_t, TrafficClass>{1'000, kSecond},
                                {900, kSecond},
                                {100, kFirst},
                                {800, kSecond},
                                {200, kFirst}})
    put(wire, c, 0);
  settle(1'000'000);
  std::vector<std::uint16_t> wires;
  while (!wire_is_empty(p_)) wires.push_back(take_off_wire(p_).wire);
  EXPECT_EQ(wires, (std::vector<std::uint16_t>{1'000, 100, 200, 900, 800}));
}

// More packets than the port has notes of their order, some of which leave while others arrive.
TEST_F(PriorityPort, ALongWireKeepsTheOrderOfDepartures) {
  constexpr std::int64_t kEach = 100 * 80;
  std::int64_t now = 0;
  for (std::uint32_t i = 0; i < 100; ++i, now += kEach) put(100, i % 3 == 0 || i % 7 == 0 ? kFirst : kSecond, now);
  ASSERT_EQ(count_on_wire(p_), 100u);
  std::int64_t last = -1;
  for (int taken = 0; !wire_is_empty(p_); ++taken) {
    const Descriptor& packet = take_off_wire(p_);
    EXPECT_GT(packet.departs.ps, last);
    last = packet.departs.ps;
    if (taken < 50) put(100, taken % 5 == 0 ? kFirst : kSecond, now += kEach);
  }
  EXPECT_EQ(last, now);
}

// A checkpoint does not hold the notes of the order. Of the packets, pause frames among them, some leave after loading.
TEST_F(PriorityPort, ALongWireKeepsItsOrderWhenItIsLoaded) {
  const auto put_some = [](Port& port, std::uint16_t first, std::int64_t from) {
    for (std::uint16_t i = 0; i < 160; ++i) {
      const Time at{from + i * 6'000};
      Priority::drain(port, at, Ignore{});
      Priority::accept(port, packet(first + i, i % 3 == 0 || i % 7 == 0 ? kFirst : kSecond), 0, at);
      if (i % 20 == 10) insert_control(port, packet(first + i, kSecond, PacketKind::pause), at);
      Priority::drain(port, at, Ignore{});
    }
  };
  put_some(p_, 100, 0);
  for (int i = 0; i < 5; ++i) take_off_wire(p_);
  ASSERT_GT(count_on_wire(p_), 63u);
  ASSERT_NE(Priority::next_to_leave(p_), nullptr);
  Saver saver;
  p_.archive(saver);
  Port loaded;
  loaded.kind = p_.kind;
  loaded.rate = p_.rate;
  loaded.ps_per_byte = p_.ps_per_byte;
  Loader loader(saver.content());
  loaded.archive(loader);
  EXPECT_TRUE(loader.at_end());
  for (Port* port : {&p_, &loaded}) put_some(*port, 300, 1'200'000);
  while (!wire_is_empty(p_)) {
    ASSERT_FALSE(wire_is_empty(loaded));
    const Descriptor& expected = take_off_wire(p_);
    const Descriptor& packet = take_off_wire(loaded);
    EXPECT_EQ(packet.departs.ps, expected.departs.ps);
    EXPECT_EQ(packet.wire, expected.wire);
    EXPECT_EQ(packet.queue, expected.queue);
    EXPECT_EQ(packet.kind, expected.kind);
  }
  EXPECT_TRUE(wire_is_empty(loaded));
  EXPECT_EQ(loaded.ring.size() + loaded.urgent.size(), p_.ring.size() + p_.urgent.size());
}

TEST_F(PriorityPort, AnIdlePortStartsAtOnce) {
  EXPECT_TRUE(Priority::starts_at_once(p_, packet(1'000, kSecond), {7'000}));
  EXPECT_EQ(Priority::start(p_, packet(1'000, kSecond), 3, {7'000}).departs.ps, 7'000);
  EXPECT_FALSE(Priority::starts_at_once(p_, packet(100, kFirst), {86'999}));
  EXPECT_TRUE(Priority::starts_at_once(p_, packet(100, kFirst), {87'000}));
  p_.paused = 1;
  EXPECT_FALSE(Priority::starts_at_once(p_, packet(100, kSecond), {87'000}));
  EXPECT_EQ(Priority::start(p_, packet(100, kFirst), 3, {87'000}).departs.ps, 87'000);
  EXPECT_EQ(p_.queued, 0u);
}

// The lines of a port: what every packet touches, and what most touch when they arrive.
TEST_F(PriorityPort, LinesOfAPort) {
  const auto place = [this](const auto& member) {
    return reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&p_);
  };
  EXPECT_EQ(place(p_.tx_bytes), 64);
  EXPECT_EQ(place(p_.rate), 128);
}

}  // namespace
}  // namespace weir::net
