#include "weir/gym/environment.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/gym/scenarios.h"
#include "weir/base/error.h"
#include "weir/gym/turn_environment.h"
#include "weir/policy/decider.h"
#include "weir/policy/policy_file.h"
#include "weir/simulation.h"

namespace weir::gym {
namespace {

using test::many_to_one;

// What the policy decides, flow by flow, as the algorithm itself remembers it.
class Deciders {
 public:
  double decide(const Question& q, std::span<const float> row) {
    auto& memory = memories_[q.flow];
    if (q.first) decider_.start(memory.data());
    const double y = static_cast<double>(decider_.evaluate(row, memory.data()));
    const double change = decider_.policy().step * y;
    return y >= 0 ? 1 + change : 1 / (1 - change);
  }

 private:
  policy::Decider decider_{policy::shipped_policy("standard")};
  std::map<std::uint64_t, std::array<std::byte, policy::Decider::kMaxMemory>> memories_;
};

std::vector<std::uint64_t> bytes_sent(engine::Engine& engine) {
  std::vector<std::uint64_t> out;
  for (std::uint32_t p = 0; p < engine.network().ports(); ++p) out.push_back(engine.port_figures(p).sent_bytes);
  return out;
}

TEST(EnvironmentTest, EqualsThePolicyInTheRun) {
  // The environment with the policy outside and the run with the policy inside send the same bytes.
  const Scenario scenario = many_to_one(6, "2 us", "400 us");
  Environment environment(scenario, {});
  environment.reset(7);
  Deciders deciders;
  std::size_t decisions = 0;
  while (environment.advance())
    for (std::size_t i = 0; i < environment.questions().size(); ++i, ++decisions)
      environment.answer(
          i, deciders.decide(environment.questions()[i],
                             environment.observations().subspan(i * environment.width(), environment.width())));
  Simulation inside(many_to_one(6, "2 us", "400 us", {"run.seed=7"}));
  inside.advance();
  EXPECT_GT(decisions, 100u);
  EXPECT_EQ(environment.engine().state_digest(), inside.engine().state_digest());
  EXPECT_EQ(bytes_sent(environment.engine()), bytes_sent(inside.engine()));
}

TEST(EnvironmentTest, TurnsEqualThePolicyInTheRun) {
  for (const char* latency : {"0 us", "2 us"}) {
    TurnEnvironment turns(many_to_one(6, latency, "400 us"), {});
    Deciders deciders;
    std::size_t decisions = 0;
    for (turns.reset(7); !turns.has_ended(); ++decisions)
      turns.step(deciders.decide(turns.question(), turns.observation()));
    Simulation inside(many_to_one(6, latency, "400 us", {"run.seed=7"}));
    inside.advance();
    EXPECT_GT(decisions, 100u);
    EXPECT_EQ(turns.engine().state_digest(), inside.engine().state_digest());
  }
}

TEST(EnvironmentTest, ASingleFlowAmongThoseOfThePolicyEqualsThePolicy) {
  const Scenario scenario = many_to_one(6, "0 us", "400 us");
  TurnEnvironment turns(scenario, {}, SingleFlow{.number = 2, .others = ""});
  Deciders deciders;
  std::size_t decisions = 0;
  for (turns.reset(1); !turns.has_ended(); ++decisions) {
    EXPECT_EQ(turns.question().number, 2u);
    turns.step(deciders.decide(turns.question(), turns.observation()));
  }
  Simulation inside(scenario);
  inside.advance();
  EXPECT_GT(decisions, 10u);
  EXPECT_EQ(turns.engine().state_digest(), inside.engine().state_digest());
}

TEST(EnvironmentTest, AnswersOfFlowsThatEndChangeNothing) {
  Environment environment(many_to_one(4, "2 us", "10 ms", {"traffic.0.size=60 KB"}), {});
  environment.reset(1);
  std::size_t ended = 0;
  while (environment.advance()) {
    for (const Question& q : environment.questions()) EXPECT_TRUE(environment.flows().is_active(q));
    for (std::size_t i = 0; i < environment.questions().size(); ++i) environment.answer(i, 1.0);
    ended += environment.flows().ended().size();
    environment.forget_news();
  }
  ended += environment.flows().ended().size();
  EXPECT_EQ(ended, 4u);
  EXPECT_FALSE(environment.advance());
}

TEST(EnvironmentTest, QuestionsAndNumbersAreInTheOrderOfTime) {
  const std::string flows =
      "traffic=[{kind='flows', flow=[{src=5, dst=6, size='1 MB'}, {src=3, dst=6, size='1 MB', start='100 ns'}, "
      "{src=1, dst=6, size='1 MB', start='150 ns'}, {src=0, dst=6, size='3 KB', start='200 ns'}, "
      "{src=4, dst=6, size='1 MB', start='220 ns'}, {src=2, dst=6, size='1 MB', start='240 ns'}]}]";
  Environment environment(many_to_one(6, "10 us", "200 us", {flows}), {});
  environment.reset(1);
  std::vector<std::uint32_t> asked;
  bool first = true;
  while (environment.advance()) {
    const auto questions = environment.questions();
    EXPECT_TRUE(std::ranges::is_sorted(questions, {}, &Question::now));
    for (std::size_t i = 0; first && i < questions.size(); ++i) asked.push_back(questions[i].number);
    first = false;
    for (std::size_t i = 0; i < questions.size(); ++i) environment.answer(i, 1.0);
  }
  const auto started = environment.flows().started();
  ASSERT_EQ(started.size(), 6u);
  for (std::uint32_t i = 0; i < 6; ++i) {
    EXPECT_EQ(started[i].number, i);
    EXPECT_EQ(started[i].flow, i);
  }
  ASSERT_FALSE(environment.flows().ended().empty());
  EXPECT_EQ(environment.flows().ended().front().number, environment.flows().ended().front().flow);
  EXPECT_GE(asked.size(), 5u);
  EXPECT_TRUE(std::ranges::is_sorted(asked));
}

TEST(EnvironmentTest, ObservationsOfThePaper) {
  Settings settings;
  settings.inputs = policy::Inputs::paper;
  settings.history = 1;
  Environment environment(many_to_one(4, "2 us", "400 us",
                                      {"network.ecn.enabled=true", "network.ecn.k_min=20 KB", "network.ecn.k_max=40 KB",
                                       "algorithm.first_rate=1"}),
                          settings);
  environment.reset(1);
  bool has_cnps = false;
  while (environment.advance())
    for (std::size_t i = 0; i < environment.questions().size(); ++i) {
      const auto row = environment.observations().subspan(4 * i, 4);
      EXPECT_GT(row[0], 0);
      EXPECT_LE(row[0], 1);
      EXPECT_GE(row[1], 1);
      has_cnps |= row[2] > 0;
    }
  EXPECT_TRUE(has_cnps);
}

TEST(EnvironmentTest, RewardsAreOfTheSignal) {
  for (const Reward reward : {Reward::signal, Reward::paper}) {
    Settings settings;
    settings.reward = reward;
    settings.clip = 1e6;
    Environment environment(many_to_one(4, "2 us", "300 us"), settings);
    environment.reset(1);
    while (environment.advance())
      for (std::size_t i = 0; i < environment.questions().size(); ++i) {
        const float signal = environment.observations()[4 * i + 1];
        const float plain = signal / 12.5f;
        const Question& q = environment.questions()[i];
        if (q.first)
          EXPECT_EQ(q.reward, 0);
        else
          EXPECT_FLOAT_EQ(q.reward, reward == Reward::signal ? -std::abs(signal) : -(plain * plain));
      }
  }
}

TEST(EnvironmentTest, FirstRatesAreDrawnFromTheSeed) {
  Settings settings;
  settings.inputs = policy::Inputs::paper;
  settings.history = 1;
  settings.least_first_rate = 0.01;
  settings.most_first_rate = 0.5;
  Environment environment(many_to_one(8, "2 us", "100 us"), settings);
  std::vector<std::map<std::uint64_t, float>> rates;
  for (const std::uint64_t seed : {1, 1, 2}) {
    environment.reset(seed);
    auto& of = rates.emplace_back();
    while (environment.advance())
      for (std::size_t i = 0; i < environment.questions().size(); ++i)
        if (environment.questions()[i].first) of[environment.questions()[i].flow] = environment.observations()[4 * i];
    ASSERT_EQ(of.size(), 8u);
    for (const auto& [flow, rate] : of) {
      EXPECT_GE(rate, 0.01f);
      EXPECT_LE(rate, 0.5f);
    }
  }
  EXPECT_EQ(rates[0], rates[1]);
  EXPECT_NE(rates[0], rates[2]);
}

TEST(EnvironmentTest, WhatCannotBeIsRefused) {
  EXPECT_THROW(Environment(many_to_one(2, "0 us", "1 ms"), {}), InputError);
  EXPECT_THROW(Environment(Scenario::from_values({"topology.kind=star", "topology.hosts=3", "algorithm.name=hpcc",
                                                  "traffic=[{kind='incast', receiver='last', size='1 MB'}]"}),
                           {}),
               InputError);
  Settings settings;
  settings.history = 9;
  EXPECT_THROW(Environment(many_to_one(2, "1 us", "1 ms"), settings), InputError);
  settings = {};
  settings.profiles = {"nobody"};
  EXPECT_THROW(Environment(many_to_one(2, "1 us", "1 ms"), settings), InputError);
  TurnEnvironment turns(many_to_one(2, "0 us", "1 ms"), {});
  EXPECT_THROW(turns.step(1), std::logic_error);
  turns.reset(1);
  const Time before = turns.now();
  for (const double factor :
       {0.0, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()})
    EXPECT_THROW(turns.step(factor), InputError);
  EXPECT_EQ(turns.now(), before);
  turns.step(1);
  EXPECT_GT(turns.now(), before);
}

TEST(EnvironmentTest, AnEpisodeMayBeLeft) {
  TurnEnvironment turns(many_to_one(3, "0 us", "1 s"), {});
  for (int i = 0; i < 3; ++i) {
    turns.reset(1);
    for (int k = 0; k < 20; ++k) turns.step(1);
    EXPECT_FALSE(turns.has_ended());
  }
  turns.close();
  EXPECT_TRUE(turns.has_ended());
  turns.reset(2);
}

}  // namespace
}  // namespace weir::gym
