// What a random draw costs.
#include <benchmark/benchmark.h>

#include <cstdint>

#include "weir/base/random.h"

namespace weir {
namespace {

void bits(benchmark::State& run) {
  const RandomStream random(1, 2, Purpose::ecn_mark);
  std::uint64_t i = 0;
  for (auto _ : run) benchmark::DoNotOptimize(random.bits(i++));
}

// As a port that marks draws: a stream made for one draw.
void uniform_of_a_port(benchmark::State& run) {
  std::uint32_t port = 0;
  std::uint64_t i = 0;
  for (auto _ : run) benchmark::DoNotOptimize(RandomStream(1, ++port % 960, Purpose::ecn_mark).uniform(i++));
}

void exponential(benchmark::State& run) {
  const RandomStream random(1, 2, Purpose::flow_arrival);
  std::uint64_t i = 0;
  for (auto _ : run) benchmark::DoNotOptimize(random.exponential(i++));
}

void mix(benchmark::State& run) {
  std::uint32_t h = 1;
  for (auto _ : run) benchmark::DoNotOptimize(h = mix32(h));
}

BENCHMARK(bits)->Name("philox/bits");
BENCHMARK(uniform_of_a_port)->Name("philox/uniform_of_a_port");
BENCHMARK(exponential)->Name("philox/exponential");
BENCHMARK(mix)->Name("mix32");

}  // namespace
}  // namespace weir
