// Decisions from outside, without Python: the simulation alone, with a maker of decisions that does hardly anything,
// and the same run as an environment. bench/python_bench.py measures it from Python, with the same scenario.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "weir/cc/decision_maker.h"
#include "weir/gym/outside.h"
#include "weir/gym/vector_environment.h"
#include "weir/policy/observation.h"
#include "weir/scenario.h"

namespace weir::gym {
namespace {

constexpr int kFlows = 1'024;
constexpr std::uint64_t kWarm = 50'000;  // decisions before it is measured

// So many hosts send 1,024 flows to one more by a switch.
Scenario many_to_one(std::int64_t hosts, std::int64_t latency_us) {
  return Scenario::from_values({
      "topology.kind=star",
      fmt::format("topology.hosts={}", hosts + 1),
      "topology.rate=100 Gbps",
      "topology.delay=1 us",
      "network.buffer.mode=lossy",
      "transport.payload=1 KB",
      "transport.min_rto=200 us",  // a flow has a timer's entry for each decision of that long
      "algorithm.name=pcc_rl",
      fmt::format("algorithm.decision_latency={} us", latency_us),
      fmt::format("algorithm.first_rate={}", 1.0 / kFlows),
      fmt::format("traffic=[{{kind='incast', size='1 GB', receiver='last', flows={}}}]", kFlows),
      "run.stop=1 s",
  });
}

float trivial(double signal) { return signal > 0 ? 0.98f : 1.02f; }

class Maker final : public cc::DecisionMaker {
 public:
  std::uint32_t start(const cc::FlowFacts&, double&) override {
    factors_.push_back(1);
    return static_cast<std::uint32_t>(factors_.size() - 1);
  }
  double decide(std::uint32_t, Time, const policy::Observation&) override { return 1; }
  void ask(std::uint32_t flow, Time, const policy::Observation& o) override {
    ++decisions;
    factors_[flow] = trivial(policy::signal(signal_, o));
  }
  double answer(std::uint32_t flow, Time) override { return factors_[flow]; }

  std::uint64_t decisions = 0;

 private:
  policy::Signal signal_;
  std::vector<float> factors_;
};

// An iteration is one decision_latency.
void simulation_alone(benchmark::State& state) {
  Outside outside(many_to_one(state.range(0), state.range(1)), {});
  Maker maker;
  const scenario::Run run = outside.build(1, maker);
  const Time window = outside.latency();
  Time now;
  const auto go_on = [&] { run.simulation->advance(now = now + window); };
  while (maker.decisions < kWarm) go_on();
  const std::uint64_t before = maker.decisions;
  for (auto _ : state) go_on();
  state.SetItemsProcessed(static_cast<std::int64_t>(maker.decisions - before));
}
BENCHMARK(simulation_alone)->Args({64, 20})->Args({1024, 20})->MinTime(1);

// An iteration is one call.
void environment(benchmark::State& state) {
  VectorEnvironment env({many_to_one(state.range(0), state.range(1))}, {}, {.environments = 1, .threads = 1});
  const std::size_t rows = env.capacity();
  const std::size_t width = env.width();
  std::vector<float> observations(rows * width), rewards(rows), factors(rows);
  std::vector<std::int64_t> flows(rows), times(rows);
  std::vector<std::int32_t> environments(rows), episodes(rows);
  std::vector<std::uint8_t> first(rows);
  const Batch batch{observations, rewards, flows, environments, episodes, times, first};
  std::size_t n = env.reset(1, batch);
  const auto go_on = [&] {
    for (std::size_t i = 0; i < n; ++i) factors[i] = trivial(observations[i * width + 1]);
    n = env.step(std::span<const float>(factors.data(), n), batch);
  };
  for (std::uint64_t done = 0; done < kWarm; done += n) go_on();
  std::int64_t done = 0;
  for (auto _ : state) {
    done += static_cast<std::int64_t>(n);
    go_on();
  }
  state.SetItemsProcessed(done);
}
BENCHMARK(environment)->Args({64, 20})->Args({1024, 20})->MinTime(1);

}  // namespace
}  // namespace weir::gym
