// What algorithms that are driven by losses, marks and delivery rates do to a link that four of their flows share.
#include <gtest/gtest.h>

#include <algorithm>

#include "tests/engine/scenario.h"

namespace weir::engine {
namespace {

using namespace literals;

struct Shared {
  double used = 0;        // of the link, after 1 ms
  double least = 0;       // of the flows' shares of what all delivered since then, times their number
  double mean_queue = 0;  // bytes
  std::uint32_t max_queue = 0;
  Counters counters;
};

// Hosts of 100 Gb/s, a link of 25 Gb/s: 14 us of propagation there and back, and 335,360 ps to send each packet. The
// flows start 50 us apart.
Shared share_a_link(std::string_view algorithm, Bytes buffer, Bytes mark_above, const Settings& settings = {}) {
  Scenario s;
  s.topology = build(net::Dumbbell{4, 4, 100_Gbps, 1_us, 25_Gbps, 5_us});
  s.profiles = {profile(algorithm, settings)};
  s.buffer.mode = net::BufferMode::lossy;
  s.buffer.size = 2 * buffer;  // a port may take as much as it leaves
  s.ecn.enabled = mark_above.count > 0;
  s.ecn.k_min = s.ecn.k_max = mark_above;
  s.ecn.at_rate = {};
  s.transport.min_rto = 200_us;
  s.transport.nack_interval = 50_us;
  for (std::uint32_t h = 0; h < 4; ++h) s.add_flow(h, 4 + h, 1_GB, h * 50_us);
  const auto model = s.model();
  const auto traffic = s.traffic();
  Simulation simulation(*model, *traffic, {});
  const std::uint32_t bottleneck = 16;  // after two ports for each of eight hosts
  std::vector<std::int64_t> delivered(4);
  const auto count = [&] {
    simulation.for_each_active(
        [&](const host::FlowView& f) { delivered[f.src] = f.in_order.count - delivered[f.src]; });
  };
  Shared out;
  simulation.advance(1_ms);
  count();
  const std::uint64_t before = simulation.port_figures(bottleneck).sent_bytes;
  std::uint64_t samples = 0;
  simulation.every(1_us, [&](Time now) {
    if (now < 1_ms) return;
    ++samples;
    const std::uint32_t queued = simulation.port(bottleneck).queued;
    out.mean_queue += queued;
    out.max_queue = std::max(out.max_queue, queued);
  });
  simulation.advance(5_ms);
  count();
  out.mean_queue /= static_cast<double>(samples);
  out.used = static_cast<double>(simulation.port_figures(bottleneck).sent_bytes - before) /
             static_cast<double>(bytes_in(4_ms, 25_Gbps).count);
  std::int64_t sum = 0;
  for (const auto d : delivered) sum += d;
  out.least = 4 * static_cast<double>(*std::min_element(delivered.begin(), delivered.end())) / static_cast<double>(sum);
  out.counters = simulation.counters();
  return out;
}

// The sawtooth: the queue is longer than the path holds (46 KB), so that the link stays busy through every reduction.
TEST(LossDriven, FillTheBuffer) {
  for (const auto* algorithm : {"newreno", "cubic"}) {
    SCOPED_TRACE(algorithm);
    const Shared s = share_a_link(algorithm, 250_KB, 0_B);
    EXPECT_GT(s.used, 0.99);
    EXPECT_GT(s.counters.dropped, 100u);
    EXPECT_GT(s.max_queue, 248'000u);
    EXPECT_GT(s.mean_queue, 125'000);
    EXPECT_GT(s.least, 0.5);
  }
}

// SIGCOMM'10 section 3.3: marks hold the queue at K, and N flows add N packets to it, once every round.
TEST(LossDriven, DctcpHoldsTheQueueAtTheThreshold) {
  for (const auto* start : {"slow-start", "line-rate"}) {
    for (const std::uint32_t k : {30'000u, 75'000u}) {
      SCOPED_TRACE(start);
      SCOPED_TRACE(k);
      const Shared s = share_a_link("dctcp", 1_MB, Bytes{k}, {{"start", start}});
      EXPECT_GT(s.used, 0.99);
      EXPECT_EQ(s.counters.dropped, 0u);
      EXPECT_GT(s.max_queue, k);
      EXPECT_LE(s.max_queue, k + 5 * 1'048);
      EXPECT_GT(s.mean_queue, 0.85 * k);
      EXPECT_GT(s.least, 0.7);
    }
  }
}

// Twice what the path holds is in flight, and up to six packets more of each flow: 46 + 4 * 6 * 1.048 KB wait.
TEST(LossDriven, BbrKeepsTwoProductsInFlight) {
  const Shared s = share_a_link("bbr", 1_MB, 0_B);
  EXPECT_GT(s.used, 0.99);
  EXPECT_EQ(s.counters.dropped, 0u);
  EXPECT_GT(s.mean_queue, 46'000);
  EXPECT_LT(s.mean_queue, 71'000);
  EXPECT_GT(s.least, 0.7);
}

// Probing the round-trip time for 50 of every 550 us costs no more than that, though all flows come to do it at once.
TEST(LossDriven, BbrProbesTheRoundTrip) {
  const Shared s = share_a_link("bbr", 1_MB, 0_B, {{"min_rtt_window", "500 us"}, {"probe_rtt_duration", "50 us"}});
  EXPECT_GT(s.used, 500.0 / 550);
  EXPECT_LT(s.used, 0.99);
  EXPECT_LT(s.mean_queue, 60'000);
}

}  // namespace
}  // namespace weir::engine
