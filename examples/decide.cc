// A program that decides for all flows: every epoch it is asked for the rates of those that want a decision.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <span>

#include "weir/base/error.h"
#include "weir/cc/external.h"
#include "weir/scenario.h"
#include "weir/simulation.h"

namespace {

using namespace weir::literals;

// Less where packets have queued, more where they have not.
void decide(const weir::host::Question& question, weir::cc::Control& control) {
  const auto& seen = static_cast<const weir::cc::External*>(question.state)->last();
  const auto line = static_cast<double>(question.facts->line_rate.bits_per_second);
  const auto rate = static_cast<double>(control.rate.bits_per_second);
  const bool queued = seen.acks > 0 && seen.mean_rtt() > question.facts->base_rtt + 2_us;
  control.rate = {static_cast<std::int64_t>(queued ? rate * 0.8 : std::min(line, rate + line / 50))};
}

int run() {
  const auto scenario = weir::Scenario::from_values(
      {"topology.kind=leaf-spine", "topology.leaves=4", "topology.spines=2", "topology.hosts_per_leaf=8",
       "algorithm.name=external", "traffic=[{kind='poisson', sizes='WebSearch', load=0.5, stop='2 ms'}]",
       "run.threads=2"});
  weir::Simulation simulation(scenario);
  std::uint64_t decisions = 0;
  std::size_t largest = 0;
  simulation.engine().decide(
      [&](std::span<const weir::host::Question> questions, std::span<weir::cc::Control> controls) {
        for (std::size_t i = 0; i < questions.size(); ++i) decide(questions[i], controls[i]);
        decisions += questions.size();
        largest = std::max(largest, questions.size());
      });
  while (!simulation.advance()) {
  }
  std::printf("%llu decisions, up to %zu at once, in %.2f ms\n%s", static_cast<unsigned long long>(decisions), largest,
              simulation.engine().now().seconds() * 1e3, simulation.finish().summary.c_str());
  return decisions > 0 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const weir::InputError& error) {
    std::fprintf(stderr, "decide: %s\n", error.what());
    return 2;
  }
}
