// Several data classes: how they share a port, and that a pause of one leaves the others alone.
#include <gtest/gtest.h>

#include <map>

#include "tests/engine/scenario.h"

namespace weir::engine::classes_test {
namespace {

using namespace literals;

constexpr Time kPacket{83'840};  // of 1048 bytes at 100 Gb/s

host::Profile unlimited(std::uint32_t data_class) {
  host::Profile p = profile("fixed-window", {{"window", "1 GB"}});
  p.data_class = data_class;
  return p;
}

// Hosts 0 and 1 send 3 MB each to host 2, in class 0 and class 1.
Scenario two_classes(net::Scheduling scheduling) {
  Scenario s;
  s.topology = build(net::Star{.hosts = 3});
  s.network.scheduling = scheduling;
  s.classes = {{.quantum = 1'048_B}, {.quantum = 3'144_B}};
  s.profiles = {unlimited(0), unlimited(1)};
  s.add_flow(0, 2, 3_MB, {}, 0);
  s.add_flow(1, 2, 3_MB, {}, 1);
  return s;
}

std::map<std::uint32_t, Time> finishes(const Scenario& s) {
  std::map<std::uint32_t, Time> out;
  for (const auto& f : run(s).flows) out[f.src] = f.finish;
  return out;
}

// While both are backlogged, class 1 sends three packets for each of class 0: its 3000 packets take the time of 4000,
// those of class 0 the time of all 6000.
TEST(Classes, DrrSharesByQuanta) {
  const auto at = finishes(two_classes(net::Scheduling::drr));
  const Time rest = 5_us;  // the way there and back
  EXPECT_GT(at.at(1), 3'996 * kPacket);
  EXPECT_LT(at.at(1), 4'004 * kPacket + rest);
  EXPECT_GT(at.at(0), 5'996 * kPacket);
  EXPECT_LT(at.at(0), 6'004 * kPacket + rest);
}

TEST(Classes, FifoSharesByArrival) {
  const auto at = finishes(two_classes(net::Scheduling::fifo));
  EXPECT_GT(at.at(0), 5'990 * kPacket);
  EXPECT_GT(at.at(1), 5'990 * kPacket);
}

// Class 0 waits for the packet of class 1 in progress, at most once.
TEST(Classes, PriorityKnowsNoOther) {
  Scenario s = two_classes(net::Scheduling::priority);
  const auto at = finishes(s);
  s.flows.resize(1);
  const Time alone = finishes(s).at(0);
  EXPECT_GE(at.at(0), alone);
  EXPECT_LE(at.at(0), alone + 2 * kPacket);
  EXPECT_GT(at.at(1), 5'996 * kPacket);
}

// Hosts 0 and 1 overload host 2 in class 0, so that their NICs are paused; host 0 also sends to host 3.
class PausedClass : public testing::Test {
 protected:
  PausedClass() {
    s_.topology = build(net::Star{.hosts = 4});
    s_.classes = {{}, {}};
    s_.profiles = {unlimited(0), unlimited(1)};
    s_.buffer.size = {2 * s_.set_aside() + 200'000};
    s_.add_flow(0, 2, 3_MB, {}, 0);
    s_.add_flow(1, 2, 3_MB, {}, 0);
  }
  // Of the flow to host 3.
  Time finish(std::uint16_t with_profile) {
    s_.add_flow(0, 3, 1_MB, {}, with_profile);
    const Outcome out = run(s_);
    EXPECT_GT(out.counters.pauses, 0u);
    EXPECT_EQ(out.counters.dropped, 0u);
    EXPECT_EQ(out.flows.size(), 3u);
    for (const auto& f : out.flows)
      if (f.dst == 3) return f.finish;
    return Time::max();
  }
  Scenario s_;
};

// The NIC sends the two flows in turn: at worst, 1000 packets take the time of 2000. In one class with the first flow,
// they also take the time that the NIC stands still.
constexpr Time kInTurn = 2'002 * kPacket + 5_us;
TEST_F(PausedClass, DoesNotHoldTheOthers) { EXPECT_LT(finish(1), kInTurn); }
TEST_F(PausedClass, HoldsItsOwn) { EXPECT_GT(finish(0), kInTurn); }

// A class without PFC drops while the other is lossless.
TEST(Classes, WithoutPfcAreDropped) {
  Scenario s;
  s.topology = build(net::Star{.hosts = 5});
  s.classes = {{}, {.pfc = false}};
  s.profiles = {unlimited(0), unlimited(1)};
  s.transport.min_rto = 200_us;
  s.transport.nack_interval = 50_us;
  s.buffer.size = {s.set_aside() + 300'000};
  for (const std::uint32_t h : {0u, 1u}) s.add_flow(h, 4, 500_KB, {}, 0);
  for (const std::uint32_t h : {2u, 3u}) s.add_flow(h, 4, 500_KB, {}, 1);
  const Outcome out = run(s);
  ASSERT_EQ(out.flows.size(), 4u);
  EXPECT_GT(out.counters.dropped, 0u);
  for (const auto& f : out.flows) EXPECT_EQ(f.retransmitted > 0, f.profile == 1) << f.src;
}

}  // namespace
}  // namespace weir::engine::classes_test
