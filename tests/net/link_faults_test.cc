#include "weir/net/link/link_faults.h"

#include <gtest/gtest.h>

namespace weir::net {
namespace {

Descriptor departing(Time t, PacketKind kind = PacketKind::data) {
  Descriptor p;
  p.departs = t;
  p.kind = kind;
  return p;
}

// Down in [100, 200) and from 300 on.
LinkFaults flapping() { return {.loss = 0, .outages = {{{100}, {200}}, {{300}}}}; }

TEST(LinkFaults, LoseWhatIsOnTheWireWhileTheLinkIsDown) {
  const LinkFaults f = flapping();
  EXPECT_FALSE(f.down_between({0}, {99}));
  EXPECT_TRUE(f.down_between({0}, {100}));  // going down acts before the arrival at that instant
  EXPECT_TRUE(f.down_between({50}, {250}));
  EXPECT_TRUE(f.down_between({120}, {130}));
  EXPECT_TRUE(f.down_between({199}, {250}));
  EXPECT_FALSE(f.down_between({200}, {250}));  // coming up acts before the departure at that instant
  EXPECT_FALSE(f.down_between({200}, {299}));
  EXPECT_TRUE(f.down_between({200}, {300}));
  EXPECT_TRUE(f.down_between({5'000}, {6'000}));
}

TEST(LinkFaults, ADeadLinkLosesPauseFramesToo) {
  const RandomStream random(1, 0, Purpose::link_loss);
  EXPECT_TRUE(flapping().loses(departing({150}, PacketKind::pause), {160}, random, 0));
  EXPECT_FALSE(flapping().loses(departing({250}, PacketKind::pause), {260}, random, 0));
}

TEST(LinkFaults, RandomLossSparesPauseFrames) {
  const RandomStream random(1, 0, Purpose::link_loss);
  const LinkFaults always{.loss = LinkFaults::scaled(1), .outages = {}};
  for (std::uint64_t i = 0; i < 1'000; ++i) {
    EXPECT_TRUE(always.loses(departing({0}), {10}, random, i));
    EXPECT_TRUE(always.loses(departing({0}, PacketKind::ack), {10}, random, i));
    EXPECT_FALSE(always.loses(departing({0}, PacketKind::resume), {10}, random, i));
  }
}

TEST(LinkFaults, ProbabilityIsThatOfTheUniformDraw) {
  const RandomStream random(7, 3, Purpose::link_loss);
  const LinkFaults half{.loss = LinkFaults::scaled(0.5), .outages = {}};
  for (std::uint64_t i = 0; i < 1'000; ++i)
    EXPECT_EQ(half.loses(departing({0}), {10}, random, i), random.uniform(i) < 0.5) << i;
}

}  // namespace
}  // namespace weir::net
