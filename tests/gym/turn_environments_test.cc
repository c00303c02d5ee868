#include "weir/gym/turn_environments.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>
#include <tuple>
#include <vector>

#include "tests/gym/scenarios.h"
#include "weir/base/error.h"

namespace weir::gym {
namespace {

using test::many_to_one;
using Seen = std::tuple<std::int64_t, std::int64_t, float>;  // the instant, the round trip, the reward

Seen seen(const TurnEnvironment& e) { return {e.now().ps, e.question().seen.rtt.ps, e.question().reward}; }

TEST(TurnEnvironmentsTest, EachIsAsOneThatRunsAlone) {
  const Scenario scenario = many_to_one(4, "0 us", "200 us");
  for (const int threads : {1, 3}) {
    TurnEnvironments all(scenario, {}, {}, 5, threads);
    std::vector<Move> moves;
    for (std::uint64_t seed = 1; seed <= 5; ++seed) moves.push_back({.begins = true, .seed = seed});
    all.go_on(moves);
    TurnEnvironment alone(scenario, {}, SingleFlow{});
    alone.reset(3);
    for (Move& move : moves) move = {.factor = 1.1};
    for (int step = 0; step < 20; ++step) {
      ASSERT_FALSE(alone.has_ended());
      EXPECT_EQ(seen(all[2]), seen(alone));
      all.go_on(moves);
      alone.step(1.1);
    }
  }
}

TEST(TurnEnvironmentsTest, WhatCannotBeIsRefusedAndChangesNothing) {
  const Scenario scenario = many_to_one(2, "0 us", "1 ms");
  EXPECT_THROW(TurnEnvironments(scenario, {}, {}, 0, 1), InputError);
  EXPECT_THROW(TurnEnvironments(scenario, {}, {}, 1, -1), InputError);
  TurnEnvironments all(scenario, {}, {}, 2, 1);
  const std::vector<Move> begin{{.begins = true, .seed = 1}, {.begins = true, .seed = 2}};
  EXPECT_THROW(all.go_on(std::vector<Move>(2)), std::logic_error);
  all.go_on(begin);
  const Seen before = seen(all[0]);
  EXPECT_THROW(all.go_on(std::vector<Move>(1)), InputError);
  EXPECT_THROW(all.go_on(std::vector<Move>{{.factor = 1.1}, {.factor = 0}}), InputError);
  EXPECT_EQ(seen(all[0]), before);
  TurnEnvironments none(scenario, {}, SingleFlow{.number = 9}, 2, 1);
  try {
    none.go_on(begin);
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(error.key(), "flow");
  }
  EXPECT_TRUE(none[0].has_ended());
}

}  // namespace
}  // namespace weir::gym
