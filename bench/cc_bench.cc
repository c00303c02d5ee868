// What an acknowledgement costs each algorithm, called as the transport calls it: through the catalogue.
#include <benchmark/benchmark.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "weir/cc/algorithm.h"
#include "weir/cc/median_filter.h"

namespace weir::cc {
namespace {

using namespace literals;

constexpr int kHops = 5;
constexpr std::size_t kAcks = 256;  // acknowledgements in the stream that is repeated

FlowFacts facts() {
  FlowFacts f;
  f.line_rate = 100_Gbps;
  f.path_rate = 100_Gbps;
  f.base_rtt = 12_us;
  f.network_rtt = 13_us;
  f.payload = 1'000_B;
  f.wire = 1'090_B;
  f.switch_hops = kHops;
  return f;
}

// Five ports, each with its own load, seen by the packets of a flow at 50 Gb/s; delays around the targets of Swift and
// TIMELY, by turns above and below.
struct Stream {
  std::vector<Telemetry> telemetry{kAcks};
  std::vector<Ack> acks{kAcks};

  explicit Stream(const IntFormat& format) {
    for (std::size_t i = 0; i < kAcks; ++i) {
      const auto n = static_cast<std::int64_t>(i);
      for (std::size_t h = 0; h < kHops; ++h) {
        const auto hop = static_cast<std::int64_t>(h);
        const HopTelemetry exact{174'400 * n + 1'000'000 * hop, (1'090 + 150 * hop) * n,
                                 static_cast<std::int32_t>((n * 7 + hop * 5) % 9 * 1'090),
                                 h % 2 == 0 ? 100'000u : 400'000u};
        telemetry[i].hop[h] = format.quantise(exact);
      }
      acks[i].now = {20'000'000 + 174'400 * n};
      acks[i].seq = {1'000 * n};
      acks[i].snd_nxt = {1'000 * n + 100'000};
      acks[i].acked = 1'000_B;
      acks[i].rtt = {12'000'000 + n * 7'919'000 % 120'000'000};
      acks[i].sent_at = acks[i].now - acks[i].rtt;
      acks[i].in_flight = {68'000 + 1'000 * (n % 5)};
      acks[i].delivered = 70'000_B;
      acks[i].delivery_span = acks[i].rtt;
      acks[i].ecn = n == 0;
      acks[i].hops = kHops;
      acks[i].telemetry = &telemetry[i];
    }
  }
};

struct Flows {
  const Algorithm& algorithm;
  std::shared_ptr<void> params;
  std::size_t stride;
  std::vector<std::max_align_t> storage;
  std::vector<Control> controls;

  // `key` is a parameter's, or "preset".
  Flows(std::string_view name, std::size_t n, const FlowFacts& f, std::string_view key, std::string_view value)
      : algorithm(*find_algorithm(name)),
        params(algorithm.params->make()),
        stride((algorithm.state_size + sizeof(std::max_align_t) - 1) / sizeof(std::max_align_t)),
        storage(stride * n),
        controls(n) {
    if (key == "preset") {
      for (const auto& preset : algorithm.presets)
        if (preset.name == value)
          for (const auto& [k, v] : preset.values) set(k, v);
    } else if (!key.empty()) {
      set(key, value);
    }
    for (std::size_t i = 0; i < n; ++i) algorithm.start(state(i), params.get(), f, controls[i]);
  }
  void set(std::string_view key, std::string_view value) {
    const Param* p = algorithm.params->find(key);
    p->set(params.get(), parse_value(*p, value));
  }
  void* state(std::size_t i) { return &storage[i * stride]; }
};

// Flows in turn: 1 stays in the nearest cache; 16,384, in an order that no prefetcher guesses, do not.
void on_ack(benchmark::State& run, std::string_view name, IntFormat format, std::string_view key = {},
            std::string_view value = {}) {
  const auto n = static_cast<std::size_t>(run.range(0));
  auto f = facts();
  f.telemetry = format;
  const Stream stream(format);
  Flows flows(name, n, f, key, value);
  std::size_t ack = 0;
  std::size_t flow = 0;
  for (auto _ : run) {
    flows.algorithm.on_ack(flows.state(flow), flows.params.get(), f, stream.acks[ack], flows.controls[flow]);
    benchmark::DoNotOptimize(flows.controls[flow]);
    flow = (flow + 6'151) % n;
    if (flow == 0 && ++ack == kAcks) ack = 0;
  }
  run.counters["state_bytes"] = static_cast<double>(flows.algorithm.state_size);
}

// The filter alone, on delays that are all different: H signals, sorted or by the tree of comparators.
void median(benchmark::State& run, MedianFilter::Selection selection) {
  const auto h = static_cast<std::size_t>(run.range(0));
  const MedianFilter::Params params{.selection = selection};
  MedianFilter filter;
  std::int64_t n = 0;
  for (auto _ : run) {
    n = (n + 7'919'000) % 119'999'983;
    benchmark::DoNotOptimize(filter.observe(params, static_cast<double>(n), h));
  }
}

// DCQCN does nothing on an acknowledgement; this is a CNP on every packet, its worst case.
void on_cnp(benchmark::State& run) {
  const auto f = facts();
  Flows flows("dcqcn", 1, f, {}, {});
  Time now = 10_us;
  for (auto _ : run) {
    now += 83'840_ps;
    if (flows.controls[0].timer <= now)
      flows.algorithm.on_timer(flows.state(0), flows.params.get(), f, now, flows.controls[0]);
    flows.algorithm.on_cnp(flows.state(0), flows.params.get(), f, now, flows.controls[0]);
    benchmark::DoNotOptimize(flows.controls[0]);
  }
}

BENCHMARK_CAPTURE(on_ack, fixed_window, "fixed-window", IntFormat::exact())->Arg(1);
BENCHMARK_CAPTURE(on_ack, dcqcn, "dcqcn", IntFormat::exact())->Arg(1);
BENCHMARK_CAPTURE(on_ack, hpcc_5_hops, "hpcc", IntFormat::exact())->Arg(1)->Arg(16'384);
BENCHMARK_CAPTURE(on_ack, hpcc_5_hops_wire, "hpcc", IntFormat::wire(4))->Arg(1);
BENCHMARK_CAPTURE(on_ack, hpcc_5_hops_rxrate, "hpcc", IntFormat::exact(), "signal", "rxrate")->Arg(1);
BENCHMARK_CAPTURE(on_ack, hpcc_5_hops_vai_sf, "hpcc", IntFormat::exact(), "preset", "fast-convergence-vai-sf")->Arg(1);
BENCHMARK_CAPTURE(on_ack, hpcc_5_hops_probabilistic, "hpcc", IntFormat::exact(), "preset",
                  "fast-convergence-probabilistic")
    ->Arg(1);
BENCHMARK_CAPTURE(on_ack, hpcc_5_hops_reciprocals, "hpcc", IntFormat::exact(), "reciprocal_epsilon", "0.0044")->Arg(1);
BENCHMARK_CAPTURE(on_ack, hpcc_alpha_fair_5_hops, "hpcc-alpha-fair", IntFormat::exact())->Arg(1);
BENCHMARK_CAPTURE(on_ack, hpcc_alpha_fair_5_hops_eighth, "hpcc-alpha-fair", IntFormat::exact(), "alpha", "1/8")->Arg(1);
BENCHMARK_CAPTURE(on_ack, swift, "swift", IntFormat::exact())->Arg(1);
BENCHMARK_CAPTURE(on_ack, swift_fast_convergence, "swift", IntFormat::exact(), "preset", "fast-convergence")->Arg(1);
BENCHMARK_CAPTURE(on_ack, swift_vai_sf, "swift", IntFormat::exact(), "preset", "fast-convergence-vai-sf")->Arg(1);
BENCHMARK_CAPTURE(on_ack, nscc, "nscc", IntFormat::exact())->Arg(1)->Arg(16'384);
BENCHMARK_CAPTURE(on_ack, mnscc, "mnscc", IntFormat::exact())->Arg(1)->Arg(16'384);
BENCHMARK_CAPTURE(on_ack, smartt, "smartt", IntFormat::exact())->Arg(1)->Arg(16'384);
BENCHMARK_CAPTURE(on_ack, mswift_4, "mswift", IntFormat::exact(), "median_history", "4")->Arg(1)->Arg(16'384);
BENCHMARK_CAPTURE(on_ack, mswift_76, "mswift", IntFormat::exact(), "median_history", "76")->Arg(1)->Arg(16'384);
BENCHMARK_CAPTURE(on_ack, mswift_256, "mswift", IntFormat::exact(), "median_history", "256")->Arg(1)->Arg(16'384);
BENCHMARK_CAPTURE(on_ack, timely, "timely", IntFormat::exact(), "event", "ack")->Arg(1);
BENCHMARK_CAPTURE(on_ack, timely_patched, "timely", IntFormat::exact(), "preset", "patched")->Arg(1);
BENCHMARK_CAPTURE(on_ack, bbr, "bbr", IntFormat::exact())->Arg(1)->Arg(16'384);
BENCHMARK_CAPTURE(on_ack, cubic, "cubic", IntFormat::exact(), "ecn", "true")->Arg(1)->Arg(16'384);
BENCHMARK_CAPTURE(on_ack, newreno, "newreno", IntFormat::exact(), "ecn", "true")->Arg(1)->Arg(16'384);
BENCHMARK_CAPTURE(on_ack, dctcp, "dctcp", IntFormat::exact(), "start", "line-rate")->Arg(1)->Arg(16'384);
BENCHMARK_CAPTURE(median, exact, MedianFilter::Selection::exact)->Arg(4)->Arg(76)->Arg(256);
BENCHMARK_CAPTURE(median, tree, MedianFilter::Selection::tree)->Arg(4)->Arg(76)->Arg(256);
BENCHMARK(on_cnp)->Name("on_cnp/dcqcn");

}  // namespace
}  // namespace weir::cc
