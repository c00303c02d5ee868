// A program that has a run of its own: it builds a star in code, sends flows while the run goes on, watches a queue,
// and stops when it has seen enough.
#include <cstdio>

#include "weir/base/error.h"
#include "weir/scenario.h"
#include "weir/simulation.h"

namespace {

using namespace weir::literals;

int run() {
  // The keys are those of scenario files; `weir list` tells them. `traffic=[]`: all flows come from this program.
  const auto star = weir::Scenario::from_values(
      {"topology.kind=star", "topology.hosts=9", "topology.rate=100 Gbps", "algorithm.name=hpcc", "traffic=[]"});
  weir::Simulation simulation(star);
  weir::engine::Engine& engine = simulation.engine();

  // The switch is the node behind the hosts; this is its port to host 8.
  std::uint32_t to_receiver = 0;
  while (engine.network().port(to_receiver).from != engine.network().hosts() ||
         engine.network().port(to_receiver).to != 8)
    ++to_receiver;

  int ended = 0;
  engine.on_finish([&](const weir::host::FlowRecord& flow) {
    ++ended;
    std::printf("flow from host %u: %.1f us\n", flow.src, (flow.finish - flow.start).seconds() * 1e6);
  });
  std::uint32_t longest = 0;
  engine.every(1_us, [&](weir::Time) { longest = std::max(longest, engine.queued_bytes(to_receiver)); });

  // Each 50 us one more host joins, until one of them is done.
  std::uint32_t senders = 0;
  while (ended == 0) {
    if (senders < 8) simulation.send({.src = senders++, .dst = 8, .size = weir::Bytes{2'000'000}});
    simulation.advance(engine.now() + 50_us);
  }
  std::printf("after %.0f us: %u flows sent, longest queue %.1f KB\n", engine.now().seconds() * 1e6, senders,
              longest * 1e-3);

  // What if nobody else joins? The copy goes on by itself.
  weir::Simulation copy = simulation.clone();
  copy.advance();
  std::printf("the rest would take until %.0f us\n", copy.engine().now().seconds() * 1e6);
  return ended > 0 ? 0 : 1;
}

}  // namespace

int main() {
  try {
    return run();
  } catch (const weir::InputError& error) {
    std::fprintf(stderr, "embed: %s\n", error.what());
    return 2;
  }
}
