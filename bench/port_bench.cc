// A packet through a port: accepted, its departure settled, taken from the wire.
#include <benchmark/benchmark.h>

#include <cstdint>
#include <vector>

#include "weir/net/model/routing.h"
#include "weir/net/model/topologies.h"
#include "weir/net/port/fifo_port.h"
#include "weir/net/port/port.h"
#include "weir/net/switch/switch_buffer.h"

namespace weir::net {
namespace {

using namespace literals;

// `ports` ports in turn, each with so many packets waiting: 64 stay in the nearest caches, 16,384 do not.
void accept_and_drain(benchmark::State& run) {
  const auto n = static_cast<std::size_t>(run.range(0));
  const std::int64_t waiting = run.range(1);
  std::vector<Port> ports(n);
  Descriptor packet;
  packet.wire = 1'000;
  for (Port& p : ports) {
    p.ps_per_byte = 80;
    p.rate = 100_Gbps;
    p.at_switch = true;
    for (std::int64_t i = 0; i < waiting; ++i) Fifo::accept(p, packet, {});
  }
  std::size_t i = 0;
  Time now;
  for (auto _ : run) {
    Port& p = ports[i];
    Fifo::drain(p, now, [](const Descriptor& departed) { benchmark::DoNotOptimize(departed.wire); });
    Fifo::accept(p, packet, now);
    while (p.ring.head != p.ring.cursor) p.ring.pop();
    if (++i == n) {
      i = 0;
      now += 80_ns;
    }
  }
  run.SetItemsProcessed(static_cast<std::int64_t>(run.iterations()));
}

void start_on_idle_port(benchmark::State& run) {
  Port p;
  p.ps_per_byte = 80;
  Descriptor packet;
  packet.wire = 1'000;
  Time now;
  for (auto _ : run) {
    if (Fifo::starts_at_once(p, packet, now)) Fifo::start(p, packet, 0, now);
    benchmark::ClobberMemory();
    p.ring.pop();
    now += 80_ns;
  }
}

// A pause and a resume of a port with so many packets waiting.
void pause_and_resume(benchmark::State& run) {
  Port p;
  p.ps_per_byte = 80;
  Descriptor packet;
  packet.wire = 1'000;
  for (std::int64_t i = 0; i < run.range(0); ++i) Fifo::accept(p, packet, {});
  for (auto _ : run) {
    p.paused = true;
    retime(p, {});
    p.paused = false;
    retime(p, {});
    benchmark::DoNotOptimize(p.free_at);
  }
}

void take_and_release(benchmark::State& run) {
  SwitchBuffer buffer(BufferParams{}, std::vector<IngressLimits>(32, {37'500, 8'192}));
  std::uint32_t ingress = 0;
  for (auto _ : run) {
    if (buffer.fits_upper_bound(ingress, TrafficClass::data, 50'000, 1'000))
      buffer.add_unpaused(ingress, TrafficClass::data, 1'000);
    benchmark::ClobberMemory();
    buffer.release(ingress, TrafficClass::data, 1'000);
    ingress = (ingress + 1) % 32;
  }
}

// Where a switch sends packets of different flows.
void egress(benchmark::State& run, Topology topology) {
  const Routing routing(topology, 1);
  std::uint32_t i = 0;
  for (auto _ : run) {
    ++i;
    const std::uint32_t h = mix32(i);
    benchmark::DoNotOptimize(routing.egress(h % topology.switches, (h >> 12) % topology.hosts, i));
  }
}

void entropy(benchmark::State& run) {
  std::uint32_t i = 0;
  for (auto _ : run) {
    ++i;
    benchmark::DoNotOptimize(flow_entropy(i, i + 1, 10'000, 100));
  }
}

BENCHMARK(accept_and_drain)->ArgsProduct({{64, 16'384}, {1, 100}});
BENCHMARK(start_on_idle_port);
BENCHMARK(pause_and_resume)->Arg(10)->Arg(1'000);
BENCHMARK(take_and_release)->Name("switch_buffer/take_and_release");
BENCHMARK_CAPTURE(egress, clos_320, build(Clos{}));
BENCHMARK_CAPTURE(egress, fat_tree_8192, build(FatTree{32}));
BENCHMARK_CAPTURE(egress, tables_320, [] {
  Topology t = build(Clos{});
  t.tree.clear();
  return t;
}());
BENCHMARK(entropy)->Name("flow_entropy");

}  // namespace
}  // namespace weir::net
