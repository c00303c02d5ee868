// Claims of Reinforcement Learning for Datacenter Congestion Control about policies themselves: what int8 saves, what a
// decision and a large run take, and what a tree instead of the network loses. Times depend on the machine: a verdict
// only says that they are far below the bound, and docs/evidence/claims/rl.md tells them.
#include <algorithm>
#include <chrono>
#include <ctime>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "weir/claims/catalogue.h"
#include "weir/claims/claim_scenario.h"
#include "weir/learn/actor.h"
#include "weir/learn/evaluation.h"
#include "weir/learn/network.h"
#include "weir/policy/decider.h"
#include "weir/policy/distil.h"
#include "weir/policy/policy_file.h"
#include "weir/policy/quantise.h"
#include "weir/policy/walks.h"
#include "weir/scenario/build.h"
#include "weir/scenario/scenario.h"

namespace weir::claims {
namespace {

using namespace weir::literals;

constexpr std::uint64_t kSeedsOfPolicies = 5;  // of what is random, and no figure of time

// in - 32 - 16 - LSTM 16 - 1 with four inputs, with orthogonal weights.
policy::Policy paper_network(std::uint64_t seed = 1) {
  policy::Policy out;
  out.kind = policy::Kind::lstm;
  out.inputs = policy::Inputs::code;
  learn::Network network(learn::lstm_shape(out.width()));
  learn::Draws draws(RandomStream(seed, 0, Purpose::learning));
  network.initialise(draws, 1);
  std::span<const double> weights = network.weights();
  for (const learn::LayerShape& shape : network.layers()) {
    policy::Layer layer{.lstm = shape.lstm,
                        .activation = shape.lstm ? policy::Activation::none : shape.activation,
                        .inputs = shape.inputs,
                        .outputs = shape.outputs,
                        .weights = {},
                        .row_scales = {}};
    for (const double w : weights.first(shape.weights())) layer.weights.push_back(static_cast<float>(w));
    weights = weights.subspan(shape.weights());
    out.layers.push_back(std::move(layer));
  }
  out.layers.back().activation = policy::Activation::none;  // a policy ends in tanh in any case
  return out;
}

policy::Policy int8_of(const policy::Policy& p) {
  return policy::quantise(p, policy::walk(policy::Decider(p), {.walks = 20, .decisions = 500}));
}

std::size_t weights_in(const policy::Policy& p) {
  std::size_t out = 0;
  for (const policy::Layer& layer : p.layers) out += layer.weights.size();
  return out;
}

void d29_int8_takes_a_quarter(Context& context) {
  const policy::Policy floats = paper_network();
  const policy::Policy int8 = int8_of(floats);
  const std::size_t before = weights_in(floats) * sizeof(float);
  const std::size_t after = weights_in(int8) * sizeof(std::int8_t);
  std::size_t scales = 0;
  for (const policy::Layer& layer : int8.layers) scales += (layer.row_scales.size() + 1) * sizeof(float);
  const auto saved = [&](std::size_t bytes) {
    return 100 * (1 - static_cast<double>(bytes) / static_cast<double>(before));
  };
  context.judge("D29", int8.arithmetic == policy::Arithmetic::int8 && after * 4 == before,
                fmt::format("{} weights: {} B as floats, {} B as int8: {:.0f} % less; with the scales of rows and "
                            "layers, which the paper does not count, {} B: {:.0f} %",
                            weights_in(floats), before, after, saved(after), after + scales, saved(after + scales)));
}

// The least of many stretches: whatever else runs on the machine only adds to them.
double us_per_decision(const policy::Decider& decider, const std::vector<policy::Sample>& samples) {
  constexpr std::size_t kStretch = 500;
  struct alignas(64) Memory {
    std::byte bytes[policy::Decider::kMaxMemory];
  };
  std::vector<Memory> memories(8192);
  for (Memory& m : memories) decider.start(m.bytes);
  double least = 1e30;
  volatile double kept = 0;  // the decisions are made though nobody needs them
  for (std::size_t from = 0; from + kStretch <= samples.size(); from += kStretch) {
    double sum = 0;
    const auto begin = std::chrono::steady_clock::now();
    for (std::size_t i = from; i < from + kStretch; ++i)
      sum += decider.decide(samples[i].observation, memories[i % memories.size()].bytes);
    const std::chrono::duration<double, std::micro> took = std::chrono::steady_clock::now() - begin;
    kept = kept + sum;
    least = std::min(least, took.count() / kStretch);
  }
  return least;
}

// In each of kSeedsOfPolicies random networks.
void d30_a_decision_takes_less_than_a_microsecond(Context& context) {
  std::uint64_t below = 0;
  for (std::uint64_t seed = 1; seed <= kSeedsOfPolicies; ++seed) {
    const policy::Policy int8 = int8_of(paper_network(seed));
    const policy::Decider decider(int8);
    below +=
        us_per_decision(decider, policy::walk(decider, {.walks = 100, .decisions = 1000, .seed = seed})) < 1 ? 1 : 0;
  }
  context.judge("D30", below == kSeedsOfPolicies, fmt::format("{} of {} seeds", below, kSeedsOfPolicies),
                fmt::format("an int8 decision of the paper's network, for 8192 flows in turn, takes less than 1 us of "
                            "one core with {} of {} random networks",
                            below, kSeedsOfPolicies));
}

void d31_two_seconds_of_8192_flows(Context& context) {
  constexpr std::uint64_t kRuns = 3;
  std::uint64_t fast = 0;
  std::uint64_t hops = 0;
  for (std::uint64_t seed = 1; seed <= kRuns; ++seed) {
    scenario::Run run = scenario::build(
        load_claim_scenario(context.scenario("rldc-many-to-one.toml"),
                            {"run.stop=2 s", "traffic.0.flows=128", "traffic.1.flows=8064", "traffic.0.size=1 TB",
                             "traffic.1.size=1 TB", fmt::format("run.seed={}", seed)}));
    const std::clock_t begin = std::clock();
    while (!engine::advance_unstalled(*run.simulation)) {
    }
    const double minutes = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC / 60;
    fast += minutes <= 2 ? 1 : 0;
    hops += run.simulation->counters().packet_hops;
  }
  context.judge("D31", fast == kRuns, fmt::format("{} of {} seeds", fast, kRuns),
                fmt::format("{:.0f} million times that a packet crosses a link, in less than a tenth of 20 minutes of "
                            "one core with {} of {} seeds",
                            static_cast<double>(hops) / static_cast<double>(kRuns) / 1e6, fast, kRuns));
}

learn::Evaluation in_a_star(const policy::Policy& p, std::uint32_t flows, std::uint64_t seed) {
  const auto decider = std::make_shared<const policy::Decider>(p);
  const learn::Curriculum curriculum = learn::parse_curriculum(
      "[learner]\n[scenario.topology]\nrate = \"100 Gbps\"\ndelay = \"2 us\"\n[[environment]]\nflows = 2\n", "star");
  const auto make = [&](const RandomStream& stream, const learn::FirstRates& rates) {
    return std::make_unique<learn::PolicyActor>(stream, rates, decider);
  };
  return learn::evaluate(curriculum.star(flows), make, {0.25, 4},
                         {.duration = 20_ms, .measured = 0.5, .seed = seed, .signal = p.signal});
}

void d33_a_tree_instead_of_the_network(Context& context) {
  constexpr double kKept = 0.98;               // of the network's
  constexpr std::uint64_t kSeedsOfATree = 10;  // a tree's walks take fewer
  const policy::Policy network = policy::shipped_policy("standard");
  std::vector<policy::Policy> trees;
  for (std::uint64_t seed = 0; seed < kSeedsOfPolicies; ++seed) {
    policy::LoopOptions loop;
    loop.walks.seed += seed * kSeedsOfATree;
    trees.push_back(policy::distil_in_loop(network, {}, loop));
  }
  std::vector<Compared> kept;
  std::string text;
  for (const std::uint32_t flows : {8u, 128u, 1024u}) {
    Compared utilisation{.text = fmt::format("utilisation of {} flows, 98 % kept", flows), .by = {}};
    Compared jain{.text = fmt::format("Jain's index of {} flows, 98 % kept", flows), .by = {}};
    learn::Evaluation before, after;  // sums
    for (std::uint64_t seed = 1; seed <= kSeedsOfPolicies; ++seed) {
      const learn::Evaluation of_network = in_a_star(network, flows, seed);
      const learn::Evaluation of_tree = in_a_star(trees[seed - 1], flows, seed);
      utilisation.by.push_back(of_tree.utilisation - kKept * of_network.utilisation);
      jain.by.push_back(of_tree.jain - kKept * of_network.jain);
      before.utilisation += of_network.utilisation;
      before.jain += of_network.jain;
      after.utilisation += of_tree.utilisation;
      after.jain += of_tree.jain;
    }
    const auto mean = [](double sum) { return sum / static_cast<double>(kSeedsOfPolicies); };
    text += fmt::format("; {} flows: utilisation {:.3f} for {:.3f}, Jain's index {:.3f} for {:.3f}", flows,
                        mean(after.utilisation), mean(before.utilisation), mean(after.jain), mean(before.jain));
    kept.push_back(std::move(utilisation));
    kept.push_back(std::move(jain));
  }
  context.judge("D33", OverSeeds{std::move(kept)},
                fmt::format("trees of {} leaves, means of {} seeds{}", (trees.front().nodes.size() + 1) / 2,
                            kSeedsOfPolicies, text));
}

}  // namespace

std::vector<Evaluator> rl_policies() {
  return {{{"D29"}, Tier::quick, 0.1, d29_int8_takes_a_quarter, Evidence::exact},
          {{"D30"}, Tier::slow, 5, d30_a_decision_takes_less_than_a_microsecond, Evidence::once},
          {{"D31"}, Tier::slow, 100, d31_two_seconds_of_8192_flows, Evidence::once},
          {{"D33"}, Tier::slow, 100, d33_a_tree_instead_of_the_network, Evidence::seeds}};
}

}  // namespace weir::claims
