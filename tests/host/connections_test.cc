#include "weir/host/connections.h"

#include <gtest/gtest.h>

namespace weir::host {
namespace {

using namespace literals;

const BalancingParams kReps{.kind = Balancing::reps};
constexpr std::uint32_t kGood = 12'345;  // an entropy
constexpr std::uint8_t kUnmarked = 0;

Connections::Key to(std::uint32_t dst) { return {.dst = dst, .sport = 10'000, .dport = 100, .profile = 0}; }

// Joins, and tells what the first packet takes.
std::uint32_t first_entropy(Connections& connections, const Connections::Key& key) {
  return connections.paths(connections.join(key, kReps, 7)).next(0_us);
}

TEST(Connections, KeepWhatTheirFlowsLearned) {
  Connections connections;
  const std::uint32_t c = connections.join(to(1), kReps, 7);
  connections.paths(c).on_ack(kGood, kUnmarked, 1_us);
  connections.leave(c);
  EXPECT_EQ(first_entropy(connections, to(1)), kGood);
}

TEST(Connections, AreToldApartByAllOfTheirKey) {
  const Connections::Key one = to(1);
  for (const Connections::Key& other :
       {Connections::Key{2, one.sport, one.dport, 0}, Connections::Key{1, 10'001, one.dport, 0},
        Connections::Key{1, one.sport, 101, 0}, Connections::Key{1, one.sport, one.dport, 1}}) {
    Connections connections;
    connections.paths(connections.join(one, kReps, 7)).on_ack(kGood, kUnmarked, 1_us);
    EXPECT_NE(first_entropy(connections, other), kGood);
    EXPECT_EQ(connections.known(), 2u);
  }
}

// Of two flows at a time each uses what the other has learned, and the connection is idle after both.
TEST(Connections, ServeFlowsThatOverlap) {
  Connections connections;
  const std::uint32_t first = connections.join(to(1), kReps, 7);
  const std::uint32_t second = connections.join(to(1), kReps, 8);
  EXPECT_EQ(first, second);
  connections.paths(first).on_ack(kGood, kUnmarked, 1_us);
  EXPECT_EQ(connections.paths(second).next(2_us), kGood);
  EXPECT_NE(connections.paths(first).next(2_us), kGood);  // it has been taken
  connections.leave(first);
  connections.paths(second).on_ack(kGood + 1, kUnmarked, 3_us);
  connections.leave(second);
  EXPECT_EQ(first_entropy(connections, to(1)), kGood + 1);
}

TEST(Connections, OfOneFlowAloneLeaveNothing) {
  Connections connections;
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t c = connections.open(kReps, 7);
    EXPECT_EQ(c, 0u);  // its place is used again
    EXPECT_NE(connections.paths(c).next(0_us), kGood);
    connections.paths(c).on_ack(kGood, kUnmarked, 1_us);
    connections.leave(c);
  }
  EXPECT_EQ(connections.known(), 0u);
}

// The longest idle are forgotten first; one that has a flow is not idle, and one that had one lately is not old.
TEST(Connections, AreForgottenWhenTooManyAreIdle) {
  Connections connections;
  const auto use = [&](std::uint32_t dst) {
    const std::uint32_t c = connections.join(to(dst), kReps, 7);
    connections.paths(c).on_ack(kGood, kUnmarked, 1_us);
    connections.leave(c);
  };
  const std::uint32_t busy = connections.join(to(0), kReps, 7);
  for (std::uint32_t dst = 1; dst <= Connections::kMostIdle; ++dst) use(dst);
  EXPECT_EQ(connections.known(), Connections::kMostIdle + 1);
  use(1);
  for (std::uint32_t i = 1; i <= 10; ++i) use(Connections::kMostIdle + i);
  EXPECT_EQ(connections.known(), Connections::kMostIdle + 1);
  EXPECT_EQ(connections.join(to(0), kReps, 7), busy);
  EXPECT_EQ(first_entropy(connections, to(1)), kGood);
  EXPECT_EQ(first_entropy(connections, to(12)), kGood);
  EXPECT_NE(first_entropy(connections, to(11)), kGood);
  EXPECT_NE(first_entropy(connections, to(2)), kGood);
}

}  // namespace
}  // namespace weir::host
