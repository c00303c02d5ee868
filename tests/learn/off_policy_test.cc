// DQN and DDPG, and the memory that they learn from.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <string>
#include <vector>

#include "weir/base/archive.h"
#include "weir/learn/ddpg.h"
#include "weir/learn/dqn.h"
#include "weir/learn/replay.h"

namespace weir::learn {
namespace {

std::vector<Transition> random_batch(Draws& draws, std::size_t n, bool discrete) {
  std::vector<Transition> out(n);
  for (Transition& t : out) {
    for (auto* in : {&t.before, &t.after})
      for (float& x : *in) x = static_cast<float>(draws.normal());
    t.reward = draws.normal();
    t.output =
        discrete ? static_cast<float>(draws.below(kDiscreteFactors.size())) : static_cast<float>(draws.between(-1, 1));
  }
  return out;
}

// `loss` fills the gradient by the network's weights that it is given.
void expect_gradient(Network& network, const std::function<double(std::span<double>)>& loss) {
  std::vector<double> gradients(network.weights().size()), ignored(network.weights().size());
  loss(gradients);
  double largest = 0;
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    constexpr double h = 1e-6;
    const double before = network.weights()[i];
    network.weights()[i] = before + h;
    const double above = loss(ignored);
    network.weights()[i] = before - h;
    const double below = loss(ignored);
    network.weights()[i] = before;
    EXPECT_NEAR(gradients[i], (above - below) / (2 * h), 1e-7 * std::max(1.0, std::fabs(gradients[i]))) << i;
    largest = std::max(largest, std::fabs(gradients[i]));
  }
  EXPECT_GT(largest, 1e-3);
}

TEST(Dqn, GradientIsThatOfFiniteDifferences) {
  Draws draws(RandomStream(3, 0, Purpose::learning));
  Network network(raw_shape(kRawInputs, 6, policy::Activation::none)), target = network;
  network.initialise(draws, 1.4);
  target.initialise(draws, 1.4);
  const auto batch = random_batch(draws, 9, true);
  expect_gradient(network, [&](std::span<double> out) { return dqn_gradient(network, target, 0.9, batch, out); });
}

// Of one decision: (Q - (r + gamma * the best of what came after))^2 / 2 near 0, and a straight line far from it.
TEST(Dqn, LossIsHubersOfTheError) {
  Draws draws(RandomStream(4, 0, Purpose::learning));
  Network network(raw_shape(kRawInputs, 6, policy::Activation::none));
  network.initialise(draws, 1.4);
  auto batch = random_batch(draws, 1, true);
  std::vector<double> before(6), after(6), ignored(network.weights().size());
  Network::Tape tape;
  network.forward(std::vector<double>(batch[0].before.begin(), batch[0].before.end()), 1, {}, before, tape);
  network.forward(std::vector<double>(batch[0].after.begin(), batch[0].after.end()), 1, {}, after, tape);
  const double estimate = before[static_cast<std::size_t>(batch[0].output)];
  for (const double error : {0.25, -0.5, 3.0, -200.0}) {
    batch[0].reward = estimate - 0.9 * *std::max_element(after.begin(), after.end()) - error;
    EXPECT_NEAR(dqn_gradient(network, network, 0.9, batch, ignored),
                std::fabs(error) < 1 ? error * error / 2 : std::fabs(error) - 0.5, 1e-9);
  }
}

struct ActorAndCritic {
  Followed actor{raw_shape(kRawInputs, 1, policy::Activation::tanh)};
  Followed critic{raw_shape(kRawInputs + 1, 1, policy::Activation::none)};

  explicit ActorAndCritic(Draws& draws) {
    for (Network* n : {&actor.network, &actor.target, &critic.network, &critic.target}) n->initialise(draws, 1.2);
  }
};

TEST(Ddpg, GradientsAreThoseOfFiniteDifferences) {
  Draws draws(RandomStream(5, 0, Purpose::learning));
  ActorAndCritic both(draws);
  const auto batch = random_batch(draws, 9, false);
  expect_gradient(both.critic.network, [&](std::span<double> out) {
    return critic_gradient(both.critic, both.actor, 0.9, 0.1, batch, out);
  });
  expect_gradient(both.actor.network,
                  [&](std::span<double> out) { return actor_gradient(both.critic, both.actor, batch, out); });
}

TEST(Ddpg, TargetsFollow) {
  Draws draws(RandomStream(6, 0, Purpose::learning));
  ActorAndCritic both(draws);
  const double from = both.actor.target.weights()[3], to = both.actor.network.weights()[3];
  both.actor.follow(0.25);
  EXPECT_NEAR(both.actor.target.weights()[3], from + 0.25 * (to - from), 1e-15);
  EXPECT_EQ(both.actor.network.weights()[3], to);
}

Decision numbered(std::uint32_t flow, std::uint32_t number) {
  Decision d;
  d.inputs[0] = static_cast<float>(flow);
  d.inputs[1] = static_cast<float>(number);
  d.output = static_cast<float>(100 * flow + number);
  return d;
}

// Each decision with the reward of the event behind it and the inputs of that event, across updates, too.
TEST(ReplayMemory, JoinsDecisionsOfAFlow) {
  TrajectoryStore first(100), second(100);
  TrajectoryStore* stores[] = {&first, &second};
  ReplayMemory memory(1000);
  for (TrajectoryStore* store : stores)
    for (int flow = 0; flow < 2; ++flow) store->open();
  std::size_t added = 0;
  for (std::uint32_t event = 0; event < 12; ++event) {
    for (std::uint32_t flow = 0; flow < 4; ++flow)
      stores[flow / 2]->record(flow % 2, {.reward = static_cast<double>(event)}, numbered(flow, event));
    if (event % 5 != 4) continue;
    added += memory.add(stores);
    for (TrajectoryStore* store : stores) store->clear();
  }
  EXPECT_EQ(added, 4u * 9u);  // those of the events 0 to 8; what came of the tenth is not known
  EXPECT_EQ(memory.size(), added);
  Draws draws(RandomStream(1, 0, Purpose::learning));
  std::vector<Transition> drawn(500);
  memory.sample(drawn, draws);
  float last = 0;
  for (const Transition& t : drawn) {
    EXPECT_EQ(t.output, 100 * t.before[0] + t.before[1]);
    EXPECT_EQ(t.after[0], t.before[0]);
    EXPECT_EQ(t.after[1], t.before[1] + 1);
    EXPECT_EQ(t.reward, static_cast<double>(t.after[1]));
    last = std::max(last, t.before[1]);
  }
  EXPECT_EQ(last, 8);
}

TEST(ReplayMemory, ForgetsTheOldest) {
  TrajectoryStore store(100);
  TrajectoryStore* stores[] = {&store};
  store.open();
  ReplayMemory memory(7);
  for (std::uint32_t event = 0; event < 24; ++event) {
    store.record(0, {}, numbered(0, event));
    if (event % 3 != 0) continue;
    memory.add(stores);
    store.clear();
  }
  ASSERT_EQ(memory.size(), 7u);
  Draws draws(RandomStream(2, 0, Purpose::learning));
  std::vector<Transition> drawn(300);
  memory.sample(drawn, draws);
  for (const Transition& t : drawn) EXPECT_GE(t.before[1], 21 - 7);
}

}  // namespace
}  // namespace weir::learn
