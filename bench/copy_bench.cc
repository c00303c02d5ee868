// What it costs to go back to an instant of a run: a copy within the process, a state as bytes, and fork(2).
#include <benchmark/benchmark.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "weir/base/error.h"
#include "weir/scenario.h"
#include "weir/simulation.h"

namespace weir {
namespace {

using namespace literals;
using Clock = std::chrono::steady_clock;

// In full swing. The last network is that of `weir bench`, case fat-tree-8192.
Simulation& run_of(std::int64_t hosts) {
  static std::int64_t made = 0;
  static std::unique_ptr<Simulation> run;
  if (made != hosts) {
    const char* file = hosts == 320 ? "scenarios/demo-hpcc.toml" : "scenarios/permutation-fat-tree.toml";
    std::vector<std::string> values{"probes={}"};
    if (hosts != 320) values = {"probes={}", "topology.k=32", "traffic.0.size=250 KB"};
    run.reset();
    run = std::make_unique<Simulation>(Scenario::from_file(file, values));
    run->advance(hosts == 320 ? 400_us : 30_us);
    made = hosts;
  }
  return *run;
}

void count(benchmark::State& state, Simulation& run) {
  if (run.engine().network().hosts() != state.range(0)) throw InputError("the scenario has another number of hosts");
  state.counters["hosts"] = run.engine().network().hosts();
}

void BM_Save(benchmark::State& state) {
  Simulation& run = run_of(state.range(0));
  count(state, run);
  std::size_t bytes = 0;
  for (auto _ : state) bytes = run.save().size();
  state.counters["MB"] = static_cast<double>(bytes) * 1e-6;
}

void BM_Clone(benchmark::State& state) {
  Simulation& run = run_of(state.range(0));
  count(state, run);
  for (auto _ : state) benchmark::DoNotOptimize(run.clone());
}

// Until the child is at work.
void BM_Fork(benchmark::State& state) {
  Simulation& run = run_of(state.range(0));
  count(state, run);
  for (auto _ : state) {
    int ends[2];
    if (pipe(ends) != 0) return state.SkipWithError("no pipe");
    const auto from = Clock::now();
    const pid_t child = fork();
    if (child == 0) {
      run.engine().after_fork();
      const auto now = Clock::now();
      const bool is_written = write(ends[1], &now, sizeof now) == sizeof now;
      _exit(is_written ? 0 : 1);
    }
    Clock::time_point begun;
    if (read(ends[0], &begun, sizeof begun) != sizeof begun) state.SkipWithError("no child");
    state.SetIterationTime(std::chrono::duration<double>(begun - from).count());
    close(ends[0]);
    close(ends[1]);
    int status = 0;
    waitpid(child, &status, 0);
  }
}

// The first 2 us after the fork beside the same in the parent: what copying pages costs.
void BM_FirstSteps(benchmark::State& state) {
  Simulation& run = run_of(state.range(0));
  const bool in_child = state.range(1) != 0;
  for (auto _ : state) {
    int ends[2];
    if (pipe(ends) != 0) return state.SkipWithError("no pipe");
    const auto steps = [&run] {
      const auto from = Clock::now();
      run.advance(run.engine().now() + 2_us);
      return std::chrono::duration<double>(Clock::now() - from).count();
    };
    const pid_t child = fork();
    if (child == 0) {
      run.engine().after_fork();
      if (!in_child) {  // the pages are this one's own by then
        run.advance(run.engine().now() + 2_us);
      }
      const double taken = steps();
      const bool is_written = write(ends[1], &taken, sizeof taken) == sizeof taken;
      _exit(is_written ? 0 : 1);
    }
    double taken = 0;
    if (read(ends[0], &taken, sizeof taken) != sizeof taken) state.SkipWithError("no child");
    state.SetIterationTime(taken);
    close(ends[0]);
    close(ends[1]);
    int status = 0;
    waitpid(child, &status, 0);
  }
}

BENCHMARK(BM_Save)->Arg(320)->Arg(8'192)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Clone)->Arg(320)->Arg(8'192)->Unit(benchmark::kMillisecond);
BENCHMARK(BM_Fork)->Arg(320)->Arg(8'192)->UseManualTime()->Unit(benchmark::kMillisecond);
BENCHMARK(BM_FirstSteps)->ArgsProduct({{320, 8'192}, {0, 1}})->UseManualTime()->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace weir
