// One event taken and one scheduled, with so many pending: the hold model, as links use a scheduler.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "weir/base/random.h"
#include "weir/sim/heap_scheduler.h"
#include "weir/sim/wheel_scheduler.h"

namespace weir::sim {
namespace {

constexpr Time kPacket{87'200};  // a full packet at 100 Gb/s
constexpr Time kHop{1'087'200};  // and 1 us

// `pending` links, each of which schedules its next arrival a packet or a hop ahead.
template <class S>
void hold(benchmark::State& run) {
  const auto pending = static_cast<std::uint32_t>(run.range(0));
  const SchedulerHints hints{static_cast<double>(pending) * 1e12 / static_cast<double>(kPacket.ps), kHop + kHop / 4};
  S scheduler(pending, hints);
  std::vector<Time> distance(4096);
  for (std::size_t i = 0; i < distance.size(); ++i)
    distance[i] = mix32(static_cast<std::uint32_t>(i)) % 4 == 0 ? kHop : kPacket;
  for (Entity e = 0; e < pending; ++e) scheduler.schedule(e, {mix32(e) % kPacket.ps});
  std::size_t i = 0;
  Event event;
  for (auto _ : run) {
    scheduler.next(Time::max(), event);
    scheduler.schedule(event.entity, event.time + distance[i++ % distance.size()]);
    benchmark::DoNotOptimize(event);
  }
  run.SetItemsProcessed(static_cast<std::int64_t>(run.iterations()));
}

// A host moves its wake-up again and again before it comes.
template <class S>
void move(benchmark::State& run) {
  const auto pending = static_cast<std::uint32_t>(run.range(0));
  S scheduler(pending, {static_cast<double>(pending) * 1e12 / static_cast<double>(kPacket.ps), kHop + kHop / 4});
  for (Entity e = 0; e < pending; ++e) scheduler.schedule(e, {kHop.ps + mix32(e) % kPacket.ps});
  std::uint32_t i = 0;
  for (auto _ : run) {
    ++i;
    scheduler.schedule(mix32(i) % pending, {kHop.ps + mix32(i + 1) % kHop.ps});
  }
}

BENCHMARK(hold<WheelScheduler>)->Name("schedule_and_take/wheel")->Arg(1'000)->Arg(10'000)->Arg(50'000);
BENCHMARK(hold<HeapScheduler>)->Name("schedule_and_take/heap")->Arg(1'000)->Arg(10'000)->Arg(50'000);
BENCHMARK(move<WheelScheduler>)->Name("move/wheel")->Arg(10'000);
BENCHMARK(move<HeapScheduler>)->Name("move/heap")->Arg(10'000);

}  // namespace
}  // namespace weir::sim
