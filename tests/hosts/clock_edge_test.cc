#include "hosts/clock/edge.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tests/hosts/clock_scenario.h"

namespace weir::hosts::clock {
namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr std::int64_t kStep = kSecond / 2;
constexpr double kWander = 5e-18;  // per ns and ns
constexpr double kBound = 1.5;     // as the service has it

bool add(Edge& edge, const Scenario::Probe& probe) {
  return probe.sign > 0 ? edge.add_ours(probe.observation) : edge.add_theirs(probe.observation);
}

// Goes on until `end`, fits every half second, and calls `look` after each fit. False: a step was found, at now().
template <typename Look>
bool run(Scenario& scenario, Edge& edge, std::int64_t end, const Look& look) {
  std::int64_t next = (scenario.now() / kStep + 1) * kStep;
  while (scenario.now() < end) {
    if (!add(edge, scenario.next())) return false;
    if (scenario.now() < next) continue;
    if (!edge.fit(next)) return false;
    if (edge.line()) look(next);
    next += kStep;
  }
  return true;
}

TEST(Edge, ItsBoundHoldsWhateverThePathsAreLike) {
  const char* more = std::getenv("WEIR_CLOCK_SCENARIOS");
  const int scenarios = more != nullptr ? std::atoi(more) : 100;
  Random random(1);
  std::size_t looks = 0;
  std::size_t broken = 0;
  int alarms = 0;
  for (int k = 0; k < scenarios; ++k) {
    const Scenario::Numbers numbers = Scenario::any(random);
    Scenario scenario(numbers, random.bits());
    Edge edge(2 * kSecond, kWander);
    const auto look = [&](std::int64_t now) {
      const Estimate e = edge.estimate(now);
      for (const std::int64_t ahead : {std::int64_t{0}, kStep, 2 * kSecond}) {
        const double error =
            std::abs(static_cast<double>(e.offset) + e.drifted_to(now + ahead) - scenario.truth(now + ahead));
        ++looks;
        broken += error > kBound * e.error_at(now + ahead);
      }
    };
    while (!run(scenario, edge, Scenario::kBegin + 20 * kSecond, look)) {
      // a path that is busy for all of the first second looks like a step when it becomes free
      EXPECT_LT(scenario.now(), Scenario::kBegin + 3 * kSecond) << "scenario " << k;
      ++alarms;
    }
  }
  EXPECT_GT(looks, 100u * scenarios);
  EXPECT_LE(static_cast<double>(broken), 0.001 * static_cast<double>(looks)) << broken << " of " << looks;
  EXPECT_LE(alarms, scenarios / 100);
  RecordProperty("broken", std::to_string(broken) + " of " + std::to_string(looks));
}

// The time from a step until it is found, ns; the edge has been known for `known`.
std::int64_t time_to_find(const Scenario::Numbers& numbers, double step, std::uint64_t seed) {
  Scenario scenario(numbers, seed);
  Edge edge(2 * kSecond, kWander);
  const auto nothing = [](std::int64_t) {};
  EXPECT_TRUE(run(scenario, edge, Scenario::kBegin + 10 * kSecond, nothing));
  EXPECT_TRUE(edge.line());
  scenario.step(step);
  const std::int64_t at = scenario.now();
  if (run(scenario, edge, at + 10 * kSecond, nothing)) return INT64_MAX;
  EXPECT_FALSE(edge.line());
  EXPECT_EQ(edge.steps(), 1u);
  const std::int64_t took = scenario.now() - at;
  // and it begins anew
  EXPECT_TRUE(run(scenario, edge, scenario.now() + 3 * kSecond, nothing));
  EXPECT_TRUE(edge.line());
  const Estimate e = edge.estimate(scenario.now());
  EXPECT_NEAR(static_cast<double>(e.offset), scenario.truth(scenario.now()), kBound * e.error);
  return took;
}

TEST(Edge, FindsAClockThatSteps) {
  Scenario::Numbers idle;
  Scenario::Numbers relaxed = idle;
  relaxed.interval = 20e6;
  Scenario::Numbers busy = idle;
  busy.busy_share = 0.6;
  for (const Scenario::Numbers& numbers : {idle, relaxed, busy}) {
    for (const double step : {2e3, -2e3, 30e3, -30e3, 1e6, -1e6, 1e9, -1e9, 3600e9, -3600e9}) {
      EXPECT_LT(time_to_find(numbers, step, 7), kSecond) << step << " ns, busy " << numbers.busy_share;
    }
  }
}

TEST(Edge, TakesStampsThatAreWrongForWhatTheyAre) {
  Scenario scenario({}, 3);
  Edge edge(2 * kSecond, kWander);
  std::size_t looks = 0;
  std::int64_t next = Scenario::kBegin + kStep;
  while (scenario.now() < Scenario::kBegin + 20 * kSecond) {
    Scenario::Probe probe = scenario.next();
    // one in 500 came before it can have come
    if (scenario.random().below(500) == 0) probe.observation.difference -= probe.sign * 8'000;
    ASSERT_TRUE(add(edge, probe));
    if (scenario.now() < next) continue;
    ASSERT_TRUE(edge.fit(next));
    if (edge.line()) {
      const Estimate e = edge.estimate(next);
      // of the first window, before anything was known, it may be one of those that counts
      if (next > Scenario::kBegin + 10 * kSecond) {
        EXPECT_NEAR(static_cast<double>(e.offset), scenario.truth(next), kBound * e.error);
        EXPECT_LT(e.error, 1'000);
        ++looks;
      }
    }
    next += kStep;
  }
  EXPECT_GE(looks, 15u);
  EXPECT_EQ(edge.steps(), 0u);
}

TEST(Edge, AClockWhoseDriftChangesIsNotTrustedAsMuch) {
  // as a daemon does that slews: by 2 us/s at once
  Scenario::Numbers numbers;
  numbers.jitter = 200;
  Scenario before(numbers, 5);
  Edge edge(2 * kSecond, kWander);
  ASSERT_TRUE(run(before, edge, Scenario::kBegin + 12 * kSecond, [](std::int64_t) {}));
  const std::int64_t at = before.now();
  const double fine = edge.estimate(at).error;
  double worst = 0;
  std::size_t steps = 0;
  std::int64_t next = (at / kStep + 1) * kStep;
  while (before.now() < at + 20 * kSecond) {
    Scenario::Probe probe = before.next();
    const double more = 2e-6 * static_cast<double>(probe.observation.at - at);
    probe.observation.difference += std::llround(more);
    if (!add(edge, probe)) ++steps;
    if (before.now() < next) continue;
    if (!edge.fit(next)) ++steps;
    if (edge.line()) worst = std::max(worst, edge.estimate(next).error);
    if (edge.line() && next > at + 12 * kSecond) {
      const double truth = before.truth(next) + 2e-6 * static_cast<double>(next - at);
      const Estimate e = edge.estimate(next);
      EXPECT_NEAR(static_cast<double>(e.offset), truth, kBound * e.error);
    }
    next += kStep;
  }
  // it was noticed: either as a step, or the error said so
  EXPECT_TRUE(steps > 0 || worst > 3 * fine) << worst << " ns, " << fine << " ns before";
}

TEST(Edge, TellsWhenItWasLastSeen) {
  Edge edge(2 * kSecond, kWander);
  EXPECT_EQ(edge.last_seen(), INT64_MIN);
  edge.add_ours({100, 10, true});
  EXPECT_EQ(edge.last_seen(), INT64_MIN);
  edge.add_theirs({90, -10, true});
  EXPECT_EQ(edge.last_seen(), 90);
  edge.doubt();
  EXPECT_EQ(edge.last_seen(), INT64_MIN);
  EXPECT_TRUE(edge.fit(1'000));
  EXPECT_FALSE(edge.line());
}

}  // namespace
}  // namespace weir::hosts::clock
